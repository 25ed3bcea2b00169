"""Random graphs with what `random_graphs` leaves out: casts, more reductions and normalisations, products
with constants as exporters write them, the old Upsample, and models with several inputs and outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx_models import ints, model, node
from random_graphs import STEPS, RandomGraph, Steps


def _cast(g: RandomGraph) -> None:
    g.add("Cast", g.value, to=TensorProto.DOUBLE)
    if g.pick(0, 1):
        g.add("Relu", g.value)
    g.add("Cast", g.value, to=TensorProto.FLOAT)


def _length(g: RandomGraph) -> None:
    axis = int(g.rng.integers(1, len(g.shape)))
    shape = [1 if a == axis else n for a, n in enumerate(g.shape)]
    g.add("Tanh", g.value)
    g.add("ReduceL2", f"{g.value} {g.constant(ints(axis))}", shape)


def _instance(g: RandomGraph) -> None:
    if len(g.shape) == 4 and 2 <= np.prod(g.shape[2:]) <= 6:
        scale, bias = g.number(g.shape[1]), g.number(g.shape[1])
        g.add("InstanceNormalization", f"{g.value} {scale} {bias}", epsilon=float(g.pick(0.1, 0.5)))


def _blocks(g: RandomGraph) -> None:
    if len(g.shape) != 4:
        return
    _, channels, height, width = g.shape
    if height % 2 == width % 2 == 0:
        g.add("SpaceToDepth", g.value, [1, 4 * channels, height // 2, width // 2], blocksize=2)
        g.add(g.pick("Relu", "Abs", "Elu"), g.value)
        channels, height, width = g.shape[1:]
    if channels % 4 == 0 and g.pick(0, 1, 1):
        shape = [1, channels // 4, 2 * height, 2 * width]
        g.add("DepthToSpace", g.value, shape, blocksize=2, mode=g.pick("DCR", "CRD"))


def _shapes(g: RandomGraph) -> None:
    """What exporters compute about shapes: a value goes through a vector and comes back as it was."""
    old = g.value
    g.add("Shape", g.value)
    shape = g.value
    g.add("Size", old)
    g.add("Unsqueeze", f"{g.value} {g.constant(ints(0))}")
    g.add("Reshape", f"{old} {g.value}")
    g.add("Reshape", f"{g.value} {shape}")
    if len(g.shape) > 2 and g.shape[-1] == 1:
        g.add("Squeeze", f"{g.value} {g.constant(ints(-1))}", g.shape[:-1])


def _unless(g: RandomGraph) -> None:
    first = g.value
    g.add("Greater", f"{g.value} {g.constant(0.3371)}")
    g.add("Not", g.value)
    g.add("Where", f"{g.value} {first} {g.number(1)}")


def _einsum(g: RandomGraph) -> None:
    """A product with a constant along the last axis, as exporters write attention's projections."""
    letters, out = "abcd"[: len(g.shape)], int(g.rng.integers(1, 4))
    equation = f"{letters},{letters[-1]}e->{letters[:-1]}e"
    g.add("Einsum", f"{g.value} {g.number(g.shape[-1], out)}", [*g.shape[:-1], out], equation=equation)


def _of_two(g: RandomGraph) -> None:
    same = [name for name, shape in g.older if shape == g.shape]
    other = same[int(g.rng.integers(len(same)))]
    g.add(g.pick("Max", "Min", "Mean", "Mean"), f"{g.value} {other}")


WIDE: Steps = [*STEPS, _cast, _length, _instance, _blocks, _einsum, _of_two, _shapes, _unless]


class WideGraph(RandomGraph):
    """With `several`, the model has two inputs of one shape and two outputs."""

    plain = True

    def __init__(self, seed: int, steps: int, *, several: bool) -> None:
        self.several = several
        choices = list(WIDE)
        if several:
            choices += [_meeting] * 6
        super().__init__(seed, steps, choices=choices)

    def model(self, outputs: int) -> bytes:
        if not self.several:
            return super().model(outputs)
        first, shape = self.value, self.shape
        self.value, self.shape = "w", list(self.input)
        _meeting(self)
        beside = self._ended(1)
        self.value, self.shape = first, shape
        names = [beside, self._ended(outputs)]
        inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, self.input) for n in ("x", "w")]
        ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in names]
        tensors = [numpy_helper.from_array(np.asarray(v), n) for n, v in self.constants.items()]
        graph = helper.make_graph(self.nodes, "test", inputs, ends, tensors)
        opsets = [helper.make_opsetid("", 20)]
        data: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
        return data

    def _ended(self, outputs: int) -> str:
        size = int(np.prod(self.shape))
        self.add("Reshape", f"{self.value} {self.constant(ints(1, size))}", [1, size])
        self.add("Gemm", f"{self.value} {self.number(size, outputs)} {self.number(outputs)}", [1, outputs])
        return self.value


def _meeting(g: RandomGraph) -> None:
    """The second input joins a value of its shape."""
    if g.shape == g.input:
        g.add(g.pick("Add", "Sub", "Max", "Min", "Mean"), f"{g.value} {g.pick('x', 'w')}")
        if g.pick(0, 1):
            g.add("Tanh", g.value)
            g.add("Mul", f"{g.value} {g.pick('x', 'w')}")


def _upsampled(seed: int) -> bytes:
    """The operator that Resize replaced: opsets before 10 only."""
    rng = np.random.default_rng(seed)
    channels, height, width = (int(n) for n in rng.integers(1, 4, 3))
    by = [float(n) for n in rng.integers(1, 4, 2)]
    mode = ("nearest", "linear")[int(rng.integers(2))]

    def drawn(*shape: int) -> Any:
        return (np.round(rng.normal(size=shape) * 64) / 64).astype(np.float32)

    size = 2 * height * width * int(by[0] * by[1])
    constants = {"k": drawn(2, channels, 1, 1), "b": drawn(2), "w": drawn(size, 2), "c": drawn(2)}
    constants["f"] = np.array([1.0, 1.0, *by], dtype=np.float32)
    nodes = [
        node("Conv", "x k b", "v"),
        node(("Relu", "Tanh", "Abs")[int(rng.integers(3))], "v", "r"),
        node("Upsample", "r f", "u", mode=mode),
        node("Flatten", "u", "s"),
        node("Gemm", "s w c", "y"),
    ]
    return model(nodes, [1, channels, height, width], constants, opset=9)


def random_wide(seed: int, *, steps: int, outputs: int = 2) -> bytes:
    """A model over every operator that vouch reads, the same for the same arguments. Every fifth has two
    inputs and outputs, every thirtieth an Upsample."""
    if seed % 30 == 7:
        return _upsampled(seed)
    return WideGraph(seed, steps, several=seed % 5 == 0).model(outputs)
