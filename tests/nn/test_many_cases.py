"""Many cases in common batches decide as each case does by itself; proved ranges contain what is reached."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import vouch
from vouch.cli.main import run
from vouch.nn import functions
from vouch.nn.bounds.model import model_of
from vouch.nn.export import to_onnx
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Curve, Relu
from vouch.nn.property import Case, Property, Rows, output_union, robustness
from vouch.nn.ranges import OutputRanges
from vouch.nn.replay import replay
from vouch.nn.search import verify
from vouch.nn.search.many import ManyCases
from vouch.nn.search.task import Clock, Judge
from vouch.settings import resolve
from vouch.verdict import Verdict


def network(seed=0, inputs=2, outputs=2):
    rng = np.random.default_rng(seed)
    sizes = (inputs, 8, 8, outputs)
    layers = [(rng.normal(size=(b, a)), rng.normal(size=b)) for a, b in itertools.pairwise(sizes)]
    return Network.from_layers(layers, name="n")


def cases(net, rng, count, limit):
    """Boxes with two regions each: an output above a limit, and both outputs below another with x in it."""
    found = []
    for _ in range(count):
        low = rng.uniform(-1, 1, 2)
        high = low + rng.uniform(0, 0.3, 2)
        first = Rows.of(np.zeros((1, 2)), [[-1.0, 0.0]], [-limit])
        second = Rows.of([[0.5, 0.0], [0.0, 0.0]], np.eye(2), [-limit, -limit])
        found.append(Case(low, high, (first, second)))
    return found


def test_every_case_is_proved_only_if_sampling_finds_nothing():
    net, rng = network(), np.random.default_rng(1)
    asked = cases(net, rng, 60, 3.0)
    for arithmetic in ("real", "float32"):
        model = model_of(net, arithmetic)
        prop = Property(tuple(asked), 2, 2)
        work = ManyCases(model, asked, Judge(net, prop, arithmetic == "real"), Clock(20), lambda share: None)
        work._tried = lambda boxes, rows: None  # all cases, violated ones too
        assert work.run() is None
        assert len(work.open) < 60
        for number in set(range(60)) - work.open:
            case = asked[number]
            points = case.lower + rng.random((200, 2)) * (case.upper - case.lower)
            values = net.evaluate(points)
            for region in case.regions:
                assert not (region.excess(points, values) <= 0).all(1).any()


@pytest.mark.parametrize("limit", [1.0, 4.0, 30.0])
def test_together_as_one_by_one(limit):
    net = network(3)
    asked = cases(net, np.random.default_rng(2), 20, limit)
    settings = resolve("nn", {"timeout": 30, "jobs": 1})
    whole = verify(net, Property(tuple(asked), 2, 2), settings)
    single = [verify(net, Property((case,), 2, 2), settings).verdict for case in asked]
    assert (whole.verdict is Verdict.SAFE) == all(v is Verdict.SAFE for v in single)
    if whole.verdict is Verdict.UNSAFE:
        found = whole.counterexample
        assert any(case.violated(found.input, replay(net, found.input[None, :])[0]) for case in asked)
    assert whole.verdict in (Verdict.SAFE, Verdict.UNSAFE)


def test_the_smallest_output_as_class():
    net = network(5, outputs=3)
    point = np.array([0.2, -0.4])
    label = int(net.evaluate(point[None, :])[0].argmin())
    for radius in (0.01, 5.0):
        prop = robustness(point, radius, 3, label=label, bottom=True)
        result = vouch.nn.robust(net, point, radius, bottom=True, timeout=30)
        points = point + np.random.default_rng(0).uniform(-radius, radius, (2000, 2))
        wrong = (net.evaluate(points).argmin(1) != label).any()
        assert (result.verdict is Verdict.UNSAFE) == wrong
        if wrong:
            assert prop.violated(result.counterexample.input, result.counterexample.output)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.onnx").write_bytes(to_onnx(network()))
    text = "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)(declare-const Y_1 Real)"
    text += "(assert (>= X_0 -0.5))(assert (<= X_0 0.5))(assert (>= X_1 0))(assert (<= X_1 0.75))"
    (tmp_path / "box.vnnlib").write_text(text)
    return tmp_path


def test_bounds_from_the_command_line(folder, capsys):
    assert run(["nn", "bounds", "n.onnx", "--box", "box.vnnlib", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    net = network()
    points = np.array([-0.5, 0.0]) + np.random.default_rng(0).random((5000, 2)) * np.array([1.0, 0.75])
    values = net.evaluate(points)
    for (low, high), (least, most), column in zip(
        answer["output_bounds"], answer["reached"], values.T, strict=True
    ):
        assert low <= least <= most <= high
        assert low <= column.min()
        assert column.max() <= high
        assert high - low < (column.max() - column.min()) * 1.2 + 1e-3  # and not much wider
    assert run(["nn", "bounds", "n.onnx", "--input", "0,0", "--radius", "0.1", "--plot", "b.png"]) == 0
    assert (folder / "b.png").read_bytes()[:4] == b"\x89PNG"
    assert "Y_1" in capsys.readouterr().out
    assert run(["nn", "bounds", "n.onnx"]) == 2
    assert run(["nn", "bounds", "n.onnx", "--box", "box.vnnlib", "--input", "0,0"]) == 2
    assert run(["nn", "robust", "n.onnx", "--input", "0.2,-0.4", "--radius", "0.001", "--bottom"]) == 0


def logarithm() -> Network:
    builder = GraphBuilder("log", "x", (1,))
    return builder.build(builder.add("y", Curve(functions.logarithm()), "x"))


def test_bounds_of_sums_that_may_overflow_are_open():
    def net(size: float) -> Network:
        return Network.from_layers(
            [(np.full((2, 3), size), np.zeros(2)), (np.array([[1.0, -1.0]]), np.zeros(1))]
        )

    region = Property((Case(np.zeros(3), np.ones(3), ()),), 3, 1)
    # Each sum of three may be infinite in float32, and their difference is then no number at all.
    found = vouch.nn.output_ranges(net(2e38), region, boxes=1)
    assert found.low[0] == -np.inf
    assert found.high[0] == np.inf
    found = vouch.nn.output_ranges(net(2e38), region, boxes=1, arithmetic="real")
    assert -np.inf < found.low[0] <= 0.0 <= found.high[0] < np.inf
    found = vouch.nn.output_ranges(net(2e30), region, boxes=1)
    assert -np.inf < found.low[0] <= 0.0 <= found.high[0] < np.inf


def test_reported_bounds_hold_for_the_input_that_is_fed():
    builder = GraphBuilder("relu", "x", (1,))
    net = builder.build(builder.add("y", Relu(), "x"))
    point = np.array([0.1])  # as float32 it is a little more
    prop = output_union(point, point, [(np.array([[-1.0]]), np.array([-1.0]))])
    found = vouch.nn.verify(net, prop)
    assert found.verdict is Verdict.SAFE
    low, high = found.output_bounds
    assert low[0] <= 0.1 < float(np.float32(0.1)) <= high[0]


def test_bounds_of_a_function_that_may_leave_its_domain_are_open():
    net = logarithm()
    case = Case(np.array([-1.0]), np.array([2.0]), ())
    found = vouch.nn.output_ranges(net, Property((case,), 1, 1), boxes=200)
    assert found.low[0] == -np.inf
    assert found.to_json()["output_bounds"][0][0] is None
    case = Case(np.array([0.5]), np.array([2.0]), ())
    found = vouch.nn.output_ranges(net, Property((case,), 1, 1), boxes=200)
    assert found.low[0] == pytest.approx(np.log(0.5), abs=1e-3)
    assert found.high[0] == pytest.approx(np.log(2.0), abs=1e-3)


def test_ranges_are_told_as_they_get_narrower() -> None:
    """What a run that ends early has to show."""
    net = logarithm()
    case = Case(np.array([0.5]), np.array([2.0]), ())
    told: list[OutputRanges] = []
    last = vouch.nn.output_ranges(net, Property((case,), 1, 1), boxes=20, found=told.append)
    assert len(told) > 1
    assert (told[-1].low, told[-1].high) == (last.low, last.high)
    for wide, narrow in itertools.pairwise(told):
        assert wide.low[0] <= narrow.low[0] <= np.log(0.5)
        assert np.log(2.0) <= narrow.high[0] <= wide.high[0]
