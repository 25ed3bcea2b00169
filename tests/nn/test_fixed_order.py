"""Networks in fixed point that end in a table: the order of outputs asked about the table's arguments."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import vouch
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.format import Format, Overflow, Rounding
from vouch.nn.fixed.network import IntegerNetwork, Lookup, Source
from vouch.nn.fixed.order import before_table, runs
from vouch.nn.fixed.quantise import quantise
from vouch.nn.fixed.table import Exact, Lut, curve, stepped
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Gemm, activation_named
from vouch.nn.property import Rows, robustness
from vouch.verdict import Verdict

WANTED = [Exact(), Lut(Fraction(1, 10)), Lut(Fraction(1, 3))]


@pytest.mark.parametrize("wanted", WANTED, ids=str)
@pytest.mark.parametrize("kind", ["sigmoid", "tanh"])
@pytest.mark.parametrize("rounding", list(Rounding))
def test_regions_of_arguments_hold_wherever_the_order_does(kind: Any, wanted: Any, rounding: Any) -> None:
    for form in (Format(3, 3, rounding), Format(4, 4, rounding)):
        regions_are_wide_enough(curve(kind, form, wanted), form)


def test_regions_of_a_table_of_ones_own() -> None:
    form = Format(3, 4)
    firsts, values = [-64, -20, -19, 3, 5, 40], [0, 0.2, 0.2, 0.4, 0.9, 1]
    regions_are_wide_enough(stepped(firsts, values, form, "sigmoid"), form)
    regions_are_wide_enough(stepped([-64], [0.5], form, "sigmoid"), form)


def regions_are_wide_enough(table: Any, form: Format) -> None:
    """On all pairs of numbers; and where entries differ by much, the regions say so."""
    network = IntegerNetwork("table", (Source(2), Lookup(0, 2, table)), (form, form))
    asked = Rows.of(np.zeros((1, 2)), [[1.0, -1.0]], [0.0])
    found = before_table(network, (asked,))
    assert found is not None
    numbers = np.arange(form.word.low, form.word.high + 1)
    values = table.look(numbers)
    starts = numbers[np.append(True, values[1:] != values[:-1])]
    assert np.array_equal(runs(table, form.word), starts)
    a, b = (part.ravel() for part in np.meshgrid(numbers, numbers, indexing="ij"))
    inside = np.zeros(len(a), dtype=bool)
    points = form.reals(np.stack([a, b], axis=1))
    for rows in found[1]:
        inside |= (points @ rows.y_rows.T <= rows.rhs).all(axis=1)
    assert inside[table.look(a) <= table.look(b)].all()
    assert found[0].outputs == 2
    if len(starts) > 4:
        assert not inside[(a == starts[len(starts) // 2 + 1]) & (b == form.word.low)].all()


def test_other_questions_are_left_as_they_are() -> None:
    form = Format(3, 3)
    network = IntegerNetwork("t", (Source(2), Lookup(0, 2, curve("tanh", form, None))), (form, form))
    for rows in (
        Rows.of(np.zeros((1, 2)), [[1.0, -1.0]], [0.5]),
        Rows.of(np.zeros((1, 2)), [[1.0, -2.0]], [0.0]),
        Rows.of(np.zeros((1, 2)), [[1.0, 1.0]], [0.0]),
        Rows.of(np.ones((1, 2)), [[1.0, -1.0]], [0.0]),
    ):
        assert before_table(network, (rows,)) is None
    shorter = IntegerNetwork("t", network.nodes[:1], network.formats[:1])
    assert before_table(shorter, (Rows.of(np.zeros((1, 2)), [[1.0, -1.0]], [0.0]),)) is None


def ending_in_a_table(rng: np.random.Generator, kind: str) -> Network:
    """13-3-2 with a table behind each layer."""
    builder, value = GraphBuilder("curved", "x", (1, 13)), "x"
    for layer, (inner, outer) in enumerate(((13, 3), (3, 2))):
        weights, bias = rng.normal(size=(outer, inner)) * 1.5, rng.normal(size=outer) * 0.3
        value = builder.add(f"sum{layer}", Gemm.of(weights, bias), value)
        value = builder.add(f"{kind}{layer}", activation_named(kind), value)
    return builder.build(value)


@pytest.mark.parametrize("seed", range(4))
def test_cutting_neurons_agrees_with_all_inputs(seed: int) -> None:
    """13 inputs with two numbers each, all 8,192 of them run."""
    rng = np.random.default_rng(seed)
    network = ending_in_a_table(rng, ("sigmoid", "tanh")[seed % 2])
    options: dict[str, Any] = {"rounding": str(rng.choice(["floor", "nearest"])), "jobs": 1}
    options |= {"overflow": str(rng.choice(["wrap", "saturate"])), "format": "5.6", "activation": "lut:0.05"}
    form = Format(5, 6, Rounding(options["rounding"]), Overflow(options["overflow"]))
    integers = quantise(network, form, Lut(Fraction("0.05")))
    starts = rng.integers(-40, 40, (60, 13))
    apart = evaluate(integers, starts) @ np.array([1, -1])
    order = np.argsort(np.abs(apart), kind="stable")
    verdicts = set()
    for start in starts[order[[0, 2, 4, 20, 40]]]:
        outputs = evaluate(integers, np.array(list(itertools.product((0, 1), repeat=13))) + start)
        label = int(outputs[0].argmax())
        truth = Verdict.SAFE if (outputs[:, label] > outputs[:, 1 - label]).all() else Verdict.UNSAFE
        prop = robustness(start / 64, 1 / 64, 2, label=label, lower=start / 64)
        result = vouch.nn.verify(network, prop, engine="bounds", **options)
        assert result.verdict is truth, (seed, result)
        verdicts.add(truth)
    assert len(verdicts) == 2 or seed == 2


def test_the_nearest_violation_in_steps() -> None:
    """Inputs are thirds: the nearest one is found among all that there are, without a gap."""
    from vouch.nn.fixed.nearest import nearest
    from vouch.settings import resolve

    rng = np.random.default_rng(5)
    layers = [(rng.normal(size=(4, 2)), rng.normal(size=4)), (rng.normal(size=(2, 4)), rng.normal(size=2))]
    network, point = Network.from_layers(layers, "tanh"), np.array([0.25, -0.5])
    integers, form = quantise(network, Format(4, 6)), Format(4, 6)
    label = int(evaluate(integers, form.convert(point[None, :]))[0].argmax())
    thirds = np.array(list(itertools.product(range(-12, 13), repeat=2))) / 3
    outputs = evaluate(integers, form.convert(thirds))
    away = np.abs(thirds - point).max(axis=1)[outputs[:, 1 - label] >= outputs[:, label]]
    for radius in (away.min() * 0.9, 2.0):
        found = nearest(network, point, resolve("nn", {"format": "4.6", "step": "1/3"}), radius=radius)
        assert found.exact
        assert (found.distance is not None) == (radius > away.min())
        if found.distance is not None:
            assert found.distance == pytest.approx(away.min(), abs=1 / 64)
            assert found.proved < away.min()


def test_ranges_within_known_intervals_hold() -> None:
    """Every input whose table arguments lie in some intervals has outputs in the ranges."""
    from vouch.nn.fixed.evaluate import values
    from vouch.nn.fixed.ranges import ranges

    rng = np.random.default_rng(1)
    network = ending_in_a_table(rng, "sigmoid")
    integers = quantise(network, Format(5, 4), Lut(Fraction("0.1")))
    low, high = np.full((1, 13), -6), np.full((1, 13), 6)
    points = values(integers, rng.integers(-6, 7, (4000, 13)))
    for _ in range(20):
        at = int(rng.integers(4000))
        known = {1: (points[1][at : at + 1] - 6, points[1][at : at + 1] + rng.integers(0, 9, 3))}
        inside = ((points[1] >= known[1][0]) & (points[1] <= known[1][1])).all(axis=1)
        assert inside[at]
        for value, bound in zip(points, ranges(integers, low, high, known), strict=True):
            assert (value[inside] >= bound.low).all()
            assert (value[inside] <= bound.high).all()


@pytest.mark.parametrize("count", [1, 2, 3, 5, 64])
def test_tables_in_steps_are_compiled_as_they_are(count: int) -> None:
    """The generated C finds the entry of every number."""
    from vouch.nn.fixed.native import Native

    rng, form = np.random.default_rng(count), Format(3, 5)
    firsts = [form.word.low, *np.sort(rng.choice(np.arange(-120, 120), count - 1, replace=False)).tolist()]
    table = stepped(firsts, np.sort(rng.random(count)).tolist(), form, "sigmoid")
    network = IntegerNetwork("table", (Source(1), Lookup(0, 1, table)), (form, form))
    numbers = np.arange(form.word.low, form.word.high + 1)[:, None]
    assert np.array_equal(Native(network).run(numbers), evaluate(network, numbers))
