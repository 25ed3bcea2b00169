"""The contents of a TensorFlow Lite file as plain records: tensors, operators, inputs and outputs.

Only the first subgraph of a model is read. Whatever a damaged file makes the reader do comes out as one
VouchError.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import LARGEST, Shape
from vouch.nn.loaders.files import read, stem

_DTYPES = {0: np.float32, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_, 7: np.int16, 9: np.int8}


@dataclass(frozen=True, slots=True, eq=False)
class TfTensor:
    """One tensor. `data` is None for what is computed; `scale` and `zero` are empty where nothing is
    quantised, and have one entry for each index of `axis` or one for all."""

    name: str
    shape: Shape
    dtype: Any
    data: Any | None
    scale: Any
    zero: Any
    axis: int

    @property
    def quantised(self) -> bool:
        return len(self.scale) > 0


@dataclass(frozen=True, slots=True, eq=False)
class TfOperator:
    """`kind` is the operator's name in the schema; `options` its table there, None where it has none."""

    kind: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Any


@dataclass(frozen=True, slots=True, eq=False)
class TfModel:
    name: str
    data: bytes
    tensors: tuple[TfTensor, ...]
    operators: tuple[TfOperator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    @property
    def quantised(self) -> bool:
        """Whether something that is computed is an 8-bit number."""
        return any(t.data is None and t.dtype in (np.int8, np.uint8) for t in self.tensors)


def read_tflite(path: Path) -> TfModel:
    try:
        import tflite
    except ImportError:
        raise VouchError(
            "reading TensorFlow Lite models needs tflite (pip install 'vouch[tflite]')"
        ) from None
    data, name = read(path), stem(path)
    if data[4:8] != b"TFL3":
        raise VouchError(f"{name}: not a TensorFlow Lite model")
    try:
        return _model(tflite, data, name)
    except VouchError:
        raise
    except Exception as error:  # a damaged file: any access may fail in any way
        raise VouchError(f"{name}: not a TensorFlow Lite model: {type(error).__name__}: {error}") from None


def _model(tflite: Any, data: bytes, name: str) -> TfModel:
    model = tflite.Model.GetRootAsModel(data, 0)
    graph = model.Subgraphs(0)
    names = {number: word for word, number in vars(tflite.BuiltinOperator).items() if isinstance(number, int)}
    tensors = tuple(_tensor(model, graph.Tensors(i), name) for i in range(graph.TensorsLength()))
    operators = []
    for number in range(graph.OperatorsLength()):
        operator = graph.Operators(number)
        code = model.OperatorCodes(operator.OpcodeIndex())
        kind = names.get(max(code.BuiltinCode(), code.DeprecatedBuiltinCode()), "unknown")
        inputs, outputs = _indices(operator.InputsAsNumpy()), _indices(operator.OutputsAsNumpy())
        if any(not -1 <= i < len(tensors) for i in (*inputs, *outputs)):
            raise VouchError(f"{name}: operator {number} ({kind}) reads tensors that are not there")
        operators.append(TfOperator(kind, inputs, outputs, _options(tflite, kind, operator)))
    given, made = _indices(graph.InputsAsNumpy()), _indices(graph.OutputsAsNumpy())
    if len(given) != 1 or len(made) != 1:
        counts = f"{len(given)} inputs and {len(made)} outputs"
        raise VouchError(f"{name}: has {counts}, one of each expected")
    if any(not 0 <= i < len(tensors) for i in (*given, *made)):
        raise VouchError(f"{name}: its input or output is a tensor that is not there")
    return TfModel(name, data, tensors, tuple(operators), given, made)


def _indices(found: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in np.atleast_1d(found)) if not np.isscalar(found) else ()


_OPTIONS = {
    "FULLY_CONNECTED": "FullyConnectedOptions",
    "CONV_2D": "Conv2DOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "SOFTMAX": "SoftmaxOptions",
    "ADD": "AddOptions",
    "MUL": "MulOptions",
    "SUB": "SubOptions",
    "CONCATENATION": "ConcatenationOptions",
    "LEAKY_RELU": "LeakyReluOptions",
    "MEAN": "ReducerOptions",
}


def _options(tflite: Any, kind: str, operator: Any) -> Any:
    table = operator.BuiltinOptions()
    if table is None or kind not in _OPTIONS:
        return None
    options = getattr(tflite, _OPTIONS[kind])()
    options.Init(table.Bytes, table.Pos)
    return options


def _tensor(model: Any, tensor: Any, name: str) -> TfTensor:
    label = (tensor.Name() or b"").decode(errors="replace")
    shape = _indices(tensor.ShapeAsNumpy())
    if any(n < 0 for n in shape) or math.prod(shape) > LARGEST:
        raise VouchError(f"{name}: tensor {label!r} has shape {shape}")
    dtype: Any = _DTYPES.get(tensor.Type())
    if dtype is None:
        raise VouchError(f"{name}: tensor {label!r} has a type that is not supported")
    raw = model.Buffers(tensor.Buffer()).DataAsNumpy()
    data = None
    if not np.isscalar(raw) and len(raw):
        data = np.frombuffer(bytes(raw), dtype=dtype)
        if data.size != math.prod(shape):
            raise VouchError(f"{name}: tensor {label!r} has {data.size} numbers for shape {shape}")
        data = data.reshape(shape)
        if np.issubdtype(data.dtype, np.floating) and not np.isfinite(data).all():
            raise VouchError(f"{name}: tensor {label!r} contains NaN or infinity")
    scale, zero, axis = _quantisation(tensor.Quantization(), label, name)
    return TfTensor(label, shape, dtype, data, scale, zero, axis)


def _quantisation(found: Any, label: str, name: str) -> tuple[Any, Any, int]:
    none = np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int64), 0
    if found is None or not found.ScaleLength():
        return none
    scale = np.array(found.ScaleAsNumpy(), dtype=np.float32)
    zero = found.ZeroPointAsNumpy() if found.ZeroPointLength() else np.zeros(len(scale))
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise VouchError(f"{name}: tensor {label!r} has a scale that is not positive")
    return scale, np.array(zero, dtype=np.int64), int(found.QuantizedDimension())
