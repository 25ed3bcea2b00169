"""The true largest value of a piecewise linear network over a box, by plain enumeration of ReLU signs.

Written without any of vouch's bounds or searches: affine forms pushed forward, scipy's linear programs for
feasibility. Slow, and good for networks with a handful of ReLUs.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from vouch.nn.lowered import Affine
from vouch.nn.lowering import lower


def exact_maximum(network, low, high, row, most=150):
    """max of row * output over the box; None where there are more than `most` linear pieces."""
    nodes = lower(network, relu_only=True).nodes
    best, pieces = -np.inf, 0
    # A piece: the next node, affine forms of the nodes so far, half-spaces a x <= b.
    stack = [(1, {0: (np.eye(len(low)), np.zeros(len(low)))}, [], [])]
    while stack:
        index, forms, rows, rhs = stack.pop()
        while index < len(nodes):
            node = nodes[index]
            if isinstance(node, Affine):
                a, c = np.zeros((node.size, len(low))), node.bias
                for linear, source in zip(node.maps, node.inputs, strict=True):
                    a, c = a + linear.dense() @ forms[source][0], c + linear.dense() @ forms[source][1]
                forms = {**forms, index: (a, c)}
                index += 1
                continue
            a, c = forms[node.input]
            open_ = _crossing(a, c, low, high, rows, rhs)
            if open_ is None:
                on = _signs(a, c, low, high, rows, rhs)
                forms = {**forms, index: (a * on[:, None], c * on)}
                index += 1
                continue
            pieces += 1
            if pieces > most:
                return None
            stack.append((index, forms, [*rows, -a[open_]], [*rhs, c[open_]]))
            rows, rhs = [*rows, a[open_]], [*rhs, -c[open_]]
        a, c = forms[len(nodes) - 1]
        value = _largest(row @ a, low, high, rows, rhs)
        if value is not None:
            best = max(best, value + row @ c)
    return best


def _largest(direction, low, high, rows, rhs):
    if not rows:
        return np.maximum(direction * low, direction * high).sum()
    box = list(zip(low, high, strict=True))
    found = linprog(-direction, np.array(rows), np.array(rhs), bounds=box, method="highs")
    return -found.fun if found.status == 0 else None


def _crossing(a, c, low, high, rows, rhs):
    """The first neuron that takes both signs within the piece, or None."""
    for j in range(len(c)):
        if np.maximum(a[j] * low, a[j] * high).sum() + c[j] <= 1e-9:
            continue
        if np.minimum(a[j] * low, a[j] * high).sum() + c[j] >= -1e-9:
            continue
        up, down = _largest(a[j], low, high, rows, rhs), _largest(-a[j], low, high, rows, rhs)
        if up is not None and down is not None and up + c[j] > 1e-7 and down - c[j] > 1e-7:
            return j
    return None


def _signs(a, c, low, high, rows, rhs):
    """Which neurons are on, where none crosses."""
    on = np.zeros(len(c))
    for j in range(len(c)):
        up = _largest(a[j], low, high, rows, rhs)
        on[j] = up is not None and up + c[j] > 1e-7
    return on
