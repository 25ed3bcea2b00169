"""Searching over the sums of a first layer, against all inputs run one by one."""

from __future__ import annotations

import itertools
from fractions import Fraction
from itertools import pairwise

import numpy as np

from vouch.nn.fixed.cases import int_cases
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.format import Format, Overflow, Rounding
from vouch.nn.fixed.funnel import Funnel, fits
from vouch.nn.fixed.quantise import quantise
from vouch.nn.fixed.table import activation_of
from vouch.nn.network import Network
from vouch.nn.property import output_union
from vouch.nn.search.task import Clock


def asked(seed):
    """A network with few sums, and a box of its inputs with limits around what its outputs do there."""
    rng = np.random.default_rng(seed)
    inputs, kind = int(rng.integers(4, 7)), ("sigmoid", "relu", "tanh")[seed % 3]
    sizes = [inputs, int(rng.integers(1, 4)), int(rng.integers(2, 4)), 2]
    layers = [(rng.normal(size=(b, a)) * 0.8, rng.normal(size=b) * 0.5) for a, b in pairwise(sizes)]
    rounding, overflow = (r[int(rng.integers(2))] for r in (list(Rounding), list(Overflow)))
    form = Format(7, 5, rounding, overflow)
    table = activation_of("lut:0.05" if seed % 2 else "exact")
    network = quantise(Network.from_layers(layers, kind), (form,), table)
    lower = rng.uniform(-1, 1, inputs)
    upper = lower + rng.uniform(0.03, 0.12 if seed % 4 else 0.35, inputs)
    return rng, network, form, lower, upper


def cases_of(seed):
    """Cases with the truth: regions that are just met, and just not."""
    rng, network, form, lower, upper = asked(seed)
    step = None if seed % 4 else Fraction(1, 9)
    row = rng.choice([-1.0, 1.0], (1, 2)) if seed % 5 else np.array([[1.0, -1.0]])
    nothing = output_union(lower, upper, [(row, np.array([0.0]))])
    box = next(iter(int_cases(nothing, form, form, step)), None)
    if box is None or not box.points or not fits(network, box):
        return
    numbers = np.array(
        list(itertools.product(*(axis.numbers(np.arange(axis.count)).tolist() for axis in box.axes)))
    )
    least = float((form.reals(evaluate(network, numbers)) @ row[0]).min())
    for limit in (least - form.unit, least, least + 3 * form.unit):
        prop = output_union(lower, upper, [(row, np.array([limit]))])
        yield network, int_cases(prop, form, form, step)[0], limit < least


def test_proofs_and_violations_are_right():
    told = {True: 0, False: 0}
    for seed in range(36):
        for network, case, safe in cases_of(seed):
            search = Funnel(network, case, Clock(None))
            assert search.run() is safe, seed
            if not safe:
                assert search.found is not None
                assert case.violated(search.found[None, :], evaluate(network, search.found[None, :])).all()
            told[safe] += 1
    assert min(told.values()) >= 15


def test_sums_that_may_overflow_are_left_to_others():
    """A sum that wraps is no sum of its products."""
    layers = [(np.full((1, 5), 1.9), np.zeros(1)), (np.ones((2, 1)), np.zeros(2))]
    form = Format(3, 5)
    network = quantise(Network.from_layers(layers, "sigmoid"), (form,), activation_of("exact"))
    for upper, expected in ((0.3, True), (0.9, False)):
        prop = output_union(np.zeros(5), np.full(5, upper), [(np.ones((1, 2)), np.array([0.0]))])
        assert fits(network, int_cases(prop, form, form)[0]) is expected
