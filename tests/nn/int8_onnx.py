"""Random quantised ONNX models, small enough that every input can be run."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


class Maker:
    """Grows a quantised graph; `value` is the name of the present 8-bit tensor with its scale and zero."""

    def __init__(self, rng: np.random.Generator, dtype: Any) -> None:
        self.rng, self.dtype = rng, np.dtype(dtype)
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.count = 0

    def constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value)
        return name

    def node(self, kind: str, inputs: list[str], domain: str = "", **attributes: Any) -> str:
        self.count += 1
        name = f"v{self.count}"
        self.nodes.append(helper.make_node(kind, inputs, [name], domain=domain, **attributes))
        return name

    def zero(self) -> Any:
        info = np.iinfo(self.dtype)
        middle = (info.min + info.max) // 2
        return self.dtype.type(self.rng.choice([info.min, middle, self.rng.integers(info.min, info.max + 1)]))

    def scale(self, about: float) -> Any:
        exact = 2.0 ** np.round(np.log2(about))
        return np.float32(exact if self.rng.random() < 0.4 else about * self.rng.uniform(0.6, 1.6))

    def weights(self, shape: tuple[int, ...], channels: int, axis: int) -> tuple[Any, Any, Any]:
        """8-bit weights, a scale for all or for each channel, and zero points."""
        signed = self.dtype == np.int8 or self.rng.random() < 0.5
        dtype = np.dtype(np.int8 if signed else np.uint8)
        info = np.iinfo(dtype)
        values = self.rng.integers(info.min, info.max + 1, shape).astype(dtype)
        if self.rng.random() < 0.5:
            scales = np.array([self.scale(0.01) for _ in range(channels)], dtype=np.float32)
            zeros = np.full(channels, 0 if signed else 128, dtype=dtype)
            return values, scales, zeros
        return values, self.scale(0.01), dtype.type(0 if signed else self.rng.integers(256))


def quantised_model(rng: np.random.Generator) -> tuple[bytes, Any]:
    """A model, and the scale and zero point of its input."""
    make = Maker(rng, [np.uint8, np.int8][int(rng.integers(2))])
    kind = ["mlp", "qdq", "integer", "conv", "residual", "branches", "gated"][int(rng.integers(7))]
    inputs = int(rng.integers(1, 4))
    scale, zero = make.scale(0.05), make.zero()
    shape = (1, inputs) if kind != "conv" else (1, 1, inputs + 1)
    first = make.node("QuantizeLinear", ["x", make.constant(scale), make.constant(zero)])
    value = (first, scale, zero, shape)
    known = {"mlp": _mlp, "qdq": _qdq, "integer": _integer, "conv": _conv, "residual": _residual}
    layers = {**known, "branches": _branches, "gated": _gated}[kind]
    name, out_shape = layers(make, value)
    dtypes = {np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.int8): TensorProto.INT8}
    graph = helper.make_graph(
        make.nodes,
        kind,
        [helper.make_tensor_value_info("x", FLOAT, list(shape))],
        [helper.make_tensor_value_info(name, FLOAT, list(out_shape))],
        [numpy_helper.from_array(array, key) for key, array in make.constants.items()],
    )
    assert dtypes[make.dtype]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    return model.SerializeToString(), (scale, zero, make.dtype)


def _ended(make: Maker, value: Any) -> tuple[str, Any]:
    name, scale, zero, shape = value
    return make.node("DequantizeLinear", [name, make.constant(scale), make.constant(zero)]), shape


def _dense(make: Maker, value: Any, outputs: int) -> Any:
    name, scale, zero, shape = value
    w, ws, wz = make.weights((shape[-1], outputs), outputs, 1)
    after, after_zero = make.scale(0.05 * shape[-1] ** 0.5), make.zero()
    constants = [make.constant(v) for v in (scale, zero, w, ws, wz)]
    ends = [make.constant(after), make.constant(after_zero)]
    if make.rng.random() < 0.5:
        found = make.node("QLinearMatMul", [name, *constants, *ends])
    else:
        bias = make.constant(make.rng.integers(-3000, 3000, outputs).astype(np.int32))
        found = make.node("QGemm", [name, *constants, bias, *ends], "com.microsoft")
    return found, after, after_zero, (*shape[:-1], outputs)


def _mlp(make: Maker, value: Any) -> tuple[str, Any]:
    for size in [int(make.rng.integers(1, 6)) for _ in range(int(make.rng.integers(1, 3)))]:
        value = _dense(make, value, size)
    return _ended(make, _dense(make, value, int(make.rng.integers(1, 4))))


def _residual(make: Maker, value: Any) -> tuple[str, Any]:
    size = value[3][-1]
    other = _dense(make, value, size)
    after, zero = make.scale(0.1), make.zero()
    parts = [make.constant(v) for v in (value[1], value[2])], [make.constant(v) for v in (other[1], other[2])]
    ends = [make.constant(after), make.constant(zero)]
    name = make.node("QLinearAdd", [value[0], *parts[0], other[0], *parts[1], *ends], "com.microsoft")
    value = (name, after, zero, value[3])
    shifted = make.rng.integers(0, 100, size).astype(make.dtype)
    after, zero = make.scale(0.1), make.zero()
    extra = [make.constant(v) for v in (shifted, make.scale(0.05), make.zero(), after, zero)]
    before = [make.constant(v) for v in (value[1], value[2])]
    name = make.node("QLinearAdd", [value[0], *before, *extra], "com.microsoft")
    return _ended(make, _dense(make, (name, after, zero, value[3]), 2))


def _gated(make: Maker, value: Any) -> tuple[str, Any]:
    """A layer times the sigmoid of another, a leaky ReLU, a product with constants of both signs."""
    size, domain = int(make.rng.integers(1, 4)), "com.microsoft"

    def described(about: float) -> tuple[Any, Any, list[str]]:
        scale, zero = make.scale(about), make.zero()
        return scale, zero, [make.constant(scale), make.constant(zero)]

    def ends(part: Any) -> list[str]:
        return [part[0], make.constant(part[1]), make.constant(part[2])]

    left, right = _dense(make, value, size), _dense(make, value, 1 if make.rng.random() < 0.3 else size)
    scale, zero, names = described(1 / 256)
    gate = make.node("QLinearSigmoid", [*ends(right), *names], domain), scale, zero
    scale, zero, names = described(0.05)
    at = make.node("QLinearMul", [*ends(left), *ends(gate), *names], domain), scale, zero
    scale, zero, names = described(0.05)
    at = make.node("QLinearLeakyRelu", [*ends(at), *names], domain, alpha=0.2), scale, zero
    factors = make.rng.integers(*(np.iinfo(make.dtype).min, np.iinfo(make.dtype).max), size).astype(
        make.dtype
    )
    constant = [make.constant(v) for v in (factors, make.scale(0.02), make.zero())]
    scale, zero, names = described(0.1)
    name = make.node("QLinearMul", [*constant, *ends(at), *names], domain)
    return _ended(make, _dense(make, (name, scale, zero, (1, size)), 2))


def _branches(make: Maker, value: Any) -> tuple[str, Any]:
    """Two layers beside each other, and the mean of pairs of their results."""
    parts, sizes = [], []
    for size in (2, 2 * int(make.rng.integers(1, 3))):
        name, scale, zero, shape = _dense(make, value, size)
        parts += [name, make.constant(scale), make.constant(zero)]
        sizes.append(shape[-1])
    scale, zero, size = make.scale(0.1), make.zero(), sum(sizes)
    ends = [make.constant(scale), make.constant(zero)]
    name = make.node("QLinearConcat", [*ends, *parts], "com.microsoft", axis=1)
    name = make.node("Reshape", [name, make.constant(np.array([1, size // 2, 1, 2]))])
    after, after_zero = make.scale(0.1), make.zero()
    ends += [make.constant(after), make.constant(after_zero)]
    name = make.node("QLinearGlobalAveragePool", [name, *ends], "com.microsoft", channels_last=0)
    name = make.node("Flatten", [name])
    return _ended(make, (name, after, after_zero, (1, size // 2)))


def _integer(make: Maker, value: Any) -> tuple[str, Any]:
    """MatMulInteger, its scale and bias in float32, a ReLU, and the same again without quantisation."""
    name, scale, zero, shape = value
    for last in (False, True):
        outputs = int(make.rng.integers(1, 5))
        info = np.iinfo(np.int8)
        w = make.rng.integers(info.min, info.max + 1, (shape[-1], outputs)).astype(np.int8)
        acc = make.node("MatMulInteger", [name, make.constant(w), make.constant(zero)])
        real = make.node("Cast", [acc], to=FLOAT)
        factor = (np.float32(scale) * make.rng.uniform(0.005, 0.02, outputs)).astype(np.float32)
        real = make.node("Mul", [real, make.constant(factor)])
        real = make.node("Add", [real, make.constant(make.rng.normal(size=outputs).astype(np.float32))])
        shape = (1, outputs)
        if last:
            return real, shape
        real = make.node("Relu", [real])
        scale, zero = make.scale(0.05), make.zero()
        name = make.node("QuantizeLinear", [real, make.constant(scale), make.constant(zero)])
    raise AssertionError


def _conv(make: Maker, value: Any) -> tuple[str, Any]:
    name, scale, zero, shape = value
    channels, kernel = int(make.rng.integers(1, 4)), int(make.rng.integers(1, 3))
    w, ws, wz = make.weights((channels, 1, kernel), channels, 0)
    if w.dtype == np.uint8 and np.ndim(wz):
        wz = np.full(channels, 128, dtype=np.uint8)
    after, after_zero = make.scale(0.1), make.zero()
    constants = [make.constant(v) for v in (scale, zero, w, ws, wz, after, after_zero)]
    bias = make.constant(make.rng.integers(-3000, 3000, channels).astype(np.int32))
    pad = int(make.rng.integers(2)) if kernel > 1 else 0
    name = make.node("QLinearConv", [name, *constants, bias], pads=[pad, 0], kernel_shape=[kernel])
    length = shape[-1] + pad - kernel + 1
    if length > 1:
        name = make.node("MaxPool", [name], kernel_shape=[2], strides=[1])
        length -= 1
    name = make.node("Flatten", [name])
    return _ended(make, _dense(make, (name, after, after_zero, (1, channels * length)), 2))


def _qdq(make: Maker, value: Any) -> tuple[str, Any]:
    """Float operators between DequantizeLinear and QuantizeLinear, which the runtime fuses."""
    name, scale, zero, shape = value
    sizes = [int(make.rng.integers(1, 6)), int(make.rng.integers(1, 4))]
    for number, size in enumerate(sizes):
        w = make.rng.integers(-127, 128, (shape[-1], size)).astype(np.int8)
        ws = make.scale(0.01)
        real = make.node("DequantizeLinear", [name, make.constant(scale), make.constant(zero)])
        parts = [make.constant(v) for v in (w, ws, np.int8(0))]
        matrix = make.node("DequantizeLinear", parts)
        bias = make.rng.integers(-3000, 3000, size).astype(np.int32)
        product = np.float32(np.float32(scale) * np.float32(ws))
        start = make.node("DequantizeLinear", [make.constant(v) for v in (bias, product, np.int32(0))])
        real = make.node("Gemm", [real, matrix, start])
        if number == 0:
            real = make.node("Relu", [real])
        scale, zero = make.scale(0.1), make.zero()
        if number == 0:
            zero = make.dtype.type(np.iinfo(make.dtype).min)  # as tools choose it behind a ReLU
        name = make.node("QuantizeLinear", [real, make.constant(scale), make.constant(zero)])
        shape = (1, size)
    return make.node("DequantizeLinear", [name, make.constant(scale), make.constant(zero)]), shape
