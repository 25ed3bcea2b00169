"""VNN-LIB 2.0, several networks, and properties that say nothing."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from vouch.errors import VouchError
from vouch.nn.loaders.files import read, resolved
from vouch.nn.network import Network
from vouch.nn.properties import parse
from vouch.nn.search import verify
from vouch.nn.search.vacuous import why_vacuous
from vouch.nn.vnnlib2 import parse_query
from vouch.settings import resolve
from vouch.verdict import Verdict

DATA = Path(os.environ.get("VOUCH_DATA", Path(__file__).parents[3] / "shared" / "data"))

ONE = """(vnnlib-version <2.0>)
(declare-network N (declare-input X float32 [1, 2]) (declare-output Y float32 [2]))
(assert (and (<= X[0,0] 1.0) (>= X[0,0] -1.0) (<= X[0,1] 1.0) (>= X[0,1] 0.0)))
"""

TWO = """(vnnlib-version <2.0>)
(declare-network f (declare-input X real [1]) (declare-output Y real [1]))
(declare-network g (isomorphic-to f) (declare-input U real [1]) (declare-output V real [1]))
(assert (and (<= X[0] 1.0) (>= X[0] 0.0)))
(assert (== X[0] U[0]))
"""


def test_one_network():
    prop = parse(ONE + "(assert (or (< Y[0] (+ Y[1] 0.5)) (!= X[0,1] 0.5)))")
    assert (prop.inputs, prop.outputs) == (2, 2)
    assert prop.violated(np.array([0.0, 0.5]), np.array([0.0, 0.0]))
    assert not prop.violated(np.array([0.0, 0.5]), np.array([0.5, 0.0]))
    assert prop.violated(np.array([0.0, 0.25]), np.array([0.5, 0.0]))


def test_two_networks_stand_one_after_the_other():
    query = parse_query(TWO + "(assert (> V[0] (+ Y[0] 0.125)))")
    assert [(n.name, n.inputs, n.outputs, n.isomorphic_to) for n in query.networks] == [
        ("f", 1, 1, ""),
        ("g", 1, 1, "f"),
    ]
    assert query.prop.violated(np.array([0.5, 0.5]), np.array([1.0, 1.2]))
    assert not query.prop.violated(np.array([0.5, 0.25]), np.array([1.0, 1.2]))
    assert not query.prop.violated(np.array([0.5, 0.5]), np.array([1.0, 1.125]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(assert (Y[0] < 1.0))", r"p:4: syntax error"),
        ("(assert (<= X[0,7] 1.0))", r"p:4: Index out of bounds for variable: X\[0,7\]"),
        ("(assert (<= (* Y[0] Y[1]) 1.0))", r"p: Non-linear"),
        ("(assert (<= Z[0] 1.0))", r"p:4: "),
    ],
)
def test_errors_are_one_line(text, message):
    with pytest.raises(VouchError, match=message) as caught:
        parse(ONE + text, "p")
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not (DATA / "acasxu").is_dir(), reason="benchmark data is not here")
@pytest.mark.parametrize("number", range(1, 11))
def test_both_versions_of_a_benchmark_agree(number):
    first, second = (
        parse(read(resolved(DATA / "acasxu" / folder / f"prop_{number}.vnnlib")).decode())
        for folder in ("vnnlib", "vnnlib_v2")
    )
    assert len(first.cases) == len(second.cases)
    for a, b in zip(first.cases, second.cases, strict=True):
        assert np.array_equal(a.lower, b.lower)
        assert np.array_equal(a.upper, b.upper)
        for r, s in zip(a.regions, b.regions, strict=True):
            assert np.array_equal(r.y_rows, s.y_rows)
            assert np.array_equal(r.rhs, s.rhs)


@pytest.mark.skipif(not (DATA / "vnncomp").is_dir(), reason="benchmark data is not here")
def test_stored_benchmarks_with_defects():
    folder = DATA / "vnncomp"
    text = read(resolved(folder / "isomorphic_acasxu_2026/vnnlib/instance_0.vnnlib")).decode()
    assert why_vacuous(parse(text)) == "the constraints of the violation contradict each other"
    text = read(resolved(folder / "monotonic_acasxu_2026/vnnlib/instance_0.vnnlib")).decode()
    with pytest.raises(VouchError, match=r"^m:30: syntax error"):
        parse(text, "m")


SMALL = "(declare-const X_0 Real)(declare-const Y_0 Real)(assert (>= X_0 0))"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(assert (<= X_0 -1))(assert (> Y_0 1))", "the input set is empty"),
        ("(assert (<= X_0 1))(assert (> Y_0 1))(assert (<= Y_0 1))", "contradict"),
        ("(assert (<= X_0 1))(assert (> Y_0 X_0))(assert (< (* 3 Y_0) 0))", "contradict"),
        ("(assert (<= X_0 1))(assert (>= Y_0 1))(assert (<= Y_0 1))", None),
        ("(assert (<= X_0 1))(assert (> Y_0 X_0))(assert (< (* 3 Y_0) 0.01))", None),
        ("(assert (<= X_0 1))(assert (or (and (> Y_0 1) (< Y_0 0)) (> Y_0 7)))", None),
    ],
)
def test_vacuous(text, reason):
    prop = parse(SMALL + text)
    found = why_vacuous(prop)
    assert (found is None) if reason is None else (found is not None and reason in found)
    if reason is not None:
        result = verify(Network.from_layers([(np.eye(1), np.zeros(1))]), prop, resolve("nn"))
        assert result.verdict is Verdict.SAFE
        assert result.vacuous
        assert "vacuous" in result.warnings[0]


def test_numbers_are_added_up_exactly():
    large = "100000000000000000.0"
    terms = f"(* {large} Y[0]) (* 12.0 Y[0]) (* -{large} Y[0])"
    (region,) = parse(ONE + f"(assert (<= (+ {terms}) (+ 0.1 0.2)))").cases[0].regions
    assert (region.y_rows[0, 0], region.rhs[0]) == (12.0, 0.3)
    (region,) = parse(ONE + "(assert (<= (* (- 1.0 3.0) Y[0]) (- Y[1] 0.5)))").cases[0].regions
    assert (region.y_rows[0].tolist(), region.rhs[0]) == ([-2.0, -1.0], -0.5)
