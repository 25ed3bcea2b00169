"""Reads ONNX models: parses, brings external data in, folds what is constant, converts node by node."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.external_data_helper import uses_external_data

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.int8.network import Quantised
from vouch.nn.loaders.files import inside, read, stem
from vouch.nn.loaders.memory import most_numbers
from vouch.nn.loaders.onnx_node import ImportContext, OnnxNode, fixed_shape
from vouch.nn.loaders.onnx_ops import CONVERTERS
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Concat, Reshape, Slice

# What may go in: the network's numbers are float32 or float64.
_FLOATS = {onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE}


class NotOnnx(VouchError):
    """The bytes are not those of a model."""


def load_onnx(path: Path) -> Network | Quantised:
    """The network in an ONNX file, gzipped or not; dynamic batch dimensions become 1."""
    from vouch.nn.int8.onnx import is_quantised, read_quantised

    name = stem(path)
    try:
        model, data = _model(read(path), name, path.parent)
    except NotOnnx:
        raise VouchError(f"{path}: not an ONNX model, or an empty one") from None
    return read_quantised(data, name) if is_quantised(model) else _Reader(model, name).network(data)


def from_bytes(data: bytes, name: str, folder: Path | None = None) -> Network:
    """The network in a serialised model. External data is read from `folder` only."""
    model, data = _model(data, name, folder)
    return _Reader(model, name).network(data)


def _model(data: bytes, name: str, folder: Path | None) -> tuple[Any, bytes]:
    """The model, and its bytes with external data brought in."""
    try:
        model = onnx.load_model_from_string(data)
    except Exception:  # protobuf has its own exceptions for each of its implementations
        raise NotOnnx(f"{name}: not an ONNX model") from None
    if not model.graph.node and not model.graph.input:
        raise NotOnnx(f"{name}: not an ONNX model, or an empty one")
    if _bring_in(model, name, folder):
        data = model.SerializeToString()
    return model, data


def _bring_in(model: Any, name: str, folder: Path | None) -> bool:
    """Replace references to external data by the data; True when there were any."""
    found = False
    for tensor in _tensors(model.graph):
        if not uses_external_data(tensor):
            continue
        entries = {entry.key: entry.value for entry in tensor.external_data}
        try:
            if folder is None:
                raise VouchError("external data in a model without a folder")
            file = inside(folder, entries.get("location", ""))
            tensor.raw_data = _stretch(file, entries)
        except VouchError as error:
            raise VouchError(f"{name}: tensor {tensor.name!r}: {error}") from None
        del tensor.external_data[:]
        tensor.data_location = onnx.TensorProto.DEFAULT
        found = True
    return found


def _stretch(file: Path, entries: dict[str, str]) -> bytes:
    try:
        offset, size = int(entries.get("offset", "0")), file.stat().st_size
        length = int(entries["length"]) if "length" in entries else size - offset
    except ValueError:
        raise VouchError("offset and length of external data are numbers") from None
    if offset < 0 or length < 0 or offset + length > size:
        raise VouchError(f"external data ends behind the end of {file.name!r}")
    with file.open("rb") as stream:
        stream.seek(offset)
        return stream.read(length)


def _tensors(graph: Any) -> Iterator[Any]:
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                yield attribute.t


def _started(name: str, parts: tuple[tuple[str, Shape], ...]) -> GraphBuilder:
    """A network with one input; where the model has several, it is cut into them."""
    if len(parts) == 1:
        return GraphBuilder(name, *parts[0])
    sizes = [math.prod(shape) for _, shape in parts]
    builder = GraphBuilder(name, "vouch/inputs", (sum(sizes),))
    start = 0
    for (part, shape), size in zip(parts, sizes, strict=True):
        cut = builder.add(f"vouch/cut/{part}", Slice(((start, start + size, None),)), builder.input)
        builder.add(part, Reshape(shape), cut)
        start += size
    return builder


def _ended(builder: GraphBuilder, outputs: list[str]) -> str:
    """The one output; several are put one after the other."""
    if len(outputs) == 1:
        return outputs[0]
    flat = []
    for number, output in enumerate(outputs):
        if output not in builder.shapes:
            raise VouchError(f"{builder.name}: nothing computes the output {output!r}")
        size = math.prod(builder.shapes[output])
        flat.append(builder.add(f"vouch/output/{number}", Reshape((size,)), output))
    return builder.add("vouch/outputs", Concat(0, (None,) * len(flat)), *flat)


class _Reader:
    """Walks the graph once, in its order."""

    def __init__(self, model: Any, name: str) -> None:
        self.name, self.graph = name, model.graph
        self.opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 1)
        self.constants: dict[str, Array] = {}
        self.left = 0  # elements that constant folding may still yield

    def network(self, data: bytes) -> Network:
        if self.graph.sparse_initializer:
            raise VouchError(f"{self.name}: sparse initialisers are not supported")
        self.left = most_numbers(len(data))
        for tensor in self.graph.initializer:
            self.constants[tensor.name] = self._array(tensor)
        inputs = [value for value in self.graph.input if value.name not in self.constants]
        if not inputs or not self.graph.output:
            counts = f"{len(inputs)} inputs and {len(self.graph.output)} outputs"
            raise VouchError(f"{self.name}: has {counts}, at least one of each expected")
        parts = tuple((value.name, self._input_shape(value)) for value in inputs)
        kinds = {value.type.tensor_type.elem_type for value in inputs}
        if len(kinds) > 1:
            raise VouchError(f"{self.name}: inputs of different types are not supported")
        builder = _started(self.name, parts)
        context = ImportContext(builder, self.constants, self.opset, kinds.pop())
        for proto in self.graph.node:
            self._node(context, OnnxNode(proto, context))
        outputs = [context.resolve(value.name) for value in self.graph.output]
        for output in outputs:
            if output in self.constants:
                raise VouchError(f"{self.name}: the output {output!r} is constant")
        return builder.build(_ended(builder, outputs), data, parts if len(parts) > 1 else ())

    def _array(self, tensor: Any) -> Array:
        try:
            array: Array = numpy_helper.to_array(tensor)
        except Exception as error:
            raise VouchError(f"{self.name}: tensor {tensor.name!r}: {error}") from None
        return array

    def _input_shape(self, value: Any) -> Shape:
        kind = value.type.tensor_type
        if kind.elem_type not in _FLOATS:
            known = {number: word for word, number in onnx.TensorProto.DataType.items()}
            said = known.get(kind.elem_type, f"type {kind.elem_type}")
            raise VouchError(f"{self.name}: input {value.name!r} is {said}, float32 or float64 expected")
        if not kind.HasField("shape"):
            raise VouchError(f"{self.name}: input {value.name!r} has no shape")
        return fixed_shape(self.name, value)

    def _node(self, context: ImportContext, node: OnnxNode) -> None:
        label = f"{self.name}: node {node.label!r}"
        if node.domain not in ("", "ai.onnx"):
            raise VouchError(f"{label}: operator {node.domain}.{node.type} is not supported")
        try:
            if node.is_constant:
                self._fold(node)
            elif node.type not in CONVERTERS:
                raise VouchError(f"operator {node.type} is not supported")
            else:
                CONVERTERS[node.type](node, context)
        except VouchError as error:
            text = str(error)
            raise VouchError(
                text if text.startswith(self.name) else f"{label} ({node.type}): {text}"
            ) from None
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise VouchError(f"{label} ({node.type}): malformed: {error}") from None

    def _fold(self, node: OnnxNode) -> None:
        """A node whose inputs are all known is computed here and now."""
        for name, value in zip(node.outputs, node.compute(self.left), strict=False):
            self.constants[name] = np.asarray(value)
            self.left -= self.constants[name].size
        if self.left < 0:
            raise VouchError("the constants are too large")
