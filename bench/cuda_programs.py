"""CUDA host programs of `examples/cuda`: the correct ones proved, every seeded defect found and replayed.

    python -m bench cuda_programs [NAME…]

A program says in its first comment what each of its defects (`-DDEFECT=N`) must be found as: a category and a
part of the message. Prints processor time.
"""

from __future__ import annotations

import re
import resource
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import vouch
from vouch.result import RunResult
from vouch.verdict import Verdict

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "cuda"
_DEFECT = re.compile(r"^\s+defect (\d+): ([\w|-]+): ?(.*?)(?: \*/)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Defect:
    number: int
    categories: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Program:
    path: Path
    defects: tuple[Defect, ...]


def programs() -> list[Program]:
    found = []
    for path in sorted(FOLDER.iterdir()):
        if path.suffix in (".c", ".cpp", ".cu"):
            matches = _DEFECT.findall(path.read_text(encoding="utf-8"))
            defects = tuple(Defect(int(n), tuple(c.split("|")), text.strip()) for n, c, text in matches)
            found.append(Program(path, defects))
    return found


def checked(program: Program, defect: int, **options: object) -> RunResult:
    return vouch.check([program.path], define=[f"DEFECT={defect}"], **options)  # type: ignore[arg-type]


def problems(program: Program, defect: Defect | None, result: RunResult) -> Iterator[str]:
    """What is not as it should be."""
    if defect is None:
        for one in result.checks:
            if one.verdict is not Verdict.SAFE:
                yield f"{one.check.location.line}: {one.check.message}: {one.verdict} ({one.reason})"
        return
    for one in result.checks:
        about = str(one.check.category) in defect.categories and defect.text in one.check.message
        if about and one.verdict is Verdict.UNSAFE and one.replayed:
            return
    yield f"not found; instead: {'; '.join(list(problems(program, None, result))[:4])}"


def processor() -> float:
    use = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in use)


def main(arguments: list[str]) -> int:
    wrong = proved = found = 0
    for program in programs():
        if arguments and program.path.stem not in arguments:
            continue
        for defect in (None, *program.defects):
            began = processor()
            result = checked(program, defect.number if defect else 0)
            said = list(problems(program, defect, result))
            name = program.path.name if defect is None else f"  defect {defect.number}"
            count = len(result.checks)
            verdict = "; ".join(said) or "as it should be"
            print(f"{name:18} {count:4} checks {processor() - began:7.2f} s  {verdict}", flush=True)
            wrong += bool(said)
            proved += defect is None and not said
            found += defect is not None and not said
    print(f"{proved} programs proved, {found} defects found and replayed, {wrong} not as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
