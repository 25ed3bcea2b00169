"""Engine `milp`: search with HiGHS, prove with certified linear programs.

HiGHS maximises the violation over the encoding. An input it finds is replayed. When it claims that there
is none, its word is not taken: branch and bound over certified linear programs has to confirm.
"""

from __future__ import annotations

import numpy as np

from vouch.equiv import neurons
from vouch.equiv.encoding import Encoding, Found
from vouch.equiv.forms import Array, Limits
from vouch.equiv.outcome import Confirm, Outcome
from vouch.equiv.pair import Dense, Layer, Pair
from vouch.equiv.property import Epsilon, Property
from vouch.equiv.region import Region, box
from vouch.equiv.team import ALONE_ONLY, Team
from vouch.equiv.tighten import tightened
from vouch.nn.search.task import Clock
from vouch.verdict import Verdict

# Seconds for each two-layer program that tightens a bound.
SMALL_PROGRAM = 1.0


def encoded(pair: Pair, region: Region, clock: Clock) -> Encoding:
    """The encoding with bounds from intervals, forms, linear programs and small two-layer programs."""
    limits = tightened(pair, region, clock.share(0.3))
    for network, own in zip((pair.reference, pair.test), limits, strict=True):
        _two_layers(network, own, clock.share(0.3))
    return Encoding(pair, region, limits)


def _two_layers(network: Dense, limits: Limits, clock: Clock) -> None:
    """Tighten every unstable neuron by the exact program of its layer and the one before it. The result is
    the solver's word: it sharpens the search, no proof rests on it."""
    for index in range(1, len(network.layers) - 1):
        lower, upper = limits[index]
        for neuron in np.flatnonzero((lower < 0) & (upper > 0)):
            if clock.over:
                return
            layer = network.layers[index]
            row, shift = layer.weights[neuron], float(layer.bias[neuron])
            upper[neuron] = min(upper[neuron], _two_layer_bound(limits[index - 1], row, shift, clock))
            lower[neuron] = max(lower[neuron], -_two_layer_bound(limits[index - 1], -row, -shift, clock))


def _two_layer_bound(before: tuple[Array, Array], row: Array, shift: float, clock: Clock) -> float:
    """Upper bound of row·relu(s) + shift over all s between the bounds of the layer before."""
    size = len(row)
    copy = Layer(np.eye(size), np.zeros(size))
    piece = Dense("two layers", (copy, Layer(row[None, :], np.array([shift]))))
    program = Encoding(Pair(piece, piece), box(*before), ((before,), (before,)))
    found = program.optimise(program.r[0], clock.within(SMALL_PROGRAM), maximise=True)
    return found.bound + 1e-6 * (1.0 + abs(found.bound))


def prove(
    pair: Pair,
    region: Region,
    prop: Property,
    confirm: Confirm,
    clock: Clock,
    *,
    team: Team = ALONE_ONLY,
) -> Outcome:
    """Maximise the violation; replay it, or certify that there is none."""
    found = maximal_violation(pair, region, prop, clock.share(0.7))
    statistics = {"violation": found.value, "violation_bound": found.bound}
    statistics = {name: value for name, value in statistics.items() if np.isfinite(value)}
    limit = prop.epsilon if isinstance(prop, Epsilon) else 0.0
    if found.input is not None and found.value > limit:
        witness = confirm(found.input)
        if witness is not None:
            return Outcome(Verdict.DIFFERENT, witness=witness, statistics=statistics)
    if clock.over:
        return Outcome(Verdict.TIMEOUT, statistics=statistics)
    proof = neurons.prove(pair, region, prop, confirm, clock, team=team)
    if proof.verdict in (Verdict.EQUIVALENT, Verdict.DIFFERENT):
        return Outcome(proof.verdict, proof.bound, proof.witness, None, {**proof.statistics, **statistics})
    if found.finished:
        reason = "the solver finds no violation, but this could not be certified"
        return Outcome(Verdict.UNKNOWN, reason=reason, statistics=statistics)
    return Outcome(Verdict.TIMEOUT, statistics=statistics)


def maximal_violation(pair: Pair, region: Region, prop: Property, clock: Clock) -> Found:
    """The largest violation as HiGHS sees it (Thesis 11.1 to 11.18); a suggestion, not a proof."""
    program = encoded(pair, region, clock.share(0.5))
    return program.optimise(program.violation(prop), clock, maximise=True)


def nearest_violation(
    pair: Pair,
    region: Region,
    prop: Property,
    centre: Array,
    norm: str,
    largest: float,
    threshold: float,
    clock: Clock,
) -> Found:
    """The smallest radius around the centre with a violation of at least `threshold` (Thesis 11.19 to
    11.23), within `region`, which must hold the ball of radius `largest`."""
    program = encoded(pair, region, clock.share(0.3))
    score = program.violation(prop)
    limit = prop.epsilon if isinstance(prop, Epsilon) else 0.0
    program.row({score: 1.0}, limit + threshold, np.inf)
    return program.optimise(program.within(centre, norm, largest), clock, maximise=False)
