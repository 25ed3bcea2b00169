"""An independent opponent: the truth about two small networks by enumerating activation patterns.

Every reachable joint pattern is a polytope on which both networks are affine; scipy's solver (not the one
the engines use) finds the largest distance, or the largest violation of a ranking, on each.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import linprog

from vouch.equiv.property import Polytope

Layers = list[tuple[np.ndarray, np.ndarray]]


@dataclass
class Piece:
    """{x : rows x ≤ rhs} with outputs r = a x + b of the reference and t = c x + d of the test network."""

    rows: np.ndarray
    rhs: np.ndarray
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    d: np.ndarray


def random_layers(rng: np.random.Generator, widths: list[int]) -> Layers:
    sizes = itertools.pairwise(widths)
    return [(rng.normal(size=(m, n)).round(3), rng.normal(size=m).round(3) * 0.5) for n, m in sizes]


def random_pair(rng: np.random.Generator) -> tuple[Layers, Layers]:
    """Two small networks: unrelated, a perturbed copy, a pruned copy, or (now and then) the same one."""
    inputs, outputs = int(rng.integers(1, 4)), int(rng.integers(2, 4))
    hidden = [int(rng.integers(2, 4)) for _ in range(rng.integers(1, 3))]
    first = random_layers(rng, [inputs, *hidden, outputs])
    match rng.integers(7):
        case 0 | 1:
            second = random_layers(rng, [inputs, int(rng.integers(2, 5)), outputs])
        case 2 | 3:
            second = [(w + rng.normal(size=w.shape).round(2) * 0.05, b) for w, b in first]
        case 4 | 5:
            second = [(np.where(np.abs(w) < 0.3, 0.0, w), b) for w, b in first]
        case _:
            second = first
    return first, second


def pieces(pair: tuple[Layers, Layers], rows: np.ndarray, rhs: np.ndarray) -> Iterator[Piece]:
    """All joint linear pieces that meet {rows x ≤ rhs}, by depth-first search over neurons."""
    size = pair[0][0][0].shape[1]
    start = (0, 0, np.eye(size), np.zeros(size), rows, rhs, [])
    stack = [start]
    while stack:
        net, layer, a, b, rows, rhs, done = stack.pop()
        weights, bias = pair[net][layer]
        za, zb = weights @ a, weights @ b + bias
        if layer == len(pair[net]) - 1:
            done = [*done, za, zb]
            if net == 1:
                yield Piece(rows, rhs, *done)
            else:
                stack.append((1, 0, np.eye(size), np.zeros(size), rows, rhs, done))
            continue
        for mask, more, limit in _patterns(za, zb, rows, rhs):
            stack.append((net, layer + 1, za * mask[:, None], zb * mask, more, limit, done))


def _patterns(
    za: np.ndarray, zb: np.ndarray, rows: np.ndarray, rhs: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    found = [(np.zeros(0), rows, rhs)]
    for k in range(len(zb)):
        grown = []
        for mask, more, limit in found:
            for on in (0.0, 1.0):
                sign = 1.0 - 2.0 * on
                wide = np.vstack([more, sign * za[k]])
                far = np.append(limit, -sign * zb[k])
                free = [(None, None)] * za.shape[1]
                if linprog(np.zeros(za.shape[1]), wide, far, bounds=free).status == 0:
                    grown.append((np.append(mask, on), wide, far))
        found = grown
    return found


def _largest(objective: np.ndarray, constant: float, rows: np.ndarray, rhs: np.ndarray) -> float:
    answer = linprog(-objective, rows, rhs, bounds=[(None, None)] * len(objective))
    return constant - answer.fun if answer.status == 0 else -np.inf


def largest_distance(pair: tuple[Layers, Layers], rows: np.ndarray, rhs: np.ndarray, norm: str) -> float:
    best = 0.0
    for piece in pieces(pair, rows, rhs):
        gap, shift = piece.a - piece.c, piece.b - piece.d
        if norm == "linf":
            signs = [sign * e for e in np.eye(len(shift)) for sign in (1.0, -1.0)]
        else:
            patterns = np.array(np.meshgrid(*[[1.0, -1.0]] * len(shift))).reshape(len(shift), -1)
            signs = list(patterns.T)
        best = max(best, *(_largest(s @ gap, s @ shift, piece.rows, piece.rhs) for s in signs))
    return best


def largest_overtaking(pair: tuple[Layers, Layers], rows: np.ndarray, rhs: np.ndarray, k: int) -> float:
    """The largest v such that somewhere the reference's best class j is below k others by v or more in the
    test network (over all j that are a maximum there)."""
    from itertools import combinations

    best = -np.inf
    for piece in pieces(pair, rows, rhs):
        outputs = len(piece.b)
        for j in range(outputs):
            others = [i for i in range(outputs) if i != j]
            ahead = np.vstack([piece.rows, *(piece.a[i] - piece.a[j] for i in others)])
            limit = np.append(piece.rhs, [piece.b[j] - piece.b[i] for i in others])
            for group in combinations(others, k):
                # maximise v subject to t_i − t_j ≥ v for all of the group
                wide = np.hstack([ahead, np.zeros((len(limit), 1))])
                more = [np.append(piece.c[j] - piece.c[i], 1.0) for i in group]
                far = np.append(limit, [piece.d[i] - piece.d[j] for i in group])
                cost = np.append(np.zeros(wide.shape[1] - 1), -1.0)
                free = [(None, None)] * wide.shape[1]
                answer = linprog(cost, np.vstack([wide, *more]), far, bounds=free)
                if answer.status == 0:
                    best = max(best, -answer.fun)
    return best


def deepest(pair: tuple[Layers, Layers], rows: np.ndarray, rhs: np.ndarray, polytope: Polytope) -> float:
    """The largest v such that somewhere both outputs lie in the polytope with v to spare in every row."""
    best = -np.inf
    for piece in pieces(pair, rows, rhs):
        slope = polytope.reference @ piece.a + polytope.test @ piece.c
        shift = polytope.reference @ piece.b + polytope.test @ piece.d
        wide = np.hstack([piece.rows, np.zeros((len(piece.rhs), 1))])
        more = np.hstack([slope, np.ones((len(shift), 1))])
        cost = np.append(np.zeros(slope.shape[1]), -1.0)
        limit = np.append(piece.rhs, polytope.rhs - shift)
        answer = linprog(cost, np.vstack([wide, more]), limit, bounds=[(None, None)] * len(cost))
        if answer.status == 0:
            best = max(best, -answer.fun)
    return best


def box_rows(lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    eye = np.eye(len(lower))
    return np.vstack([eye, -eye]), np.concatenate([upper, -lower])


def ball_rows(centre: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """The Manhattan ball as half-spaces, one for each sign pattern."""
    patterns = np.array(np.meshgrid(*[[1.0, -1.0]] * len(centre))).reshape(len(centre), -1).T
    return patterns, patterns @ centre + radius


@pytest.fixture
def truth() -> Callable[..., float]:
    """truth(pair, rows, rhs, norm=…), truth(…, top=k) or truth(…, inside=polytope)."""

    def ask(pair: tuple[Layers, Layers], rows: np.ndarray, rhs: np.ndarray, **what: object) -> float:
        if "top" in what:
            return largest_overtaking(pair, rows, rhs, int(str(what["top"])))
        polytope = what.get("inside")
        if isinstance(polytope, Polytope):
            return deepest(pair, rows, rhs, polytope)
        return largest_distance(pair, rows, rhs, str(what.get("norm", "linf")))

    return ask


@pytest.fixture
def make_pair() -> Callable[[np.random.Generator], tuple[Layers, Layers]]:
    return random_pair


@pytest.fixture
def halfspaces() -> dict[str, Callable[..., tuple[np.ndarray, np.ndarray]]]:
    return {"box": box_rows, "ball": ball_rows}
