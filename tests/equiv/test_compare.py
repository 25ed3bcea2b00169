"""`vouch.equiv`: options, regions, clusters, radii, sweeps, and what the command line prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.patience import within

import vouch.equiv
from vouch.cli.main import run
from vouch.equiv.clusters import find_clusters
from vouch.equiv.decide import EnginePlan, decide
from vouch.equiv.joint import violations
from vouch.equiv.pair import pair_of
from vouch.equiv.property import Epsilon, Top
from vouch.equiv.region import box
from vouch.errors import VouchError
from vouch.nn.export import to_onnx
from vouch.nn.network import Network
from vouch.nn.search.milp import nearest_violation
from vouch.nn.search.task import Clock
from vouch.verdict import Verdict

# |x| as relu(x) + relu(−x), and the same with one slope 1.1: they differ by 0.1·max(x, 0).
ABSOLUTE = [
    (np.array([[1.0], [-1.0]]), np.zeros(2)),
    (np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([0.0, 0.45])),
]
STEEPER = [
    (np.array([[1.0], [-1.0]]), np.zeros(2)),
    (np.array([[1.1, 1.0], [0.0, 0.0]]), np.array([0.0, 0.45])),
]
UNIT = (np.array([-1.0]), np.array([1.0]))


def _saved(folder: Path, name: str, layers: Any) -> str:
    path = folder / name
    path.write_bytes(
        to_onnx(Network.from_layers([(w.astype(np.float32).astype(float), b) for w, b in layers]))
    )
    return str(path)


@pytest.mark.parametrize("engine", ["auto", "differential", "paths", "milp"])
def test_a_gap_known_by_hand(engine: str) -> None:
    yes = vouch.equiv.compare(ABSOLUTE, STEEPER, epsilon=0.1001, box=UNIT, engine=engine)
    assert yes.verdict is Verdict.EQUIVALENT
    assert yes.bound is not None
    assert 0.1 <= yes.bound <= 0.1001
    no = vouch.equiv.compare(ABSOLUTE, STEEPER, epsilon=0.0999, box=UNIT, engine=engine)
    assert no.verdict is Verdict.DIFFERENT
    assert no.counterexample is not None
    assert no.counterexample.input[0] > 0.99
    assert no.replayed


def test_ranking_known_by_hand() -> None:
    # Output 0 beats 0.45 from |x| > 0.45; in the steeper one, for positive x, from 0.45 / 1.1 = 0.409.
    yes = vouch.equiv.compare(ABSOLUTE, STEEPER, top=1, box=(np.array([-0.4]), np.array([0.4])))
    assert yes.verdict is Verdict.EQUIVALENT
    no = vouch.equiv.compare(ABSOLUTE, STEEPER, top=1, box=UNIT)
    assert no.verdict is Verdict.DIFFERENT
    assert no.counterexample is not None
    assert 0.409 < no.counterexample.input[0] < 0.4501


def test_radius_known_by_hand() -> None:
    found = vouch.equiv.radius(ABSOLUTE, STEEPER, top=1, centre=[0.0], timeout=20)
    assert found.proved is not None
    assert found.refuted is not None
    assert found.proved < 0.45 / 1.1 <= found.refuted + 1e-9
    assert found.refuted - found.proved <= 0.01 * found.refuted
    assert found.verdict is Verdict.EQUIVALENT
    same = vouch.equiv.radius(ABSOLUTE, STEEPER, epsilon=0.2, centre=[0.0], domain="-1..1", timeout=20)
    assert (same.proved, same.refuted) == (1.0, None)
    apart = vouch.equiv.radius(ABSOLUTE, STEEPER, epsilon=0.01, centre=[0.5], timeout=20)
    assert apart.verdict is Verdict.DIFFERENT


def test_identical_networks_need_no_engine() -> None:
    answer = vouch.equiv.compare(ABSOLUTE, ABSOLUTE, epsilon=0.0, box=UNIT)
    assert (answer.verdict, answer.engine, answer.bound) == (Verdict.EQUIVALENT, "structure", 0.0)


def test_the_nearest_violation_known_by_hand() -> None:
    """They differ by 0.1 x for x > 0, and by more than 0.045 from x = 0.45 on; in either norm, around 0."""
    region = box(*UNIT)
    pair = pair_of(ABSOLUTE, STEEPER)
    for norm in ("linf", "l1"):
        model, root = violations(pair, region, Epsilon(0.045, norm), follow=False)
        for measure in ("linf", "l1"):
            found = nearest_violation(model, root.case, np.zeros(1), measure, 1e-6, Clock(20))
            assert found is not None
            assert found[0] == pytest.approx(0.45, abs=1e-3)
    # The ranking changes where 1.1 x passes 0.45.
    model, root = violations(pair, region, Top(1), follow=False)
    found = nearest_violation(model, root.case, np.zeros(1), "linf", 1e-6, Clock(20))
    assert found is not None
    assert found[0] == pytest.approx(0.45 / 1.1, abs=1e-3)


def test_time_is_kept() -> None:
    rng = np.random.default_rng(0)
    nets = [
        [(rng.normal(size=(40, 20)), rng.normal(size=40)), (rng.normal(size=(5, 40)), rng.normal(size=5))]
        for _ in range(2)
    ]
    with within(15):
        answer = decide(*nets, Epsilon(150.0), box(-np.ones(20), np.ones(20)), EnginePlan(timeout=1.0))
    assert answer.verdict in (Verdict.TIMEOUT, Verdict.UNKNOWN, Verdict.EQUIVALENT, Verdict.DIFFERENT)


def test_float32_is_refused_where_it_is_not_meant() -> None:
    answer = vouch.equiv.compare(
        ABSOLUTE, STEEPER, epsilon=0.2, box=UNIT, engine="milp", arithmetic="float32"
    )
    assert answer.verdict is Verdict.UNKNOWN
    assert "real arithmetic" in str(answer.reason)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"epsilon": 0.1, "top": 1, "box": UNIT},
        {"epsilon": 0.1},
        {"top": 5, "box": UNIT},
        {"epsilon": -0.5, "box": UNIT},
        {"epsilon": 0.1, "box": (np.zeros(3), np.ones(3))},
        {"epsilon": 0.1, "centre": [0.0, 1.0], "radius": 0.5},
        {"epsilon": 0.1, "box": UNIT, "engine": "magic"},
        {"epsilon": 0.1, "centre": [0.0], "radius": 0.5, "domain": "nothing"},
    ],
)
def test_bad_options_are_errors(options: dict[str, Any]) -> None:
    with pytest.raises(VouchError):
        vouch.equiv.compare(ABSOLUTE, STEEPER, **options)


def test_networks_that_do_not_fit_are_an_error() -> None:
    wide = [(np.ones((2, 2)), np.zeros(2))]
    with pytest.raises(VouchError, match="inputs"):
        vouch.equiv.compare(ABSOLUTE, wide, epsilon=1.0, box=UNIT)


def _blobs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    centres = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    points = np.concatenate([centre + rng.normal(size=(30, 2)) * 0.2 for centre in centres])
    return points, np.repeat([0, 1, 2], 30)


def test_clusters_are_pure_and_dense_first() -> None:
    points, labels = _blobs()
    points = np.concatenate([points, [[4.0, 0.05]]])  # a stranger inside another label's blob
    labels = np.append(labels, 2)
    found = find_clusters(points, labels, "l1")
    assert sum(cluster.size for cluster in found) == len(points)
    assert [c.density for c in found] == sorted((c.density for c in found), reverse=True)
    for cluster in found[:3]:
        far = np.abs(points - cluster.centre).sum(axis=1)
        assert cluster.radius <= cluster.reach < 2.0
        assert (far <= cluster.reach).sum() >= cluster.size


def test_clusters_and_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    points, labels = _blobs()
    weights = np.array([[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]])
    first = [(np.eye(2), np.ones(2) * 9), (weights, np.array([20.0, -9.0, -9.0]))]
    second = [(np.eye(2), np.ones(2) * 9), (weights * 1.01, np.array([20.2, -9.09, -9.09]))]
    reference = _saved(tmp_path, "reference.onnx", first)
    folder = tmp_path / "small"
    folder.mkdir()
    _saved(folder, "a.onnx", second)
    _saved(
        folder, "b.onnx", [(np.eye(2), np.ones(2) * 9), (weights[[1, 0, 2]], np.array([-9.0, 20.0, -9.0]))]
    )
    table = tmp_path / "data.csv"
    np.savetxt(table, np.column_stack([points, labels]), delimiter=",")
    code = run(
        [
            "equiv",
            reference,
            str(folder / "a.onnx"),
            "--top",
            "1",
            "--norm",
            "l1",
            "--clusters",
            str(table),
            "--json",
        ]
    )
    answer = json.loads(capsys.readouterr().out)
    assert (code, answer["verdict"], len(answer["clusters"])) == (0, "equivalent", 3)
    code = run(
        [
            "equiv",
            "sweep",
            reference,
            str(folder),
            "--top",
            "1",
            "--norm",
            "l1",
            "--clusters",
            str(table),
            "--timeout",
            "30",
            "--plot",
            str(tmp_path / "radii.png"),
            "--json",
        ]
    )
    answer = json.loads(capsys.readouterr().out)
    assert code == 1
    assert {cell["network"]: cell["verdict"] for cell in answer["cells"] if cell["network"] == "b.onnx"} == {
        "b.onnx": "different"
    }
    assert all(cell["verdict"] == "equivalent" for cell in answer["cells"] if cell["network"] == "a.onnx")
    assert (tmp_path / "radii.png").stat().st_size > 1000


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = _saved(tmp_path, "first.onnx", ABSOLUTE), _saved(tmp_path, "second.onnx", STEEPER)
    prop = tmp_path / "box.vnnlib"
    prop.write_text(
        "(declare-const X_0 Real)(declare-const Y_0 Real)(declare-const Y_1 Real)"
        "(assert (>= X_0 -1))(assert (<= X_0 1))(assert (>= Y_0 100))"
    )
    code = run(["equiv", first, second, "--epsilon", "0.11", "--box", str(prop), "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (code, answer["verdict"], answer["counterexample"]) == (0, "equivalent", None)
    assert 0.1 <= answer["bound"] <= 0.11
    code = run(["equiv", "--epsilon", "0.05", first, second, "--centre", "0", "--radius", "1", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (code, answer["verdict"], answer["replayed"]) == (1, "different", True)
    assert set(answer["counterexample"]) == {"input", "reference", "test"}
    assert abs(answer["counterexample"]["reference"][0] - answer["counterexample"]["test"][0]) > 0.05
    code = run(["equiv", "radius", first, second, "--top", "1", "--centre", "0", "--timeout", "10", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert code == 0
    assert answer["proved"] < 0.4091 <= answer["refuted"] + 1e-3
    for wrong in (
        ["equiv", first],
        ["equiv", first, "missing.onnx", "--top", "1"],
        ["equiv", "code", first, "x.c"],
    ):
        assert run(wrong) == 2
        assert capsys.readouterr().err.startswith("error: ")


def test_softmax_is_refused_for_distances(tmp_path: Path) -> None:
    from vouch.nn.network import GraphBuilder
    from vouch.nn.operators import Gemm, Softmax

    builder = GraphBuilder("soft", "x", (1, 2))
    value = builder.add("layer", Gemm.of(np.eye(2), np.zeros(2)), "x")
    network = builder.build(builder.add("softmax", Softmax(1), value))
    square = (np.zeros(2), np.ones(2))
    plain = [(np.eye(2) * 2, np.zeros(2))]
    answer = vouch.equiv.compare(network, plain, epsilon=0.1, box=square)
    assert answer.verdict is Verdict.UNKNOWN
    assert "softmax" in str(answer.reason)


PAIR_PROPERTY = """(vnnlib-version <2.0>)
(declare-network f (declare-input X real [1]) (declare-output Y real [2]))
(declare-network g (declare-input Z real [1]) (declare-output W real [2]))
(assert (and (>= X[0] -1.0) (<= X[0] 1.0)))
(assert (== X[0] Z[0]))
(assert ({word} (> Y[0] (+ W[0] {gap})) (< Y[0] (- W[0] {gap}))))
"""


@pytest.mark.parametrize("engine", ["auto", "paths", "milp"])
def test_a_property_of_two_networks(engine: str, tmp_path: Path) -> None:
    """Y[0] and W[0] differ by at most 0.1 (see the top of the file)."""
    path = tmp_path / "pair.vnnlib"
    for gap, verdict in ((0.11, Verdict.EQUIVALENT), (0.09, Verdict.DIFFERENT)):
        path.write_text(PAIR_PROPERTY.format(word="or", gap=gap))
        answer = vouch.equiv.compare(ABSOLUTE, STEEPER, property=str(path), engine=engine)
        assert answer.verdict is verdict, gap
        assert "vacuous" not in str(answer.reason)


def test_a_property_that_contradicts_itself_is_named_so(tmp_path: Path) -> None:
    path = tmp_path / "pair.vnnlib"
    path.write_text(PAIR_PROPERTY.format(word="and", gap=0.05))
    answer = vouch.equiv.compare(ABSOLUTE, STEEPER, property=str(path))
    assert answer.verdict is Verdict.EQUIVALENT
    assert "vacuous" in str(answer.reason)


def test_inputs_that_need_not_be_equal_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "pair.vnnlib"
    path.write_text(
        PAIR_PROPERTY.format(word="or", gap=0.05).replace(
            "(assert (== X[0] Z[0]))", "(assert (and (>= Z[0] -1.0) (<= Z[0] 1.0)))"
        )
    )
    with pytest.raises(VouchError, match="same input"):
        vouch.equiv.compare(ABSOLUTE, STEEPER, property=str(path))


@pytest.mark.parametrize("engine", ["auto", "differential", "paths", "milp"])
def test_a_region_without_inputs_is_an_error(engine: str) -> None:
    nothing = vouch.equiv.polytope([-1.0], [1.0], [[1.0], [-1.0]], [0.5, -0.6])
    with pytest.raises(VouchError, match="region is empty"):
        vouch.equiv.compare(ABSOLUTE, STEEPER, epsilon=0.01, region=nothing, engine=engine)


def test_a_strict_constraint_keeps_its_edge_out(tmp_path: Path) -> None:
    """x against 1.1 x differ most at x = 1: a counterexample below that has to be found and shown."""
    text = (
        "(vnnlib-version <2.0>)\n(declare-network f (declare-input X float32 [1])"
        " (declare-output Y float32 [1]))\n(assert (>= X[0] {low}))\n(assert (< X[0] 1.0))\n"
    )
    path = tmp_path / "edge.vnnlib"
    path.write_text(text.format(low="0.5"), encoding="utf-8")
    answer = vouch.equiv.compare(ABSOLUTE, STEEPER, epsilon=0.0999, box=str(path))
    assert answer.verdict is Verdict.DIFFERENT
    assert answer.counterexample is not None
    assert 0.999 < answer.counterexample.input[0] < 1.0
    path.write_text(text.format(low="1.0"), encoding="utf-8")
    with pytest.raises(VouchError, match="empty"):
        vouch.equiv.compare(ABSOLUTE, STEEPER, epsilon=0.05, box=str(path))


def test_float32_overflow_is_no_proof() -> None:
    """Both outputs are infinite in float32, and inf − inf is no difference of 0."""
    huge = [(np.array([[1e30]]), np.zeros(1)), (np.array([[1e30], [0.0]]), np.zeros(2))]
    hugest = [(np.array([[1e30]]), np.zeros(1)), (np.array([[2e30], [0.0]]), np.zeros(2))]
    region = (np.array([1.0]), np.array([2.0]))
    real = vouch.equiv.compare(huge, hugest, top=1, box=region)
    assert real.verdict is Verdict.EQUIVALENT
    rounded = vouch.equiv.compare(huge, hugest, top=1, box=region, arithmetic="float32")
    assert rounded.verdict is Verdict.UNKNOWN
    assert "overflow" in str(rounded.reason)


def test_an_input_set_without_inputs_is_named_so(tmp_path: Path) -> None:
    path = tmp_path / "none.vnnlib"
    networks = "".join(
        f"(declare-network {n} (declare-input X_{n} real [1]) (declare-output Y_{n} real [2]))" for n in "fg"
    )
    text = (
        f"(vnnlib-version <2.0>)\n{networks}\n(assert (== X_f[0] X_g[0]))\n(assert (>= X_f[0] 1.0))\n"
        "(assert (<= X_f[0] 1.0))\n(assert ({less} X_f[0] 1.0))\n(assert (>= Y_f[0] -100.0))\n"
    )
    path.write_text(text.format(less="<"), encoding="utf-8")
    answer = vouch.equiv.compare(ABSOLUTE, STEEPER, property=str(path))
    assert answer.verdict is Verdict.EQUIVALENT
    assert str(answer.reason).startswith("vacuous")
    path.write_text(text.format(less="<="), encoding="utf-8")
    assert vouch.equiv.compare(ABSOLUTE, STEEPER, property=str(path)).verdict is Verdict.DIFFERENT


def test_a_box_by_two_numbers_and_boxes_that_are_none() -> None:
    """(-1, 1) means every input; anything that is no pair of ends is told so."""
    for ends, verdict in (((-1, 1), Verdict.DIFFERENT), ((-1, 0), Verdict.EQUIVALENT)):
        assert vouch.equiv.compare(ABSOLUTE, STEEPER, box=ends, epsilon=0.05).verdict is verdict
    for wrong in (((-1, 1),), 5, (-1, [1, 2, 3]), ("a", "b")):
        with pytest.raises(VouchError, match="give lower and upper ends"):
            vouch.equiv.compare(ABSOLUTE, STEEPER, box=wrong, epsilon=0.05)
