"""Reads networks: ONNX, NNet, Keras, torch. A file may be gzipped (not one of torch).

`load(path)` goes by the file's name. Whatever is wrong with a file comes out as one VouchError.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from vouch.errors import VouchError
from vouch.nn.loaders.files import resolved, suffix
from vouch.nn.loaders.memory import limited
from vouch.nn.network import Network

SUFFIXES = (".onnx", ".nnet", ".h5", ".hdf5", ".keras", ".pt", ".pth")


def load(path: str | PathLike[str]) -> Network:
    """The network in a file; for `net.onnx`, a `net.onnx.gz` beside it will do."""
    file = resolved(Path(path))
    with limited(file):
        return _load(file, str(path))


def _load(file: Path, name: str) -> Network:
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
        case other:
            raise VouchError(f"{name}: unknown kind of network {other!r}; known are {', '.join(SUFFIXES)}")
