"""Runs a network in onnxruntime: the opponent that every counterexample has to convince.

A network that came from ONNX runs as the bytes that were read; any other, and one that the runtime does not
take as it is (a version too new, two nodes of one name), is exported first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.network import Network

_runnable: WeakKeyDictionary[Network, bytes] = WeakKeyDictionary()


def replay(network: Network, x: Array) -> Array:
    """What onnxruntime computes for rows x [batch, inputs], as float64 [batch, outputs].

    The runtime sees `as_run(network, x)`: whoever judges the answer has to judge it for that point.
    """
    session = _session(_model(network))
    given = session.get_inputs()[0]
    rows = np.asarray(x, dtype=np.float64)
    if rows.ndim < 2 or rows[0].size != network.inputs:
        raise VouchError(f"{network.name} takes rows of {network.inputs} numbers, not shape {rows.shape}")
    points = rows.reshape(len(rows), network.inputs).astype(_dtype(given.type))
    several = len(session.get_inputs()) > 1
    parts = network.parts if several else ((given.name, network.input_shape),)
    outputs = [_flat(session.run(None, _fed(parts, point))) for point in points]
    return np.array(outputs, dtype=np.float64).reshape(len(rows), network.outputs)


def _fed(parts: tuple[tuple[str, Shape], ...], point: Array) -> dict[str, Array]:
    """The inputs of a model by name, cut from one flat point."""
    ends = np.cumsum([math.prod(shape) for _, shape in parts])[:-1]
    cut = zip(parts, np.split(point, ends), strict=True)
    return {name: values.reshape(shape) for (name, shape), values in cut}


def _flat(outputs: list[Array]) -> Array:
    return np.concatenate([np.asarray(output).ravel() for output in outputs])


def as_run(network: Network, x: Array) -> Array:
    """The nearest points that the runtime can be given: float32 for most models."""
    given = _session(_model(network)).get_inputs()[0]
    return np.asarray(x).astype(_dtype(given.type)).astype(np.float64)


def _dtype(kind: str) -> type[np.floating[Any]]:
    return np.float64 if kind == "tensor(double)" else np.float32


def _model(network: Network) -> bytes:
    if network not in _runnable:
        _runnable[network] = _accepted(network)
    return _runnable[network]


def _accepted(network: Network) -> bytes:
    """The first model that the runtime takes: as read, exported, exported in float32."""
    from vouch.nn.export import to_onnx

    makers: list[Callable[[], bytes]] = [lambda: to_onnx(network), lambda: to_onnx(network, double=False)]
    if network.model is not None:
        original = network.model
        makers.insert(0, lambda: original)
    refusal = VouchError("no model to run")
    for make in makers:
        model = make()
        try:
            _session(model)
        except VouchError as error:
            refusal = error
        else:
            return model
    raise refusal


@lru_cache(maxsize=8)
def _session(model: bytes) -> Any:
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own classes, all derived from Exception
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise VouchError(f"onnxruntime does not take the model: {first}") from None
