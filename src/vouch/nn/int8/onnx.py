"""Reads a quantised ONNX model: the graph that onnxruntime made of it, operator by operator.

A value is an integer tensor, or a chain of float32 steps on one: what stands between two integer kernels. The
float input is a chain on nothing yet; the first QuantizeLinear makes the integer inputs of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from vouch.errors import Unsupported, VouchError
from vouch.nn.fixed.format import Ints
from vouch.nn.int8.builder import IntBuilder, Tensor
from vouch.nn.int8.chain import Chain, Kind
from vouch.nn.int8.network import Inputs, Outputs, Quantised
from vouch.nn.int8.ort import OrtRuntime, opened
from vouch.nn.operators.base import LARGEST, Array, Shape

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


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A chain on an integer tensor (None: the tensor itself), or on the float inputs `places`."""

    shape: Shape
    tensor: Tensor | None
    chain: Chain | None
    places: Ints | None = None

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def whole(self) -> Tensor:
        if self.tensor is None or self.chain is not None:
            raise Unsupported("an operator on float32 numbers between integers")
        return self.tensor

    @property
    def floats(self) -> Chain:
        if self.chain is None:
            raise VouchError("float32 numbers expected, integers found")
        return self.chain


def read_quantised(data: bytes, name: str) -> Quantised:
    """The int8 network in a serialised model."""
    session, graph = opened(data)
    model = onnx.load_model_from_string(graph)
    return Reader(model, name).network(session)


class Node:
    """One node as its converter sees it; names are looked up in the reader."""

    def __init__(self, proto: Any, reader: Reader) -> None:
        self.proto, self.reader, self.type = proto, reader, str(proto.op_type)
        self.inputs, self.outputs = list(proto.input), list(proto.output)
        self._attributes = {a.name: helper.get_attribute_value(a) for a in proto.attribute}

    def attribute(self, name: str, default: Any = None) -> Any:
        value = self._attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def has(self, index: int) -> bool:
        return index < len(self.inputs) and bool(self.inputs[index])

    def known(self, index: int) -> bool:
        return self.has(index) and self.inputs[index] in self.reader.constants

    def constant(self, index: int) -> Any:
        if not self.known(index):
            raise Unsupported(f"input {index} of {self.type} that is not constant")
        return self.reader.constants[self.inputs[index]]

    def value(self, index: int) -> Value:
        name = self.inputs[index] if self.has(index) else ""
        if name not in self.reader.values:
            raise Unsupported(f"input {index} of {self.type} that is not computed")
        return self.reader.values[name]

    def emit(self, value: Value) -> None:
        self.reader.values[self.outputs[0]] = value


class Reader:
    def __init__(self, model: Any, name: str) -> None:
        self.name, self.graph = name, model.graph
        self.opsets = list(model.opset_import)
        self.builder = IntBuilder(name)
        self.constants: dict[str, Any] = {}
        self.values: dict[str, Value] = {}
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
        shape = []
        for axis, dimension in enumerate(kind.shape.dim):
            fixed = dimension.HasField("dim_value") and dimension.dim_value > 0
            if not fixed and axis > 0:
                raise VouchError(f"{self.name}: input {value.name!r}: dimension {axis} is not fixed")
            shape.append(int(dimension.dim_value) if fixed else 1)
        size = math.prod(shape)
        if not 0 < size <= LARGEST:
            raise VouchError(f"{self.name}: an input of shape {tuple(shape)}")
        dtype = _TYPES[kind.elem_type]
        if dtype == np.float32:
            places = np.arange(size).reshape(shape)
            self.values[value.name] = Value(tuple(shape), None, Chain(size), places)
        else:
            ends = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
            self.given = Inputs(size, *ends)
            self.values[value.name] = Value(tuple(shape), self.builder.source(tuple(shape), *ends), None)
        return tuple(shape)

    def _node(self, proto: Any) -> None:
        from vouch.nn.int8.onnx_ops import CONVERTERS

        node = Node(proto, self)
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

    def quantised(self, value: Value, chain: Chain, low: int, high: int) -> Tensor:
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


def rearranged(node: Node, value: Value, function: Callable[[Array], Array], fill: int | None = None) -> None:
    """The elements of a value in another order; `function` is applied to their places."""
    places = np.asarray(function(np.arange(value.size).reshape(value.shape)))
    if value.tensor is None:
        assert value.places is not None
        assert value.chain is not None
        moved = value.places.ravel()[places]
        node.emit(Value(places.shape, None, value.chain.rearranged(places.ravel()), moved))
        return
    tensor = node.reader.builder.selected(value.tensor, places, 0 if fill is None else fill)
    chain = None if value.chain is None else value.chain.rearranged(places.ravel())
    node.emit(Value(places.shape, tensor, chain))


def limits(dtype: Any) -> tuple[int, int]:
    """The numbers of an 8-bit type."""
    if np.dtype(dtype) not in (np.dtype(np.int8), np.dtype(np.uint8)):
        raise Unsupported(f"numbers of type {dtype} between quantised operators")
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


def scale_of(array: Any) -> Any:
    """Scales in float32, which have to be positive and finite."""
    scale = np.asarray(array)
    if scale.dtype != np.float32 or not (np.isfinite(scale).all() and (scale > 0).all()):
        raise VouchError("a scale that is no positive float32 number")
    return scale


def each(array: Any, shape: Shape, axis: int) -> Any:
    """A constant for each element: one for all, or one for each index of an axis."""
    flat = np.asarray(array)
    if flat.size == 1:
        return np.broadcast_to(flat.reshape(()), (math.prod(shape),))
    axis = axis % len(shape)
    form = [1] * len(shape)
    form[axis] = flat.size
    return np.broadcast_to(flat.reshape(form), shape).ravel()


def requantise(acc: Tensor, factor: Any, zero: Any) -> Chain:
    """What kernels do with their accumulators: times a float32 factor, rounded, moved, limited."""
    low, high = limits(np.asarray(zero).dtype)
    chain = Chain(acc.size).then(Kind.FLOAT).then(Kind.TIMES, factor)
    return chain.then(Kind.QUANTISE, np.asarray(zero).astype(np.int64), low, high)
