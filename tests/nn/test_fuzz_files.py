"""Files about networks with mistakes put into them at random: each is read, or refused with one line.

Nothing else comes out of it, it does not take long nor the memory of the machine. Many files are read in one
process of their own, so that a library that crashes is seen. `make test` tries a few, the slow tests many;
`SEED` chooses others.
"""

from __future__ import annotations

import gzip
import io
import os
import random
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx_models import floats, model, node
from tests.mutation import mutated

from vouch.errors import VouchError
from vouch.nn.loaders import load_subject
from vouch.nn.points import read_points
from vouch.nn.properties import read as read_property
from vouch.nn.vnncomp import read_instances
from vouch.run.checking import machine_memory
from vouch.run.supervise import Ending, Send, watch

HERE = Path(__file__).parent
FEW, MANY = 30, 2000
_EACH = 20.0  # seconds of processor time that one file may take, by far
NNET = """// a network
2,2,1,2,
2,2,1,
0,
-1.0,-1.0,
1.0,1.0,
0.0,0.0,0.0,
1.0,1.0,1.0,
1.0,-1.0,
0.5,2.0,
0.25,
-0.75,
1.0,1.0,
0.0,
"""
VNNLIB = """; a property
(declare-const X_0 Real)
(declare-const X_1 Real)
(declare-const Y_0 Real)
(assert (>= X_0 -1.5e-1))
(assert (<= X_0 0.25))
(assert (and (>= X_1 0) (<= X_1 1)))
(assert (or (and (<= Y_0 0.5)) (and (>= Y_0 (+ X_0 (* 2.0 X_1))))))
"""
VNNLIB2 = """(vnnlib-version <2.0>)
(declare-network N
    (declare-input X Real [1, 2])
    (declare-output Y Real [1, 1])
)
(assert (and (<= X[0,0] 1.0) (>= X[0,0] -1.0)))
(assert (and (<= X[0,1] 1.0) (>= X[0,1] -1.0)))
(assert (or (<= Y[0,0] 0.5) (>= Y[0,0] (+ X[0,0] 2.0))))
"""
POINTS = "0.1,0.2,-3e-1\n1,2,3\n-0,1e-5,7\n"
SPLICES = (
    b"\0",
    b"\xff\xff\xff\xff\x0f",
    b"9" * 400,
    b"(" * 3000,
    b"[" * 3000,
    b"nan",
    b"-inf",
    b"1e999",
    b"\n",
    b",",
)


def _onnx() -> bytes:
    """Convolution, pooling, reshaping, constants that are computed, two branches."""
    rng = np.random.default_rng(0)
    nodes = [
        node("Conv", "x w c", "a", pads=[1, 1, 1, 1], strides=[2, 1]),
        node("Relu", "a", "b"),
        node("MaxPool", "b", "p", kernel_shape=[2, 2]),
        node("Flatten", "p", "f"),
        node("Gemm", "f m v", "g", transB=1, alpha=0.5),
        node("Add", "s s", "t"),
        node("Mul", "g t", "h"),
        node("Sigmoid", "h", "i"),
        node("Concat", "h i", "j", axis=1),
        node("Softmax", "j", "y", axis=1),
    ]
    held = {"w": floats(rng, 2, 1, 3, 3), "c": floats(rng, 2), "m": floats(rng, 3, 16), "v": floats(rng, 3)}
    return model(nodes, [1, 1, 6, 5], {**held, "s": floats(rng, 3)})


def _npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.arange(12, dtype=np.float32).reshape(4, 3))
    return file.getvalue()


def _png() -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(np.arange(12, dtype=np.uint8).reshape(3, 4)).save(file, "PNG")
    return file.getvalue()


def _tflite() -> bytes:
    from tests.nn.tflite_builder import int8_model

    return int8_model(np.random.default_rng(1))[0]


def _keras(name: str) -> Callable[[], bytes]:
    return lambda: gzip.decompress((HERE / "keras" / f"{name}.gz").read_bytes())


# The file's name, a good one, how it is read, and what part of the number of files is tried: some readers
# start a process for each.
READERS: dict[str, tuple[str, Callable[[], bytes], Callable[[Path], object], int]] = {
    "onnx": ("a.onnx", _onnx, load_subject, 1),
    "onnx fields": ("a.onnx", _onnx, load_subject, 1),
    "nnet": ("a.nnet", NNET.encode, load_subject, 1),
    "keras": ("a.keras", _keras("mlp.keras"), load_subject, 10),
    "h5": ("a.h5", _keras("mlp.h5"), load_subject, 10),
    "tflite": ("a.tflite", _tflite, load_subject, 2),
    "vnnlib": ("a.vnnlib", VNNLIB.encode, read_property, 1),
    "vnnlib 2": ("a.vnnlib", VNNLIB2.encode, read_property, 1),
    "csv": ("a.csv", POINTS.encode, lambda path: read_points(str(path), (3,)), 1),
    "npy": ("a.npy", _npy, lambda path: read_points(str(path), (3,)), 1),
    "png": ("a.png", _png, lambda path: read_points(str(path), (3, 4)), 1),
    "instances": ("instances.csv", b"a.onnx,a.vnnlib,60\nb.onnx,b.vnnlib,1.5\n".__bytes__, read_instances, 1),
}


@cache
def _good(kind: str) -> bytes:
    return READERS[kind][1]()


_NUMBERS = (0, -1, 1, 2, 3, 7, 255, 1 << 20, 1 << 31, (1 << 62) + 1, -(1 << 63), (1 << 63) - 1)


def _fields(data: bytes, source: random.Random) -> bytes:
    """A file of the right form whose fields say what they should not."""
    made = onnx.load_from_string(data)
    graph = made.graph
    for _ in range(source.choice((1, 1, 2, 3))):
        number = source.choice(_NUMBERS)
        some, tensor = source.choice(graph.node), source.choice(graph.initializer)
        match source.randrange(9):
            case 0 if some.attribute:
                attribute = source.choice(some.attribute)
                attribute.i = number
                if attribute.ints:
                    attribute.ints[source.randrange(len(attribute.ints))] = number
            case 1 if some.attribute:
                some.attribute.append(
                    onnx.helper.make_attribute(source.choice(("axis", "group", "auto_pad", "x")), 1)
                )
            case 2 if some.input:
                some.input[source.randrange(len(some.input))] = source.choice(
                    (*some.input, "", "y", "x", "none")
                )
            case 3:
                some.op_type = source.choice(graph.node).op_type
            case 4 if tensor.dims:
                tensor.dims[source.randrange(len(tensor.dims))] = number
            case 5:
                tensor.data_type = source.randrange(24)
            case 6:
                tensor.raw_data = tensor.raw_data[: source.randrange(len(tensor.raw_data) + 1)]
            case 7:
                shape = graph.input[0].type.tensor_type.shape
                source.choice(shape.dim).dim_value = number
            case _:
                graph.node.append(some)
    return made.SerializeToString()


def read_all(folder: Path, kind: str, count: int, seed: int) -> None:
    name, _, reader, share = READERS[kind]
    good = _good(kind)

    def work(send: Send) -> str:
        warnings.simplefilter("ignore")
        source = random.Random(f"{kind} {seed}")
        for number in range(max(5, count // share)):
            data = _fields(good, source) if kind == "onnx fields" else mutated(good, source, SPLICES)
            (folder / name).write_bytes(data)
            began = time.process_time()
            send(number)
            try:
                reader(folder / name)
            except VouchError as error:
                if len(str(error).splitlines()) > 1:
                    raise RuntimeError(f"several lines: {error}") from None
            assert time.process_time() - began < _EACH, number
        return "done"

    reached: list[int] = []
    end = watch(work, reached.append, memory=machine_memory())
    assert (end.ending, end.value) == (Ending.DONE, "done"), (kind, seed, reached[-1:], end.cause)


@pytest.mark.parametrize("kind", READERS)
def test_good_files_are_read(tmp_path: Path, kind: str) -> None:
    name, _, reader, _ = READERS[kind]
    (tmp_path / name).write_bytes(_good(kind))
    reader(tmp_path / name)


@pytest.mark.parametrize("kind", READERS)
def test_a_few(tmp_path: Path, kind: str) -> None:
    read_all(tmp_path, kind, FEW, 1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", READERS)
def test_many(tmp_path: Path, kind: str) -> None:
    read_all(tmp_path, kind, MANY, int(os.environ.get("SEED", "7")))
