"""`enumerate`: every point of the format in the box is run. A proof by exhaustion.

Few points are evaluated with numpy, which costs no compilation; more of them run in the compiled code on all
cores. Points that an input set excludes are run too, and only those that are members count as violations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vouch.nn.fixed.cases import IntCase
from vouch.nn.fixed.format import Ints
from vouch.nn.result import Result
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.nn.fixed.decide import FixedQuestion

# Points that are run at all; more would take hours.
MOST_POINTS = 1 << 31
# Products up to which numpy is quicker than a compiler is called.
_LITTLE = 1 << 24
_BATCH = 1 << 12


def work(question: FixedQuestion) -> int:
    """Products that exhausting the question takes."""
    return max(1, question.network.work) * sum(case.points for case in question.cases)


def exhaust(question: FixedQuestion) -> Result:
    points = sum(case.points for case in question.cases)
    if points > MOST_POINTS:
        return question.made(
            Verdict.UNKNOWN, "enumerate", reason=f"{points} points of the format are too many to run"
        )
    little = work(question) <= _LITTLE
    plain = all(case.members is None for case in question.cases) and not little
    for number, case in enumerate(question.cases):
        if not case.points:
            continue
        if plain and question.native.searchable:
            done, found = question.native.exhaust(
                number, case, question.jobs, lambda: question.clock.over, question.report
            )
            question.count("points", done)
        else:
            found = _by_batches(question, case)
        if found is not None:
            return question.violation("enumerate", found)
        if question.clock.over:
            return question.made(Verdict.TIMEOUT, "enumerate", reason="the time is up")
    return _judged(question)


def _judged(question: FixedQuestion) -> Result:
    if question.statistics.get("open"):
        return question.made(
            Verdict.UNKNOWN,
            "enumerate",
            reason="a violation was found whose input may lie outside of the input set",
        )
    return question.made(Verdict.SAFE, "enumerate", progress=1.0)


def _by_batches(question: FixedQuestion, case: IntCase) -> Ints | None:
    """The first violation among all points, evaluated in batches."""
    total, done = case.points, 0
    little = work(question) <= _LITTLE
    counts = [int(n) for n in case.counts]
    from vouch.nn.fixed.evaluate import evaluate

    while done < total and not question.clock.over:
        places = np.stack(np.unravel_index(np.arange(done, min(total, done + _BATCH)), counts), axis=1)
        numbers = case.numbers(places)
        outputs = evaluate(question.network, numbers) if little else question.native.run(numbers)
        bad = case.violated(numbers, outputs)
        if case.members is not None and bad.any():
            bad[bad] = case.members.possible(numbers[bad])
        for index in np.flatnonzero(bad):
            inside = True if case.members is None else case.members.contains(numbers[index])
            if inside:
                return np.asarray(numbers[index])
            if inside is None:
                question.count("open", 1)
        done += len(places)
        question.count("points", len(places))
        question.report(done / total)
    return None
