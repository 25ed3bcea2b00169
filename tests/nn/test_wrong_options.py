"""Wrong files and options of commands about networks: one line that says what is wrong, exit code 2, nothing
on stdout, and no file is changed."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from tests.limit_stages import write_network
from tests.patience import without_progress

from vouch.cli.main import run

BOX = "".join(
    f"(declare-const X_{i} Real)(assert (>= X_{i} -1))(assert (<= X_{i} 1))" for i in range(3)
) + "".join(f"(declare-const Y_{i} Real)" for i in range(2))
GOOD = BOX + "(assert (>= Y_0 1000))"


def _picture(side: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(10_000))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    write_network(folder / "n.onnx", [3, 4, 2], 0)
    texts = {
        "p.vnnlib": GOOD,
        "deep.vnnlib": BOX + "(assert " + "(and " * 50_000 + ")" * 50_000 + ")",
        "sum.vnnlib": BOX + "(assert (<= Y_0 " + "(+ 1 " * 50_000 + "1" + ")" * 50_000 + "))",
        "infinite.vnnlib": GOOD.replace("-1", "-1e999"),
        "nan.vnnlib": GOOD.replace("-1", "nan"),
        "huge.vnnlib": GOOD.replace("1000", "9" * 100_000),
        "open.vnnlib": "(declare-const X_0 Real)(assert (<= X_0 1))",
        "empty.vnnlib": "",
        "x.csv": "0,0,0\n",
        "nan.csv": "0,nan,0\n",
        "two.csv": "0,0\n",
        "words.csv": "a,b,c\n",
        "mine.csv": "my,own\ndata,1\n",
        "instances.csv": "n.onnx,p.vnnlib,10\n",
        "short.csv": "n.onnx\n",
        "limit.csv": "n.onnx,p.vnnlib,soon\n",
        "bad.nnet": "//x\n1,2,3\n",
        "deep.toml": "a = " + "[" * 5000,
        "a.c": "int f(int x) { return x; }\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    noise = np.random.default_rng(0).bytes(600)
    for name, head in (
        ("bad.onnx", b""),
        ("bad.h5", b"\x89HDF\r\n\x1a\n"),
        ("bad.tflite", b"\x20\0\0\0TFL3"),
        ("bad.keras", b"PK\x03\x04"),
        ("bad.npy", b"\x93NUMPY\x01\x00"),
        ("noise.vnnlib", b"\xff"),
    ):
        (folder / name).write_bytes(head + noise)
    (folder / "none.onnx.gz").write_bytes(b"\x1f\x8b" + noise)
    (folder / "cut.onnx").write_bytes((folder / "n.onnx").read_bytes()[:100])
    (folder / "bomb.png").write_bytes(_picture(60_000))
    os.mkfifo(folder / "pipe.onnx")
    return folder


VERIFY = ["nn", "verify"]
BOTH = [*VERIFY, "n.onnx", "p.vnnlib"]
NEAR = ["nn", "robust", "n.onnx", "--input", "x.csv", "--radius"]
PAIR = ["equiv", "n.onnx", "n.onnx"]
EPSILON = [*PAIR, "--epsilon", "1"]
CODE = ["equiv", "code", "n.onnx", "a.c", "--epsilon", "1", "--box", "p.vnnlib"]

WRONG: list[tuple[list[str], str]] = [
    *(
        ([*VERIFY, name, "p.vnnlib"], said)
        for name, said in (
            ("bad.onnx", "not an ONNX model"),
            ("cut.onnx", "not an ONNX model"),
            ("none.onnx", "none.onnx"),
            ("bad.nnet", "bad.nnet:2"),
            ("bad.tflite", "not a TensorFlow Lite model"),
            ("bad.keras", "not a .keras archive"),
            ("bad.h5", "bad.h5"),
            ("pipe.onnx", "not a file"),
            ("nothing.onnx", "no such file"),
            (".", "not a file"),
            ("x.csv", "unknown kind of network"),
            ("f=nothing.onnx,g", "not NAME=FILE"),
        )
    ),
    *(
        ([*VERIFY, "n.onnx", name], said)
        for name, said in (
            ("deep.vnnlib", "nested too deeply"),
            ("sum.vnnlib", "nested too deeply"),
            ("infinite.vnnlib", "beyond the range"),
            ("nan.vnnlib", "neither a number"),
            ("huge.vnnlib", "too many for a number"),
            ("open.vnnlib", "no Y_0"),
            ("empty.vnnlib", "no X_0"),
            ("noise.vnnlib", "not a text file"),
            ("nothing.vnnlib", "no such file"),
            (".", "not a file"),
        )
    ),
    ([*VERIFY, "n.onnx"], "PROPERTY"),
    ([*BOTH, "--timeout", "nan"], "finite"),
    ([*BOTH, "--timeout", "-1"], "below 0"),
    ([*BOTH, "--rounding", "up"], "not one of"),
    ([*BOTH, "--engine", "magic"], "not one of"),
    ([*BOTH, "--format", "0.0"], "integer bit"),
    ([*BOTH, "--format", "99.99"], "at most"),
    ([*BOTH, "--format", "eight"], "K.L"),
    ([*BOTH, "--format", "8.8", "--activation", "lut:nan"], "lut:nan"),
    ([*BOTH, "--format", "8.8", "--activation", "lut:0"], "lut:0"),
    ([*BOTH, "--vnncomp", "n.onnx"], "is an input"),
    ([*BOTH, "--vnncomp", "p.vnnlib"], "is an input"),
    ([*BOTH, "--vnncomp", "no/such/file"], "no folder"),
    ([*BOTH, "--output-file", "p.vnnlib"], "is an input"),
    ([*BOTH, "--output-format", "json=./n.onnx"], "is an input"),
    ([*BOTH, "--output-file", "cut.onnx"], "is an input"),  # not of this command, but nobody's report
    ([*NEAR, "inf"], "finite"),
    ([*NEAR, "nan"], "finite"),
    ([*NEAR, "-1"], "below 0"),
    ([*NEAR, "1e400"], "finite"),
    ([*NEAR, "1", "--label", "7"], "label 7"),
    ([*NEAR, "1", "--label", "-1"], "label -1"),
    ([*NEAR, "1", "--lower", "2", "--upper", "1"], "above the largest"),
    ([*NEAR, "1", "--lower", "nan"], "no number"),
    ([*NEAR, "1", "--index", "5"], "index 5"),
    ([*NEAR, "1", "--scale", "1,2"], "the network takes 3"),
    ([*NEAR, "1", "--scale", "nan"], "scale"),
    ([*NEAR, "1", "--nearest", "--label", "7"], "label 7"),
    (NEAR[:-1], "--radius"),
    (["nn", "robust", "n.onnx", "--radius", "1"], "--input"),
    *(
        (["nn", "robust", "n.onnx", "--input", name, "--radius", "1"], said)
        for name, said in (
            ("nan.csv", "NaN or infinite"),
            ("two.csv", "the network takes 3"),
            ("words.csv", "numbers expected"),
            ("bad.npy", "bad.npy"),
            ("bomb.png", "bomb.png"),
            ("nothing.csv", "no such file"),
            (".", "."),
        )
    ),
    (["nn", "nearest", "n.onnx", "--input", "x.csv"], "--format"),
    (["nn", "nearest", "n.onnx", "--input", "x.csv", "--format", "8.8", "--label", "7"], "label 7"),
    (["nn", "nearest", "n.onnx", "--input", "x.csv", "--format", "8.8", "--image", "x.csv"], "is an input"),
    (["nn", "bounds", "n.onnx"], "--box"),
    (["nn", "bounds", "n.onnx", "--box", "p.vnnlib", "--plot", "p.vnnlib"], "is an input"),
    (["nn", "bits", "n.onnx", "p.vnnlib", "--range", "9..6"], "--range"),
    (["nn", "bits", "n.onnx", "p.vnnlib", "--range", "0..200"], "--range"),
    (["nn", "bits", "n.onnx"], "property"),
    (["nn", "codegen", "n.onnx"], "--output"),
    (["nn", "codegen", "n.onnx", "-o", "x.csv"], "not a folder"),
    (["nn", "codegen", "n.onnx", "-o", "code", "--format", "200.1"], "format 200.1"),
    (["nn", "cover", "n.onnx"], "--inputs"),
    (["nn", "cover", "n.onnx", "--inputs", "x.csv", "--at-least", "200%"], "--at-least"),
    (["nn", "batch", "instances.csv"], "--output"),
    (["nn", "batch", "instances.csv", "-o", "mine.csv"], "not a results file"),
    (["nn", "batch", "instances.csv", "-o", "instances.csv"], "list of instances"),
    (["nn", "batch", "instances.csv", "-o", "no/such/r.csv"], "no folder"),
    (["nn", "batch", "short.csv", "-o", "r.csv"], "short.csv:1"),
    (["nn", "batch", "limit.csv", "-o", "r.csv"], "limit.csv:1"),
    (["nn", "magic"], "no such command"),
    (PAIR, "--epsilon or --top"),
    (EPSILON, "give a region"),
    ([*EPSILON, "--top", "1", "--box", "p.vnnlib"], "either --epsilon or --top"),
    ([*PAIR, "--epsilon", "nan", "--box", "p.vnnlib"], "finite"),
    ([*PAIR, "--top", "9", "--box", "p.vnnlib"], "2 outputs"),
    ([*EPSILON, "--box", "p.vnnlib", "--centre", "x.csv", "--radius", "1"], "either --box"),
    ([*EPSILON, "--box", "p.vnnlib", "--domain", "1..0"], "--domain"),
    ([*EPSILON, "--centre", "x.csv", "--radius", "1", "--domain", "1..0"], "domain is empty"),
    ([*EPSILON, "--centre", "x.csv", "--radius", "1", "--domain", "nan..1"], "the domain"),
    ([*EPSILON, "--centre", "x.csv", "--radius", "inf"], "finite"),
    ([*EPSILON, "--centre", "nan.csv", "--radius", "1"], "NaN or infinite"),
    ([*EPSILON, "--box", "huge.vnnlib"], "too many for a number"),
    ([*EPSILON, "--box", "deep.vnnlib"], "nested too deeply"),
    ([*EPSILON, "--box", "."], "not a file"),
    ([*EPSILON, "--box", "p.vnnlib", "--output-file", "p.vnnlib"], "is an input"),
    (["equiv", "n.onnx", ".", "--epsilon", "1", "--box", "p.vnnlib"], "not a file"),
    (["equiv", "radius", "n.onnx", "n.onnx", "--top", "1"], "--centre"),
    (["equiv", "sweep", "n.onnx", "nothing", "--epsilon", "1", "--clusters", "x.csv"], "no networks"),
    (CODE, "--function"),
    ([*CODE, "--function", "g"], "no function 'g'"),
    ([*CODE, "--function", "f", "--map", "nothing.toml"], "nothing.toml"),
    ([*CODE, "--function", "f", "--map", "deep.toml"], "deep.toml"),
    ([*CODE, "--function", "f", "--format", "x.y"], "K.L"),
]


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(("words", "said"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_one_line(
    made: Path,
    words: list[str],
    said: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(made)
    before = _contents(made)
    code = run(words)
    out, err = capfd.readouterr()
    assert (code, out) == (2, ""), (out, err)
    [line] = without_progress(err).splitlines()
    assert line.startswith("error: ")
    assert said in line
    assert len(line) < 400
    assert _contents(made) == before


@pytest.mark.parametrize("name", ["a=b.onnx", "x,y.onnx", "f=n,g=n.onnx", "ü²∫*.onnx"])
def test_a_name_is_a_name(
    made: Path, name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(made)
    os.link("n.onnx", name)
    try:
        assert run([*VERIFY, name, "p.vnnlib"]) == 0
        for more in ([], ["--format", "8.8"]):
            assert run(["nn", "codegen", name, "-o", "named", "-q", *more]) == 0
        assert without_progress(capfd.readouterr().err) == ""
    finally:
        os.unlink(name)
