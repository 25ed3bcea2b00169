"""Refinement by callers and preconditions: the examples of Kleine Büning 2022, and what must stay open."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from vouch.api import check
from vouch.c.checks.base import Category
from vouch.modular.refine import Plan, Refined, refine
from vouch.result import CheckResult
from vouch.verdict import Verdict

from . import calling_programs
from .test_levels import posed

FIGURE_6_2 = """
static void bot(int x, int y) { if (y >= 0 && y < 100) { x = x + 2; } }
static void mid2(int x, int y) { if (y > 100) { bot(x, y); } }
static void mid1(int x, int y) { if (x > 0) { x = x - 1; bot(x, y); } }
void top(int x, int y) { if (x > 0) { x = x - STEP; mid1(x, y); mid2(x, y); } }
"""

EXAMPLE_1 = """
char *g;
void example1(int x, char y, char *c) { if (c[1] == 'z' && *g == 'a') { x = x + 2; } }
"""

EXAMPLE_2 = """
typedef struct { int quot; int rem; } div_t;
div_t divide(int numer, int denom) {
    div_t result;
    result.quot = numer / denom;
    result.rem = numer % denom;
    return result;
}
"""

KINDS = ("callers", "symbolic", "enumerated", "learned")


def refined(folder: Path, text: str, kind: str, **plan: int) -> Refined:
    (folder / "a.c").write_text(text)
    problem, analysis = posed(folder / "a.c")
    return refine(problem, analysis, Plan(kind, **plan, seconds=600))  # however busy the machine is


def only(done: Refined, function: str, category: str) -> CheckResult:
    (found,) = [r for name, r in done.results.items() if name.startswith(f"{function}.{category}.")][:1]
    return found


def equivalent(folder: Path, inputs: str, left: str, right: str) -> bool:
    """Whether two C expressions mean the same for all inputs, by the solver."""
    (folder / "equal.c").write_text(
        "void __CPROVER_assert(int, const char *);\n"
        f'void compare({inputs}) {{ __CPROVER_assert(({left}) == ({right}), "equal"); }}\n'
    )
    (found,) = [r for r in check([str(folder / "equal.c")]).checks if str(r.check.category) == "assertion"]
    return found.verdict is Verdict.SAFE


@pytest.mark.parametrize("kind", KINDS)
def test_figure_6_2_is_proved_through_callers(kind: str, tmp_path: Path) -> None:
    done = refined(tmp_path, FIGURE_6_2.replace("STEP", "1"), kind, points=300)
    assert only(done, "bot", "signed-overflow").verdict is Verdict.SAFE
    assert only(done, "bot", "signed-overflow").decided_by == (
        "callers" if kind == "callers" else "precondition"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_figure_6_2_is_not_proved_where_it_fails(kind: str, tmp_path: Path) -> None:
    """With one step less there is an input of `top` that overflows."""
    done = refined(tmp_path, FIGURE_6_2.replace("STEP", "0"), kind, points=300)
    found = only(done, "bot", "signed-overflow")
    assert found.verdict is Verdict.COND_UNSAFE
    assert found.check.id in done.examples


def test_too_few_points_prove_nothing(tmp_path: Path) -> None:
    done = refined(tmp_path, FIGURE_6_2.replace("STEP", "1"), "enumerated", points=20)
    assert all(r.verdict is not Verdict.SAFE for r in done.results.values())


def test_figure_6_2_is_learned(tmp_path: Path) -> None:
    done = refined(tmp_path, FIGURE_6_2.replace("STEP", "1"), "learned")
    text = only(done, "bot", "signed-overflow").precondition
    assert text is not None
    printed = "(x != 2147483647 && x != 2147483646) || y > 99 || y < 0"
    assert equivalent(tmp_path, "int x, int y", text, printed)
    assert not equivalent(tmp_path, "int x, int y", text, printed.replace("y > 99", "y > 98"))


def test_example_1_is_complete_after_two_points(tmp_path: Path) -> None:
    done = refined(tmp_path, EXAMPLE_1, "enumerated")
    text = only(done, "example1", "signed-overflow").precondition
    assert text is not None
    assert text.count("!(") == 2
    assert "y" not in text
    assert text.count("c[1] == 122") == text.count("*g == 97") == 2


def test_example_1_is_not_complete_after_one(tmp_path: Path) -> None:
    text = only(refined(tmp_path, EXAMPLE_1, "enumerated", points=1), "example1", "signed-overflow").reason
    assert text is not None
    assert "under-approximated" in text


@pytest.mark.parametrize("kind", ["symbolic", "learned"])
def test_example_2(kind: str, tmp_path: Path) -> None:
    done = refined(tmp_path, EXAMPLE_2, kind)
    texts = [r.precondition for r in done.results.values()]
    assert len(texts) == 4
    printed = (
        "(denom != 0 && numer != (-2147483647 - 1))"
        " || (denom != 0 && numer == (-2147483647 - 1) && denom != -1)"
    )
    assert equivalent(tmp_path, "int numer, int denom", " && ".join(f"({text})" for text in texts), printed)


PATHS = """
struct calib { int t1; short t2; };
struct dev { int id; struct calib calib; struct dev *next; };
static int limit = 10;
static int bot(struct dev *d, int *buf, int i) {
    if (d == 0) { return 0; }
    buf[i] = d->calib.t1 + limit;
    return d->next->id;
}
static int mid(struct dev *d, int n) {
    int local[4] = {0}, s = 0;
    for (int i = 0; i < n && i < 4; i++) { s ^= bot(d, local, i); }
    return s;
}
int top(int a) {
    struct dev e = {1, {a, 2}, NEXT};
    limit = 5;
    if (a > MOST) { return 0; }
    return mid(&e, 4);
}
"""


def test_conditions_follow_access_paths(tmp_path: Path) -> None:
    done = refined(tmp_path, PATHS.replace("NEXT", "&e").replace("MOST", "1000"), "symbolic")
    sums = only(done, "bot", "signed-overflow")
    assert sums.verdict is Verdict.SAFE
    assert "d->calib.t1" in str(sums.precondition)
    assert "limit" in str(sums.precondition)
    assert only(done, "bot", "pointer").verdict is Verdict.SAFE


def test_conditions_find_what_fails_behind_access_paths(tmp_path: Path) -> None:
    done = refined(tmp_path, PATHS.replace("NEXT", "0").replace("MOST", "2147483646"), "symbolic")
    assert all(r.verdict is not Verdict.SAFE for r in done.results.values())


LOOP = """
static int sum(const int *p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { s = s + (p[i] & 1); }
    return s;
}
int three(int n) { int v[3] = {1, 2, 3}; return n < MOST ? sum(v, n) : 0; }
"""


def test_a_loop_bound_is_a_precondition(tmp_path: Path) -> None:
    """Callers that stay within the bound prove the check, and not only up to it."""
    good = refined(tmp_path, LOOP.replace("MOST", "4"), "symbolic")
    assert all(r.verdict is Verdict.SAFE for r in good.results.values())
    bad = refined(tmp_path, LOOP.replace("MOST", "5"), "symbolic")
    assert only(bad, "sum", "pointer").verdict is not Verdict.SAFE


def native(folder: Path, program: calling_programs.Program, held: set[tuple[int, str, bool]]) -> set[str]:
    """What native runs say about claims and their preconditions."""
    (folder / "harness.c").write_text(program.harness(sorted(held)))
    binary = str(folder / "harness")
    command = [sys.executable, "-m", "ziglang", "cc", "-w", "-O0", "-fno-sanitize=all"]
    subprocess.run([*command, "-o", binary, str(folder / "harness.c")], check=True, capture_output=True)
    done = subprocess.run([binary], check=True, capture_output=True, text=True, timeout=60)
    return set(done.stdout.splitlines())


def opposed(seed: int, folder: Path, kinds: Sequence[str] = KINDS) -> Counter[str]:
    """All that refinement says of a random program, held against native runs and the global analysis."""
    program = calling_programs.Program(seed, 2 + seed % 3)
    (folder / "program.c").write_text(program.text)
    lines = {program.line_of(claim): claim for claim in program.owners}
    problem, analysis = posed(folder / "program.c")
    problem = problem.without(  # claims alone: whatever else is checked never fails here
        CheckResult(c, Verdict.SAFE) for c in problem.checks if c.category is not Category.ASSERTION
    )
    counts: Counter[str] = Counter()
    proved: dict[int, set[str]] = {}
    held: set[tuple[int, str, bool]] = set()
    for kind in kinds:
        text = kind != "symbolic" or seed % 4 == 0  # which is learned as well
        done = refine(problem, analysis, Plan(kind, points=8, text=text, seconds=600))
        assert not done.warnings
        for name, result in done.results.items():
            claim = lines[result.check.location.line]
            if result.verdict is Verdict.SAFE:
                counts[f"{kind} safe"] += 1
                proved.setdefault(claim, set()).add(kind)
            if result.precondition is not None:
                held.add((claim, result.precondition, name in done.exact))
                counts[f"{kind} exact" if name in done.exact else f"{kind} sufficient"] += 1
    said = native(folder, program, held)
    assert not {text for text in said if not text.startswith("fails")}, (seed, said, held)
    failing = {int(text.split()[1]) for text in said}
    assert not failing & proved.keys(), (seed, proved, failing)
    for result in check([str(folder / "program.c")], strategy="global", checks=["assertion"]).checks:
        if lines[result.check.location.line] in proved:
            assert result.verdict in (Verdict.SAFE, Verdict.BOUND_SAFE, Verdict.UNKNOWN), (seed, proved)
    return counts


@pytest.mark.parametrize("seed", [0])
def test_random_programs(seed: int, tmp_path: Path) -> None:
    opposed(seed, tmp_path, ("symbolic", "learned"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 220))
def test_many_random_programs(seed: int, tmp_path: Path) -> None:
    opposed(seed, tmp_path)


# What a callee first looks at after somebody wrote is not what its caller had there; each claim fails.
TRAPS = {
    "written through an alias": """
        struct S { int a; struct S *next; };
        static void bot(struct S *p, struct S *q) { p->a = 9; __CPROVER_assert(q->a != 9, "claim"); }
        void top(void) { struct S s = {1, &s}; bot(&s, &s); }""",
    "written through an alias in memory": """
        struct S { int a; struct S *next; };
        static void bot(struct S *p) { p->a = 9; __CPROVER_assert(p->next->a != 9, "claim"); }
        void top(void) { struct S s = {1, &s}; bot(&s); }""",
    "written by a callee": """
        struct S { int a; struct S *next; };
        static void set(struct S *p, int n) { for (int i = 0; i < (n & 1); i++) { p->next->a = 9; } }
        static void bot(struct S *p, int n) { set(p, n); __CPROVER_assert(p->next->a != 9, "claim"); }
        static void mid(struct S *p, int n) { bot(p, n); }
        void top(void) { struct S s = {1, &s}; mid(&s, 1); }""",
    "a global behind a pointer": """
        static int g;
        static void bot(int *p) { *p = 9; __CPROVER_assert(g != 9, "claim"); }
        void top(void) { g = 1; bot(&g); }""",
    "part of a struct": """
        struct S { short a, b; };
        static void bot(struct S *p, short *q) { *q = 9; __CPROVER_assert(p->b != 9, "claim"); }
        void top(void) { struct S s = {1, 1}; bot(&s, &s.b); }""",
    "a word as bytes": """
        static void bot(int *p, unsigned char *q) { q[0] = 9; __CPROVER_assert(*p != 9, "claim"); }
        void top(void) { int x = 1; bot(&x, (unsigned char *)&x); }""",
    "changed between two calls": """
        static int g;
        static void bot(void) { __CPROVER_assert(g < 3, "claim"); g = g + 1; }
        static void mid(void) { bot(); bot(); }
        void top(void) { g = 1; mid(); mid(); }""",
    "an element of an array": """
        static void bot(int *p, int i) { __CPROVER_assert(p[i & 3] != 4, "claim"); }
        void top(int i) { int v[4] = {1, 2, 3, 4}; bot(v, i); }""",
    "a pointer that the callee swaps": """
        struct S { int *p; };
        static void bot(struct S *s, int *q) { s->p = q; __CPROVER_assert(*s->p != 9, "claim"); }
        void top(void) { int x = 1, y = 9; struct S s = {&x}; bot(&s, &y); }""",
    "the result of a callee": """
        static int pick(int n) { int s = 0; for (int i = 0; i < n; i++) { s ^= i; } return s; }
        static void bot(int x) { __CPROVER_assert(x != 3, "claim"); }
        void top(void) { bot(pick(3)); }""",
}  # fmt: skip
DECLARED = "void __CPROVER_assert(int, const char *);\n"


SLOWER = [pytest.param(kind, marks=pytest.mark.slow) for kind in ("callers", "enumerated", "learned")]


@pytest.mark.parametrize("kind", ["symbolic", *SLOWER])
@pytest.mark.parametrize("name", TRAPS)
def test_what_fails_is_not_proved(name: str, kind: str, tmp_path: Path) -> None:
    done = refined(tmp_path, DECLARED + TRAPS[name], kind)
    assert only_claim(done) is not Verdict.SAFE


def only_claim(done: Refined) -> Verdict:
    """None was reported where nothing is known."""
    found = [r.verdict for r in done.results.values() if r.check.category is Category.ASSERTION]
    return found[0] if found else Verdict.UNKNOWN


TWINS = {
    "a global behind a pointer": ("bot(&g)", "int x; bot(&x)"),
    "part of a struct": ("bot(&s, &s.b)", "short x; bot(&s, &x)"),
    "written through an alias": ("bot(&s, &s)", "struct S t = {2, &t}; bot(&s, &t)"),
    "an element of an array": ("3, 4}", "3, 5}"),
}


@pytest.mark.parametrize("name", TWINS)
def test_what_holds_is_proved(name: str, tmp_path: Path) -> None:
    text = TRAPS[name].replace(*TWINS[name])
    assert only_claim(refined(tmp_path, DECLARED + text, "symbolic")) is Verdict.SAFE


CALLBACK = """
void on_event(void (*handler)(int));
static void handle(int x) { x = x + 2; }
int main(void) { on_event(handle); return 0; }
"""


def test_a_violation_under_a_condition_gets_a_precondition(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(CALLBACK)
    (found,) = [r for r in check([str(tmp_path / "a.c")]).checks if r.check.function == "handle"]
    assert found.verdict is Verdict.COND_UNSAFE
    assert found.precondition == "x <= 2147483645"


def test_the_ladder_proves_by_preconditions(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(FIGURE_6_2.replace("STEP", "1"))
    done = check([str(tmp_path / "a.c")], rungs=["preconditions", "global"])
    assert {(str(r.verdict), r.decided_by) for r in done.checks if r.check.function == "bot"} == {
        ("safe", "precondition")
    }
