"""Random graphs over every ONNX operator that vouch reads, with attributes of every kind.

Values are images [1, channels, height, width] at first and vectors in the end. Steps that a shape does not
allow are left out; what vouch refuses by name is for the caller to skip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx_models import ints, model, node

Array = np.ndarray
Steps = Sequence[Callable[["RandomGraph"], None]]


class RandomGraph:
    """`shape` is that of the present value, as the model sees it. `plain` windows have no padding that
    onnxruntime computes in ways of its own, which vouch refuses."""

    plain = False

    def __init__(self, seed: int, steps: int, spread: float = 1.0, choices: Steps = ()) -> None:
        choices = choices or STEPS
        self.rng, self.spread = np.random.default_rng(seed), spread
        self.nodes: list[Any] = []
        self.constants: dict[str, Array] = {}
        self.input = [1, int(self.rng.integers(1, 3)), *(int(n) for n in self.rng.integers(2, 5, 2))]
        self.value, self.shape = "x", list(self.input)
        self.older: list[tuple[str, list[int]]] = [("x", self.shape)]
        for _ in range(steps):
            choices[int(self.rng.integers(len(choices)))](self)
            self.older.append((self.value, list(self.shape)))

    def pick(self, *options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def number(self, *shape: int) -> str:
        values = self.rng.normal(size=shape) * self.pick(1.0, 1.0, self.spread)
        return self.constant(np.round(values * 64) / 64 if self.spread == 1.0 else values)

    def constant(self, values: Any) -> str:
        name = f"c{len(self.constants)}"
        array = np.asarray(values)
        self.constants[name] = array if array.dtype == np.int64 else array.astype(np.float32)
        return name

    def add(self, kind: str, inputs: str, shape: list[int] | None = None, **attributes: Any) -> None:
        name = f"v{len(self.nodes)}"
        self.nodes.append(node(kind, inputs, name, **attributes))
        self.nodes[-1].name = f"n{len(self.nodes)}"
        self.value, self.shape = name, self.shape if shape is None else shape

    def model(self, outputs: int) -> bytes:
        size = int(np.prod(self.shape))
        self.add("Reshape", f"{self.value} {self.constant(ints(1, size))}", [1, size])
        self.add("Gemm", f"{self.value} {self.number(size, outputs)} {self.number(outputs)}", [1, outputs])
        return model(self.nodes, self.input, self.constants, output=self.value, opset=20)


def _window(n: int, k: int, s: int, d: int, pads: tuple[int, int], ceil: bool = False) -> int:
    room = n + sum(pads) - d * (k - 1) - 1
    if room < 0:
        return 0
    places = -(-room // s) + 1 if ceil else room // s + 1
    return places - 1 if ceil and (places - 1) * s >= n + pads[0] else places


def _windowed(g: RandomGraph, kernel: list[int], *, ceil: bool = False) -> tuple[dict[str, Any], list[int]]:
    """Attributes of a window, and the spatial shape that it leaves (0: it does not fit)."""
    strides = [int(g.pick(1, 1, 2, 3)) for _ in kernel]
    dilations = [int(g.pick(1, 1, 2)) for _ in kernel]
    automatic = g.pick("NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
    if g.plain and automatic.startswith("SAME"):
        strides, dilations = [min(s, k) for s, k in zip(strides, kernel, strict=True)], [1] * len(kernel)
    attributes: dict[str, Any] = {"strides": strides, "dilations": dilations}
    if automatic != "NOTSET":
        attributes["auto_pad"] = automatic
    pads = [(0, 0)] * len(kernel)
    if automatic == "NOTSET":
        pads = [(int(g.pick(0, 0, k - 1)), int(g.pick(0, 0, k - 1))) for k in kernel]
        attributes["pads"] = [a for a, _ in pads] + [b for _, b in pads]
    left = []
    for n, k, s, d, pad in zip(g.shape[2:], kernel, strides, dilations, pads, strict=True):
        same = automatic.startswith("SAME")
        left.append(-(-n // s) if same else _window(n, k, s, d, pad, ceil))
    return attributes, left


def _conv(g: RandomGraph) -> None:
    if len(g.shape) != 4:
        return
    kernel = [int(k) for k in g.rng.integers(1, 4, 2)]
    attributes, left = _windowed(g, kernel)
    if min(left) < 1:
        return
    groups = g.pick(1, g.shape[1])
    out = groups * int(g.rng.integers(1, 3))
    inputs = f"{g.value} {g.number(out, g.shape[1] // groups, *kernel)}"
    bias = g.pick("", f" {g.number(out)}")
    g.add("Conv", inputs + bias, [1, out, *left], group=groups, **attributes)


def _pool(g: RandomGraph) -> None:
    if len(g.shape) != 4:
        return
    kind, ceil = g.pick("MaxPool", "AveragePool"), bool(g.pick(0, 1))
    ceil = ceil and not (g.plain and kind == "AveragePool")
    kernel = [int(k) for k in g.rng.integers(1, 4, 2)]
    attributes, left = _windowed(g, kernel, ceil=ceil)
    if min(left) < 1:
        return
    if kind == "AveragePool":
        attributes["count_include_pad"] = g.pick(0, 1)
    g.add(kind, g.value, [*g.shape[:2], *left], kernel_shape=kernel, ceil_mode=int(ceil), **attributes)


def _global(g: RandomGraph) -> None:
    if len(g.shape) == 4:
        g.add(g.pick("GlobalMaxPool", "GlobalAveragePool"), g.value, [*g.shape[:2], 1, 1])


def _normalise(g: RandomGraph) -> None:
    if len(g.shape) >= 2:
        channels = g.shape[1]
        variance = g.constant(np.abs(g.rng.normal(size=channels)) * g.spread + 0.25)
        rest = " ".join(g.number(channels) for _ in range(3))
        g.add("BatchNormalization", f"{g.value} {rest} {variance}", epsilon=float(g.pick(1e-5, 0.125)))


def _constant(g: RandomGraph) -> None:
    """Arithmetic with a constant that broadcasts."""
    shape = [n if g.pick(0, 1) else 1 for n in g.shape][int(g.rng.integers(len(g.shape) + 1)) :]
    other = g.number(*shape)
    kind = g.pick("Add", "Sub", "Mul", "Div", "Max", "Min", "Sum")
    if kind == "Div":
        g.constants[other] = np.where(g.constants[other] == 0, np.float32(1), g.constants[other])
    both = (g.value, other) if kind == "Div" or g.pick(0, 1) else (other, g.value)
    g.add(kind, " ".join(both))


def _older(g: RandomGraph) -> None:
    same = [name for name, shape in g.older if shape == g.shape]
    g.add(g.pick("Add", "Sub", "Max", "Min", "Sum"), f"{g.value} {same[int(g.rng.integers(len(same)))]}")


def _concat(g: RandomGraph) -> None:
    axis = int(g.rng.integers(1, len(g.shape)))
    if np.prod(g.shape) > 40:
        return
    other = g.value if g.pick(0, 1) else g.number(*g.shape)
    shape = [2 * n if a == axis else n for a, n in enumerate(g.shape)]
    g.add("Concat", f"{g.value} {other}", shape, axis=axis)


def _activation(g: RandomGraph) -> None:
    kind = g.pick("Relu", "Relu", "LeakyRelu", "PRelu", "Clip", "HardSigmoid", "Sigmoid", "Tanh")
    if kind == "Clip":
        low, high = sorted(g.rng.normal(size=2).astype(np.float32))
        ends = g.pick(f"{g.constant(low)} {g.constant(high)}", f"- {g.constant(high)}", f"{g.constant(low)}")
        return g.add(kind, f"{g.value} {ends}")
    if kind == "PRelu":
        return g.add(kind, f"{g.value} {g.constant([g.pick(0.25, -0.5, 1.5)])}")
    leak = float(g.pick(0.25, 1.5, -0.5))
    options = {"LeakyRelu": {"alpha": leak}, "HardSigmoid": {"alpha": 0.3, "beta": 0.4}}
    return g.add(kind, g.value, **options.get(kind, {}))


def _move(g: RandomGraph) -> None:
    rank = len(g.shape)
    match g.pick("Transpose", "Slice", "Gather", "Pad", "Flatten", "Unsqueeze", "Expand", "Split"):
        case "Transpose":
            order = [0, *(int(a) + 1 for a in g.rng.permutation(rank - 1))]
            g.add("Transpose", g.value, [g.shape[a] for a in order], perm=order)
        case "Slice":
            axis = int(g.rng.integers(1, rank))
            start, step = (int(g.rng.integers(g.shape[axis])), 1) if g.pick(0, 1) else (-1, -1)
            count = g.shape[axis] - start if step > 0 else g.shape[axis]
            end = ints(g.shape[axis] if step > 0 else -100)
            parts = (g.constant(ints(start)), g.constant(end), g.constant(ints(axis)), g.constant(ints(step)))
            shape = [count if a == axis else n for a, n in enumerate(g.shape)]
            g.add("Slice", f"{g.value} {' '.join(parts)}", shape)
        case "Gather":
            axis = int(g.rng.integers(1, rank))
            chosen = g.rng.integers(-g.shape[axis], g.shape[axis], int(g.rng.integers(1, 4)))
            shape = [len(chosen) if a == axis else n for a, n in enumerate(g.shape)]
            g.add("Gather", f"{g.value} {g.constant(ints(*chosen))}", shape, axis=axis)
        case "Pad":
            if np.prod(g.shape) > 60:
                return
            before, after = [0] * rank, [0] * rank
            axis = int(g.rng.integers(1, rank))
            mode = g.pick("constant", "edge", "reflect")
            most = g.shape[axis] if mode == "reflect" else 3
            before[axis], after[axis] = int(g.rng.integers(0, most)), int(g.rng.integers(0, most))
            shape = [n + a + b for n, a, b in zip(g.shape, before, after, strict=True)]
            fill = f" {g.number()}" if mode == "constant" else ""
            g.add("Pad", f"{g.value} {g.constant(ints(*before, *after))}{fill}", shape, mode=mode)
        case "Flatten":
            g.add("Flatten", g.value, [1, int(np.prod(g.shape))])
        case "Unsqueeze":
            if rank < 4:
                g.add("Unsqueeze", f"{g.value} {g.constant(ints(-1))}", [*g.shape, 1])
        case "Expand":
            if np.prod(g.shape) <= 12 and g.shape[-1] == 1:
                g.add("Expand", f"{g.value} {g.constant(ints(*g.shape[:-1], 3))}", [*g.shape[:-1], 3])
        case _:
            if g.shape[1] >= 2:
                sizes, names = g.constant(ints(1, g.shape[1] - 1)), f"s{len(g.nodes)} t{len(g.nodes)}"
                g.nodes.append(node("Split", f"{g.value} {sizes}", names, axis=1))
                g.nodes[-1].name = f"n{len(g.nodes)}"
                g.value, g.shape = g.nodes[-1].output[1], [1, g.shape[1] - 1, *g.shape[2:]]


def _reduce(g: RandomGraph) -> None:
    axis, keep = int(g.rng.integers(1, len(g.shape))), g.pick(0, 1)
    if len(g.shape) < 3 and not keep:
        return
    shape = [1 if a == axis else n for a, n in enumerate(g.shape) if keep or a != axis]
    g.add(g.pick("ReduceSum", "ReduceMean"), f"{g.value} {g.constant(ints(axis))}", shape, keepdims=keep)


def _product(g: RandomGraph) -> None:
    width, out = g.shape[-1], int(g.rng.integers(1, 4))
    if len(g.shape) == 2 and g.pick(0, 1):
        transposed = g.pick(0, 1)
        weights = g.number(*((out, width) if transposed else (width, out)))
        attributes = {"transB": transposed, "alpha": float(g.pick(1.0, 0.5)), "beta": float(g.pick(1.0, 2.0))}
        bias = g.pick("", f" {g.number(out)}", f" {g.number(1, out)}", f" {g.number(1)}")
        return g.add("Gemm", f"{g.value} {weights}{bias}", [*g.shape[:-1], out], **attributes)
    return g.add("MatMul", f"{g.value} {g.number(width, out)}", [*g.shape[:-1], out])


def _away_from_zero(g: RandomGraph) -> None:
    """|v| + 1/2: the domain of logarithms and quotients."""
    g.add("Abs", g.value)
    g.add("Add", f"{g.value} {g.constant(0.5)}")


def _curve(g: RandomGraph) -> None:
    kind = g.pick(
        *("Abs", "Elu", "Selu", "Celu", "Gelu", "HardSwish", "Softplus", "Softsign", "Erf", "Sign"),
        *("Exp", "Pow", "Pow", "Log", "Sqrt", "Reciprocal", "PRelu", "Silu"),
    )
    match kind:
        case "Exp":
            g.add("Tanh", g.value)
            g.add("Exp", g.value)
        case "Pow":
            power = g.pick(2.0, 3.0, -1.0, -2.0, 0.5, 1.5)
            if power in (2.0, 3.0):
                g.add("Tanh", g.value)
            else:
                _away_from_zero(g)
            g.add("Pow", f"{g.value} {g.constant(power)}")
        case "Log" | "Sqrt" | "Reciprocal":
            _away_from_zero(g)
            g.add(kind, g.value)
        case "PRelu":
            slopes = g.rng.normal(size=[n if a == 1 else 1 for a, n in enumerate(g.shape)][1:])
            g.add(kind, f"{g.value} {g.constant(np.round(slopes * 64) / 64)}")
        case "Sign":  # away from values that cancel exactly
            g.add("Add", f"{g.value} {g.constant(0.3371)}")
            g.add(kind, g.value)
        case "Silu":
            before = g.value
            g.add("Sigmoid", g.value)
            g.add("Mul", f"{g.value} {before}")
        case _:
            options = {"Elu": {"alpha": float(g.pick(1.0, 2.0, 0.5))}, "Celu": {"alpha": 0.75}}
            options["Gelu"] = {"approximate": g.pick("none", "tanh")}
            g.add(kind, g.value, **options.get(kind, {}))


def _bilinear(g: RandomGraph) -> None:
    same = [name for name, shape in g.older if shape == g.shape]
    first, other = g.value, same[int(g.rng.integers(len(same)))]
    if np.prod(g.shape) > 24:
        return
    match g.pick("Mul", "Mul", "Div", "MatMul", "Einsum"):
        case "Mul":
            g.add("Tanh", g.value)
            g.add("Mul", f"{g.value} {other}")
        case "Div":
            g.value = other
            _away_from_zero(g)
            g.add("Div", f"{first} {g.value}")
        case "MatMul":
            rank = len(g.shape)
            order = [*range(rank - 2), rank - 1, rank - 2]
            g.add("Tanh", g.value)
            bounded = g.value
            g.add("Transpose", other, perm=order)
            g.add("MatMul", f"{bounded} {g.value}", [*g.shape[:-1], g.shape[-2]])
        case _:
            letters = "abcd"[: len(g.shape)]
            g.add("Tanh", g.value)
            g.add("Einsum", f"{g.value} {other}", equation=f"{letters},{letters}->{letters}")


def _statistics(g: RandomGraph) -> None:
    width = g.shape[-1]
    if width > 6:
        return None
    kind = g.pick("Softmax", "LogSoftmax", "LayerNormalization")
    if kind == "LayerNormalization":
        inputs = f"{g.value} {g.number(width)} {g.number(width)}"
        return g.add(kind, inputs, epsilon=float(g.pick(0.1, 0.5)))
    return g.add(kind, g.value, axis=-1)


def _choice(g: RandomGraph) -> None:
    same = [name for name, shape in g.older if shape == g.shape]
    other = same[int(g.rng.integers(len(same)))]
    if g.pick(0, 1):
        name = f"c{len(g.constants)}"
        g.constants[name] = g.rng.random(g.shape[1:]) < 0.5
        return g.add("Where", f"{name} {g.value} {g.pick(other, g.number(1))}")
    first = g.value
    g.add(g.pick("Greater", "Less", "GreaterOrEqual", "LessOrEqual"), f"{g.value} {g.constant(0.3371)}")
    return g.add("Where", f"{g.value} {first} {g.pick(other, g.number(1))}")


def _grow(g: RandomGraph) -> None:
    if np.prod(g.shape) > 20:
        return None
    if len(g.shape) != 4:
        repeats = [1] * (len(g.shape) - 1) + [2]
        return g.add("Tile", f"{g.value} {g.constant(ints(*repeats))}", [*g.shape[:-1], 2 * g.shape[-1]])
    channels, height, width = g.shape[1:]
    match g.pick("ConvTranspose", "ConvTranspose", "Resize", "Resize", "DepthToSpace"):
        case "ConvTranspose":
            stride, kernel = int(g.pick(1, 2)), int(g.pick(1, 2, 3))
            weights = g.number(channels, 2, kernel, kernel)
            room = [(n - 1) * stride + kernel for n in (height, width)]
            shape = [1, 2, *room]
            return g.add("ConvTranspose", f"{g.value} {weights} {g.number(2)}", shape, strides=[stride] * 2)
        case "Resize":
            factors = g.constant([1.0, 1.0, 2.0, 2.0])
            shape = [1, channels, 2 * height, 2 * width]
            return g.add("Resize", f"{g.value} - {factors}", shape, mode=g.pick("nearest", "linear"))
        case _:
            if channels % 4 == 0:
                shape = [1, channels // 4, 2 * height, 2 * width]
                g.add("DepthToSpace", g.value, shape, blocksize=2, mode=g.pick("DCR", "CRD"))
            return None


def _extremes(g: RandomGraph) -> None:
    axis = int(g.rng.integers(1, len(g.shape)))
    shape = [1 if a == axis else n for a, n in enumerate(g.shape)]
    kind = g.pick("ReduceMax", "ReduceMin", "ReduceL1", "ReduceSumSquare", "Mean")
    if kind == "Mean":
        return g.add("Mean", f"{g.value} {g.number(1)}")
    if kind == "ReduceSumSquare":
        g.add("Tanh", g.value)
    return g.add(kind, f"{g.value} {g.constant(ints(axis))}", shape)


def _nothing(g: RandomGraph) -> None:
    g.add(g.pick("Identity", "Dropout", "Neg"), g.value)


STEPS: Steps = [
    *(_conv, _conv, _pool, _pool, _global, _normalise, _constant, _constant, _older, _concat),
    *(_activation, _activation, _move, _move, _reduce, _product, _nothing),
    *(_curve, _curve, _curve, _bilinear, _bilinear, _statistics, _choice, _grow, _grow, _extremes),
]


def random_graph(seed: int, *, steps: int, outputs: int = 2, spread: float = 1.0) -> bytes:
    """A model; with a `spread` other than 1 some constants are that much larger or smaller than others."""
    return RandomGraph(seed, steps, spread).model(outputs)
