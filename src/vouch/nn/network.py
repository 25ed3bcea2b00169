"""The network: an immutable graph of operators with shapes. Loaders make it, everything else reads it.

A value is a tensor with the model's own shape, every dynamic dimension taken as 1. Points are counted flat in
row-major order, as VNN-LIB counts X_0, X_1, ...; `evaluate` takes and returns flat rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import LARGEST, Array, Shape
from vouch.nn.operators.base import Operator


@dataclass(frozen=True, slots=True)
class Node:
    """One operator applied to named values; its result has the node's name and `shape`."""

    name: str
    op: Operator
    inputs: tuple[str, ...]
    shape: Shape


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Network:
    """One input, one output. `nodes` are in topological order: a node reads `input` or earlier nodes.

    A model with several inputs or outputs has them one after the other, flat; `parts` then holds the names
    and shapes of the inputs in that order, which is what the runtime is fed. `model` holds the bytes of the
    ONNX model it was read from (external data folded in), which is what replay runs; None for networks from
    other sources, which are exported instead.
    """

    name: str
    input: str
    input_shape: Shape
    nodes: tuple[Node, ...]
    output: str
    model: bytes | None = field(default=None, repr=False)
    parts: tuple[tuple[str, Shape], ...] = ()

    @property
    def output_shape(self) -> Shape:
        return self.shapes[self.output]

    @property
    def shapes(self) -> dict[str, Shape]:
        return {self.input: self.input_shape} | {node.name: node.shape for node in self.nodes}

    @property
    def inputs(self) -> int:
        """How many numbers go in."""
        return math.prod(self.input_shape)

    @property
    def outputs(self) -> int:
        """How many numbers come out."""
        return math.prod(self.output_shape)

    def evaluate(self, x: Array) -> Array:
        """Float64 values (the reals, up to round-off) for rows `x` [batch, inputs]: [batch, outputs].

        Trailing axes of `x` may have any shape with `inputs` elements.
        """
        return self._run(x, np.float64)

    def evaluate32(self, x: Array) -> Array:
        """The same in float32, operator by operator; onnxruntime may differ in the last bits."""
        return self._run(x, np.float32)

    def _run(self, x: Array, dtype: type[np.floating]) -> Array:
        rows = np.asarray(x, dtype=dtype)
        if rows.ndim < 2 or math.prod(rows.shape[1:]) != self.inputs:
            raise VouchError(f"{self.name} takes rows of {self.inputs} numbers, not shape {rows.shape}")
        values = {self.input: rows.reshape(len(rows), *self.input_shape)}
        for node in self.nodes:
            values[node.name] = node.op.evaluate(*(values[name] for name in node.inputs))
        return values[self.output].reshape(len(rows), self.outputs)

    @classmethod
    def from_layers(
        cls, layers: Sequence[tuple[Array, Array]], activation: str = "relu", name: str = "layers"
    ) -> Network:
        """Feed-forward: y = W x + b for each (W [out, in], b [out]), with the activation between them."""
        from vouch.nn.operators import Gemm, activation_named

        if not layers:
            raise VouchError("a network needs at least one layer")
        between = activation_named(activation)
        builder = GraphBuilder(name, "x", (1, np.atleast_2d(layers[0][0]).shape[1]))
        value = "x"
        for number, (weights, bias) in enumerate(layers):
            value = builder.add(f"layer{number}", Gemm.of(weights, bias), value)
            if number < len(layers) - 1:
                value = builder.add(f"{activation}{number}", between, value)
        return builder.build(value)


class GraphBuilder:
    """Grows a network node by node, checking names and shapes; used by all loaders."""

    def __init__(self, name: str, input: str, input_shape: Shape) -> None:
        if not 0 < math.prod(input_shape) <= LARGEST:
            raise VouchError(f"{name}: an input of shape {input_shape}")
        self.name, self.input, self.input_shape = name, input, input_shape
        self.shapes: dict[str, Shape] = {input: input_shape}
        self.nodes: list[Node] = []

    def add(self, name: str, op: Operator, *inputs: str) -> str:
        """Append a node; returns its name. Errors name the node."""
        if name in self.shapes:
            raise VouchError(f"{self.name}: two nodes are called {name!r}")
        try:
            shape = op.shape(*(self.shapes[i] for i in inputs))
        except VouchError as error:
            raise VouchError(f"{self.name}: node {name!r} ({op.kind}): {error}") from None
        if 0 in shape:
            raise VouchError(f"{self.name}: node {name!r} ({op.kind}): empty result of shape {shape}")
        if math.prod(shape) > LARGEST:
            raise VouchError(f"{self.name}: node {name!r} ({op.kind}): too large, shape {shape}")
        self.shapes[name] = shape
        self.nodes.append(Node(name, op, inputs, shape))
        return name

    def build(
        self, output: str, model: bytes | None = None, parts: tuple[tuple[str, Shape], ...] = ()
    ) -> Network:
        """The network up to `output`; nodes that do not reach it are left out."""
        if output not in self.shapes:
            raise VouchError(f"{self.name}: nothing computes the output {output!r}")
        needed = {output}
        for node in reversed(self.nodes):
            if node.name in needed:
                needed.update(node.inputs)
        nodes = tuple(node for node in self.nodes if node.name in needed)
        return Network(self.name, self.input, self.input_shape, nodes, output, model, parts)
