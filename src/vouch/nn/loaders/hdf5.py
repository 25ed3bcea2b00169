"""Takes configuration and weights out of an HDF5 file, in a process of its own.

The HDF5 library does not survive every damaged file; a crash then ends the child, and the parent says so.
Data comes from the file itself only: links and external storage are refused.
"""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array
from vouch.nn.loaders.memory import LEAST, TIMES, most_numbers
from vouch.process import OutOfTime, call

_SECONDS = 300
_OWN = 1024  # MiB of address space for the interpreter and its libraries


@dataclass(frozen=True, slots=True)
class ArchiveContents:
    """The model's configuration (None where only weights are stored) and each layer's arrays, in order."""

    config: str | None
    weights: dict[str, list[Array]]


def contents(data: bytes) -> ArchiveContents:
    """What a Keras 2 model file, or the weights file of a Keras 3 archive, holds."""
    command = [sys.executable, "-P", "-m", __name__]  # -P: nothing is imported from the current folder
    try:
        limit = (max(LEAST, TIMES * len(data)) >> 20) + _OWN
        done = call(command, data=data, deadline=time.monotonic() + _SECONDS, memory=limit, writable=())
    except OutOfTime:
        raise VouchError("takes too long to read") from None
    if done.returncode == 2:
        raise VouchError(done.stderr.decode(errors="replace").strip())
    if done.returncode != 0:
        raise VouchError("damaged: the HDF5 library cannot read it")
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as arrays:
        manifest = json.loads(arrays["manifest"].tobytes())
        weights = {name: [arrays[key] for key in keys] for name, keys in manifest["weights"].items()}
    return ArchiveContents(manifest["config"], weights)


def _main() -> int:
    """The child: an HDF5 file on stdin, an npz file on stdout."""
    try:
        packed = _packed(sys.stdin.buffer.read())
    except VouchError as error:
        print(error, file=sys.stderr)
        return 2
    except MemoryError:
        print("needs too much memory to be read", file=sys.stderr)
        return 2
    sys.stdout.buffer.write(packed)
    return 0


def _packed(data: bytes) -> bytes:
    try:
        import h5py
    except ImportError:
        raise VouchError("reading Keras models needs h5py (pip install 'vouch[keras]')") from None
    try:
        file = h5py.File(h5py.h5f.open_file_image(data))
        config = file.attrs.get("model_config")
        arrays: dict[str, Array] = {}
        left = most_numbers(len(data))
        weights: dict[str, list[str]] = {}
        for layer, group, names in _layers(file):
            weights[layer] = [f"a{len(arrays) + i}" for i in range(len(names))]
            for key, name in zip(weights[layer], names, strict=True):
                arrays[key] = _numbers(group, name, left)
                left -= arrays[key].size
    except (VouchError, MemoryError):
        raise
    except Exception as error:  # h5py passes on whatever the library says, in many classes
        raise VouchError(f"not an HDF5 file, or a damaged one: {' '.join(str(error).split())}") from None
    text = config.decode() if isinstance(config, bytes) else config
    manifest = json.dumps({"config": text, "weights": weights}).encode()
    buffer = io.BytesIO()
    arrays["manifest"] = np.frombuffer(manifest, np.uint8)
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _layers(file: Any) -> Iterator[tuple[str, Any, list[str]]]:
    """Each layer with its group and the names of its arrays."""
    if "model_weights" in file:  # Keras 2: the group's attribute gives the order
        for layer, group in file["model_weights"].items():
            names = group.attrs.get("weight_names", ())
            yield layer, group, [n.decode() if isinstance(n, bytes) else str(n) for n in names]
    elif "layers" in file:  # Keras 3: numbered
        for layer, group in file["layers"].items():
            if "vars" in group:
                yield layer, group["vars"], sorted(group["vars"], key=int)


def _numbers(group: Any, name: str, most: int) -> Array:
    """A dataset of the file itself: neither a link nor data stored elsewhere, nor more than memory holds."""
    import h5py

    parts = name.split("/")
    for depth in range(1, len(parts) + 1):
        if not isinstance(group.get("/".join(parts[:depth]), getlink=True), h5py.HardLink):
            raise VouchError(f"weights {name!r} are a link")
    dataset = group[name]
    if not isinstance(dataset, h5py.Dataset) or dataset.external or dataset.is_virtual:
        raise VouchError(f"weights {name!r} are stored outside of the file")
    if dataset.size > most:
        raise VouchError(f"weights {name!r} are too large")
    return np.array(dataset, dtype=np.float64)


if __name__ == "__main__":
    sys.exit(_main())
