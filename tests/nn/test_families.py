"""The families of `bench.nn_families`: each is decided, and rightly."""

from __future__ import annotations

import numpy as np
import pytest
from bench.nn_families import attention, convolutional, index_network, satisfiability

from vouch.nn.bounds.model import model_of
from vouch.nn.network import GraphBuilder
from vouch.nn.operators import Positive
from vouch.nn.property import Case, Rows, output_union
from vouch.nn.search import driver as driving
from vouch.nn.search import verify
from vouch.settings import resolve
from vouch.verdict import Verdict


def asked(question, **options):
    return verify(question.network, question.prop, resolve("nn", {"timeout": 60, "jobs": 1, **options}))


@pytest.mark.parametrize(("variables", "clauses", "seed"), [(14, 80, 0), (14, 50, 1), (20, 110, 2)])
def test_satisfiability_against_a_solver(variables, clauses, seed, monkeypatch):
    question, satisfiable = satisfiability(variables, clauses, seed)
    expected = Verdict.UNSAFE if satisfiable else Verdict.SAFE
    assert asked(question, engine="milp").verdict is expected
    # In `auto`, with no time for splitting neurons before.
    monkeypatch.setattr(driving, "_BEFORE_MILP", (0.0, 0.0))
    result = asked(question)
    assert result.verdict is expected
    assert result.engine in ("milp", "falsifier")


def test_an_index_of_many_cases():
    question = index_network(3000)
    assert asked(question).verdict is Verdict.SAFE
    case = question.prop.cases[1234]
    wrong = Rows.of(np.zeros((1, 1)), [[1.0]], question.network.evaluate(case.upper[None, :])[0] + 1e-3)
    cases = list(question.prop.cases)
    cases[1234] = Case(case.lower, case.upper, (wrong,))
    from dataclasses import replace

    result = verify(
        question.network, replace(question.prop, cases=tuple(cases)), resolve("nn", {"timeout": 60})
    )
    assert result.verdict is Verdict.UNSAFE
    assert case.lower <= result.counterexample.input <= case.upper


@pytest.mark.parametrize(
    "question", [convolutional(0), convolutional(1, residual=True), attention(0), attention(1, radius=0.03)]
)
def test_small_networks(question):
    result = asked(question)
    assert result.verdict in (Verdict.SAFE, Verdict.UNSAFE)
    case = question.prop.cases[0]
    rng = np.random.default_rng(0)
    points = case.lower + rng.random((500, len(case.lower))) * (case.upper - case.lower)
    values = question.network.evaluate(points)
    bad = np.any([(region.excess(points, values) <= 0).all(1) for region in case.regions])
    assert not (bad and result.verdict is Verdict.SAFE)


def test_a_jump_is_on_neither_side():
    """Where a comparison may go either way, both are possible; elsewhere the answer is certain."""
    builder = GraphBuilder("step", "x", (1,))
    network = builder.build(builder.add("y", Positive(), "x"))
    settings = resolve("nn", {"timeout": 10})
    for low, high, limit, verdict in (
        (0.5, 1.0, 0.5, Verdict.SAFE),
        (-1.0, 1.0, 0.5, Verdict.UNSAFE),
        (-1.0, -0.5, -0.5, Verdict.SAFE),
    ):
        prop = output_union(np.array([low]), np.array([high]), [(np.array([[1.0]]), np.array([limit]))])
        assert verify(network, prop, settings).verdict is verdict
    assert model_of(network).neurons == 1
