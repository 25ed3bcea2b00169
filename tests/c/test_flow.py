"""The order of blocks: every edge goes forward, or back to the head of a loop that holds its source."""

from __future__ import annotations

import random

import pytest

from vouch.c import ir
from vouch.c.flow.components import components
from vouch.c.flow.order import Loop, analyse

_VOID = ir.VoidType()


def function(edges: dict[str, list[str]]) -> ir.Function:
    blocks = {}
    for label, targets in edges.items():
        last: ir.Instruction
        if not targets:
            last = ir.Return(None, _VOID, None, False, None)
        elif len(targets) == 1:
            last = ir.Branch(None, _VOID, None, False, None, targets[0], None)
        else:
            last = ir.Branch(
                None, _VOID, None, False, ir.Register("c", ir.IntType(1)), targets[0], targets[1]
            )
        blocks[label] = ir.Block(label, [last])
    signature = ir.FunctionType(_VOID, (ir.IntType(1),))
    parameters = [ir.Parameter("c", ir.IntType(1))]
    return ir.Function("f", "f", signature, parameters, blocks, None, "external", frozenset())


def flat(order: list[str | Loop]) -> list[str]:
    found: list[str] = []
    for element in order:
        if isinstance(element, Loop):
            found += [element.head, *flat(element.body)]
        else:
            found.append(element)
    return found


@pytest.mark.parametrize("seed", range(300))
def test_every_edge_goes_forward_or_to_a_head(seed: int) -> None:
    rng = random.Random(seed)
    labels = [f"b{i}" for i in range(rng.randrange(1, 9))]
    # Nothing jumps back to an entry block in LLVM.
    edges = {
        label: [rng.choice(labels[1:]) for _ in range(rng.randrange(3))] if len(labels) > 1 else []
        for label in labels
    }
    flow = analyse(function(edges))
    order = flat(flow.order)
    assert len(order) == len(set(order))
    place = {label: number for number, label in enumerate(order)}
    reached, work = set(), [labels[0]]
    while work:
        label = work.pop()
        if label not in reached:
            reached.add(label)
            work += edges[label]
    assert set(order) == reached
    for source in reached:
        for target in edges[source]:
            back = target in flow.loops and source in flow.loops[target].blocks
            assert place[source] < place[target] or back


def test_irreducible_flow_is_one_loop() -> None:
    edges = {"entry": ["a", "b"], "a": ["b"], "b": ["a", "end"], "end": []}
    flow = analyse(function(edges))
    assert [sorted(loop.blocks) for loop in flow.loops.values()] == [["a", "b"]]


def _reached(start: str, after: dict[str, list[str]]) -> set[str]:
    seen, work = {start}, [start]
    while work:
        fresh = set(after[work.pop()]) - seen
        seen |= fresh
        work.extend(fresh)
    return seen


def test_components_are_what_reaches_each_other() -> None:
    rng = random.Random(1)
    for _ in range(200):
        nodes = [f"n{i}" for i in range(rng.randrange(1, 8))]
        after = {node: rng.sample(nodes, rng.randrange(min(3, len(nodes)) + 1)) for node in nodes}
        reach = {node: _reached(node, after) for node in nodes}
        found = components(nodes, after)
        assert sorted(n for members in found for n in members) == nodes
        for position, members in enumerate(found):
            assert {n for n in nodes if n in reach[members[0]] and members[0] in reach[n]} == set(members)
            earlier = {n for others in found[: position + 1] for n in others}
            assert reach[members[0]] <= earlier
