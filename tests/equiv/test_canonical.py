"""Networks that are the same function in another guise, and others that only look like it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from vouch.equiv import box, compare
from vouch.equiv.canonical import same_function
from vouch.equiv.decide import decide
from vouch.equiv.pair import NetworkPair, pair_of, subject
from vouch.equiv.property import Avoid, Epsilon, Polytope, Top
from vouch.verdict import Verdict

Layers = list[tuple[np.ndarray, np.ndarray]]


def _network(seed: int) -> Layers:
    rng = np.random.default_rng(seed)
    sizes = [3, 5, 4, 3]
    return [(rng.normal(size=(m, n)), rng.normal(size=m)) for n, m in itertools.pairwise(sizes)]


def _permuted(net: Layers) -> Layers:
    (a, b), (c, d), (e, f) = net
    first, second = [3, 0, 4, 1, 2], [2, 3, 1, 0]
    return [(a[first], b[first]), (c[second][:, first], d[second]), (e[:, second], f)]


def _scaled(net: Layers) -> Layers:
    """Powers of two, so that the scaled weights are exact."""
    (a, b), (c, d), (e, f) = net
    s = 2.0 ** np.array([1, -2, 0, 3, 5])
    return [(a * s[:, None], b * s), (c / s, d), (e, f)]


def _doubled(net: Layers) -> Layers:
    """Neuron 1 twice, each with half of the effect."""
    (a, b), (c, d), (e, f) = net
    twice = [0, 1, 1, 2, 3, 4]
    share = np.array([1, 0.5, 0.5, 1, 1, 1])
    return [(a[twice], b[twice]), (c[:, twice] * share, d), (e, f)]


def _padded(net: Layers) -> Layers:
    """A neuron without effect, one that feeds only it, and a constant one that undoes a shifted bias."""
    (a, b), (c, d), (e, f) = net
    a, b = np.vstack([a, np.ones((1, 3)), np.zeros((1, 3))]), np.append(b, [0.0, 0.5])
    c = np.column_stack([c, np.zeros(4), np.zeros(4)])
    c = np.vstack([c, np.array([[0, 0, 0, 0, 0, 1.0, 0]])])
    c[0, 6] = 8.0
    d = np.append(np.round(d * 2**20) / 2**20, 0.0)
    d[0] -= 4.0
    return [(a, b), (c, d), (np.column_stack([e, np.zeros(3)]), f)]


def _pair(first: Layers, second: Layers) -> NetworkPair:
    return pair_of(first, second)


@pytest.mark.parametrize("guise", [_permuted, _scaled, _doubled, lambda net: _scaled(_permuted(net))])
def test_the_same_function_is_recognised(guise: Callable[[Layers], Layers]) -> None:
    for seed in range(5):
        net = _network(seed)
        other = guise(net)
        assert same_function(_pair(net, other))
        assert same_function(_pair(other, net))
        points = np.random.default_rng(seed).normal(size=(100, 3))
        np.testing.assert_allclose(
            subject(net, "net").evaluate(points),
            subject(other, "other").evaluate(points),
            rtol=1e-9,
            atol=1e-9,
        )


def test_neurons_without_effect_do_not_count() -> None:
    net = _network(3)
    net[1] = (net[1][0], np.round(net[1][1] * 2**20) / 2**20)
    assert same_function(_pair(net, _padded(net)))


@pytest.mark.parametrize("layer", range(3))
@pytest.mark.parametrize("part", range(2))
def test_the_last_bit_counts(layer: int, part: int) -> None:
    net = _network(7)
    other: list[Any] = [[w.copy(), b.copy()] for w, b in _permuted(net)]
    flat = other[layer][part].reshape(-1)
    flat[1] = np.nextafter(flat[1], np.inf)
    assert not same_function(_pair(net, [tuple(x) for x in other]))


def test_a_ranking_ignores_a_common_factor_and_term() -> None:
    net = _network(11)
    weights, bias = np.round(net[2][0] * 2**20) / 2**20, np.round(net[2][1] * 2**20) / 2**20
    net[2] = (weights, bias)
    other = [*net[:2], (weights * 4 + 0.5, bias * 4 - 1.0)]
    assert same_function(_pair(net, other), ranking=True)
    assert not same_function(_pair(net, other))
    answer = compare(net, other, top=1, box=([-1] * 3, [1] * 3))
    assert (answer.verdict, answer.engine) == (Verdict.EQUIVALENT, "structure")
    # A negative factor turns the order round.
    turned = [*net[:2], (-weights, -bias)]
    assert not same_function(_pair(net, turned), ranking=True)
    assert compare(net, turned, top=1, box=([-1] * 3, [1] * 3)).verdict is Verdict.DIFFERENT


def test_equality_is_proved_for_networks_listed_otherwise() -> None:
    net = _network(2)
    answer = decide(net, _permuted(net), Epsilon(0.0), box([-1] * 3, [1] * 3))
    assert (answer.verdict, answer.bound) == (Verdict.EQUIVALENT, 0.0)
    assert decide(net, _permuted(net), Top(2), box([-1] * 3, [1] * 3)).verdict is Verdict.EQUIVALENT


def test_the_same_network_may_still_do_what_is_forbidden() -> None:
    net = _network(2)
    low = Polytope(np.array([[1.0, 0, 0]]), np.zeros((1, 3)), np.array([1e3]), np.array([False]))
    high = Polytope(np.array([[-1.0, 0, 0]]), np.zeros((1, 3)), np.array([-1e3]), np.array([False]))
    region = box([-1] * 3, [1] * 3)
    assert decide(net, net, Avoid((low,)), region).verdict is Verdict.DIFFERENT
    assert decide(net, net, Avoid((high,)), region).verdict is Verdict.EQUIVALENT
