"""The harness as terms: inputs and outputs in their order, and the conditions for getting there."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vouch.errors import Unsupported
from vouch.settings import Settings
from vouch.shipped.harness import NAME
from vouch.shipped.interface import ArraySizes, Interface

if TYPE_CHECKING:
    from vouch.bmc.equation import Claim
    from vouch.numeric.accuracy import Library
    from vouch.numeric.layers import Computed
    from vouch.smt.node import Term

BOUND = 4096  # iterations of a loop; those of networks have constant counts


def execute(paths: Sequence[str], interface: Interface, sizes: ArraySizes, check: Settings) -> Computed:
    """Follow the harness to its end. Every output is compared with a symbol of its own there."""
    from vouch.numeric.layers import Computed

    claims, library = _claims(paths, check)
    outputs: list[Term] = []
    symbols: list[Term] = []
    asked: list[Term] = []
    for _, same in groupby(claims, key=lambda claim: claim.check.id):
        value, own, claim = _compared(list(same))
        outputs.append(value)
        asked = [claim.violated]  # the last one is reached when no other failed, so it has them all
        symbols.append(_bare(own))
    if len(outputs) != sizes.outputs:
        raise Unsupported("an output of the code is not reached")
    library = _used(library, [*asked, *outputs])
    inputs = _inputs([*asked, *(arg for call in library.calls.values() for arg in call.arguments)], interface)
    inputs = [term for term in inputs if _bare(term) not in symbols]
    if len(inputs) != sizes.inputs:
        raise Unsupported("the inputs of the code are not the model's")
    return Computed(asked, inputs, outputs, library)


def _claims(paths: Sequence[str], check: Settings) -> tuple[list[Claim], Library]:
    """The claims of the harness in its order, and the results of the math library."""
    from vouch.api import front_options
    from vouch.bmc.problem import pose
    from vouch.bmc.rounds import Log, Rounds
    from vouch.c import checks, frontend
    from vouch.c.checks.base import Category
    from vouch.c.entries import entries
    from vouch.numeric.accuracy import Accuracy, Library

    wanted = checks.chosen(("assertion",))
    program = frontend.load(list(paths), front_options(check, wanted)).program
    listed = checks.find(program, wanted, program.sources)
    starts = entries(program, ["main"], None)
    deadline = None if check.timeout is None else time.monotonic() + float(check.timeout)
    problem = pose(program, listed, (), check, deadline, entries=starts, bounds={})
    context, equation = Rounds(problem, Log()).executed(problem.starts[0], BOUND)
    if equation.cuts:
        raise Unsupported(f"the code was not followed to its end: {equation.cuts[0].reason}")
    claims = [c for c in equation.claims if Path(c.check.location.file).name == NAME]
    claims = [c for c in claims if c.check.category is Category.ASSERTION]
    claims.sort(key=lambda claim: claim.check.location.line)
    return claims, Library(context.calls, Accuracy(check.libm))


def _compared(claims: list[Claim]) -> tuple[Term, Term, Claim]:
    """Of an assertion, which may have several claims: the one that compares, what it compares, and with which
    symbol."""
    from vouch.numeric.narrow import conjuncts

    parts = {p: c for c in claims for p in conjuncts([c.violated]) if p.op in ("fp_eq", "eq")}
    if len(parts) != 1:
        raise Unsupported("an output of the code is reached by several ways, or is no number")
    ((part, claim),) = parts.items()
    value, own = sorted(part.args, key=lambda term: _bare(term).id)
    return value, own, claim


def _used(library: Library, terms: Sequence[Term]) -> Library:
    """The results that terms hang on."""
    from vouch.numeric.accuracy import Library

    found = {}
    stack, seen = list(terms), set()
    while stack:
        term = stack.pop()
        if term not in seen:
            seen.add(term)
            call = library.calls.get(term)
            if call is not None:
                found[term] = call
                stack.extend(call.arguments)
            stack.extend(term.args)
    return Library({term: found[term] for term in sorted(found, key=lambda t: t.id)}, library.accuracy)


def _inputs(terms: Sequence[Term], interface: Interface) -> list[Term]:
    from vouch.smt.walk import order

    below = order(terms)
    named = [t for t in below if t.op == "symbol" and t.name.startswith(interface.nondet)]
    floats = {t.args[0]: t for t in below if t.op == "fp_from_bits"}
    return [floats.get(t, t) for t in sorted(named, key=lambda t: t.id)]


def _bare(term: Term) -> Term:
    """The symbol that a number was made from, if it was made from one."""
    while term.op in ("fp_from_bits", "sext", "zext"):
        term = term.args[0]
    return term


def evaluated(code: Computed, point: Any) -> Any:
    """The outputs of the code, exactly, in its own numbers, with the math library of this machine. None where
    that does not know a function."""
    from vouch.numeric import real
    from vouch.numeric.tape import bits_of, float_of
    from vouch.smt.operators import signed
    from vouch.smt.walk import evaluate

    values: dict[Term, Any] = {}
    for term, x in zip(code.inputs, point, strict=True):
        mask = (1 << term.width) - 1
        values[_bare(term)] = int(x) & mask if term.sort.kind == "bv" else bits_of(term.sort, x)
    for term, call in code.library.calls.items():
        memo: dict[Term, Any] = {}
        given = tuple(evaluate(arg, values, lambda symbol: 0, memo) for arg in call.arguments)
        result = real.call(call.name, given)
        if result is None:
            return None
        values[_bare(term)] = result
    memo = {}
    found = []
    for term in code.outputs:
        bits = evaluate(term, values, lambda symbol: 0, memo)
        number = signed(bits, term.width) if term.sort.kind == "bv" else float_of(term.sort, bits)
        found.append(float(number))
    return np.array(found)
