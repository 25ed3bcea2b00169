"""Reads networks: ONNX, NNet, Keras, torch, TensorFlow Lite. A file may be gzipped (not one of torch).

`load_subject(path)` goes by the file's name; `load(path)` takes networks of real numbers only. Whatever is
wrong with a file comes out as one VouchError.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from vouch.errors import VouchError
from vouch.nn.loaders.files import resolved, suffix
from vouch.nn.loaders.memory import limited
from vouch.nn.network import Network

if TYPE_CHECKING:
    from vouch.nn.int8.network import Quantised

SUFFIXES = (".onnx", ".nnet", ".h5", ".hdf5", ".keras", ".pt", ".pth", ".tflite")


def load(path: str | PathLike[str]) -> Network:
    """The network in a file; for `net.onnx`, a `net.onnx.gz` beside it will do."""
    found = load_subject(path)
    if not isinstance(found, Network):
        raise VouchError(f"{path}: an int8 network; vouch nn verify, robust and batch decide those")
    return found


def load_subject(path: str | PathLike[str]) -> Network | Quantised:
    """The same, or an int8 network."""
    file = resolved(Path(path))
    with limited(file):
        return _load(file, str(path))


def _load(file: Path, name: str) -> Network | Quantised:
    match suffix(file):
        case ".onnx":
            from vouch.nn.loaders.onnx import load_onnx

            return load_onnx(file)
        case ".nnet":
            from vouch.nn.loaders.nnet import load_nnet

            return load_nnet(file)
        case ".h5" | ".hdf5" | ".keras":
            from vouch.nn.loaders.keras import load_keras

            return load_keras(file)
        case ".pt" | ".pth":
            from vouch.nn.loaders.objects import load_torch

            return load_torch(file)
        case ".tflite":
            from vouch.nn.loaders.tflite import load_tflite

            return load_tflite(file)
        case other:
            raise VouchError(f"{name}: unknown kind of network {other!r}; known are {', '.join(SUFFIXES)}")
