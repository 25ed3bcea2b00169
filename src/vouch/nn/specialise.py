"""Simplifies a network for one box of inputs: clipping in front that the box never reaches is taken out.

NNet files clip their inputs to ranges from the header. Inside these ranges the network is a plain
feed-forward one again, for which the engines have faster ways.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vouch.nn.arrays import Array
from vouch.nn.network import Network, Node
from vouch.nn.operators import Clip, Max


def specialised(network: Network, low: Array, high: Array) -> Network:
    """A network equal to the given one for all inputs between `low` and `high` (flat), and often simpler."""
    if not np.all(low <= high):
        return network
    box = low.reshape(network.input_shape), high.reshape(network.input_shape)
    unchanged = {network.input}
    dropped = set()
    for node in network.nodes:
        if node.inputs[0] in unchanged and node.shape == network.input_shape and _passes(node, *box):
            unchanged.add(node.name)
            dropped.add(node.name)
    if not dropped or network.output in dropped:
        return network
    nodes = tuple(
        replace(node, inputs=tuple(network.input if name in dropped else name for name in node.inputs))
        for node in network.nodes
        if node.name not in dropped
    )
    return replace(network, nodes=nodes)


def _passes(node: Node, low: Array, high: Array) -> bool:
    """Whether the node is the identity on the box."""
    match node.op:
        case Clip(low=least, high=most):
            return bool(np.all(low >= least) and np.all(high <= most))
        case Max(parts=parts, sign=sign) if len(node.inputs) == 1:
            constants = [part for part in parts if part is not None]
            if sign > 0:
                return all(bool(np.all(low >= c)) for c in constants)
            return all(bool(np.all(high <= c)) for c in constants)
        case _:
            return False
