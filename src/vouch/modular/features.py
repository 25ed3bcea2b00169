"""What may tell good inputs from bad ones: features, their pool, and decision trees over them.

A feature is a test of a point (values of the inputs, as C reads them), a term and a text. The pool grows: at
first single inputs are compared with numbers that were seen, then sums and differences, then products, at
last the very conditions of the code. A tree is built by information gain (ID3); its paths are the condition.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vouch.modular import c_text
from vouch.record import frozen_record
from vouch.smt import term as T
from vouch.smt.term import Term

Point = tuple[int, ...]  # values of the inputs, in their order
RICHEST = 3  # the last level of the pool


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """A number made of inputs: `of` a point, as a term, as C; `width` and `signed` as the term is read."""

    of: Callable[[Point], int]
    term: Term
    text: str
    width: int
    signed: bool
    simple: bool  # an input as it is


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """`holds` for a point. kind: "<=", "==" or "" for others, with the measure and the number compared."""

    holds: Callable[[Point], bool]
    term: Term
    yes: str
    no: str
    kind: str = ""
    measure: Measure | None = None
    limit: int = 0


@frozen_record
class FeatureVariable:
    """An input: the symbol, its text, and how it is read. A Boolean one has a text for either value."""

    symbol: Term
    text: str
    width: int
    signed: bool
    opposite: str = ""


def measures(variables: Sequence[FeatureVariable], level: int) -> Iterator[Measure]:
    """What is compared with numbers on a level of the pool."""
    numbers = [(i, v) for i, v in enumerate(variables) if v.symbol.sort.kind == "bv"]
    for i, v in numbers:
        yield Measure(lambda point, i=i: point[i], v.symbol, v.text, v.width, v.signed, True)  # type: ignore[misc]
    if level >= 1:
        for k, (i, v) in enumerate(numbers):
            for j, w in numbers[k + 1 :]:
                if max(v.width, w.width) <= 32:
                    yield _combined(i, v, j, w, "-", T.sub, lambda x, y: x - y)
                    yield _combined(i, v, j, w, "+", T.add, lambda x, y: x + y)
    if level >= 2:
        for k, (i, v) in enumerate(numbers):
            for j, w in numbers[k:]:
                if max(v.width, w.width) <= 16 or (max(v.width, w.width) <= 32 and v.signed and w.signed):
                    yield _combined(i, v, j, w, "*", T.mul, lambda x, y: x * y)


def _combined(
    i: int,
    v: FeatureVariable,
    j: int,
    w: FeatureVariable,
    sign: str,
    make: Callable[[Term, Term], Term],
    value: Callable[[int, int], int],
) -> Measure:
    a, b = (_wider(held, 64) for held in (v, w))
    text = f"(long long){v.text} {sign} {w.text}"
    return Measure(lambda point: value(point[i], point[j]), make(a, b), text, 64, True, False)


def _wider(v: FeatureVariable, width: int) -> Term:
    return T.sext(v.symbol, width) if v.signed else T.zext(v.symbol, width)


def at_most(measure: Measure, limit: int) -> Feature:
    width, signed = measure.width, measure.signed
    shown = c_text.number(limit, width, signed)
    compare = T.sle if signed else T.ule
    term = compare(measure.term, T.bv(limit, width))
    of = measure.of
    yes, no = f"{measure.text} <= {shown}", f"{measure.text} > {shown}"
    if limit == -1:
        yes, no = f"{measure.text} < 0", f"{measure.text} >= 0"
    return Feature(lambda p: of(p) <= limit, term, yes, no, "<=", measure, limit)


def equal(measure: Measure, limit: int) -> Feature:
    shown = c_text.number(limit, measure.width, measure.signed)
    term = T.eq(measure.term, T.bv(limit, measure.width))
    of = measure.of
    yes, no = f"{measure.text} == {shown}", f"{measure.text} != {shown}"
    return Feature(lambda p: of(p) == limit, term, yes, no, "==", measure, limit)


def pool(
    variables: Sequence[FeatureVariable], level: int, good: Sequence[Point], bad: Sequence[Point]
) -> list[Feature]:
    """The features of a level, simple ones first: between neighbouring values of which one is good and one
    bad, and equality with a value that occurs on one side only."""
    found = [
        Feature(lambda p, i=i: bool(p[i]), v.symbol, v.text, v.opposite)  # type: ignore[misc]
        for i, v in enumerate(variables)
        if v.symbol.sort.kind == "bool"
    ]
    for measure in measures(variables, min(level, 2)):
        yes, no = {measure.of(p) for p in good}, {measure.of(p) for p in bad}
        both = sorted(yes | no)
        found += [
            at_most(measure, low)
            for low, high in pairwise(both)
            if {low, high} & yes and {low, high} & no  # otherwise nothing changes between them
        ]
        found += [equal(measure, value) for value in sorted(no - yes)[:16]]
        found += [equal(measure, value) for value in sorted(yes - no)[:16]] if len(yes) < 8 else []
        if measure.simple and not measure.signed and 0 in no:
            found.append(equal(measure, 0))
    if level >= 1:
        found += _orders(variables)
    return found


def _orders(variables: Sequence[FeatureVariable]) -> Iterator[Feature]:
    """Two inputs of one type against each other, however wide."""
    for i, v in enumerate(variables):
        for j, w in enumerate(variables[i + 1 :], i + 1):
            if v.symbol.sort.kind == "bv" and (v.width, v.signed) == (w.width, w.signed):
                less = T.slt if v.signed else T.ult
                a, b = v.text, w.text
                for x, y, m, n, s, t in ((i, j, a, b, v, w), (j, i, b, a, w, v)):
                    yield Feature(
                        lambda p, x=x, y=y: p[x] < p[y],  # type: ignore[misc]
                        less(s.symbol, t.symbol),
                        f"{m} < {n}",
                        f"{m} >= {n}",
                    )
                yield Feature(
                    lambda p, i=i, j=j: p[i] == p[j],  # type: ignore[misc]
                    T.eq(v.symbol, w.symbol),
                    f"{a} == {b}",
                    f"{a} != {b}",
                )


# ---------------------------------------------------------------- trees


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    good: bool


@dataclass(frozen=True, slots=True, eq=False)
class TreeNode:
    feature: Feature
    yes: Tree
    no: Tree


Tree = Leaf | TreeNode


def grow(features: Sequence[Feature], good: Sequence[Point], bad: Sequence[Point]) -> Tree | None:
    """A tree that tells the points apart, by the feature of most information in each node, the simplest of
    those; None where the features do not suffice."""
    if not bad:
        return Leaf(True)
    if not good:
        return Leaf(False)
    best, gained = None, 0.0
    for feature in features:
        yes = sum(map(feature.holds, good)), sum(map(feature.holds, bad))
        no = len(good) - yes[0], len(bad) - yes[1]
        gain = _gain(yes, no)
        if gain > gained + 1e-9:
            best, gained = feature, gain
    if best is None:
        return None
    holds = best.holds
    inside = grow(features, [p for p in good if holds(p)], [p for p in bad if holds(p)])
    outside = grow(features, [p for p in good if not holds(p)], [p for p in bad if not holds(p)])
    return None if inside is None or outside is None else TreeNode(best, inside, outside)


def _gain(yes: tuple[int, int], no: tuple[int, int]) -> float:
    total = sum(yes) + sum(no)
    whole = _entropy(yes[0] + no[0], yes[1] + no[1])
    return whole - sum(sum(part) / total * _entropy(*part) for part in (yes, no))


def _entropy(a: int, b: int) -> float:
    parts = [n / (a + b) for n in (a, b) if n]
    return -sum(p * math.log2(p) for p in parts)


Path = list[tuple[Feature, bool]]


def paths(tree: Tree, good: bool, before: Path | None = None) -> Iterator[Path]:
    """The ways to the leaves of one kind."""
    before = before or []
    if isinstance(tree, Leaf):
        if tree.good is good:
            yield before
        return
    yield from paths(tree.yes, good, [*before, (tree.feature, True)])
    yield from paths(tree.no, good, [*before, (tree.feature, False)])


def leaves(tree: Tree) -> int:
    return 1 if isinstance(tree, Leaf) else leaves(tree.yes) + leaves(tree.no)


def as_term(tree: Tree) -> Term:
    """That a point is good."""
    if isinstance(tree, Leaf):
        return T.TRUE if tree.good else T.FALSE
    return T.ite(tree.feature.term, as_term(tree.yes), as_term(tree.no))


def as_text(tree: Tree) -> str:
    """The same as C: the good paths, or what excludes the bad ones, whichever are fewer."""
    good = [_shortened(path) for path in paths(tree, True)]
    bad = [_shortened(path) for path in paths(tree, False)]
    if not bad:
        return "1"
    if not good:
        return "0"
    if sum(map(len, good)) < sum(map(len, bad)):
        return _alternatives(_all(_literals(path)) for path in good)
    clauses = [[f.no if held else f.yes for f, held in path] for path in bad]
    if len(clauses) == 1:
        return " || ".join(clauses[0])
    return " && ".join(clause[0] if len(clause) == 1 else f"({' || '.join(clause)})" for clause in clauses)


def _literals(path: Path) -> list[str]:
    return [f.yes if held else f.no for f, held in path]


def _all(parts: list[str]) -> str:
    return " && ".join(parts)


def _alternatives(parts: Iterable[str]) -> str:
    found = list(parts)
    return found[0] if len(found) == 1 else " || ".join(f"({p})" if "&&" in p else p for p in found)


def _shortened(path: Path) -> Path:
    """Without tests that others on the path imply."""
    kept: Path = []
    for number, (feature, held) in enumerate(path):
        others = path[number + 1 :]
        if not any(_implies(other, truth, feature, held) for other, truth in others) and not any(
            _implies(other, truth, feature, held) for other, truth in kept
        ):
            kept.append((feature, held))
    return _pinned(kept)


def _pinned(path: Path) -> Path:
    """Two bounds that leave one value are that value."""
    for high, held in path:
        if high.kind == "<=" and held and high.measure is not None:
            low = next((f for f, h in path if _is_below(f, h, high)), None)
            if low is not None:
                rest = [(f, h) for f, h in path if f is not high and f is not low]
                return [*rest, (equal(high.measure, high.limit), True)]
    return path


def _is_below(low: Feature, held: bool, high: Feature) -> bool:
    if low.kind != "<=" or held or low.measure is None or high.measure is None:
        return False
    return low.measure.text == high.measure.text and low.limit == high.limit - 1


def _implies(a: Feature, a_held: bool, b: Feature, b_held: bool) -> bool:
    """Does a test of a measure decide another of the same?"""
    if a.measure is None or b.measure is None or a.measure.text != b.measure.text or a is b:
        return False
    if a.kind == "==" and a_held:
        return (a.limit <= b.limit if b.kind == "<=" else a.limit == b.limit) is b_held
    if a.kind == "<=" and b.kind == "<=" and a_held is b_held:
        return a.limit <= b.limit if a_held else a.limit >= b.limit
    if a.kind == "<=" and b.kind == "==" and not b_held:
        return a.limit < b.limit if a_held else a.limit >= b.limit
    return False
