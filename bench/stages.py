"""Speed of the C flow: seconds per stage, instructions a second, the cases' median, start-up, memory.

`python -m bench stages [--cases N]`; the figures are of this machine, compare them with each other.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from bench import cases
from bench.process import run

_FUNCTION = """
static int32_t filter{n}(const int16_t *samples, uint8_t count)
{{
    int32_t sum = 0;
    uint8_t used = 0u;
    for (uint8_t i = 0u; i < 8u; i++) {{
        if (i < count) {{
            sum += (int32_t)samples[i] * {n};
            used++;
        }}
    }}
    if (used == 0u) {{
        return 0;
    }}
    return sum / (int32_t)used;
}}

int32_t update{n}(struct channel *c, int16_t value)
{{
    c->ring[c->head % 8u] = value;
    c->head = (uint8_t)((c->head + 1u) % 8u);
    if (c->level > 1000) {{
        c->level = 1000;
    }}
    return filter{n}(c->ring, c->head) + (c->level > 0 ? c->level : 0);
}}
"""
_HEAD = """#include <stdint.h>
struct channel {
    int16_t ring[8];
    uint8_t head;
    int32_t level;
};
"""


def large_program(lines: int) -> str:
    """Driver-like code of about so many lines."""
    size = len(_FUNCTION.splitlines())
    return _HEAD + "".join(_FUNCTION.format(n=n + 1) for n in range(lines // size))


def start_up() -> None:
    times = sorted(run(["--help"], 30).seconds for _ in range(9))
    print(f"vouch --help            {times[len(times) // 2]:8.3f} s (median of {len(times)})")


def regression(count: int) -> None:
    """Each case as a user runs it: a process of its own, compiled anew."""
    chosen = cases.find()
    chosen = chosen[:: max(1, len(chosen) // count)]
    stages: defaultdict[str, float] = defaultdict(float)
    seconds = []
    for case in chosen:
        done = run(["check", str(case.path), *case.options, "--json", "--no-cache"], 120)
        seconds.append(done.seconds)
        if done.code in (0, 1, 3):
            for name, spent in json.loads(done.output)["stages"].items():
                stages[name] += spent
    print(f"regression cases        {statistics.median(seconds):8.3f} s median of {len(seconds)}")
    print(f"                        {max(seconds):8.3f} s slowest")
    for name, spent in stages.items():
        print(f"  stage {name:18}{spent / len(seconds):8.3f} s on average")


def reader(folder: Path, lines: int) -> None:
    """Front end and reader alone, on the large program."""
    from vouch.c.frontend import load
    from vouch.c.reader import read

    path = folder / "large.c"
    path.write_text(large_program(lines), encoding="utf-8")
    began = time.monotonic()
    loaded = load([str(path)])
    compiled = time.monotonic()
    program = read(loaded.ir)
    spent = time.monotonic() - compiled
    count = sum(len(b.instructions) for f in program.functions.values() for b in f.blocks.values())
    print(f"load, {lines} lines of C   {compiled - began:8.3f} s")
    print(f"reader                  {loaded.ir.count(chr(10)) / spent:8.0f} lines of IR a second")
    print(f"                        {count / spent:8.0f} instructions a second")


def large(folder: Path, lines: int) -> None:
    path = folder / "large.c"
    done = run(["check", str(path), "--json", "--timeout", "300"], 400)
    if done.code not in (0, 1, 3):
        print(f"large program: exit code {done.code}: {done.errors.strip()[-200:]}")
        return
    document = json.loads(done.output)
    checks = len(document["checks"])
    print(f"check, {lines} lines      {done.seconds:8.1f} s, {checks} checks, {document['summary']}")
    print(f"                        {done.megabytes:8.0f} MB")
    for name, spent in document["stages"].items():
        print(f"  stage {name:18}{spent:8.3f} s")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench stages", description=__doc__)
    parser.add_argument("--cases", type=int, default=60, help="how many regression cases to time")
    parser.add_argument("--lines", type=int, default=10_000, help="size of the large program")
    wanted = parser.parse_args(arguments)
    start_up()
    regression(wanted.cases)
    with tempfile.TemporaryDirectory() as name:
        reader(Path(name), wanted.lines)
        large(Path(name), wanted.lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
