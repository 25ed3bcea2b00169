"""Random programs against a native run: `python -m bench csmith [--count N --first SEED --jobs N]`.

csmith writes a program free of undefined behaviour and without inputs; a native run prints a checksum over
its globals. Appended to the program, `assert(checksum == value)` must be proved and
`assert(checksum != value)` refuted, and no other check may be violated. Conversions that change a value are
left out: C allows them, and csmith makes plenty.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.campaign import GOOD, OPEN, SKIPPED, WRONG, Answer, arguments, run
from vouch.result import RunResult
from vouch.verdict import Verdict

# Small programs: the point is many shapes, not size.
_LIMITS = {
    "--max-funcs": 3,
    "--max-block-depth": 2,
    "--max-block-size": 3,
    "--max-expr-complexity": 4,
    "--max-array-dim": 2,
    "--max-array-len-per-dim": 4,
    "--max-struct-fields": 4,
    "--max-union-fields": 3,
    "--max-pointer-depth": 2,
}
SMALL = [
    *("--no-argc", "--quiet", "--no-volatiles"),
    *(word for name, limit in _LIMITS.items() for word in (name, str(limit))),
]
OPTIONS: dict[str, Any] = {"checks": ["default", "-narrowing"], "check_timeout": 20.0, "timeout": 60.0}
LATE = 900.0  # seconds after which a program is given up whatever vouch does
_END = re.compile(r"platform_main_end\(crc32_context \^ 0xFFFFFFFFUL, print_hash_value\);")
_FIRST = re.compile(r"assert\(sum == \d+u\);")


@dataclass(frozen=True, slots=True)
class Random:
    """A program with both assertions at its end, and the lines that they stand on."""

    seed: int
    path: Path
    proved_line: int
    refuted_line: int


def include_folder() -> Path | None:
    """Where csmith's headers are, None if csmith is not installed."""
    program = shutil.which("csmith")
    if program is None:
        return None
    found = sorted(Path(program).resolve().parent.parent.glob("include/csmith*/csmith.h"))
    return found[0].parent if found else None


def generate(seed: int, folder: Path, options: list[str] | None = None) -> Random | None:
    """The program of this seed; None if it does not end within a second natively."""
    include = include_folder()
    assert include is not None
    path = folder / f"random{seed}.c"
    command = ["csmith", "--seed", str(seed), "--output", str(path), *(SMALL if options is None else options)]
    subprocess.run(command, check=True, capture_output=True, timeout=60, cwd=folder)
    value = _checksum(path, include)
    if value is None:
        return None
    text = path.read_text(encoding="utf-8")
    checks = f"assert(sum == {value}u);\n    assert(sum != {value}u);\n"
    text, count = _END.subn(f"unsigned sum = (unsigned)(crc32_context ^ 0xFFFFFFFFUL);\n    {checks}", text)
    assert count == 1
    text = "#include <assert.h>\n" + text
    path.write_text(text, encoding="utf-8")
    line = text[: text.index("assert(sum ==")].count("\n") + 1
    return Random(seed, path, line, line + 1)


def _checksum(path: Path, include: Path) -> int | None:
    program = path.with_suffix("")
    compiler = ["cc"] if shutil.which("cc") else [sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=all"]
    command = [*compiler, "-w", "-O1", "-I", str(include), "-o", str(program), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    try:
        done = subprocess.run([str(program)], capture_output=True, text=True, timeout=1, check=True)
    except subprocess.TimeoutExpired:
        return None
    finally:
        program.unlink(missing_ok=True)
    return int(done.stdout.split("checksum =")[1], 16)


def check(program: Random, headers: Path | None = None) -> RunResult:
    import vouch

    include = [str(headers or include_folder())]
    result: RunResult = vouch.check(program.path, include=include, jobs=1, **OPTIONS)
    return result


def wrong(program: Random, result: RunResult) -> Iterator[str]:
    """Wrong answers: what must be proved is refuted, or the other way round, or something else fails."""
    for item in result.checks:
        line = item.check.location.line
        described = f"{item.check.id} (line {line}): {item.verdict}, {item.reason}"
        if line == program.refuted_line and item.check.category == "assertion":
            if item.verdict in (Verdict.SAFE, Verdict.BOUND_SAFE):
                yield f"must fail: {described}"
            if item.verdict is Verdict.UNSAFE and item.replayed is not True:
                yield f"not replayed: {described}"
        elif item.verdict is Verdict.UNSAFE:
            yield f"cannot fail: {described}"
    if result.replay_failures:
        yield f"{result.replay_failures} violations were not confirmed"


def undecided(program: Random, result: RunResult) -> list[str]:
    """Why an assertion at the end has no answer (not wrong, but not what is wanted)."""
    wanted = {program.proved_line: Verdict.SAFE, program.refuted_line: Verdict.UNSAFE}
    ends = [r for r in result.checks if r.check.location.line in wanted and r.check.category == "assertion"]
    found = [
        f"{r.check.id}: {r.verdict}, {r.reason}"
        for r in ends
        if r.verdict is not wanted[r.check.location.line]
    ]
    return found if len(ends) >= 2 else [*found, "an assertion at the end is missing"]


def work(seed: int, folder: Path | None) -> Answer:
    with tempfile.TemporaryDirectory() as name:
        program = read(seed, folder) if folder is not None else generate(seed, Path(name))
        if program is None:
            return Answer(seed, SKIPPED, ["runs too long natively, or was not written"])
        result = check(program, folder)
        files = {program.path.name: program.path.read_text(encoding="utf-8")}
    mistakes = list(wrong(program, result))
    if mistakes:
        return Answer(seed, WRONG, mistakes, files)
    left = undecided(program, result)
    return Answer(seed, OPEN if left else GOOD, left[:1])


def write(seeds: range, folder: Path) -> int:
    """Programs and csmith's headers, for machines that have no csmith."""
    include = include_folder()
    assert include is not None
    shutil.copytree(include, folder, dirs_exist_ok=True)
    made = [program for seed in seeds if (program := generate(seed, folder)) is not None]
    print(f"{len(made)} programs in {folder}")
    return 0


def read(seed: int, folder: Path) -> Random | None:
    """A program that `write` made."""
    path = folder / f"random{seed}.c"
    if not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    found = _FIRST.search(text)
    if found is None:
        return None
    line = text[: found.start()].count("\n") + 1
    return Random(seed, path, line, line + 1)


def main(given: list[str]) -> int:
    parser = arguments("csmith", __doc__, 300)
    parser.add_argument("--write", type=Path, help="only write the programs into this folder")
    parser.add_argument("--read", type=Path, help="take the programs from this folder: needs no csmith")
    wanted = parser.parse_args(given)
    if include_folder() is None and wanted.read is None:
        print("csmith is not installed (Debian: csmith, libcsmith-dev)", file=sys.stderr)
        return 2
    if wanted.write is not None:
        return write(range(wanted.first, wanted.first + wanted.count), wanted.write)
    OPTIONS["timeout"] = wanted.limit or OPTIONS["timeout"]
    return run(wanted, lambda seeds: [work(seed, wanted.read) for seed in seeds], 1, LATE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
