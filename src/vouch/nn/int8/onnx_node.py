"""A node of a quantised ONNX graph as converters see it, and what several of them do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import helper

from vouch.errors import Unsupported, VouchError
from vouch.nn.arrays import Shape
from vouch.nn.fixed.format import Ints
from vouch.nn.int8.builder import Tensor
from vouch.nn.int8.chain import Chain, LinkKind

if TYPE_CHECKING:
    from vouch.nn.int8.onnx import Reader


@dataclass(frozen=True, slots=True, eq=False)
class QuantisedValue:
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


class QuantisedNode:
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

    def value(self, index: int) -> QuantisedValue:
        name = self.inputs[index] if self.has(index) else ""
        if name not in self.reader.values:
            raise Unsupported(f"input {index} of {self.type} that is not computed")
        return self.reader.values[name]

    def emit(self, value: QuantisedValue, number: int = 0) -> None:
        self.reader.values[self.outputs[number]] = value


def rearranged(node: QuantisedNode, value: QuantisedValue, places: Ints, number: int = 0) -> None:
    """The elements of a value at `places`, as the output with this number."""
    if value.tensor is None:
        assert value.places is not None
        assert value.chain is not None
        moved = value.places.ravel()[places]
        node.emit(QuantisedValue(places.shape, None, value.chain.rearranged(places.ravel()), moved), number)
        return
    tensor = node.reader.builder.selected(value.tensor, places)
    chain = None if value.chain is None else value.chain.rearranged(places.ravel())
    node.emit(QuantisedValue(places.shape, tensor, chain), number)


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
    chain = Chain(acc.size).then(LinkKind.FLOAT).then(LinkKind.TIMES, factor)
    return chain.then(LinkKind.QUANTISE, np.asarray(zero).astype(np.int64), low, high)
