"""Structs that are handed on by value, against a book kept of what was written.

A random struct is set in part, goes through random stations (arguments, results, assignments, members of
other structs, arrays, pointers), each of which may set more of it, and each of its members is read at the
end. A member must be reported as unwritten exactly when no station wrote it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from vouch.api import check
from vouch.result import CheckResult
from vouch.verdict import Verdict

_TYPES = ("char", "short", "int", "long", "float", "double", "unsigned char", "char *")
_FIELDS = (":1", ":3", ":5", ":7", ":12", "int")
_PROGRAMS = 12


class _Program:
    """`text` is the source; `written` the members that have a value at the end."""

    def __init__(self, seed: int, types: Sequence[str] = _TYPES) -> None:
        self.random = random.Random(seed)
        count = self.random.randint(1, 5)
        self.members = [(f"m{i}", self.random.choice(types)) for i in range(count)]
        self.written: set[str] = set()
        self.functions: list[str] = []
        self.lines: list[str] = []

    def _some(self) -> list[str]:
        chosen = [name for name, _ in self.members if self.random.random() < 0.4]
        self.written.update(chosen)
        return chosen

    def _set(self, place: str) -> str:
        return " ".join(f"{place}{name} = 0;" for name in self._some())

    def _station(self, number: int) -> None:
        name = f"f{number}"
        match self.random.randrange(6):
            case 0:  # through a function
                body = f"{self._set('s.')} return s;"
                self.functions.append(f"static struct S {name}(int x, struct S s) {{ {body} }}")
                self.lines.append(f"s = {name}(1, s);")
            case 1:  # into a wrapper and out of it
                self.functions.append(
                    f"struct W{number} {{ char tag; struct S inner; }};\n"
                    f"static struct W{number} {name}(struct S s)"
                    f" {{ struct W{number} w; {self._set('s.')} w.inner = s; return w; }}"
                )
                self.lines.append(f"s = {name}(s).inner;")
            case 2:  # through memory that a pointer leads to
                self.functions.append(
                    f"static void {name}(struct S *to, struct S s) {{ *to = s; {self._set('to->')} }}"
                )
                self.lines.append(f"{{ struct S t; {name}(&t, s); s = t; }}")
            case 3:  # through an element of an array
                self.lines.append(f"{{ struct S a[3]; a[1] = s; {self._set('a[1].')} s = a[1]; }}")
            case 4:  # one of two that are equally complete
                self.functions.append(
                    f"static struct S {name}(int c, struct S s)"
                    f" {{ struct S t = s; {self._set('s.')} return c ? s : t; }}"
                )
                self.lines.append(f"s = {name}(1, s);")
            case _:  # through a global
                self.functions.append(f"static struct S g{number};")
                self.lines.append(f"g{number} = s; {self._set(f'g{number}.')} s = g{number};")

    def text(self) -> str:
        self.lines.append(self._set("s."))
        for number in range(self.random.randint(1, 4)):
            self._station(number)
        fields = " ".join(
            f"unsigned {name} {kind};" if kind[0] == ":" else f"{kind} {name};" for name, kind in self.members
        )
        reads = "\n".join(
            f"  if (n == {i}) return s.{name} == 0;" for i, (name, _) in enumerate(self.members)
        )
        body = "\n  ".join(self.lines)
        return (
            "\n".join([f"struct S {{ {fields} }};", *self.functions, "int probe(int n) {", "  struct S s;"])
            + f"\n  {body}\n{reads}\n  return 0;\n}}\n"
        )


@pytest.mark.parametrize("target", [None, "thumbv7m-none-eabi", "i386-linux-gnu"])
@pytest.mark.parametrize("block", range(4))
def test_members_are_followed(block: int, target: str | None, tmp_path: Path) -> None:
    for seed in range(block * _PROGRAMS // 4, (block + 1) * _PROGRAMS // 4):
        program = _Program(seed)
        for name, bad in _found(program, tmp_path / f"p{seed}.c", target):
            assert bool(bad) == (name not in program.written), (seed, name)
            assert all(c.verdict is Verdict.UNSAFE and c.replayed for c in bad), (seed, name, bad)


def test_bit_fields_are_told_apart(tmp_path: Path) -> None:
    """Reading one that was written is safe, whatever its neighbours; one that was not never is."""
    for seed in range(_PROGRAMS):
        program = _Program(seed, _FIELDS)
        for name, bad in _found(program, tmp_path / f"p{seed}.c", None):
            assert bool(bad) == (name not in program.written), (seed, name)
            assert all(c.replayed or c.verdict is Verdict.UNKNOWN for c in bad), (seed, name, bad)


def _found(program: _Program, source: Path, target: str | None) -> Iterator[tuple[str, list[CheckResult]]]:
    """For each member the results on its read that are not safe."""
    text = program.text()
    source.write_text(text)
    result = check(source, checks=["uninitialised"], **({"target": target} if target else {}))
    assert result.replay_failures == 0
    first = next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith("  if (n == 0)"))
    for number, (name, _) in enumerate(program.members):
        here = [c for c in result.checks if c.check.location.line == first + number]
        yield name, [c for c in here if c.verdict is not Verdict.SAFE]
