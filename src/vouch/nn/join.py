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
        names = {network.input: builder.add(f"{number}/input", Reshape(network.input_shape), part)}
        for node in network.nodes:
            inputs = (names[name] for name in node.inputs)
            names[node.name] = builder.add(f"{number}:{node.name}", node.op, *inputs)
        outputs.append(builder.add(f"{number}/output", Reshape((network.outputs,)), names[network.output]))
    return builder.build(builder.add("y", Concat(0, (None,) * len(outputs)), *outputs))
