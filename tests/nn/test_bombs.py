"""Small files that claim to be large: each is refused with one line, before it fills the memory."""

from __future__ import annotations

import itertools
import json
import resource
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.nn.onnx_models import model, node
from tests.patience import without_progress

from vouch.errors import VouchError
from vouch.nn.loaders import memory
from vouch.nn.loaders.memory import limited

GROWN = 1 << 30  # bytes: a file of a few kilobytes has no business to take as much, twice over
CHILD = """
import json, resource, sys
from vouch.cli.main import run
code = run(json.loads(sys.argv[1]))
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""
Bomb = Callable[[Path], Path]


def doubling(folder: Path) -> Path:
    names = ["c", *(f"c{i}" for i in range(40)), "y"]
    nodes = [node("Concat", f"{a} {a}", b, axis=0) for a, b in itertools.pairwise(names[:-1])]
    return saved(folder, model([*nodes, node("Add", f"x {names[-2]}")], [1], {"c": np.float32([1.0])}))


def outer_product(folder: Path) -> Path:
    column, row = np.ones((200_000, 1), np.float32), np.ones((1, 200_000), np.float32)
    nodes = [node("MatMul", "a b", "c"), node("Add", "x c")]
    return saved(folder, model(nodes, [1], {"a": column, "b": row}))


def broadcast(folder: Path) -> Path:
    sides = {"a": np.ones((3000, 1, 1), np.float32), "b": np.ones((1, 3000, 1), np.float32)}
    sides["c"] = np.ones((1, 1, 3000), np.float32)
    nodes = [node("Add", "a b", "d"), node("Mul", "d c", "e"), node("Add", "x e")]
    return saved(folder, model(nodes, [1], sides))


def saved(folder: Path, data: bytes) -> Path:
    path = folder / "bomb.onnx"
    path.write_bytes(data)
    return path


def hdf5(folder: Path) -> Path:
    """Chunks that were never written take no place in the file, and all of it in memory."""
    h5py = pytest.importorskip("h5py")
    path = folder / "bomb.h5"
    layers = [{"class_name": "Dense", "config": {"name": f"d{i}", "units": 4}} for i in range(64)]
    with h5py.File(path, "w") as file:
        config = {"class_name": "Sequential", "config": {"layers": layers}}
        file.attrs["model_config"] = json.dumps(config)
        for i in range(64):
            group = file.create_group(f"model_weights/d{i}")
            group.attrs["weight_names"] = [b"w"]
            group.create_dataset("w", shape=(1 << 26,), dtype="f4", chunks=(1 << 16,))
    return path


@pytest.mark.parametrize("bomb", [doubling, outer_product, broadcast, hdf5])
def test_networks(bomb: Bomb, tmp_path: Path) -> None:
    path = bomb(tmp_path)
    assert path.stat().st_size < 2_000_000
    refused(["nn", "robust", str(path), "--input", "0", "--radius", "1"], str(path.stem))


def png(folder: Path) -> Path:
    """A picture of 60,000 times 60,000 pixels, all the same."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path = folder / "bomb.png"
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(1 << 20))))
    return path


def npy(folder: Path) -> Path:
    path = folder / "bomb.npy"
    head = str({"descr": "<f8", "fortran_order": False, "shape": (1 << 40,)}).ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + bytes(64))
    return path


@pytest.mark.parametrize("bomb", [png, npy])
def test_points(bomb: Bomb, tmp_path: Path) -> None:
    if bomb is png:
        pytest.importorskip("PIL")
    network = saved(tmp_path, model([node("Relu", "x")], [1, 1, 28, 28]))
    refused(["nn", "robust", str(network), "--input", str(bomb(tmp_path)), "--radius", "1"], bomb.__name__)


def refused(words: list[str], said: str) -> None:
    command = [sys.executable, "-c", CHILD, json.dumps(words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    lines = without_progress(done.stderr).strip().splitlines()
    assert done.returncode == 2, done.stderr
    assert len(lines) == 3, done.stderr
    assert lines[0].startswith("error: ")
    assert said in lines[0]
    assert max(int(line.split()[1]) << 10 for line in lines[1:]) < 2 * GROWN


def test_the_limit_goes_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = resource.getrlimit(resource.RLIMIT_AS)
    path = tmp_path / "f"
    path.write_bytes(bytes(1 << 20))
    monkeypatch.setattr(memory, "LEAST", 1 << 20)
    with limited(path):
        assert np.zeros(4 << 20, np.uint8).size
    with pytest.raises(VouchError, match="memory to be read"), limited(path):
        np.zeros(1 << 30, np.uint8)  # more than earlier tests can have left on the heap
    assert resource.getrlimit(resource.RLIMIT_AS) == before
