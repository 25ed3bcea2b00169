"""Reads a quantised ONNX model: the graph that onnxruntime made of it, operator by operator.

A value is an integer tensor, or a chain of float32 steps on one: what stands between two integer kernels. The
float input is a chain on nothing yet; the first QuantizeLinear makes the integer inputs of it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from vouch.errors import Unsupported, VouchError
from vouch.nn.arrays import LARGEST, Shape
from vouch.nn.int8.builder import IntBuilder, Tensor
from vouch.nn.int8.chain import Chain
from vouch.nn.int8.network import Inputs, Outputs, Quantised
from vouch.nn.int8.onnx_node import QuantisedNode, QuantisedValue
from vouch.nn.int8.onnx_ops import CONVERTERS
from vouch.nn.int8.ort import OrtRuntime, opened
from vouch.nn.loaders.onnx_node import fixed_shape

_TYPES: dict[int, Any] = {
    onnx.TensorProto.FLOAT: np.dtype(np.float32),
    onnx.TensorProto.INT8: np.dtype(np.int8),
    onnx.TensorProto.UINT8: np.dtype(np.uint8),
}
QUANTISING = {
    "QuantizeLinear", "DynamicQuantizeLinear", "QLinearMatMul", "QLinearConv", "MatMulInteger", "ConvInteger",
    "QGemm", "QLinearAdd", "QLinearMul", "QLinearConcat", "QLinearAveragePool", "QLinearGlobalAveragePool",
    "QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax", "MatMulIntegerToFloat", "DynamicQuantizeMatMul",
}  # fmt: skip


def is_quantised(model: Any) -> bool:
    """Whether integers are computed with, and not only stored as weights."""
    return any(node.op_type in QUANTISING for node in model.graph.node)


def read_quantised(data: bytes, name: str) -> Quantised:
    """The int8 network in a serialised model."""
    session, graph = opened(data)
    model = onnx.load_model_from_string(graph)
    return Reader(model, name).network(session)


class Reader:
    def __init__(self, model: Any, name: str) -> None:
        self.name, self.graph = name, model.graph
        self.opsets = list(model.opset_import)
        self.builder = IntBuilder(name)
        self.constants: dict[str, Any] = {}
        self.values: dict[str, QuantisedValue] = {}
        self.given: Inputs | None = None
        self.softmax = False

    def network(self, session: Any) -> Quantised:
        for tensor in self.graph.initializer:
            self.constants[tensor.name] = numpy_helper.to_array(tensor)
        inputs = [value for value in self.graph.input if value.name not in self.constants]
        if len(inputs) != 1 or len(self.graph.output) != 1:
            raise VouchError(f"{self.name}: a quantised model with one input and one output expected")
        shape = self._start(inputs[0])
        for proto in self.graph.node:
            self._node(proto)
        last = self.values.get(self.graph.output[0].name)
        if last is None or last.tensor is None or self.given is None:
            raise VouchError(f"{self.name}: nothing quantised reaches the output")
        tensor = last.tensor
        made = Outputs(tensor.low, tensor.high, last.chain or Chain(tensor.size))
        integers = self.builder.build(tensor)
        runtime = OrtRuntime(session, shape)
        return Quantised(self.name, shape, integers, self.given, made, runtime, self.softmax)

    def _start(self, value: Any) -> Shape:
        kind = value.type.tensor_type
        if kind.elem_type not in _TYPES or not kind.HasField("shape"):
            raise VouchError(f"{self.name}: input {value.name!r} is neither float32 nor 8 bits wide")
        shape = fixed_shape(self.name, value)
        size = math.prod(shape)
        if not 0 < size <= LARGEST:
            raise VouchError(f"{self.name}: an input of shape {shape}")
        dtype = _TYPES[kind.elem_type]
        if dtype == np.float32:
            places = np.arange(size).reshape(shape)
            self.values[value.name] = QuantisedValue(shape, None, Chain(size), places)
        else:
            ends = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
            self.given = Inputs(size, *ends)
            self.values[value.name] = QuantisedValue(shape, self.builder.source(shape, *ends), None)
        return shape

    def _node(self, proto: Any) -> None:
        node = QuantisedNode(proto, self)
        label = f"{self.name}: node {proto.name or proto.op_type!r} ({node.type})"
        if self.softmax:
            raise VouchError(f"{label}: nothing may follow a softmax")
        try:
            if node.type not in CONVERTERS:
                raise VouchError("is not supported between integers")
            CONVERTERS[node.type](node)
        except (VouchError, Unsupported) as error:
            raise VouchError(f"{label}: {error}") from None
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise VouchError(f"{label}: malformed: {error}") from None

    def quantised(self, value: QuantisedValue, chain: Chain, low: int, high: int) -> Tensor:
        """The integers that a chain ending in a quantisation makes."""
        if value.tensor is not None:
            return self.builder.requantised(value.tensor, chain, low, high)
        assert value.places is not None
        order = value.places.ravel()
        back = np.argsort(order)
        if self.given is not None or not np.array_equal(order[back], np.arange(len(order))):
            raise Unsupported("an input that is quantised in two ways, or in part")
        self.given = Inputs(len(order), low, high, chain.rearranged(back))
        source = self.builder.source((len(order),), low, high)
        return self.builder.selected(source, value.places)
