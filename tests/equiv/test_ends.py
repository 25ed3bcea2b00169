"""Networks that begin or end with a ReLU, are linear, or are the identity: no engine may stumble here."""

from __future__ import annotations

import numpy as np
import pytest

import vouch.equiv
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Gemm, Relu, Reshape
from vouch.verdict import Verdict

OPERATORS = {
    "relu": Relu(),
    "gemm": Gemm.of(np.array([[1.0, 0.5], [-1.0, 2.0]]), np.array([0.125, -0.25])),
    "keep": Reshape((1, 2)),
}
UNIT = (-np.ones(2), np.ones(2))
# The largest difference of any output over the box, by hand: relu(x) and x differ by 1 at x = −1; the affine
# map reaches −3.25 in its second output, which a ReLU behind it cuts off.
GAPS = {
    ("relu", "relu"): 0.0,
    ("keep", "keep"): 0.0,
    ("", ""): 0.0,
    ("", "relu"): 1.0,
    ("keep", "relu"): 1.0,
    ("relu relu", "relu"): 0.0,
    ("gemm relu", "gemm"): 3.25,
    ("relu gemm", "relu gemm"): 0.0,
    ("gemm relu relu", "gemm relu"): 0.0,
}


def network(text: str, scale: float = 1.0) -> Network:
    builder = GraphBuilder(text or "identity", "x", (1, 2))
    value = "x"
    for number, name in enumerate(text.split()):
        value = builder.add(f"n{number}", OPERATORS[name], value)
    if scale != 1.0:
        value = builder.add("scaled", Gemm.of(np.eye(2) * scale, np.zeros(2)), value)
    return builder.build(value)


@pytest.mark.parametrize("engine", ["auto", "differential", "paths", "milp"])
@pytest.mark.parametrize(("reference", "test"), GAPS)
def test_a_network_may_begin_and_end_with_anything(reference: str, test: str, engine: str) -> None:
    gap = GAPS[reference, test]
    for epsilon, verdict in ((gap + 0.01, Verdict.EQUIVALENT), (gap - 0.01, Verdict.DIFFERENT)):
        if epsilon >= 0:
            answer = vouch.equiv.compare(
                network(reference), network(test), epsilon=epsilon, box=UNIT, engine=engine, timeout=20
            )
            assert answer.verdict is verdict, (epsilon, answer.reason)


@pytest.mark.parametrize("engine", ["auto", "differential", "paths", "milp"])
def test_linear_networks_just_beside_the_limit(engine: str) -> None:
    """x and (1 + d) x differ by at most d on the unit box, and by nothing less."""
    near = network("keep", 1 + 2.0**-20)
    for epsilon, verdict in ((2.0**-20 * (1 + 2.0**-12), True), (2.0**-20 * (1 - 2.0**-12), False)):
        answer = vouch.equiv.compare(
            network("keep"), near, epsilon=epsilon, box=UNIT, engine=engine, timeout=20
        )
        assert answer.verdict is (Verdict.EQUIVALENT if verdict else Verdict.DIFFERENT)


@pytest.mark.parametrize("engine", ["auto", "differential", "paths", "milp"])
@pytest.mark.parametrize("scale", [1e-200, 1e18, 1e120, 1e300])
def test_coefficients_of_any_size_end_in_an_answer(scale: float, engine: str) -> None:
    """relu(x) · scale against x · scale: they differ by `scale` at −1, which no engine may deny."""
    pair = network("relu", scale), network("keep", scale)
    answer = vouch.equiv.compare(*pair, epsilon=0.5 * scale, box=UNIT, engine=engine, timeout=20)
    assert answer.verdict is not Verdict.EQUIVALENT
    answer = vouch.equiv.compare(*pair, epsilon=2 * scale, box=UNIT, engine=engine, timeout=20)
    assert answer.verdict is not Verdict.DIFFERENT
