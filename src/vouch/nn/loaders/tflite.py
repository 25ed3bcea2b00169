"""Reads TensorFlow Lite models: int8 networks, and float ones as ordinary networks."""

from __future__ import annotations

from pathlib import Path

from vouch.errors import VouchError
from vouch.nn.int8.network import Quantised
from vouch.nn.loaders.tflite_file import read_tflite
from vouch.nn.network import Network


def load_tflite(path: Path) -> Network | Quantised:
    model = read_tflite(path)
    if model.quantised:
        from vouch.nn.int8.tflite import read_int8

        return read_int8(model)
    raise VouchError(f"{model.name}: float networks are not supported yet")
