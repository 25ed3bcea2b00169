"""Random libraries with a random outside: `python -m bench environment [--count N --first SEED --jobs N]`.

Each library is linked with callers, external functions and callbacks that do at random whatever C and vouch's
assumptions allow, and run natively: no check that vouch proves may fire (`tests/bmc/environment_judge.py`).
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.bmc import environment_judge as judging
from tests.bmc.environment_programs import library

from bench.campaign import GOOD, WRONG, Answer, arguments, run

BLOCK = 5  # libraries in one native program: most of its time goes into the compiler
RUNS = 2000
LIMIT = 20.0


def work(seeds: range, limit: float) -> list[Answer]:
    libraries = {seed: library(seed) for seed in seeds}
    with tempfile.TemporaryDirectory() as name:
        found = judging.natives.run(list(libraries.values()), Path(name), RUNS)
        answers = []
        for seed, one in libraries.items():
            judged = judging.judge_one(one, Path(name), found, timeout=limit)
            notes = judged.wrong + judged.broken
            files = {f"{one.prefix}.c": one.text, "outside.c": judging.natives.program([one])}
            counts = _counts("fires", judged.firing) + _counts("never fires", judged.quiet)
            answers.append(Answer(seed, WRONG if notes else GOOD, notes, files, counts))
    return answers


def _counts(what: str, verdicts: Counter[str]) -> Counter[str]:
    return Counter({f"{what}: {verdict}": count for verdict, count in verdicts.items()})


def main(given: list[str]) -> int:
    wanted = arguments("environment", __doc__, 2075).parse_args(given)
    limit = wanted.limit or LIMIT
    return run(wanted, lambda seeds: work(seeds, limit), BLOCK, BLOCK * (2 * limit + 60) + 600)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
