"""`vouch nn verify | robust | batch`: exit codes, JSON, result files, and what goes wrong."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pytest
from tests.patience import without_progress

import vouch
from vouch.cli.main import run
from vouch.nn.export import to_onnx
from vouch.nn.network import Network
from vouch.nn.replay import replay
from vouch.nn.vnncomp import read_instances
from vouch.verdict import Verdict

# f(x) = relu(2 x0 - 3 x1) + relu(x0 + 4 x1); on the unit box it takes values from 0 to 6, (0, 0) to (1, 1)
# giving relu(-1) + 5 = 5 and (1, 0) giving 2 + 1 = 3.
LAYERS = [(np.array([[2.0, -3.0], [1.0, 4.0]]), np.zeros(2)), (np.array([[1.0, 1.0]]), np.zeros(1))]
HIGHEST = 5.0

# Two classes: y0 - y1 = x0 - x1 after the ReLUs, for inputs that are not negative.
CLASSES = [(np.eye(2), np.zeros(2)), (np.eye(2), np.zeros(2))]


def limit(at: float, operator: str = ">=") -> str:
    """The unit box, violated where the output reaches a value."""
    text = "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)\n"
    for i in range(2):
        text += f"(assert (>= X_{i} 0))(assert (<= X_{i} 1))\n"
    return text + f"(assert ({operator} Y_0 {at}))\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.onnx").write_bytes(to_onnx(Network.from_layers(LAYERS, name="f")))
    (tmp_path / "c.onnx").write_bytes(to_onnx(Network.from_layers(CLASSES, name="c")))
    (tmp_path / "safe.vnnlib").write_text(limit(HIGHEST + 0.01))
    (tmp_path / "unsafe.vnnlib").write_text(limit(HIGHEST - 0.5))
    return tmp_path


def test_safe(folder, capsys):
    assert run(["nn", "verify", "f.onnx", "safe.vnnlib", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "safe"
    assert document["counterexample"] is None
    assert document["engine"]
    assert document["seconds"] > 0


def test_unsafe_with_its_point(folder, capsys):
    assert run(["nn", "verify", "f.onnx", "unsafe.vnnlib", "--json", "--vnncomp", "out.txt"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["verdict"], document["replayed"]) == ("unsafe", True)
    point = np.array(document["counterexample"]["input"])
    assert ((point >= 0) & (point <= 1)).all()
    output = replay(vouch.nn.load("f.onnx"), point[None, :])[0]
    assert document["counterexample"]["output"] == output.tolist()
    assert output[0] >= HIGHEST - 0.5
    lines = (folder / "out.txt").read_text().splitlines()
    assert lines[0] == "sat"
    assert lines[1].startswith("((X_0 ")
    assert lines[2].startswith("(X_1 ")
    assert lines[3].startswith("(Y_0 ")
    assert lines[3].endswith("))")
    assert float(lines[3].strip("()").split()[1]) == output[0]


def test_text_output(folder, capsys):
    assert run(["nn", "verify", "f.onnx", "safe.vnnlib", "--vnncomp", "out.txt"]) == 0
    assert capsys.readouterr().out.startswith("verdict        safe\n")
    assert (folder / "out.txt").read_text() == "unsat\n"
    assert run(["nn", "verify", "f.onnx", "safe.vnnlib", "-q"]) == 0
    assert capsys.readouterr().out == "verdict        safe\n"


def test_gzipped_files(folder):
    for name in ("f.onnx", "safe.vnnlib"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    assert run(["nn", "verify", "f.onnx", "safe.vnnlib"]) == 0
    assert run(["nn", "verify", "f.onnx.gz", "safe.vnnlib.gz"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["f.onnx", "none.vnnlib"], "no such file"),
        (["none.onnx", "safe.vnnlib"], "no such file"),
        (["safe.vnnlib", "safe.vnnlib"], "unknown kind of network"),
        (["c.onnx", "safe.vnnlib"], "1 outputs"),
        (["f.onnx", "broken.vnnlib"], "broken.vnnlib"),
        (["f.onnx", "binary.vnnlib"], "not a text file"),
        (["f.onnx", "safe.vnnlib", "--engine", "smt"], "--format"),
        (["f.onnx", "safe.vnnlib", "--engine", "code"], "--format"),
        (["f.onnx", "safe.vnnlib", "--format", "8"], "K.L expected"),
        (["f.onnx", "safe.vnnlib", "--format", "8.8", "--engine", "star"], "star"),
        (["f.onnx", "safe.vnnlib", "--engine", "magic"], "not one of"),
        (["f.onnx", "safe.vnnlib", "--activation", "lut:0.1"], "--format"),
        (["f.onnx", "safe.vnnlib", "--step", "0.1"], "--format"),
        (["f.onnx", "safe.vnnlib", "--timeout", "-1"], "below 0"),
        (["f.onnx", "safe.vnnlib", "--vnncomp", "no/such/folder"], "folder"),
        (["f.onnx"], "missing argument"),
        (["a=f.onnx,b", "safe.vnnlib"], "NAME=FILE"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(folder, capsys, arguments, message):
    (folder / "broken.vnnlib").write_text("(assert (>= X_0")
    (folder / "binary.vnnlib").write_bytes(b"\xff\xfe\x00")
    assert run(["nn", "verify", *arguments]) == 2
    said = without_progress(capsys.readouterr().err)
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert message in said


def test_robust(folder, capsys):
    # y0 - y1 = x0 - x1 = 0.5 at the point; it may shrink by twice the radius (largest difference).
    command = ["nn", "robust", "c.onnx", "--input", "1.0,0.5", "--json"]
    assert run([*command, "--radius", "0.24"]) == 0
    capsys.readouterr()
    assert run([*command, "--radius", "0.26"]) == 1
    document = json.loads(capsys.readouterr().out)
    x = document["counterexample"]["input"]
    assert x[1] >= x[0]
    assert abs(x[0] - 1) <= 0.26
    assert abs(x[1] - 0.5) <= 0.26


@pytest.mark.parametrize(
    ("norm", "safe", "unsafe"),
    # The nearest point with x0 = x1 is (0.75, 0.75): 0.25 away in each input, 0.5 in sum, 0.3535 in L2.
    [("linf", 0.24, 0.26), ("l1", 0.48, 0.52), ("l2", 0.35, 0.36)],
)
def test_norms(folder, norm, safe, unsafe):
    command = ["nn", "robust", "c.onnx", "--input", "1.0,0.5", "--norm", norm, "--timeout", "60"]
    assert run([*command, "--radius", str(safe)]) == 0
    assert run([*command, "--radius", str(unsafe)]) == 1


def test_scale_and_valid_range(folder):
    command = ["nn", "robust", "c.onnx", "--input", "1.0,0.5", "--radius", "0.4"]
    assert run(command) == 1
    assert run([*command, "--scale", "1,0"]) == 0  # x1 stays 0.5, x0 falls to 0.6
    assert run([*command, "--scale", "0.5"]) == 0
    assert run([*command, "--upper", "0.55", "--lower", "0.56"]) == 2  # an empty set
    assert run([*command, "--lower", "0.9,0", "--upper", "2,0.8"]) == 0


def test_within(folder, capsys):
    """relu(x) moves by as much as x does."""
    command = ["nn", "robust", "c.onnx", "--input", "1.0,0.5", "--radius", "0.25", "--within"]
    assert run([*command, "0.26"]) == 0
    assert run([*command, "0.24"]) == 1
    assert run([*command, "0.24", "--lower", "0.8,0.3", "--upper", "1.2,0.7"]) == 0
    assert run([*command, "0.24", "--label", "0"]) == 2
    assert run([*command, "-1"]) == 2


def test_label(folder):
    command = ["nn", "robust", "c.onnx", "--input", "1.0,0.5", "--radius", "0.1"]
    assert run([*command, "--label", "0"]) == 0
    assert run([*command, "--label", "1"]) == 1


def test_points_from_files(folder):
    np.save(folder / "one.npy", np.array([1.0, 0.5]))
    np.save(folder / "many.npy", np.array([[0.0, 1.0], [1.0, 0.5]]))
    (folder / "named.csv").write_text("a,b\n0.0,1.0\n1.0,0.5\n")
    command = ["nn", "robust", "c.onnx", "--radius", "0.24", "--label", "0", "--input"]
    assert run([*command, "one.npy"]) == 0
    for name in ("many.npy", "named.csv"):
        assert run([*command, name, "--index", "1"]) == 0
        assert run([*command, name, "--index", "0"]) == 1


def test_image(folder):
    image = pytest.importorskip("PIL.Image")
    pixels = np.array([[0, 128, 255]], dtype=np.uint8)
    image.fromarray(pixels, mode="L").save(folder / "p.png")
    from vouch.nn.points import read_point

    np.testing.assert_allclose(read_point("p.png", (1, 1, 1, 3)), [0, 128 / 255, 1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--input", "1,2,3", "--radius", "1"], "rows of 3 numbers"),
        (["--input", "nofile.csv", "--radius", "1"], "no such file"),
        (["--input", "1,nan", "--radius", "1"], "NaN"),
        (["--input", "1,2", "--radius", "-1"], "radius"),
        (["--input", "1,2", "--radius", "1", "--norm", "l7"], "not one of linf, l1, l2"),
        (["--input", "1,2", "--radius", "1", "--label", "5"], "label 5"),
        (["--input", "1,1", "--radius", "1"], "score the same"),
        (["--input", "1,2"], "--radius"),
        (["--input", "many.csv", "--radius", "1"], "choose one with --index"),
        (["--input", "many.csv", "--radius", "1", "--index", "7"], "index 7"),
        (["--input", "ragged.csv", "--radius", "1"], "same count"),
        (["--input", "pickle.npy", "--radius", "1"], "pickle.npy"),
    ],
)
def test_robust_with_bad_input(folder, capsys, arguments, message):
    (folder / "many.csv").write_text("1,2\n3,4\n")
    (folder / "ragged.csv").write_text("1,2\n3\n")
    np.save(folder / "pickle.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert run(["nn", "robust", "c.onnx", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_library(folder):
    result = vouch.nn.verify("f.onnx", "safe.vnnlib", timeout=60)
    assert result.verdict is Verdict.SAFE
    assert vouch.nn.verify(LAYERS, folder / "unsafe.vnnlib").verdict is Verdict.UNSAFE
    assert vouch.nn.robust(CLASSES, [1.0, 0.5], 0.24).verdict is Verdict.SAFE
    assert vouch.nn.robust(CLASSES, np.array([1.0, 0.5]), 0.26).verdict is Verdict.UNSAFE
    with pytest.raises(vouch.errors.VouchError, match="unknown option"):
        vouch.nn.verify("f.onnx", "safe.vnnlib", tiemout=60)


def test_softmax_at_the_end(folder):
    from onnx_models import model, node

    data = model([node("Softmax", "x")], [1, 2])
    (folder / "s.onnx").write_bytes(data)
    command = ["nn", "robust", "s.onnx", "--input", "1.0,0.5", "--radius"]
    assert run([*command, "0.2"]) == 0
    assert run([*command, "0.3"]) == 1
    text = limit(0.9).replace("(declare-const Y_0 Real)", "(declare-const Y_0 Real)(declare-const Y_1 Real)")
    (folder / "p.vnnlib").write_text(text)
    result = vouch.nn.verify("s.onnx", "p.vnnlib")
    assert result.verdict in (Verdict.SAFE, Verdict.UNSAFE)


def test_several_networks_side_by_side():
    from vouch.nn.join import joined

    first, second = Network.from_layers(LAYERS), Network.from_layers(CLASSES)
    both = joined([first, second])
    x = np.random.default_rng(0).normal(size=(5, 4))
    expected = np.concatenate([first.evaluate(x[:, :2]), second.evaluate(x[:, 2:])], axis=1)
    np.testing.assert_array_equal(both.evaluate(x), expected)
    np.testing.assert_allclose(replay(both, x), expected, atol=1e-6)


def instances(folder, *lines):
    (folder / "instances.csv").write_text("".join(f"{line}\n" for line in lines))


def results(folder):
    with (folder / "results.csv").open(newline="") as file:
        return [(row["onnx"], row["vnnlib"], row["result"]) for row in csv.DictReader(file)]


def test_batch(folder, capsys):
    (folder / "bad.vnnlib").write_text("nonsense")
    instances(folder, "f.onnx,safe.vnnlib,60", "f.onnx,bad.vnnlib,60", "./f.onnx,unsafe.vnnlib,60")
    assert run(["nn", "batch", "instances.csv", "-o", "results.csv"]) == 1
    captured = capsys.readouterr()
    assert "3 of 3 instances: 1 error, 1 sat, 1 unsat" in captured.out
    assert "[3/3] f.onnx unsafe.vnnlib: sat" in captured.err
    assert results(folder) == [
        ("f.onnx", "safe.vnnlib", "unsat"),
        ("f.onnx", "bad.vnnlib", "error"),
        ("./f.onnx", "unsafe.vnnlib", "sat"),
    ]
    (folder / "bad.vnnlib").write_text(limit(HIGHEST + 1))
    assert run(["nn", "batch", "instances.csv", "-o", "results.csv", "--json"]) == 1
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert document["summary"] == {"unsat": 2, "sat": 1}
    assert "safe.vnnlib: unsat, kept" in captured.err
    assert [result for _, _, result in results(folder)] == ["unsat", "unsat", "sat"]


def test_batch_out_of_time(folder, capsys):
    instances(folder, "f.onnx,safe.vnnlib,60")
    assert run(["nn", "batch", "instances.csv", "-o", "results.csv", "--timeout", "0"]) == 3
    assert "0 of 1 instances: nothing" in capsys.readouterr().out


def test_batch_with_bad_files(folder, capsys):
    (folder / "other.csv").write_text("a,b\n1,2\n")
    (folder / "heading.csv").write_text("a,b\n")
    instances(folder, "f.onnx,safe.vnnlib,60")
    for arguments, message in (
        (["none.csv", "-o", "r.csv"], "none.csv"),
        (["instances.csv", "-o", "other.csv"], "not a results file"),
        (["instances.csv", "-o", "heading.csv"], "not a results file"),
        (["other.csv", "-o", "r.csv"], "network,property,seconds expected"),
        (["instances.csv"], "missing option"),
    ):
        assert run(["nn", "batch", *arguments]) == 2
        assert message in capsys.readouterr().err
    assert (folder / "other.csv").read_text() == "a,b\n1,2\n"
    assert (folder / "heading.csv").read_text() == "a,b\n"


def test_instances_with_several_networks(folder):
    instances(folder, "\"[('f', 'a.onnx'), ('g', 'b.onnx')]\",p.vnnlib,100", "a.onnx,p.vnnlib,7.5")
    first, second = read_instances(folder / "instances.csv")
    assert first.networks() == [("f", "a.onnx"), ("g", "b.onnx")]
    assert second.networks() == [("", "a.onnx")]
    assert second.timeout == 7.5


def test_a_worker_that_dies_costs_one_instance(folder, monkeypatch):
    """The second instance kills its own process; the others are decided all the same."""
    from vouch.nn import batch
    from vouch.settings import resolve

    monkeypatch.setattr(batch, "_serve", _dying)
    lines = ["f.onnx,safe.vnnlib,9", "die,safe.vnnlib,9", "hang,safe.vnnlib,0.2", "f.onnx,safe.vnnlib,9"]
    instances(folder, *lines)
    monkeypatch.setattr(batch, "GRACE", 0.3)
    wanted = read_instances(folder / "instances.csv")
    found = [row for row, _ in batch.run(wanted, folder, folder / "r.csv", resolve("nn"))]
    assert [row.result for row in found] == ["unsat", "error", "timeout", "unsat"]
    assert "died" in found[1].reason


def _dying(line, folder, parent):
    os.setsid()
    line.send("ready")
    while True:
        instance, _ = line.recv()
        if instance.network == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if instance.network == "hang":
            time.sleep(60)
        line.send({"result": "unsat", "seconds": 0.1})


def test_interrupt_keeps_what_is_decided(folder):
    """Ctrl-C in the middle of a long instance: exit code 130, and the first result is in the file."""
    rng = np.random.default_rng(0)
    sizes = [30, 60, 60, 60, 60, 2]
    layers = [(rng.normal(size=(b, a)), rng.normal(size=b)) for a, b in pairwise(sizes)]
    (folder / "hard.onnx").write_bytes(to_onnx(Network.from_layers(layers), double=False))
    names = [f"(declare-const X_{i} Real)(assert (>= X_{i} -1))(assert (<= X_{i} 1))" for i in range(30)]
    text = "".join(names) + "(declare-const Y_0 Real)(declare-const Y_1 Real)(assert (>= Y_0 1000000))"
    (folder / "hard.vnnlib").write_text(text)
    instances(folder, "f.onnx,safe.vnnlib,60", "hard.onnx,hard.vnnlib,250")
    main = "from vouch.cli.main import main; main()"
    command = [sys.executable, "-c", main, "nn", "batch", "instances.csv", "-o", "results.csv"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (folder / "results.csv").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "1 of 2 instances: 1 unsat" in out
    assert results(folder) == [("f.onnx", "safe.vnnlib", "unsat")]


def test_progress_in_plain_lines(monkeypatch, capsys):
    from vouch.cli.network_words import NetworkProgress
    from vouch.settings import resolve

    monkeypatch.setattr(NetworkProgress, "EVERY", 0.0)
    for quiet, expected in ((False, "{0}\n25.0 % proved, {0}\n99.9 % proved, {0}\n"), (True, "")):
        with NetworkProgress(resolve("nn", {"quiet": quiet, "timeout": 1000})) as progress:
            progress.tick()
            progress(0.25)
            progress(1.0)
        assert re.sub(r"\d+ s left", "{0}", capsys.readouterr().err) == expected


def test_help_is_quick_and_heavy_packages_stay_out():
    code = "import sys; from vouch.cli.main import run; run(['nn', '--help']); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("False")


def two_networks(first: str, second: str, extra: str = "") -> str:
    """g is never above f by 0.1 on the unit interval."""
    return f"""(vnnlib-version <2.0>)
(declare-network {first} (declare-input X_f real [1, 1]) (declare-output Y_f real [1, 1]))
(declare-network {second} {extra} (declare-input X_g real [1, 1]) (declare-output Y_g real [1, 1]))
(assert (and (>= X_f[0, 0] 0.0) (<= X_f[0, 0] 1.0)))
(assert (== X_f[0, 0] X_g[0, 0]))
(assert (>= Y_g[0, 0] (+ Y_f[0, 0] 0.1)))
"""


def test_property_of_two_networks(folder, capsys):
    # f is relu(x), g is relu(2 x - 1): above f nowhere on the interval, below it almost everywhere.
    for name, weight, bias in (("f1", 1.0, 0.0), ("g1", 2.0, -1.0)):
        layers = [(np.array([[weight]]), np.array([bias])), (np.eye(1), np.zeros(1))]
        (folder / f"{name}.onnx").write_bytes(to_onnx(Network.from_layers(layers)))
    (folder / "p.vnnlib").write_text(two_networks("f", "g"))
    assert run(["nn", "verify", "f=f1.onnx,g=g1.onnx", "p.vnnlib"]) == 0
    assert run(["nn", "verify", "g=g1.onnx,f=f1.onnx", "p.vnnlib"]) == 0  # names count, not their order
    assert run(["nn", "verify", "f=g1.onnx,g=f1.onnx", "p.vnnlib", "--json"]) == 1
    capsys.readouterr()
    assert run(["nn", "verify", "f1.onnx", "p.vnnlib"]) == 2
    assert "no network is given for 'g'" in capsys.readouterr().err
    assert run(["nn", "verify", "f=f1.onnx,h=g1.onnx", "p.vnnlib"]) == 2
    assert "declares no network 'h'" in capsys.readouterr().err
    assert run(["nn", "verify", "f=f1.onnx,g=c.onnx", "p.vnnlib"]) == 2
    assert "g has 1 inputs and 1 outputs" in capsys.readouterr().err
    (folder / "p.vnnlib").write_text(two_networks("f", "g", "(equal-to f)"))
    assert run(["nn", "verify", "f1.onnx", "p.vnnlib"]) == 0
    assert run(["nn", "verify", "f=f1.onnx,g=g1.onnx", "safe.vnnlib"]) == 2
