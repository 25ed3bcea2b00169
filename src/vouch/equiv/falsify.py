"""Looks for an input on which the two networks differ: sampling, corners, gradients, linear pieces.

Finds large differences quickly and never proves anything. Every candidate goes through `confirm`.
"""

from __future__ import annotations

import numpy as np

from vouch.equiv.outcome import Confirm, Witness
from vouch.equiv.pair import Array, NetworkPair, Subject
from vouch.equiv.property import Property, Top
from vouch.equiv.region import Region
from vouch.nn.bounds.arrays import NUMPY
from vouch.nn.bounds.ascent import all_relus
from vouch.nn.bounds.ball import lowest
from vouch.nn.lowered import Activation, Affine
from vouch.nn.search.task import Clock

STEPS = 40
STARTS = 96
# A thorough search makes so many attempts, more for networks with fewer weights than this.
FEWEST, MOST, WEIGHTS = 4, 32, 200_000
# Linear pieces of networks with more neurons than this are too dear to look at.
MOST_NEURONS = 3000


def glance(
    pair: NetworkPair, region: Region, prop: Property, confirm: Confirm, *, seed: int = 0
) -> Witness | None:
    """A few samples and a short climb: milliseconds, finds what is easy."""
    points = region.sample(np.random.default_rng(seed), 512)
    points[0] = region.project(region.anchor[None, :])[0]
    witness = _confirmed(pair, region, prop, points, confirm)
    if witness is None:
        points = climbed(pair, region, prop, points, 0, starts=24, steps=15)
        witness = _confirmed(pair, region, prop, points, confirm)
    return witness


def falsify(
    pair: NetworkPair,
    region: Region,
    prop: Property,
    confirm: Confirm,
    clock: Clock,
    *,
    seed: int = 0,
    attempts: int | None = None,
) -> Witness | None:
    """A thorough search; the first confirmed violation, or None. Small networks get more attempts, unless
    their number is given."""
    rng = np.random.default_rng(seed + 1)
    for attempt in range(_attempts(pair) if attempts is None else attempts):
        points = region.sample(rng, 2048)
        for stage in (climbed, polished):
            if clock.over:
                return None
            points = stage(pair, region, prop, points, attempt)
            witness = _confirmed(pair, region, prop, points, confirm)
            if witness is not None:
                return witness
    return None


def _attempts(pair: NetworkPair) -> int:
    nodes = [node for net in pair.both for node in net.model.lowered.nodes if isinstance(node, Affine)]
    weights = sum(linear.stored for node in nodes for linear in node.maps)
    return int(np.clip(WEIGHTS // max(weights, 1), FEWEST, MOST))


def _confirmed(
    pair: NetworkPair, region: Region, prop: Property, points: Array, confirm: Confirm
) -> Witness | None:
    points = points[region.inside(points)]
    if not len(points):
        return None
    r, t = pair.reference.evaluate(points), pair.test.evaluate(points)
    score = np.where(prop.violated(r, t), prop.excess(r, t), -np.inf)
    for index in np.argsort(-score)[:4]:
        if score[index] == -np.inf:
            return None
        witness = confirm(points[index])
        if witness is not None:
            return witness
    return None


def climbed(
    pair: NetworkPair,
    region: Region,
    prop: Property,
    points: Array,
    attempt: int,
    *,
    starts: int = STARTS,
    steps: int = STEPS,
) -> Array:
    """Projected gradient ascent of the violation from the most promising points. In a ranking, half of
    them climb towards the reference's own decision boundary instead."""
    if isinstance(prop, Top) and attempt % 3 == 2:
        return _for_class(pair, region, prop, points[:starts], (attempt // 3) % pair.reference.outputs, steps)
    r, t = pair.reference.evaluate(points), pair.test.evaluate(points)
    points = points[np.argsort(-prop.excess(r, t))[:starts]]
    best, best_score = points, prop.excess(pair.reference.evaluate(points), pair.test.evaluate(points))
    seen = [points]
    for step in range(steps):
        r, t = pair.reference.evaluate(points), pair.test.evaluate(points)
        to_r, to_t = prop.direction(r, t)
        if isinstance(prop, Top) and attempt % 2 == 1:
            to_r, to_t = _swap_reference(r), np.zeros_like(t)
        gradient = pair.reference.gradient(points, to_r) + pair.test.gradient(points, to_t)
        points = _moved(points, gradient, region, 0.5 * 0.02 ** (step / steps))
        score = prop.excess(pair.reference.evaluate(points), pair.test.evaluate(points))
        better = score > best_score
        best = np.where(better[:, None], points, best)
        best_score = np.where(better, score, best_score)
        if isinstance(prop, Top):
            seen.append(points)
    return np.concatenate([best, *seen]) if isinstance(prop, Top) else best


def _for_class(pair: NetworkPair, region: Region, prop: Top, points: Array, chosen: int, steps: int) -> Array:
    """Towards inputs for which the reference chooses this class; where it does, the rivals of that class in
    the test network rise. All points on the way are handed back."""
    others = np.arange(pair.reference.outputs) != chosen
    row = np.arange(len(points))
    seen = [points]
    for step in range(2 * steps):
        r, t = pair.reference.evaluate(points), pair.test.evaluate(points)
        first = np.where(others, r, -np.inf).argmax(axis=1)
        lead = r[:, chosen] - r[row, first]
        here = lead > 0.02 * np.abs(r[:, chosen])
        to_r, to_t = np.zeros_like(r), np.zeros_like(t)
        to_r[row, first], to_r[:, chosen] = -1.0, 1.0
        rivals = np.argsort(-np.where(others, t, -np.inf), axis=1)[:, : prop.k]
        np.put_along_axis(to_t, rivals, 1.0 / prop.k, axis=1)
        to_t[:, chosen] = -1.0
        gradient = np.where(
            here[:, None], pair.test.gradient(points, to_t), pair.reference.gradient(points, to_r)
        )
        points = _moved(points, gradient, region, 0.3 * 0.03 ** (step / (2 * steps)))
        seen.append(points)
    return np.concatenate(seen)


def _swap_reference(r: Array) -> Array:
    row = np.arange(len(r))
    order = np.argsort(-r, axis=1)
    direction = np.zeros_like(r)
    direction[row, order[:, 1]] += 1.0
    direction[row, order[:, 0]] -= 1.0
    return direction


def _moved(points: Array, gradient: Array, region: Region, share: float) -> Array:
    """A share of the way along the gradient: of the box's width in every coordinate, or, in a ball, towards
    its point that is furthest in that direction."""
    if region.radius is None:
        return region.project(points + np.sign(gradient) * (region.upper - region.lower) * share)
    _, goal = lowest(NUMPY, region.case.ball, -gradient, region.lower[None, :], region.upper[None, :])
    return region.project(points + (goal - points) * share)


def polished(pair: NetworkPair, region: Region, prop: Property, points: Array, attempt: int) -> Array:
    """From the best points, go to the maximum of the linear piece they lie in, and on into the next. Only
    ReLU networks of moderate size tell their pieces."""
    if not all(all_relus(net.model) and net.model.neurons <= MOST_NEURONS for net in pair.both):
        return points
    r, t = pair.reference.evaluate(points), pair.test.evaluate(points)
    order = np.argsort(-prop.excess(r, t))[:4]
    reached = [_along_pieces(pair, region, prop, points[index]) for index in order]
    return np.concatenate([*reached, points[order]])


def _along_pieces(pair: NetworkPair, region: Region, prop: Property, x: Array) -> Array:
    found = [x]
    score = -np.inf
    for _ in range(12):
        point = _best_of_piece(pair, region, prop, x)
        if point is None:
            break
        found.append(point)
        r, t = pair.reference.evaluate(point[None, :]), pair.test.evaluate(point[None, :])
        new = float(prop.excess(r, t)[0])
        if new <= score + 1e-12 * abs(score):
            break
        score = new
        # A little beyond the edge that was reached lies the next piece.
        x = region.project((point + (point - x) * 1e-3)[None, :])[0]
    return np.stack(found)


def _best_of_piece(pair: NetworkPair, region: Region, prop: Property, x: Array) -> Array | None:
    """Maximum of the (locally linear) violation over the linear piece around x, by one program."""
    maps = [_piece(network, x) for network in pair.both]
    r, t = (x[None, :] @ matrix.T + offset for matrix, offset, _, _ in maps)
    to_r, to_t = prop.direction(r, t)
    program = region.program
    for _, _, rows, rhs in maps:
        program.add(np.pad(rows, ((0, 0), (0, program.columns - len(x)))), rhs)
    if isinstance(prop, Top):
        rows, rhs = _class_kept(prop.k, maps, r[0], t[0])
        program.add(np.pad(rows, ((0, 0), (0, program.columns - len(x)))), rhs)
    slope = to_r[0] @ maps[0][0] + to_t[0] @ maps[1][0]
    answer = program.maximise(np.pad(slope, (0, program.columns - len(x))))
    if answer.point is None:
        return None
    return np.asarray(region.project(answer.point[None, : len(x)])[0])


def _class_kept(
    k: int, maps: list[tuple[Array, Array, Array, Array]], r: Array, t: Array
) -> tuple[Array, Array]:
    """Constraints {rows·x ≤ rhs}: the reference keeps its class, and of the k rivals that are ahead of it
    most in the test network, none falls back by more than it is behind already."""
    (a, b, *_), (c, d, *_) = maps
    best = int(r.argmax())
    others = [i for i in range(len(r)) if i != best]
    rivals = sorted(others, key=lambda i: -t[i])[:k]
    behind = [min(float(t[i] - t[best]), 0.0) for i in rivals]
    rows = np.vstack([a[others] - a[best], c[best] - c[rivals]])
    rhs = np.append(b[best] - b[others], d[rivals] - d[best] - behind)
    return rows, rhs


def _piece(network: Subject, x: Array) -> tuple[Array, Array, Array, Array]:
    """The affine map that the network is around x, and the constraints {rows·x ≤ rhs} of that piece."""
    maps = [(np.eye(len(x)), np.zeros(len(x)))]
    rows, rhs = [np.zeros((0, len(x)))], [np.zeros(0)]
    for node in network.model.lowered.nodes[1:]:
        if isinstance(node, Affine):
            matrix, offset = np.zeros((node.size, len(x))), node.bias
            for linear, source in zip(node.maps, node.inputs, strict=True):
                columns, shift = maps[source]
                matrix = matrix + linear.apply(np.ascontiguousarray(columns.T)).T
                offset = offset + linear.apply(shift[None, :])[0]
        else:
            assert isinstance(node, Activation), "ReLU networks have nothing else"
            matrix, offset = maps[node.input]
            on = matrix @ x + offset > 0
            sign = np.where(on, -1.0, 1.0)
            rows.append(matrix * sign[:, None])
            rhs.append(-offset * sign)
            matrix, offset = matrix * on[:, None], offset * on
        maps.append((matrix, offset))
    return *maps[-1], np.concatenate(rows), np.concatenate(rhs)
