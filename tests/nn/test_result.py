"""Results: the JSON document, the notebook table, the plot; and networks specialised to a box."""

from __future__ import annotations

import json

import numpy as np
import pytest

from vouch.errors import VouchError
from vouch.nn.lowering import lower
from vouch.nn.network import GraphBuilder
from vouch.nn.operators import Clip, Gemm, Max
from vouch.nn.result import Result, ViolatingInput
from vouch.nn.specialise import specialised
from vouch.verdict import Exit, Verdict

BAD = Result(
    Verdict.UNSAFE,
    "bounds",
    1.25,
    ViolatingInput(np.array([0.5, 1.0]), np.array([2.0])),
    replayed=True,
    warnings=("<odd>",),
)


def test_json_has_what_the_contract_names():
    document = json.loads(json.dumps(BAD.to_json()))
    assert document["verdict"] == "unsafe"
    assert document["counterexample"] == {"input": [0.5, 1.0], "output": [2.0]}
    assert document["replayed"] is True
    assert document["engine"] == "bounds"
    assert document["seconds"] == 1.25
    good = Result(Verdict.SAFE, "milp", output_bounds=(np.zeros(2), np.ones(2))).to_json()
    assert good["counterexample"] is None
    assert good["output_bounds"] == [[0.0, 1.0], [0.0, 1.0]]


def test_json_has_no_infinities():
    odd = Result(
        Verdict.UNKNOWN, "e", bound=-np.inf, progress=np.nan, output_bounds=(np.array([-np.inf]), np.ones(1))
    )
    document = json.loads(json.dumps(odd.to_json(), allow_nan=False))
    assert (document["bound"], document["progress"]) == (None, None)
    assert document["output_bounds"] == [[None, 1.0]]


def test_exit_codes():
    codes = {
        v: Result(v, "e").exit_code for v in (Verdict.SAFE, Verdict.UNSAFE, Verdict.UNKNOWN, Verdict.TIMEOUT)
    }
    assert list(codes.values()) == [Exit.PROVED, Exit.VIOLATED, Exit.UNDECIDED, Exit.UNDECIDED]


def test_notebook_table_is_escaped():
    text = BAD._repr_html_()
    assert "unsafe" in text
    assert "&lt;odd&gt;" in text
    assert "<odd>" not in text


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = BAD.plot()
    assert [line.get_label() for line in axes.lines] == ["counterexample"]
    bounded = Result(Verdict.SAFE, "bounds", output_bounds=(np.array([-1.0]), np.array([3.0])))
    (bar,) = bounded.plot().patches
    assert (bar.get_y(), bar.get_height()) == (-1.0, 4.0)
    with pytest.raises(VouchError, match="nothing to plot"):
        Result(Verdict.UNKNOWN, "bounds", reason="limit").plot()


def clipped():
    builder = GraphBuilder("n", "x", (1, 2))
    value = builder.add("low", Max((None, np.array([0.0, -1.0]))), "x")
    value = builder.add("high", Max((None, np.array([1.0, 1.0])), sign=-1), value)
    value = builder.add("clip", Clip(-5.0, 5.0), value)
    return builder.build(builder.add("y", Gemm.of(np.array([[1.0, 2.0]]), np.zeros(1)), value))


def test_clipping_outside_the_box_is_dropped():
    network, low, high = clipped(), np.array([0.0, -1.0]), np.array([1.0, 0.5])
    simple = specialised(network, low, high)
    assert [n.name for n in simple.nodes] == ["y"]
    assert lower(simple).as_chain() is not None
    x = np.random.default_rng(0).uniform(low, high, size=(50, 2))
    np.testing.assert_array_equal(simple.evaluate(x), network.evaluate(x))


@pytest.mark.parametrize(("low", "high"), [((-0.1, 0.0), (1.0, 0.5)), ((0.0, 0.0), (1.0, 1.1))])
def test_clipping_that_the_box_reaches_stays(low, high):
    network = clipped()
    simple = specialised(network, np.array(low), np.array(high))
    corners = np.array([low, high])
    np.testing.assert_array_equal(simple.evaluate(corners), network.evaluate(corners))
    assert len(simple.nodes) > 1
