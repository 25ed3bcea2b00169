"""Writes TensorFlow Lite files, for no converter is at hand: tensors and operators one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("tflite")
flatbuffers = pytest.importorskip("flatbuffers")
runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime")
schema: Any = runtime.schema_fb

_TYPES = {
    np.dtype(np.float32): schema.TensorType.FLOAT32,
    np.dtype(np.int8): schema.TensorType.INT8,
    np.dtype(np.int32): schema.TensorType.INT32,
}
SAME, VALID = 0, 1


class Builder:
    """`tensor` and `operator` return the index of the tensor they add."""

    def __init__(self) -> None:
        self.buffers = [schema.BufferT()]
        self.tensors: list[Any] = []
        self.operators: list[Any] = []
        self.codes: list[int] = []

    def tensor(
        self, shape: Any, dtype: Any, scale: Any = None, zero: Any = 0, data: Any = None, axis: int = 0
    ) -> int:
        made = schema.TensorT()
        made.name, made.shape, made.type = f"t{len(self.tensors)}", list(shape), _TYPES[np.dtype(dtype)]
        made.buffer = 0
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data, dtype=dtype).tobytes(), dtype=np.uint8)
            self.buffers.append(buffer)
            made.buffer = len(self.buffers) - 1
        if scale is not None:
            quantisation = schema.QuantizationParametersT()
            quantisation.scale = [float(s) for s in np.atleast_1d(scale)]
            zeros = np.broadcast_to(np.asarray(zero), np.atleast_1d(scale).shape)
            quantisation.zeroPoint = [int(z) for z in zeros]
            quantisation.quantizedDimension = axis
            made.quantization = quantisation
        self.tensors.append(made)
        return len(self.tensors) - 1

    def operator(self, kind: str, inputs: list[int], output: int, options: Any = None) -> int:
        code = getattr(schema.BuiltinOperator, kind)
        if code not in self.codes:
            self.codes.append(code)
        made = schema.OperatorT()
        made.opcodeIndex, made.inputs, made.outputs = self.codes.index(code), inputs, [output]
        if options is not None:
            made.builtinOptions = options
            name = type(options).__name__.removesuffix("T")
            made.builtinOptionsType = getattr(schema.BuiltinOptions, name)
        self.operators.append(made)
        return output

    def file(self, given: int, made: int) -> bytes:
        graph = schema.SubGraphT()
        graph.tensors, graph.operators = self.tensors, self.operators
        graph.inputs, graph.outputs, graph.name = [given], [made], "main"
        model = schema.ModelT()
        model.version, model.description = 3, "test"
        model.subgraphs, model.buffers, model.operatorCodes = [graph], self.buffers, []
        for code in self.codes:
            entry = schema.OperatorCodeT()
            entry.builtinCode, entry.deprecatedBuiltinCode, entry.version = code, min(code, 127), 1
            model.operatorCodes.append(entry)
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def options(name: str, **values: Any) -> Any:
    made = getattr(schema, f"{name}T")()
    for key, value in values.items():
        setattr(made, key, value)
    return made


class Random:
    """A random int8 network, layer by layer; `at` is (tensor, scale, zero, shape)."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.b = rng, Builder()

    def scale(self, about: float) -> Any:
        exact = 2.0 ** np.round(np.log2(about))
        return np.float32(exact if self.rng.random() < 0.3 else about * self.rng.uniform(0.6, 1.6))

    def zero(self) -> int:
        return int(self.rng.choice([-128, 0, self.rng.integers(-128, 128)]))

    def numbers(self, shape: Any, scale: Any = None, zero: Any = None) -> Any:
        scale = self.scale(0.08) if scale is None else scale
        zero = self.zero() if zero is None else zero
        return self.b.tensor(shape, np.int8, scale, zero), scale, zero, shape

    def weights(self, shape: Any, channels: int, axis: int) -> tuple[int, Any]:
        each = self.rng.random() < 0.5
        scale = np.array([self.scale(0.01) for _ in range(channels)]) if each else self.scale(0.01)
        data = self.rng.integers(-127, 128, shape)
        return self.b.tensor(shape, np.int8, scale, 0, data, axis), scale

    def bias(self, count: int, scale: Any) -> int:
        return self.b.tensor([count], np.int32, scale, 0, self.rng.integers(-2000, 2000, count))

    def dense(self, at: Any, outer: int) -> Any:
        inner = int(np.prod(at[3]))
        # A scale for each channel is refused by older kernels of fully connected layers.
        data = self.rng.integers(-127, 128, (outer, inner))
        scale = self.scale(0.01)
        weights = self.b.tensor([outer, inner], np.int8, scale, 0, data)
        made = self.numbers([1, outer])
        fused = int(self.rng.choice([0, 1, 3]))
        self.b.operator(
            "FULLY_CONNECTED",
            [at[0], weights, self.bias(outer, at[1] * scale)],
            made[0],
            options("FullyConnectedOptions", fusedActivationFunction=fused, keepNumDims=False),
        )
        return made

    def conv(self, at: Any, outer: int) -> Any:
        _, height, width, inner = at[3]
        kernel = [int(self.rng.integers(1, min(3, n) + 1)) for n in (height, width)]
        same, strides = bool(self.rng.random() < 0.5), [int(self.rng.integers(1, 3)) for _ in range(2)]
        deep = bool(self.rng.random() < 0.4)
        outer = inner * int(self.rng.integers(1, 3)) if deep else outer
        shape = [1, *kernel, outer] if deep else [outer, *kernel, inner]
        weights, scale = self.weights(shape, outer, 3 if deep else 0)
        sizes = [
            -(-n // s) if same else (n - k) // s + 1
            for n, k, s in zip((height, width), kernel, strides, strict=True)
        ]
        made = self.numbers([1, *sizes, outer])
        common = {
            "padding": SAME if same else VALID,
            "strideH": strides[0],
            "strideW": strides[1],
            "dilationHFactor": 1,
            "dilationWFactor": 1,
            "fusedActivationFunction": int(self.rng.choice([0, 1, 3])),
        }
        bias = self.bias(outer, at[1] * scale)
        if deep:
            chosen = options("DepthwiseConv2DOptions", depthMultiplier=outer // inner, **common)
        else:
            chosen = options("Conv2DOptions", **common)
        kind = "DEPTHWISE_CONV_2D" if deep else "CONV_2D"
        self.b.operator(kind, [at[0], weights, bias], made[0], chosen)
        return made

    def pool(self, at: Any) -> Any:
        _, height, width, channels = at[3]
        kernel = [min(2, height), min(2, width)]
        same = bool(self.rng.random() < 0.5)
        sizes = [n if same else n - k + 1 for n, k in zip((height, width), kernel, strict=True)]
        made = self.numbers([1, *sizes, channels], at[1], at[2])
        chosen = options(
            "Pool2DOptions",
            padding=SAME if same else VALID,
            strideH=1,
            strideW=1,
            filterHeight=kernel[0],
            filterWidth=kernel[1],
            fusedActivationFunction=int(self.rng.choice([0, 1])),
        )
        self.b.operator(
            "AVERAGE_POOL_2D" if self.rng.random() < 0.5 else "MAX_POOL_2D", [at[0]], made[0], chosen
        )
        return made

    def one(self, kind: str, at: Any, scale: Any = None, zero: Any = None) -> Any:
        made = self.numbers(at[3], scale, zero)
        self.b.operator(kind, [at[0]], made[0])
        return made

    def two(self, kind: str, at: Any, other: Any) -> Any:
        made, name = self.numbers(at[3]), f"{kind.capitalize()}Options"
        fused = int(self.rng.choice([0, 1, 3]))
        self.b.operator(kind, [at[0], other[0]], made[0], options(name, fusedActivationFunction=fused))
        return made

    def constant(self, shape: Any) -> Any:
        scale, zero = self.scale(0.05), self.zero()
        data = self.rng.integers(-128, 128, shape)
        return self.b.tensor(shape, np.int8, scale, zero, data), scale, zero, shape

    def bent(self, kind: str, at: Any) -> Any:
        made = self.numbers(at[3], *{"LOGISTIC": (1 / 256, -128), "TANH": (1 / 128, 0)}.get(kind, ()))
        chosen = options("LeakyReluOptions", alpha=0.15) if kind == "LEAKY_RELU" else None
        self.b.operator(kind, [at[0]], made[0], chosen)
        return made

    def joined(self, at: Any, other: Any) -> Any:
        """With a tensor that is brought to the same scale first."""
        same = self.one("QUANTIZE", other, at[1], at[2])
        made = self.numbers([1, at[3][-1] + other[3][-1]], at[1], at[2])
        self.b.operator("CONCATENATION", [at[0], same[0]], made[0], options("ConcatenationOptions", axis=1))
        return made

    def padded(self, at: Any) -> Any:
        widths = self.rng.integers(0, 2, (4, 2))
        widths[[0, 3]] = 0
        shape = [int(n) for n in np.array(at[3]) + widths.sum(axis=1)]
        made = self.numbers(shape, at[1], at[2])
        wanted = self.b.tensor([4, 2], np.int32, data=widths)
        self.b.operator("PAD", [at[0], wanted], made[0], options("PadOptions"))
        return made

    def mean(self, at: Any) -> Any:
        keep = bool(self.rng.random() < 0.5)
        shape = [1, 1, 1, at[3][3]] if keep else [1, at[3][3]]
        made = self.numbers(shape) if self.rng.random() < 0.5 else self.numbers(shape, at[1], at[2])
        axes = self.b.tensor([2], np.int32, data=[1, 2])
        self.b.operator("MEAN", [at[0], axes], made[0], options("ReducerOptions", keepDims=keep))
        return made

    def reshape(self, at: Any, shape: Any) -> Any:
        made = self.numbers(shape, at[1], at[2])
        wanted = self.b.tensor([len(shape)], np.int32, data=np.array(shape))
        self.b.operator("RESHAPE", [at[0], wanted], made[0], options("ReshapeOptions", newShape=list(shape)))
        return made


def _arithmetic(make: Random, at: Any) -> Any:
    """An operator beside the layers, or none."""
    kinds = ("ADD", "SUB", "MUL", "LOGISTIC", "TANH", "LEAKY_RELU", "CONCATENATION", "")
    kind = str(make.rng.choice(kinds))
    if kind in ("ADD", "SUB", "MUL"):
        same = make.rng.random()
        other = make.constant(at[3]) if same < 0.3 else make.dense(at, at[3][-1] if same < 0.8 else 1)
        first = make.rng.random() < 0.7 or other[3] != at[3]
        return make.two(kind, at, other) if first else make.two(kind, other, at)
    if kind == "CONCATENATION":
        return make.joined(at, make.dense(at, 2))
    return make.bent(kind, at) if kind else at


def int8_model(rng: np.random.Generator) -> tuple[bytes, Any]:
    """A file, and the scale and zero point of its input; some read and write float32, some int8."""
    make = Random(rng)
    images = rng.random() < 0.5
    inputs = int(rng.integers(1, 4))
    shape = [1, 1, inputs, 1] if images else [1, inputs]
    at = make.numbers(shape)
    given, (scale, zero) = at[0], at[1:3]
    floats = bool(rng.random() < 0.5)
    if floats:
        given = make.b.tensor(shape, np.float32)
        make.b.operator("QUANTIZE", [given], at[0])
    if images:
        if rng.random() < 0.3:
            at = make.padded(at)
        at = make.conv(at, int(rng.integers(1, 4)))
        if rng.random() < 0.6:
            at = make.pool(at)
        if rng.random() < 0.4:
            at = make.mean(at)
        at = make.reshape(at, [1, int(np.prod(at[3]))])
    for size in [int(rng.integers(1, 6)) for _ in range(int(rng.integers(1, 3)))]:
        at = make.dense(at, size)
    extra = rng.random()
    if extra < 0.2:
        at = make.one("RELU", at)
    elif extra < 0.3:
        at = make.one("RELU6", at, at[1], at[2])
    elif extra < 0.5:
        at = make.one("QUANTIZE", at)
    at = _arithmetic(make, at)
    at = make.dense(at, int(rng.integers(1, 4)))
    made = at[0]
    if floats:
        made = make.b.tensor(at[3], np.float32)
        make.b.operator("DEQUANTIZE", [at[0]], made)
    return make.b.file(given, made), (scale, zero)
