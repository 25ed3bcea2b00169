"""A node of an ONNX graph as converters see it: attributes, constant inputs, variable inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.network import GraphBuilder
from vouch.nn.operators.base import Operator

# Folding these could need any amount of memory, or is not a function of the inputs.
_GROWING = {"ConstantOfShape", "Expand", "Tile", "Range", "EyeLike", "OneHot", "Pad", "Resize", "Upsample"}
_NOT_FUNCTIONS = {
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
    "Multinomial",
    "Bernoulli",
    "If",
    "Loop",
    "Scan",
}


class ImportContext:
    """What is known so far: constants by name, the growing network, and names that mean the same value."""

    def __init__(self, builder: GraphBuilder, constants: dict[str, Array], opset: int, kind: int) -> None:
        self.builder, self.constants, self.opset = builder, constants, opset
        self.kind = kind  # ONNX's number for the type of the input, and so of every computed value
        self.same: dict[str, str] = {}

    def resolve(self, name: str) -> str:
        while name in self.same:
            name = self.same[name]
        return name

    def shape(self, name: str) -> Shape:
        return self.builder.shapes[name]


class OnnxNode:
    """One node. `inputs` are names; an input left out is the empty string."""

    def __init__(self, proto: Any, context: ImportContext) -> None:
        self.proto, self.context = proto, context
        self.type, self.domain = str(proto.op_type), str(proto.domain)
        self.outputs: list[str] = list(proto.output)
        self.label = proto.name or (self.outputs[0] if self.outputs else "") or proto.op_type
        self.inputs = [context.resolve(name) for name in proto.input]
        self._attributes = {a.name: a for a in proto.attribute}
        for name in self.inputs:
            if name and name not in context.constants and name not in context.builder.shapes:
                where = f"{context.builder.name}: node {self.label!r}"
                raise VouchError(f"{where}: nothing before it computes its input {name!r}")

    @property
    def is_constant(self) -> bool:
        return all(not name or name in self.context.constants for name in self.inputs)

    def has(self, index: int) -> bool:
        return index < len(self.inputs) and bool(self.inputs[index])

    def known(self, index: int) -> bool:
        """Whether an input is there and constant."""
        return self.has(index) and self.inputs[index] in self.context.constants

    def constant(self, index: int) -> Array:
        """A constant input, in its own dtype."""
        if not self.known(index):
            raise VouchError(f"input {index} has to be constant")
        return self.context.constants[self.inputs[index]]

    def weights(self, index: int) -> Array:
        """A constant input as finite float64 numbers."""
        array = self.constant(index)
        if not np.issubdtype(array.dtype, np.number) or np.iscomplexobj(array):
            raise VouchError(f"input {index} has type {array.dtype}, numbers expected")
        with np.errstate(invalid="ignore"):  # a signalling NaN is reported below
            values = array.astype(np.float64)
        if not np.isfinite(values).all():
            raise VouchError(f"input {index} contains NaN or infinity")
        return values

    def integers(self, index: int) -> list[int]:
        array = self.constant(index)
        if not np.issubdtype(array.dtype, np.integer):
            raise VouchError(f"input {index} has type {array.dtype}, integers expected")
        return [int(v) for v in array.ravel()]

    def value(self, index: int) -> str:
        """The name of a variable input."""
        if not self.has(index):
            raise VouchError(f"input {index} is missing")
        if self.known(index):
            raise VouchError(f"input {index} is a constant where the network's value is expected")
        return self.inputs[index]

    def shape(self, index: int) -> Shape:
        return self.context.shape(self.value(index))

    def attribute(self, name: str, default: Any = None) -> Any:
        if name not in self._attributes:
            return default
        value = helper.get_attribute_value(self._attributes[name])
        return value.decode() if isinstance(value, bytes) else value

    def integer_list(self, name: str, default: Sequence[int]) -> tuple[int, ...]:
        return tuple(int(v) for v in self.attribute(name, default))

    def emit(self, op: Operator, *inputs: str, output: int = 0) -> None:
        """Add the node's (first) result to the network."""
        self.context.builder.add(self.outputs[output], op, *inputs)

    def step(self, suffix: str, op: Operator, *inputs: str) -> str:
        """Add an intermediate value; returns its name."""
        return self.context.builder.add(f"{self.outputs[0]}/{suffix}", op, *inputs)

    def pass_on(self, index: int = 0) -> None:
        """The result is an input, unchanged."""
        self.context.same[self.outputs[0]] = self.value(index)

    def compute(self, limit: int) -> list[Array]:
        """The results of a node whose inputs are all constant, by ONNX's reference evaluation."""
        from onnx.reference import ReferenceEvaluator

        if self.type in _NOT_FUNCTIONS:
            raise VouchError(f"operator {self.type} is not supported")
        if self.type in _GROWING:
            sizes = [abs(v) for i in range(len(self.inputs)) if self.has(i) for v in self._counts(i)]
            if float(np.prod(np.maximum(sizes, 1), dtype=np.float64)) > limit:
                raise VouchError("the constant is too large")
        names = [n for n in dict.fromkeys(self.proto.input) if n]
        feeds = {n: self.context.constants[self.context.resolve(n)] for n in names}
        infos = [helper.make_value_info(n, onnx.TypeProto()) for n in names]
        results = [helper.make_value_info(n, onnx.TypeProto()) for n in self.outputs if n]
        graph = helper.make_graph([self.proto], "constant", infos, results)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.context.opset)])
        try:
            return list(ReferenceEvaluator(model).run(None, feeds))
        except Exception as error:
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise VouchError(f"cannot be computed: {first}") from None

    def _counts(self, index: int) -> list[int]:
        """Sizes that an input may stand for: its integers where it is a short list, else its own size."""
        array = self.constant(index)
        if np.issubdtype(array.dtype, np.integer) and array.ndim <= 1 and array.size <= 16:
            return [int(v) for v in array.ravel()]
        return [array.size]


def fixed_shape(name: str, value: Any) -> Shape:
    """The shape of an input of the graph `name`; a first dimension that is not fixed becomes 1."""
    shape = []
    for axis, dimension in enumerate(value.type.tensor_type.shape.dim):
        given = dimension.HasField("dim_value")
        if given and dimension.dim_value == 0:  # runtimes take it at its word: nothing goes in
            raise VouchError(f"{name}: input {value.name!r}: dimension {axis} is 0")
        fixed = given and dimension.dim_value > 0
        if not fixed and axis > 0:
            raise VouchError(f"{name}: input {value.name!r}: dimension {axis} is not fixed")
        shape.append(int(dimension.dim_value) if fixed else 1)
    return tuple(shape)
