"""Random C programs against a direct interpreter: what it computes is proved, what it violates is found.

A program holds several snippets, of which `main` runs one. Inputs are nondeterministic: pinned to one value
by an assumption, or free in a small range, where the truth is found by trying all of them.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.bmc import c_programs as C

from vouch.api import check
from vouch.result import CheckResult, RunResult
from vouch.verdict import Verdict

# The engine raises the recursion limit, which Hypothesis would like to see unchanged.
pytestmark = pytest.mark.filterwarnings("ignore:The recursion limit")

Draw = Any
LENGTH = 4  # of arrays
ARBITRARY = {"shift", "signed-overflow"}
SUFFIX = {
    "_Bool": "bool", "char": "char", "signed char": "schar", "unsigned char": "uchar", "short": "short",
    "unsigned short": "ushort", "int": "int", "unsigned int": "uint", "long": "long",
    "unsigned long": "ulong", "long long": "longlong", "unsigned long long": "ulonglong",
}  # fmt: skip


@dataclass(frozen=True)
class Input:
    variable: C.Variable
    values: tuple[int, ...]  # consecutive

    def line(self) -> str:
        type_, name = self.variable.type, self.variable.name
        low, high = (C.Literal(C.promoted(type_), v).text() for v in (self.values[0], self.values[-1]))
        assumed = f"{name} == {low}" if len(self.values) == 1 else f"{name} >= {low} && {name} <= {high}"
        return (
            f"{type_.name} {name} = __VERIFIER_nondet_{SUFFIX[type_.name]}(); __VERIFIER_assume({assumed});"
        )


@dataclass(frozen=True)
class Snippet:
    inputs: tuple[Input, ...]
    locals: tuple[tuple[C.Variable, int | None], ...]
    array: tuple[C.Type, tuple[int, ...]]
    statements: tuple[C.Statement, ...]

    @property
    def result(self) -> C.Variable:
        return self.locals[0][0]

    def declarations(self) -> list[str]:
        lines = [i.line() for i in self.inputs]
        fields = [(v, n) for v, n in self.locals if "." in v.name]
        members = " ".join(f"{v.type.name} {v.name[2:]};" for v, _ in fields)
        lines.append(f"struct {{ {members} }} s = {{{', '.join(_number(v.type, n) for v, n in fields)}}};")
        for variable, number in self.locals:
            if "." not in variable.name:
                start = "" if number is None else f" = {_number(variable.type, number)}"
                lines.append(f"{variable.type.name} {variable.name}{start};")
        type_, numbers = self.array
        lines.append(f"{type_.name} a[{LENGTH}] = {{{', '.join(_number(type_, n) for n in numbers)}}};")
        return lines

    def runs(self, line: int) -> list[C.Run]:
        """All executions; the first statement stands at `line`."""
        made = []
        for values in itertools.product(*(i.values for i in self.inputs)):
            run = C.Run({v.name: n for v, n in self.locals}, {"a": list(self.array[1])})
            run.scalars.update({i.variable.name: v for i, v in zip(self.inputs, values, strict=True)})
            with contextlib.suppress(C.Stopped):
                C.execute_all(self.statements, run, line)
            made.append(run)
        return made


def _number(type_: C.Type, number: int | None) -> str:
    assert number is not None
    return C.Literal(C.promoted(type_), number).text()


# ---------------------------------------------------------------- generation


def numbers(type_: C.Type) -> st.SearchStrategy[int]:
    edges = [
        n for n in (type_.low, type_.low + 1, -1, 0, 1, 2, 3, type_.high - 1, type_.high) if type_.fits(n)
    ]
    return st.one_of(st.sampled_from(edges), st.integers(max(type_.low, -9), min(type_.high, 9)))


@dataclass
class Scope:
    draw: Draw
    readable: list[C.Variable]
    writable: list[C.Variable]
    array: C.Type

    def literal(self) -> C.Expression:
        type_ = self.draw(st.sampled_from([C.INT, C.INT, C.INT, C.UINT, C.LONG, C.ULONG]))
        return C.Literal(type_, self.draw(numbers(type_)))

    def element(self, depth: int) -> C.Element:
        index = self.expression(depth - 1)
        if self.often():
            index = C.Binary("&", index, C.Literal(C.INT, LENGTH - 1))
        return C.Element(self.array, "a", LENGTH, index)

    def expression(self, depth: int) -> C.Expression:
        kind = self.draw(st.integers(0, 11)) if depth > 0 else self.draw(st.integers(0, 3))
        if kind == 0:
            return self.literal()
        if kind <= 3:
            return self.draw(st.sampled_from(self.readable))
        if kind == 4:
            return C.Unary(self.draw(st.sampled_from("-~!")), self.expression(depth - 1))
        if kind == 5:
            return C.Cast(self.draw(st.sampled_from(C.TYPES)), self.expression(depth - 1))
        if kind == 6:
            return self.element(depth)
        if kind == 7:
            return C.Conditional(*(self.expression(depth - 1) for _ in range(3)))
        if kind == 8:
            operator, left = self.draw(st.sampled_from(C.SHIFTS)), self.expression(depth - 1)
            if operator == "<<" and self.often():
                left = C.Cast(C.ULONG, left)
            return C.Binary(operator, left, self.right(operator, depth - 1))
        operators = (*C.ARITHMETIC, *C.ARITHMETIC, *C.COMPARISONS, "&&", "||")
        operator = self.draw(st.sampled_from(operators))
        return C.Binary(operator, self.expression(depth - 1), self.right(operator, depth - 1))

    def often(self) -> bool:
        return self.draw(st.integers(0, 7)) > 0

    def right(self, operator: str, depth: int) -> C.Expression:
        """A right operand, mostly one that the operator takes."""
        operand = self.expression(depth)
        if operator in C.SHIFTS and self.often():
            return C.Binary("&", operand, C.Literal(C.INT, 7))
        if operator in ("/", "%") and self.often():
            return C.Binary("|", operand, C.Literal(C.INT, 1))
        return operand

    def statement(self, depth: int) -> C.Statement:
        kind = self.draw(st.integers(0, 6)) if depth > 0 else 0
        if kind == 4:
            return C.If(self.expression(2), self.block(depth - 1), self.block(depth - 1))
        if kind == 5:
            counter = C.Variable(C.INT, f"n{depth}")
            return C.Loop(counter, self.expression(1), self.block(depth - 1))
        if kind == 6:
            count = self.draw(st.integers(2, 4))
            cases = [(self.block(depth - 1), self.draw(st.booleans())) for _ in range(count)]
            return C.Switch(self.expression(1), tuple(cases))
        operator = self.draw(st.sampled_from(("", "", "", *C.ARITHMETIC, ">>")))
        return C.Assign(self.place(), operator, self.right(operator, 2))

    def place(self) -> C.Place:
        if self.draw(st.integers(0, 3)) == 0:
            return self.element(2)
        return self.draw(st.sampled_from(self.writable))

    def block(self, depth: int) -> tuple[C.Statement, ...]:
        return tuple(self.statement(depth) for _ in range(self.draw(st.integers(1, 2))))


@st.composite
def snippets(draw: Draw, width: int) -> Snippet:
    """`width`: how many values each input may have."""
    types = st.sampled_from(C.TYPES)
    inputs = []
    for i in range(2):
        variable = C.Variable(draw(types), f"x{i}")
        first = draw(numbers(variable.type))
        last = min(first + width - 1, variable.type.high)
        inputs.append(Input(variable, tuple(range(first, last + 1))))
    places = [C.Variable(draw(types), name) for name in ("r", "v", "s.f", "s.g")]
    local: list[tuple[C.Variable, int | None]] = [(v, draw(numbers(v.type))) for v in places]
    counters = [C.Variable(C.INT, "n1"), C.Variable(C.INT, "n2")]
    unset = C.Variable(draw(types), "u")
    local += [*((c, 0) for c in counters), (unset, None)]
    kind = draw(types)
    scope = Scope(draw, [*(i.variable for i in inputs)] * 4 + places + counters, [*places], kind)
    if draw(st.integers(0, 9)) == 0:
        scope.writable.append(unset)
        scope.readable.append(unset)
    statements = [scope.statement(2) for _ in range(draw(st.integers(1, 3)))]
    statements.append(C.Assign(places[0], "", scope.expression(3)))
    numbers_ = tuple(draw(numbers(kind)) for _ in range(LENGTH))
    return Snippet(tuple(inputs), tuple(local), (kind, numbers_), tuple(statements))


# ---------------------------------------------------------------- judgement


@dataclass
class Expected:
    """What must come out for the lines of one snippet."""

    lines: range
    runs: list[C.Run]
    proved: int  # line of the assertion that holds, of the one that fails
    refuted: int

    def problems(self, found: list[CheckResult]) -> Iterator[str]:
        own = [r for r in found if r.check.location.line in self.lines]
        at: dict[tuple[str, int], list[CheckResult]] = {}
        for result in own:
            at.setdefault((str(result.check.category), result.check.location.line), []).append(result)
        firsts = {run.violations[0] for run in self.runs if run.violations}
        everything = {place for run in self.runs for place in run.violations}
        vague = {place for run in self.runs for place in run.maybe}
        stopped = {run.stopped for run in self.runs if run.stopped}
        if not all(run.stopped for run in self.runs):
            clean = any(not run.violations for run in self.runs)
            (firsts if clean else everything).add(("assertion", self.refuted))
            everything.add(("assertion", self.refuted))
            if ("assertion", self.proved) not in at:
                yield "the assertion that holds is missing"
        for place in everything:
            wanted = [Verdict.UNSAFE] if place in firsts else [Verdict.UNSAFE, Verdict.COND_UNSAFE]
            if not any(r.verdict in wanted for r in at.get(place, ())):
                yield f"{place} is violated, got {[str(r.verdict) for r in at.get(place, ())]}"
        for place, results in at.items():
            if place in everything or place in vague:
                continue
            for result in results:
                conditional = stopped and result.verdict is not Verdict.UNSAFE
                # After a bad shift or INT_MIN / -1 any value is possible, and that is no condition.
                if not (result.verdict is Verdict.SAFE or conditional or stopped & ARBITRARY):
                    yield f"{place} holds, got {result.verdict} ({result.reason})"


HEAD = [
    "#include <assert.h>",
    "void __VERIFIER_assume(int);",
    *(f"{name} __VERIFIER_nondet_{suffix}(void);" for name, suffix in SUFFIX.items()),
]


def program(parts: list[Snippet]) -> tuple[str, list[Expected]]:
    lines = list(HEAD)
    expected = []
    for number, snippet in enumerate(parts):
        begin = len(lines) + 1
        lines += [f"static void f{number}(void) {{", *snippet.declarations()]
        runs = snippet.runs(len(lines) + 1)
        lines += C.body(snippet.statements)
        # What the result can be, as an interval with its highest value as a witness.
        results = [run.scalars[snippet.result.name] for run in runs if not run.stopped] or [0]
        low, high = (_number(snippet.result.type, n) for n in (min(results), max(results)))
        lines += [f"assert(r >= {low} && r <= {high});", f"assert(r != {high});", "}"]
        end = len(lines) + 1
        expected.append(Expected(range(begin, end), runs, end - 3, end - 2))
    cases = [f"case {number}: f{number}(); break;" for number in range(len(parts))]
    lines += ["int main(void) {", "switch (__VERIFIER_nondet_int()) {", *cases, "}", "return 0;", "}", ""]
    return "\n".join(lines), expected


def problems(folder: Path, parts: list[Snippet], limit: float = 60.0) -> list[str]:
    """What is wrong with the answers for one program; it is left in the folder."""
    text, expected = program(parts)
    path = folder / "random.c"
    path.write_text(text)
    result: RunResult = check(path, checks=["default", "cast"], timeout=limit, jobs=1)
    lines = text.splitlines()
    wrong = [
        "\n".join([problem, *lines[part.lines.start - 1 : part.lines.stop - 1]])
        for part in expected
        for problem in part.problems(result.checks)
    ]
    wrong += [
        f"{r.check.id} was not replayed"
        for r in result.checks
        if r.verdict is Verdict.UNSAFE and r.replayed is not True
    ]
    if result.replay_failures:
        wrong.append(f"{result.replay_failures} violations did not show in the native run")
    return wrong


def judge(folder: Path, parts: list[Snippet]) -> None:
    wrong = problems(folder, parts)
    assert not wrong, "\n\n".join(wrong)


def campaign(examples: int) -> settings:
    return settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],  # the snippet at fault is small, and each attempt costs a second
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )


def several(width: int) -> st.SearchStrategy[list[Snippet]]:
    return st.lists(snippets(width), min_size=4, max_size=4)


@given(several(1))
@campaign(4)
def test_pinned_inputs(tmp_path_factory: pytest.TempPathFactory, parts: list[Snippet]) -> None:
    judge(tmp_path_factory.mktemp("pinned"), parts)


@given(several(6))
@campaign(4)
def test_free_inputs(tmp_path_factory: pytest.TempPathFactory, parts: list[Snippet]) -> None:
    judge(tmp_path_factory.mktemp("free"), parts)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("width", [1, 3, 8])
def test_campaign(tmp_path_factory: pytest.TempPathFactory, width: int) -> None:
    @given(several(width))
    @campaign(250)
    def run(parts: list[Snippet]) -> None:
        judge(tmp_path_factory.mktemp("campaign"), parts)

    run()
