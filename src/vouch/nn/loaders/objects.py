"""Networks that are objects in memory: torch modules and scikit-learn's multi-layer perceptrons.

Neither library is imported here unless an object of it was given. Torch files are read without running
anything that they contain: TorchScript archives, and pickled modules made of torch's own layers.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Shape
from vouch.nn.loaders.files import stem
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Gemm, Scale, Shift, Sigmoid, Softmax, activation_named

_OPSET = 17


def is_torch_module(source: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(source, torch.nn.Module)


def from_torch(module: Any, shape: Sequence[int] | None = None, name: str = "module") -> Network:
    """The network of a torch module at inference, for inputs of `shape` (the batch of 1 included). Without
    one, the module's first parameters have to be those of a fully connected layer."""
    import warnings

    torch = _torch()
    wanted = tuple(shape) if shape is not None else _guessed(module, name)
    training = module.training
    buffer = io.BytesIO()
    parameter = next(iter(module.parameters()), None)
    kind = torch.float32 if parameter is None else parameter.dtype
    try:
        module.eval()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            example = torch.zeros(wanted, dtype=kind)
            torch.onnx.export(module, (example,), buffer, dynamo=False, opset_version=_OPSET)
    except Exception as error:  # tracing runs the module's own code
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise VouchError(f"{name}: torch does not export it for inputs of shape {wanted}: {first}") from None
    finally:
        module.train(training)
    from vouch.nn.loaders.onnx import from_bytes

    return from_bytes(buffer.getvalue(), name)


def _guessed(module: Any, name: str) -> Shape:
    first = next(iter(module.parameters()), None)
    if first is None or first.dim() != 2:
        raise VouchError(
            f"{name}: the shape of its input is not known; vouch.nn.from_torch(module, shape) takes it"
        )
    return 1, int(first.shape[1])


def load_torch(path: Path) -> Network:
    """A `.pt` or `.pth` file: TorchScript, or a module of torch's own layers. Weights alone are not a
    network."""
    torch = _torch()
    name = stem(path)
    try:
        module = torch.jit.load(str(path), map_location="cpu")
    except Exception:  # not TorchScript
        module = _unpickled(torch, path, name)
    return from_torch(module, None, name)


def _unpickled(torch: Any, path: Path, name: str) -> Any:
    kinds = [kind for kind in vars(torch.nn).values() if isinstance(kind, type)]
    layers = [kind for kind in kinds if issubclass(kind, torch.nn.Module)]
    try:
        with torch.serialization.safe_globals([*layers, set]):
            found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        # torch goes on to advise how to run the code; the first sentence names what is wrong.
        wanted = re.search(r"GLOBAL (\S+)", str(error))
        said = str(error) or type(error).__name__
        reason = f"it calls {wanted[1]}" if wanted else said.splitlines()[0].partition(". ")[0]
        raise VouchError(
            f"{name}: not a torch module that can be read without running code: {reason}"
        ) from None
    if not isinstance(found, torch.nn.Module):
        raise VouchError(f"{name}: holds weights, not a module; load them into one and give that")
    return found


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise VouchError("torch is not installed: pip install 'vouch[torch]'") from None
    return torch


def is_perceptron(source: Any) -> bool:
    """A fitted MLPClassifier or MLPRegressor of scikit-learn, or a pipeline that ends in one."""
    steps = getattr(source, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else source
    return type(last).__module__.startswith("sklearn.neural_network")


def from_sklearn(source: Any) -> Network:
    """The network of a fitted perceptron: its scores or predictions. Of a pipeline, scalers come first."""
    steps = [part for _, part in source.steps] if hasattr(source, "steps") else [source]
    last = steps[-1]
    if not hasattr(last, "coefs_"):
        raise VouchError(f"{type(last).__name__}: not fitted")
    builder = GraphBuilder(type(last).__name__, "x", (1, int(np.shape(last.coefs_[0])[0])))
    value = builder.input
    for number, part in enumerate(steps[:-1]):
        value = _scaler(builder, part, f"step{number}", value)
    depth = len(last.coefs_)
    for number, (weights, bias) in enumerate(zip(last.coefs_, last.intercepts_, strict=True)):
        value = builder.add(f"layer{number}", Gemm.of(np.asarray(weights).T, np.asarray(bias)), value)
        kind = last.activation if number < depth - 1 else last.out_activation_
        value = _activated(builder, str(kind), f"activation{number}", value)
    return builder.build(value)


def _activated(builder: GraphBuilder, kind: str, name: str, value: str) -> str:
    match kind:
        case "identity":
            return value
        case "softmax":
            return builder.add(name, Softmax(-1), value)
        case "logistic":
            return builder.add(name, Sigmoid(), value)
        case _:
            return builder.add(name, activation_named(kind), value)


def _scaler(builder: GraphBuilder, part: Any, name: str, value: str) -> str:
    match type(part).__name__:
        case "StandardScaler":
            if part.mean_ is not None and part.with_mean:
                value = builder.add(f"{name}/mean", Shift(-np.asarray(part.mean_)), value)
            if part.scale_ is not None and part.with_std:
                value = builder.add(f"{name}/scale", Scale(np.asarray(part.scale_), divide=True), value)
            return value
        case "MinMaxScaler" if not part.clip:
            scaled = builder.add(f"{name}/scale", Scale(np.asarray(part.scale_)), value)
            return builder.add(f"{name}/min", Shift(np.asarray(part.min_)), scaled)
        case "str" if part == "passthrough":
            return value
        case other:
            raise VouchError(f"{other} in a pipeline is not supported")
