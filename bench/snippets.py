"""Random C programs against an interpreter: `python -m bench snippets [--count N --first SEED --jobs N]`.

Hypothesis draws programs of four snippets each, whose inputs are pinned or free in a small range; what a
direct interpreter computes must be proved, what it violates found and replayed
(`tests/bmc/test_random_programs.py`). A seed stands for a dozen programs; its remainder modulo 3 says how
many values an input may have.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from hypothesis import given, seed, settings
from tests.bmc import test_random_programs as programs

from bench.campaign import GOOD, OPEN, WRONG, Answer, arguments, run

WIDTHS = (1, 3, 8)
EACH = 12
LIMIT = 60.0


def work(number: int, limit: float) -> Answer:
    answers: list[Answer] = []
    with tempfile.TemporaryDirectory() as name:

        @seed(number)
        @settings(programs.campaign(EACH), derandomize=False)
        @given(programs.several(WIDTHS[number % len(WIDTHS)]))
        def one(parts: list[programs.Snippet]) -> None:
            problems = programs.problems(Path(name), parts, limit)
            if problems:
                undecided = all("time limit" in text for text in problems)
                files = {f"random{len(answers)}.c": (Path(name) / "random.c").read_text(encoding="utf-8")}
                answers.append(Answer(number, OPEN if undecided else WRONG, problems, files))

        one()
    wrong = [a for a in answers if a.kind == WRONG]
    told = wrong or answers
    notes = [note for answer in told for note in answer.notes]
    files = {name: text for answer in told for name, text in answer.files.items()}
    return Answer(number, WRONG if wrong else OPEN if answers else GOOD, notes, files)


def main(arguments_: list[str]) -> int:
    wanted = arguments("snippets", __doc__, 60).parse_args(arguments_)
    limit = wanted.limit or LIMIT
    return run(wanted, lambda seeds: [work(n, limit) for n in seeds], 1, EACH * (2 * limit + 30))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
