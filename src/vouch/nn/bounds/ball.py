"""The least value of linear functions over boxes that a norm ball cuts.

Bounds that hold for the box alone waste most of what a Manhattan ball in many dimensions rules out. For that
norm the minimum over box and ball together is found by spending the radius where it moves the value most (on
other devices the ball alone is looked at, by its dual norm). For the Euclidean norm, any multiplier of the
ball gives a lower bound, and a good one is found by a few steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vouch.nn.property import Array, Ball

# Relative slack of sums over inputs and over rows that are computed outside of `substitute`.
SLACK = 2.0**-44
_EUCLIDEAN_STEPS = 8


def lowest(arrays: Any, ball: Ball | None, coefficients: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
    """Lower bounds of a x over each box (cut by the ball), one for each row, and points where they are about
    reached."""
    corner = arrays.xp.where(coefficients > 0, lower, upper)
    value = arrays.dot(coefficients, corner)
    if ball is None:
        return value, corner
    within, move = _over_ball(arrays, ball, coefficients, lower, upper)
    if move is not None:
        corner = move + arrays.array(ball.centre)
    return arrays.xp.maximum(value, within), corner


def least_over(arrays: Any, ball: Ball, coefficients: Any, lower: Any, upper: Any) -> Any:
    """Lower bounds of a x over the ball, one for each row of coefficients with its box (or one for all)."""
    return _over_ball(arrays, ball, coefficients, lower, upper)[0]


def _over_ball(
    arrays: Any, ball: Ball, coefficients: Any, lower: Any, upper: Any
) -> tuple[Any, Array | None]:
    """The bounds and, where both ball and box were looked at, the way there from the centre."""
    xp = arrays.xp
    centre, scale = arrays.array(ball.centre), arrays.array(ball.scale)
    low, high = lower - centre, upper - centre
    move = None
    # The ball says nothing about inputs of scale 0; those have a box that is a point, or nearly one.
    aside = (xp.minimum(coefficients * low, coefficients * high) * (scale == 0)).sum(1)
    if ball.norm == "l1" and arrays.device is None:
        move = _least_of_both(ball, coefficients, low, high)
        value = (coefficients * move).sum(1)
    elif ball.norm == "l1":
        value = aside - xp.amax(abs(coefficients * scale), 1) * ball.radius
    else:
        value = aside + _euclidean(xp, ball.radius, coefficients, scale, low, high)
    reach = xp.maximum(abs(low), abs(high)) + abs(centre)
    slack = SLACK * (1 + len(ball.centre) / 128) * ((abs(coefficients) * reach).sum(1) + abs(value))
    return coefficients @ centre + value - slack, move


def _euclidean(xp: Any, radius: float, coefficients: Any, scale: Any, low: Any, high: Any) -> Any:
    """Lower bounds of a d over low <= d <= high, |d / scale| <= radius, for inputs with a scale.

    For any t > 0, a d is at least the minimum over the box of a d + (|d / scale|^2 - radius^2) / 2t, which is
    taken where d = -t a scale^2, or at the nearer end. The best t has |d / scale| = radius: inputs at an end
    stay there, the others give the next t.
    """
    some = scale > 0
    a = coefficients * scale * some
    safe = xp.where(some, scale, 1.0)
    least, most = xp.where(some, low / safe, 0.0), xp.where(some, high / safe, 0.0)
    squares = (a * a).sum(1)[:, None] + 1e-300
    t = radius / xp.sqrt(squares)
    for _ in range(_EUCLIDEAN_STEPS):
        wanted = -t * a
        free = (wanted > least) & (wanted < most)
        ends = xp.where(free, 0.0, xp.maximum(least, xp.minimum(most, wanted)))
        rest = (radius * radius - (ends * ends).sum(1)[:, None]).clip(min=0)
        room = (xp.where(free, a, 0.0) ** 2).sum(1)[:, None]
        # Within these limits, so that nothing overflows; any t is sound.
        moved = xp.sqrt(rest / (room + 1e-300))
        t = xp.where(room > 1e-12 * squares, xp.minimum(xp.maximum(moved, t), t * 1e3), t * 2)
    d = xp.maximum(least, xp.minimum(most, -t * a))
    share = 0.5 / t
    bound = (a * d + share * d * d).sum(1) - share[:, 0] * radius * radius
    inexact = SLACK * ((abs(a * d) + share * d * d).sum(1) + share[:, 0] * radius * radius)
    alone = -xp.sqrt(squares)[:, 0] * radius * (1 + SLACK)
    return xp.maximum(bound - inexact, alone)


def _least_of_both(ball: Ball, coefficients: Array, low: Array, high: Array) -> Array:
    """The d that minimises a d over low <= d <= high with sum |d| / scale <= radius, up to rounding."""
    nearest = np.clip(0.0, low, high)
    inverse = np.divide(1.0, ball.scale, out=np.zeros_like(ball.scale), where=ball.scale > 0)
    # A little more than the radius, so that rounding of the sums below takes nothing away.
    radius = ball.radius * (1 + len(ball.centre) * 2.0**-50)
    left = np.maximum(radius - (np.abs(nearest) * inverse).sum(-1), 0.0)
    room = np.where(coefficients > 0, nearest - low, high - nearest)
    cost = room * inverse
    order = np.argsort(-np.abs(coefficients) * ball.scale, axis=1)
    cost = np.take_along_axis(cost, order, axis=1)
    before = np.cumsum(cost, axis=1) - cost
    share = np.clip(np.reshape(left, (-1, 1)) - before, 0.0, cost) / np.where(cost > 0, cost, 1.0)
    moved = np.empty_like(room)
    np.put_along_axis(moved, order, share, axis=1)
    moved = np.where(ball.scale > 0, moved, 1.0) * room
    return np.asarray(np.where(coefficients > 0, nearest - moved, nearest + moved))
