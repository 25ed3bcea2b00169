"""Several networks side by side as one, for properties that speak about more than one."""

from __future__ import annotations

from collections.abc import Sequence

from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Concat, Reshape, Slice


def joined(networks: Sequence[Network]) -> Network:
    """One network whose input is all inputs one after the other (flat), and whose output is all outputs."""
    if len(networks) == 1:
        return networks[0]
    total = sum(network.inputs for network in networks)
    builder = GraphBuilder(" and ".join(network.name for network in networks), "x", (total,))
    outputs, start = [], 0
    for number, network in enumerate(networks):
        part = builder.add(f"{number}/part", Slice(((start, start + network.inputs, None),)), "x")
        start += network.inputs
        outputs.append(copied(builder, number, network, part))
    return builder.build(builder.add("y", Concat(0, (None,) * len(outputs)), *outputs))


def copied(builder: GraphBuilder, number: int, network: Network, source: str) -> str:
    """Adds the network, reading `source` (of any shape); the name of its flat output. Operators are kept as
    they are, so that what holds of each one's rounding holds in the copy."""
    names = {network.input: builder.add(f"{number}/input", Reshape(network.input_shape), source)}
    for node in network.nodes:
        inputs = (names[name] for name in node.inputs)
        names[node.name] = builder.add(f"{number}:{node.name}", node.op, *inputs)
    return builder.add(f"{number}/output", Reshape((network.outputs,)), names[network.output])
