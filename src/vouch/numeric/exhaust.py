"""Exhaustion: a question over few input bits, asked of every input there is.

The formula is written as C (`emit.py`), compiled and run on all cores. No code of the program under test is
run: what runs is made from terms, reads no memory but constant tables, and calls nothing but functions of the
math library of one or two numbers.
"""

from __future__ import annotations

import ctypes
import os
import platform
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vouch.c.wheel import wheel
from vouch.errors import VouchError
from vouch.folder import Folder
from vouch.numeric import real
from vouch.numeric.emit import HEADER, Emitter, MathCall, NotEmitted, c_type, cone
from vouch.numeric.narrow import Narrowing, conjuncts
from vouch.numeric.tape import Tape
from vouch.numeric.values import Floats, Ints, Truth
from vouch.process import OutOfTime, call
from vouch.record import frozen_record
from vouch.smt.node import Term
from vouch.smt.sort import BOOL, FLOAT32, FLOAT64

MOST = 1 << 32  # inputs
_BLOCK = 1024  # inputs that are looked at together
_CHUNK = 0.05  # seconds of one call: time limits and interrupts are noticed between calls
_ESTIMATE = 0.5  # seconds after which it is known how long all of it takes
_LARGE = 400  # terms above which a function is left at the first conjunct that does not hold


@frozen_record
class EnumerationSource:
    """A term whose values are counted through: `first`, `first + 1`, …; floats by their order, with both
    zeros, and NaN last where it may be one."""

    term: Term
    first: int
    count: int
    nan: bool = False

    def bits(self, number: int) -> int:
        if self.nan and number == self.count - 1:
            return 0x7FC00000 if self.term.sort is FLOAT32 else 0x7FF8000000000000
        value, width = self.first + number, self.term.width
        if self.term.sort.kind == "fp" and value < 0:
            return (1 << (width - 1)) | ~value
        return value & ((1 << width) - 1)

    def decoded(self, number: str) -> str:
        """The same in C."""
        value = f"((s64){self.first}ll + (s64){number})"
        if self.term.sort.kind != "fp":
            return f"({c_type(self.term.sort)})({value} & 0x{(1 << self.term.width) - 1:x}ull)"
        size, top = ("f32", "0x80000000u") if self.term.sort is FLOAT32 else ("f64", "0x8000000000000000ull")
        kind = "u32" if size == "f32" else "u64"
        text = f"{size}_of({value} < 0 ? {top} | ({kind})~{value} : ({kind}){value})"
        return f"{number} == {self.count - 1}ull ? __builtin_nanf(\"\") : {text}" if self.nan else text


@frozen_record
class Enumeration:
    """A question that can be run: `sources` have at most `MOST` combinations."""

    roots: list[Term]
    sources: list[EnumerationSource]
    calls: Mapping[Term, MathCall]
    size: int  # terms

    @property
    def points(self) -> int:
        total = 1
        for source in self.sources:
            total *= source.count
        return total

    def assignment(self, number: int) -> dict[Term, int]:
        found = {}
        for source in self.sources:
            number, own = divmod(number, source.count)
            bits = source.bits(own)
            found[source.term] = bool(bits) if source.term.sort is BOOL else bits
        return found


@frozen_record
class Exhausted:
    """`proved`: every input was run and none satisfies the question. `found`: the first that does."""

    proved: bool
    found: dict[Term, int] | None = None
    run: int = 0


def pose(goal: Sequence[Term], known: Sequence[Term], calls: Mapping[Term, MathCall]) -> Enumeration | None:
    """The goal with those of the known facts that say something about its inputs alone; None where it has
    too many inputs, or what is not computed here. Raises Contradiction where the facts exclude the goal."""
    roots = conjuncts(goal)
    try:
        inside = set(cone(roots, calls, {}))
        mine = _symbols(inside)
        for fact in conjuncts(known):
            below = cone([fact], calls, {})
            if _symbols(below) <= mine:
                roots.insert(0, fact)
                inside.update(below)
        sources = _sources(roots, inside, calls)
    except NotEmitted:
        return None
    if sources is None:
        return None
    found = Enumeration(roots, sources, {t: c for t, c in calls.items() if t in inside}, len(inside))
    return found if found.points <= MOST else None


def _symbols(terms: Any) -> set[Term]:
    return {term for term in terms if term.op == "symbol"}


def _sources(
    roots: list[Term], inside: set[Term], calls: Mapping[Term, MathCall]
) -> list[EnumerationSource] | None:
    box = Narrowing(Tape(roots)).run()
    found: dict[Term, EnumerationSource] = {}
    below: set[Term] = set()
    for term in _own_floats(inside, calls):
        value = box.get(term)
        if isinstance(value, Floats) and term.sort in (FLOAT32, FLOAT64):
            source = _floats(term, value)
            if source.count <= MOST:
                found[term] = source
                below |= _under(term)
    for term in sorted(inside, key=lambda t: t.id):
        if term.op == "symbol" and term not in below and term not in calls:
            plain = _plain(term, box.get(term))
            if plain is None:
                return None
            found[term] = plain
    return list(found.values())


def _plain(term: Term, value: Any) -> EnumerationSource | None:
    if term.sort is BOOL:
        if isinstance(value, Truth) and bool(value.true[0]) != bool(value.false[0]):
            return EnumerationSource(term, int(value.true[0]), 1)
        return EnumerationSource(term, 0, 2)
    if term.sort.kind == "fp":
        return _floats(term, value) if isinstance(value, Floats) and term.sort in (FLOAT32, FLOAT64) else None
    if term.sort.kind != "bv" or term.width > 64:
        return None
    ends = [(0, (1 << term.width) - 1)]
    if isinstance(value, Ints) and term.width <= 62:
        ends += [(int(value.low[0]), int(value.high[0])), (int(value.least[0]), int(value.most[0]))]
    low, high = min(ends, key=lambda e: e[1] - e[0])
    return EnumerationSource(term, low, high - low + 1) if high - low < MOST else None


def _floats(term: Term, value: Floats) -> EnumerationSource:
    nan = bool(value.nan[0])
    if not value.low[0] <= value.high[0]:
        return EnumerationSource(term, 0, int(nan), nan)
    low, high = _ordered(value.low[0], term.width, -1), _ordered(value.high[0], term.width, 0)
    return EnumerationSource(term, low, high - low + 1 + nan, nan)


def _ordered(number: Any, width: int, zero: int) -> int:
    """Floats counted from +0, which is 0; -0 is -1."""
    if number == 0:
        return zero
    bits = int(number.view(f"u{width // 8}"))
    return -(bits & ((1 << (width - 1)) - 1)) - 1 if bits >> (width - 1) else bits


def _under(term: Term) -> set[Term]:
    """A float made from bits, with the symbols and joints below it; empty where there is more than that."""
    found: set[Term] = set()
    stack = [term.args[0]]
    while stack:
        part = stack.pop()
        if part.op not in ("symbol", "concat"):
            return set()
        found.add(part)
        stack.extend(part.args)
    return found


def _own_floats(inside: set[Term], calls: Mapping[Term, MathCall]) -> list[Term]:
    """Floats made from bits that nothing else looks at."""
    users: dict[Term, set[Term]] = {}
    for term in inside:
        for arg in term.args:
            users.setdefault(arg, set()).add(term)
    found = []
    for term in inside:
        if term.op == "fp_from_bits" and term not in calls:
            below = _under(term)
            if below and all(users[part] <= below | {term} for part in below):
                found.append(term)
    return found


# ---------------------------------------------------------------- running


def program(asked: Enumeration) -> str:
    """`run(from, to)` gives the first input that satisfies the question, or `to`."""
    early = bool(asked.calls) or asked.size > _LARGE
    inputs = {source.term: f"x{n}" for n, source in enumerate(asked.sources)}
    emitter = Emitter(inputs, asked.calls, early)
    body = emitter.body(asked.roots)
    decoding, rest = [], "i"
    for n, source in enumerate(asked.sources):
        number = f"{rest} % {source.count}ull" if n < len(asked.sources) - 1 else rest
        decoding.append(f"u64 k{n} = {number};")
        decoding.append(f"{c_type(source.term.sort)} x{n} = {source.decoded(f'k{n}')};")
        if n < len(asked.sources) - 1:
            decoding.append(f"u64 r{n} = {rest} / {source.count}ull;")
            rest = f"r{n}"
    return f"""{HEADER}
{emitter.declarations()}
INLINE _Bool holds(u64 i) {{
{chr(10).join(decoding)}
{body}
}}
static __attribute__((noinline)) u64 search(u64 from, u64 to) {{
    for (u64 i = from; i < to; i += {_BLOCK}) {{
        u64 end = to - i < {_BLOCK} ? to : i + {_BLOCK};
        u32 any = 0;
        for (u64 k = i; k < end; k++) any |= holds(k);
        if (any) for (u64 k = i; k < end; k++) if (holds(k)) return k;
    }}
    return to;
}}
u64 run(u64 from, u64 to) {{ /* rounding and subnormals as IEEE 754 has them, whatever was set before */
#ifdef __x86_64__
    u32 before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80);
#endif
    u64 found = search(from, to);
#ifdef __x86_64__
    __builtin_ia32_ldmxcsr(before);
#endif
    return found;
}}
"""


def seconds(asked: Enumeration) -> float:
    """What it takes, roughly: to compile, and to run on the cores there are."""
    each = 0.2e-9 if asked.size <= _LARGE and not asked.calls else 0.5e-9
    one = 20e-9 * len(asked.calls) + each * asked.size
    return 1.0 + asked.size / 2000 + asked.points * one / len(os.sched_getaffinity(0))


def decide(asked: Enumeration, deadline: float) -> Exhausted:
    """Raises VouchError where this machine cannot compile or load it, or there is too little time."""
    if not asked.points:
        return Exhausted(True)
    with Folder("vouch-inputs-") as folder:
        library = load(compiled(program(asked), asked.size, folder, deadline))
        return _Running(asked, function(library), deadline).finish()


def compiled(text: str, size: int, folder: Path, deadline: float) -> Path:
    source, made = folder / "inputs.c", folder / "inputs.so"
    source.write_text(text, encoding="utf-8")
    native = ["-march=native"] if platform.machine() in ("x86_64", "AMD64") else []
    flags = ["-O1" if size > 2000 else "-O3", *native, "-std=gnu11", "-fPIC", "-w", "-fno-math-errno"]
    flags += ["-ffp-contract=off", "-fno-builtin", "-fno-stack-protector", "-fno-sanitize=all"]
    zig, part = str(wheel() / "zig"), folder / "inputs.o"
    commands = [
        [zig, "clang", *flags, "-c", str(source), "-o", str(part)],
        [zig, "ld.lld", "-shared", "-nostdlib", str(part), "-o", str(made)],
    ]
    for command in commands:
        try:
            done = call(command, deadline=deadline, writable=[str(folder)])
        except (OSError, OutOfTime):
            raise VouchError("cannot compile in time") from None
        if done.returncode:
            raise VouchError(f"cannot compile: {done.stderr.decode('utf-8', 'replace')[:200]}")
    return made


def load(path: Path) -> Any:
    try:
        real.library(everywhere=True)
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise VouchError(f"cannot be loaded: {error}") from None
    return library


def function(library: Any, name: str = "run") -> Callable[[int, int], int]:
    found = getattr(library, name)
    found.argtypes, found.restype = [ctypes.c_uint64, ctypes.c_uint64], ctypes.c_uint64
    return found  # type: ignore[no-any-return]


class _Running:
    """Threads, each of which takes the next inputs until there are none; calls into the library leave the
    interpreter to the others."""

    def __init__(self, asked: Enumeration, run: Callable[[int, int], int], deadline: float) -> None:
        self.asked, self.run, self.deadline = asked, run, deadline
        self.total = asked.points
        self.next, self.done = 0, 0
        self.size = 4 * _BLOCK
        self.found: int | None = None
        self.late = False
        self.began = time.monotonic()
        self.lock = threading.Lock()

    def finish(self) -> Exhausted:
        cores = len(os.sched_getaffinity(0)) if self.total > 1 << 18 else 1
        others = [threading.Thread(target=self._work, daemon=True) for _ in range(cores - 1)]
        for other in others:
            other.start()
        try:
            self._work()
        finally:
            self.late = True  # an interrupt ends the others as well
            for other in others:
                other.join()
        if self.found is not None:
            return Exhausted(False, self.asked.assignment(self.found), self.done)
        return Exhausted(self.done == self.total, None, self.done)

    def _take(self) -> tuple[int, int] | None:
        with self.lock:
            if self.late or self.next >= self.total or self.found is not None:
                return None
            begin = self.next
            self.next = min(self.total, begin + self.size)
            return begin, self.next

    def _work(self) -> None:
        while (part := self._take()) is not None:
            began = time.monotonic()
            at = int(self.run(*part))
            now = time.monotonic()
            with self.lock:
                self._note(part, at, now - began)
                self.late = self.late or self._hopeless(now)

    def _note(self, part: tuple[int, int], at: int, spent: float) -> None:
        if at < part[1]:
            self.found = at if self.found is None else min(at, self.found)
            return
        self.done += part[1] - part[0]
        if spent < _CHUNK / 2:
            self.size = min(2 * self.size, 1 << 28)
        elif spent > 2 * _CHUNK:
            self.size = max(self.size // 2, _BLOCK)

    def _hopeless(self, now: float) -> bool:
        """Too late, or what was done so far says that it will be."""
        spent, given = now - self.began, self.deadline - self.began
        if spent > _ESTIMATE and self.done and spent * self.total / self.done > 1.5 * given:
            return True
        return now >= self.deadline
