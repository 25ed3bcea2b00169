"""The search as a whole: verdicts on networks whose answer is known by thinking."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pytest

from vouch.errors import VouchError
from vouch.nn.loaders import load
from vouch.nn.loaders.files import read, resolved
from vouch.nn.network import Network
from vouch.nn.properties import parse
from vouch.nn.property import Case, Property, Rows, output_union, robustness, within
from vouch.nn.replay import replay
from vouch.nn.search import driver, verify
from vouch.settings import resolve
from vouch.verdict import Verdict

DATA = Path(os.environ.get("VOUCH_DATA", Path(__file__).parents[3] / "shared" / "data"))
ENGINES = ("auto", "bounds", "neurons", "milp", "star")

# |x1 - x2| + |x1 + x2| = 2 max(|x1|, |x2|): at most 2 on the unit box, reached on its border only.
DIAMOND = [
    (np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]]), np.zeros(4)),
    (np.ones((1, 4)), np.zeros(1)),
]


def settings(**options):
    return resolve("nn", {"timeout": 60.0, "jobs": 1, **options})


def decide(network, prop, engine, monkeypatch, **options):
    if engine == "neurons":
        monkeypatch.setattr(driver, "FEW_INPUTS", -1)
        engine = "auto"
    return verify(network, prop, settings(engine=engine, **options))


def at_least(limit, inputs=2):
    """Violated when the output reaches the limit on the unit box."""
    one = np.ones(inputs)
    return output_union(-one, one, [(np.array([[-1.0]]), np.array([-limit]))])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("limit", "verdict"), [(2.001, Verdict.SAFE), (1.999, Verdict.UNSAFE)])
def test_diamond(engine, limit, verdict, monkeypatch):
    network = Network.from_layers(DIAMOND)
    result = decide(network, at_least(limit), engine, monkeypatch)
    assert result.verdict is verdict
    if verdict is Verdict.UNSAFE:
        assert result.replayed
        found = result.counterexample
        assert np.abs(found.input).max() >= 0.9995
        assert replay(network, found.input[None, :])[0] == found.output
        assert found.output[0] >= limit
    else:
        assert result.progress == 1.0


@pytest.mark.parametrize("engine", ["auto", "neurons", "star"])
def test_equality_is_reached_exactly_at_a_corner(engine, monkeypatch):
    # The output is 2 at the corners, exactly, in float32 too: "below 2" is violated.
    result = decide(Network.from_layers(DIAMOND), at_least(2.0), engine, monkeypatch)
    assert result.verdict is Verdict.UNSAFE
    assert result.counterexample.output[0] == 2.0


def test_round_off_is_not_decided_against_the_network():
    # 2 + 1e-9 is never reached, but float32 sums might: no verdict for float32, a proof for the reals.
    network = Network.from_layers(DIAMOND)
    real = verify(network, at_least(2 + 1e-9), settings(arithmetic="real"))
    assert real.verdict is Verdict.SAFE
    single = verify(network, at_least(2 + 1e-9), settings(arithmetic="float32", timeout=3.0))
    assert single.verdict in (Verdict.UNKNOWN, Verdict.TIMEOUT)
    assert single.reason


def test_float32_overflow_is_no_proof():
    """Bounds for real numbers say 1e60 to 2e60, the runtime says inf."""
    layers = [(np.array([[1e30]]), np.zeros(1)), (np.array([[1e30]]), np.zeros(1))]
    network = Network.from_layers(layers)
    prop = output_union([1.0], [2.0], [(np.array([[-1.0]]), np.array([-1e70]))])
    assert verify(network, prop, resolve("nn", {"arithmetic": "real"})).verdict is Verdict.SAFE
    found = verify(network, prop, resolve("nn", {"arithmetic": "float32"}))
    assert found.verdict is Verdict.UNKNOWN
    assert "overflow" in found.reason
    # Within range again, it is proved in both arithmetics.
    small = output_union([1e-30], [2e-30], [(np.array([[-1.0]]), np.array([-1e35]))])
    assert verify(network, small, resolve("nn", {"arithmetic": "float32"})).verdict is Verdict.SAFE


def test_several_rows_have_to_hold_together():
    # x and -x are both at least 0.1 nowhere; each by itself is.
    network = Network.from_layers([(np.array([[1.0], [-1.0]]), np.zeros(2))])
    both = output_union(-np.ones(1), np.ones(1), [(-np.eye(2), np.full(2, -0.1))])
    assert verify(network, both, settings()).verdict is Verdict.SAFE
    either = output_union(
        -np.ones(1), np.ones(1), [(-np.eye(2)[:1], np.array([-1.5])), (-np.eye(2)[1:], np.array([-0.9]))]
    )
    result = verify(network, either, settings())
    assert result.verdict is Verdict.UNSAFE
    assert result.counterexample.input[0] <= -0.9


def test_input_constraints_are_obeyed():
    # y = x1 + x2 reaches 2 on the box, but only 1 where x1 + x2 <= 1.
    network = Network.from_layers([(np.ones((1, 2)), np.zeros(1))])
    rows = Rows.of(np.ones((1, 2)), np.zeros((1, 1)), 1.0)
    region = Rows.of(np.zeros((1, 2)), np.array([[-1.0]]), -1.01)
    case = Case(-np.ones(2), np.ones(2), (region,), rows)
    for engine in ("auto", "milp", "star"):
        result = verify(network, Property((case,), 2, 1), settings(engine=engine))
        assert result.verdict is Verdict.SAFE, engine
    free = Case(-np.ones(2), np.ones(2), (region,))
    assert verify(network, Property((free,), 2, 1), settings()).verdict is Verdict.UNSAFE


def test_two_networks_with_equal_inputs():
    # f(x) = x and g(u) = relu(x) + 0.2: with x = u in 0..1 they differ by 0.2 everywhere.
    from vouch.nn.join import joined

    f = Network.from_layers([(np.eye(1), np.zeros(1))])
    g = Network.from_layers([(np.eye(1), np.zeros(1)), (np.eye(1), np.array([0.2]))])
    text = """(vnnlib-version <2.0>)
    (declare-network f (declare-input X real [1]) (declare-output Y real [1]))
    (declare-network g (declare-input U real [1]) (declare-output V real [1]))
    (assert (and (<= X[0] 1.0) (>= X[0] 0.0) (== X[0] U[0])))
    (assert (> V[0] (+ Y[0] LIMIT)))"""
    for limit, verdict in (("0.19", Verdict.UNSAFE), ("0.21", Verdict.SAFE)):
        result = verify(joined([f, g]), parse(text.replace("LIMIT", limit)), settings())
        assert result.verdict is verdict
        if verdict is Verdict.UNSAFE:
            assert result.counterexample.input[0] == result.counterexample.input[1]


@pytest.mark.parametrize(("norm", "largest"), [("linf", 2.0), ("l1", 1.0), ("l2", 2**0.5)])
def test_balls_of_each_norm(norm, largest):
    # The score x1 + x2 beats 0 by exactly the radius' worth of the norm's dual.
    network = Network.from_layers([(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0]))])
    for factor, verdict in ((0.98, Verdict.SAFE), (1.02, Verdict.UNSAFE)):
        prop = robustness(np.zeros(2), factor / largest, 2, label=0, norm=norm)
        assert verify(network, prop, settings()).verdict is verdict


@pytest.mark.parametrize("engine", ["auto", "milp", "star"])
def test_a_manhattan_ball_in_every_complete_engine(engine):
    """|x1| + |x2| reaches exactly the radius of the ball, and 1.5 in a box around the same centre."""
    layers = [(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), np.zeros(4))]
    network = Network.from_layers([*layers, (np.array([[1.0] * 4, [0.0] * 4]), np.array([0.0, 1.0]))])
    for radius, verdict in ((0.99, Verdict.SAFE), (1.01, Verdict.UNSAFE)):
        prop = robustness(np.zeros(2), radius, 2, label=1, norm="l1", lower=-0.75, upper=0.75)
        assert verify(network, prop, settings(engine=engine)).verdict is verdict
    box = robustness(np.zeros(2), 0.75, 2, label=1)
    assert verify(network, box, settings(engine=engine)).verdict is Verdict.UNSAFE


def test_scaled_and_fixed_inputs():
    network = Network.from_layers([(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([1.0, 0.0]))])
    fixed = robustness(np.zeros(2), 0.9, 2, label=0, scale=np.array([1.0, 0.0]))
    assert verify(network, fixed, settings()).verdict is Verdict.SAFE
    double = robustness(np.zeros(2), 0.4, 2, label=0, scale=np.array([1.0, 2.0]))
    assert verify(network, double, settings()).verdict is Verdict.UNSAFE


def test_within_distance():
    network = Network.from_layers(DIAMOND)
    assert verify(network, within(np.zeros(2), 0.5, np.zeros(1), 1.01), settings()).verdict is Verdict.SAFE
    assert verify(network, within(np.zeros(2), 0.5, np.zeros(1), 0.99), settings()).verdict is Verdict.UNSAFE


def test_equal_seeds_and_any_number_of_jobs_give_equal_answers():
    rng = np.random.default_rng(0)
    sizes = (4, 20, 20, 2)
    layers = [(rng.normal(size=(b, a)) / 2, rng.normal(size=b)) for a, b in itertools.pairwise(sizes)]
    network = Network.from_layers(layers)
    top = network.evaluate(rng.uniform(-1, 1, (20000, 4)))[:, 0].max()
    prop = output_union(
        -np.ones(4), np.ones(4), [(np.array([[-1.0, 0.0]]), np.array([-1.3 * abs(top) - 0.2]))]
    )
    found = [verify(network, prop, settings(seed=3, jobs=jobs)) for jobs in (1, 1, 2)]
    assert len({result.verdict for result in found}) == 1
    assert len({result.statistics["nodes"] for result in found}) == 1


def test_timeout_comes_in_time_and_with_progress():
    rng = np.random.default_rng(1)
    sizes = (10, 60, 60, 60, 2)
    layers = [(rng.normal(size=(b, a)) * 0.6, rng.normal(size=b)) for a, b in itertools.pairwise(sizes)]
    network = Network.from_layers(layers)
    top = network.evaluate(rng.uniform(-1, 1, (20000, 10)))[:, 0].max()
    prop = output_union(-np.ones(10), np.ones(10), [(np.array([[-1.0, 0.0]]), np.array([-3 * abs(top)]))])
    result = verify(network, prop, settings(timeout=0.5))
    if result.verdict is not Verdict.SAFE:
        assert result.verdict is Verdict.TIMEOUT
        assert 0.0 <= result.progress < 1.0


def test_softmax_keeps_the_order_and_has_bounds():
    from vouch.nn.network import GraphBuilder
    from vouch.nn.operators import Gemm, Softmax

    builder = GraphBuilder("s", "x", (1, 1))
    score = builder.add("score", Gemm.of(np.array([[1.0], [0.0]]), np.array([1.5, 0.0])), "x")
    network = builder.build(builder.add("share", Softmax(-1), score))
    assert verify(network, robustness(np.zeros(1), 1.0, 2, label=0), settings()).verdict is Verdict.SAFE
    assert verify(network, robustness(np.zeros(1), 2.0, 2, label=0), settings()).verdict is Verdict.UNSAFE
    share = output_union(-np.ones(1), np.ones(1), [(np.array([[-1.0, 0.0]]), np.array([-0.99]))])
    # The largest share is 1 / (1 + exp(-2.5)) = 0.924.
    assert verify(network, share, settings()).verdict is Verdict.SAFE
    share = output_union(-np.ones(1), np.ones(1), [(np.array([[-1.0, 0.0]]), np.array([-0.92]))])
    assert verify(network, share, settings()).verdict is Verdict.UNSAFE


def test_sizes_have_to_fit():
    with pytest.raises(VouchError, match="2 inputs and 1 outputs, layers has 1 and 1"):
        verify(Network.from_layers([(np.eye(1), np.zeros(1))]), at_least(1.0), settings())


@pytest.mark.skipif(not (DATA / "acasxu").is_dir(), reason="benchmark data is not here")
@pytest.mark.parametrize(
    ("network", "prop", "verdict"),
    [
        ("1_1", 3, Verdict.SAFE),
        ("1_1", 4, Verdict.SAFE),
        ("1_7", 3, Verdict.UNSAFE),
        ("2_2", 2, Verdict.UNSAFE),
        ("1_9", 7, Verdict.UNSAFE),
    ],
)
def test_acas_xu(network, prop, verdict):
    folder = DATA / "acasxu"
    subject = load(resolved(folder / f"onnx/ACASXU_run2a_{network}_batch_2000.onnx"))
    asked = parse(read(resolved(folder / f"vnnlib/prop_{prop}.vnnlib")).decode())
    assert verify(subject, asked, settings()).verdict is verdict
