"""Random small networks over all operators, as serialised ONNX models: food for every engine's tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx_models import ints, model, node

Array = np.ndarray


class RandomNetwork:
    """Grows one value [1, width] step by step; residual connections look back at values of the same width."""

    def __init__(self, seed: int, inputs: int, steps: int, kinds: tuple[str, ...]) -> None:
        self.rng = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.constants: dict[str, Array] = {}
        self.value, self.width = "x", inputs
        self.older: list[tuple[str, int]] = [("x", inputs)]
        self.inputs = inputs
        for _ in range(steps):
            _STEPS[str(self.rng.choice(kinds))](self)
            self.older.append((self.value, self.width))

    def number(self, *shape: int, spread: float = 1.0) -> str:
        name = f"c{len(self.constants)}"
        # Few bits, so that float32 arithmetic on them is close to exact.
        values = np.round(self.rng.normal(size=shape) * spread * 64) / 64
        self.constants[name] = np.asarray(values, dtype=np.float32)
        return name

    def integers(self, *values: int) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = ints(*values)
        return name

    def add(self, kind: str, inputs: str, width: int | None = None, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(node(kind, inputs, name, **attributes))
        self.nodes[-1].name = f"n{len(self.nodes)}"
        self.value, self.width = name, self.width if width is None else width
        return name

    def model(self, outputs: int) -> bytes:
        self.add("Gemm", f"{self.value} {self.number(self.width, outputs)} {self.number(outputs)}", outputs)
        return model(self.nodes, [1, self.inputs], self.constants, output=self.value)


def _gemm(n: RandomNetwork) -> None:
    out = int(n.rng.integers(1, 5))
    n.add("Gemm", f"{n.value} {n.number(n.width, out)} {n.number(out)}", out)


def _matmul_add(n: RandomNetwork) -> None:
    out = int(n.rng.integers(1, 5))
    n.add("MatMul", f"{n.value} {n.number(n.width, out)}", out)
    n.add("Add", f"{n.value} {n.number(out)}")


def _simple(kind: str, **attributes: Any) -> Callable[[RandomNetwork], None]:
    return lambda n: n.add(kind, n.value, **attributes) and None


def _scale(n: RandomNetwork) -> None:
    n.add("Mul", f"{n.value} {n.number(n.width)}")
    n.add("Sub", f"{n.value} {n.number(1, n.width)}")


def _clip(n: RandomNetwork) -> None:
    low, high = n.number(spread=0.5), n.number(spread=0.5)
    values = sorted((n.constants[low], n.constants[high] + 0))
    n.constants[low], n.constants[high] = values[0], np.float32(values[1] + 0.5)
    n.add("Clip", f"{n.value} {low} {high}")


def _residual(n: RandomNetwork) -> None:
    other = [name for name, width in n.older if width == n.width and name != n.value]
    if other:
        n.add(str(n.rng.choice(["Add", "Sub"])), f"{n.value} {n.rng.choice(other)}")


def _extreme(n: RandomNetwork) -> None:
    other = [name for name, width in n.older if width == n.width and name != n.value]
    second = str(n.rng.choice(other)) if other else n.number(1, n.width)
    n.add(str(n.rng.choice(["Max", "Min"])), f"{n.value} {second}")


def _concat(n: RandomNetwork) -> None:
    name, width = n.older[int(n.rng.integers(len(n.older)))]
    if width + n.width <= 8:
        n.add("Concat", f"{n.value} {name}", width + n.width, axis=1)


def _convolution(n: RandomNetwork) -> None:
    if n.width < 3:
        return
    n.add("Reshape", f"{n.value} {n.integers(1, 1, n.width)}")
    weights, bias = n.number(2, 1, 2), n.number(2)
    n.add("Conv", f"{n.value} {weights} {bias}", kernel_shape=[2])
    n.add(str(n.rng.choice(["MaxPool", "AveragePool"])), n.value, kernel_shape=[2])
    n.add("Flatten", n.value, 2 * (n.width - 2))


def _normalise(n: RandomNetwork) -> None:
    variance = n.number(n.width)
    n.constants[variance] = np.abs(n.constants[variance]) + np.float32(0.5)
    rest = " ".join(n.number(n.width) for _ in range(3))
    n.add("BatchNormalization", f"{n.value} {rest} {variance}")


def _move(n: RandomNetwork) -> None:
    kept = n.rng.permutation(n.width)[: max(1, n.width - 1)]
    n.add("Gather", f"{n.value} {n.integers(*kept)}", len(kept), axis=1)


_STEPS: dict[str, Callable[[RandomNetwork], None]] = {
    "Gemm": _gemm,
    "MatMul": _matmul_add,
    "Relu": _simple("Relu"),
    "LeakyRelu": _simple("LeakyRelu", alpha=0.25),
    "Clip": _clip,
    "Sigmoid": _simple("Sigmoid"),
    "Tanh": _simple("Tanh"),
    "Scale": _scale,
    "Residual": _residual,
    "Max": _extreme,
    "Concat": _concat,
    "Conv": _convolution,
    "BatchNormalization": _normalise,
    "Gather": _move,
}

PIECEWISE = (
    "Gemm",
    "MatMul",
    "Relu",
    "Relu",
    "LeakyRelu",
    "Clip",
    "Scale",
    "Residual",
    "Max",
    "Concat",
    "Conv",
)
PIECEWISE += ("BatchNormalization", "Gather")
ALL = (*PIECEWISE, "Sigmoid", "Tanh")
RELU = ("Gemm", "MatMul", "Relu", "Relu", "Scale", "Residual", "Concat", "Gather")


def random_model(
    seed: int, *, inputs: int = 3, outputs: int = 2, steps: int = 6, kinds: tuple[str, ...] = ALL
) -> bytes:
    """A model with input [1, inputs] and output [1, outputs]; the same for the same arguments."""
    return RandomNetwork(seed, inputs, steps, kinds).model(outputs)
