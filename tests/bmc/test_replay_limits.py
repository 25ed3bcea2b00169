"""Programs that do not end, eat memory, or mean harm are contained; what cannot be run is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bmc.replaying import compiled
from tests.patience import within

from vouch.bmc.counterexample import Counterexample
from vouch.bmc.replay import Replayer, ReplayLimits
from vouch.c.checks.base import Category

# The check is only reached when the harm is done.
HARMFUL = {
    "endless loop": "void harm(void) { for (volatile int i = 0;; i++) ; }",
    "endless recursion": "int harm(void); static int n; int again(int x) { char a[99]; a[0] = (char)x;"
    " return again(x & 1) + a[0]; } int harm(void) { return again(1); }",
    "memory": "#include <stdlib.h>\n#include <string.h>\n"
    "void harm(void) { for (;;) { char *p = malloc(1 << 24); memset(p, 1, 1 << 24); } }",
    "many objects": "#include <stdlib.h>\nvoid harm(void) { for (;;) { char *p = malloc(1); *p = 1; } }",
    "large object": "void harm(void) { long n = 1L << 45; char *p = __builtin_alloca(n); p[n / 2] = 1; }",
}
SYSTEM = """static long system_call(long n, long a, long b, long c) {
  long r; __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return r; }
"""
MAKE_FOLDER = 'system_call(83, (long)"PATH", 0755, 0); }'
# Each tries something once: if containment fails, the machine that runs this test must survive it.
HOSTILE = {
    "writes a file": 'void harm(void) { system_call(2, (long)"PATH", 0x41, 0644); }',
    "makes a folder": "void harm(void) { " + MAKE_FOLDER,
    "forks": "void harm(void) { if (system_call(57, 0, 0, 0) == 0) " + MAKE_FOLDER,
    "signals itself": "void harm(void) { system_call(62, system_call(39, 0, 0, 0), 10, 0); }",
    "opens a socket": "void harm(void) { if (system_call(41, 2, 1, 0) >= 0) " + MAKE_FOLDER,
    "floods the output": "char b[65536]; void harm(void) { for (int i = 0; i < 99; i++)"
    " system_call(1, 1, (long)b, 65536); }",
}
LIMITS = ReplayLimits(seconds=0.5, memory=128 << 20)


@pytest.mark.parametrize("name", HARMFUL)
def test_runs_without_end_are_stopped(tmp_path: Path, name: str) -> None:
    snippet = compiled(tmp_path, HARMFUL[name] + "\nint f(int x) { harm(); return 1 / (x - x); }")
    with within(5):
        result = snippet.replay(snippet.check("division-by-zero", -1), 1, limits=LIMITS)
    assert not result.confirmed
    assert result.reason is not None


@pytest.mark.parametrize("name", HOSTILE)
def test_no_system_call_gets_through(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The launcher confines also what would not be run at all, for its assembly."""
    monkeypatch.setattr("vouch.bmc.replay.build.has_assembly", lambda text: False)
    victim = tmp_path / "victim"
    source = (
        SYSTEM + HOSTILE[name].replace("PATH", str(victim)) + "\nint f(int x) { harm(); return 1 / (x - x); }"
    )
    snippet = compiled(tmp_path, source, target="x86_64-linux-gnu")
    try:
        result = snippet.replay(snippet.check("division-by-zero", -1), 1, limits=LIMITS)
    except AssertionError as error:
        pytest.skip(str(error))  # another kind of machine
    assert not result.confirmed
    assert result.diverged is not None
    assert not victim.exists()


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    snippet = compiled(tmp_path, "int f(int x) { return 1 / x; }")
    with Replayer(snippet.loaded, snippet.checks) as replayer:
        example = Counterexample(snippet.check("division-by-zero"), "f", [0], [], [])
        assert replayer.replay(example).confirmed
        assert list((tmp_path / "tmp").iterdir()) != []
    assert list((tmp_path / "tmp").iterdir()) == []


def test_no_room_to_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    snippet = compiled(tmp_path, "int f(int x) { return 1 / x; }")
    with Replayer(snippet.loaded, snippet.checks) as replayer:
        result = replayer.replay(Counterexample(snippet.check("division-by-zero"), "f", [0], [], []))
    assert not result.possible
    assert result.reason is not None
    assert result.reason.startswith("cannot be built")


@pytest.mark.parametrize("target", ["avr", "msp430", "sparc-linux-gnu"])
def test_other_processors_are_not_replayable(tmp_path: Path, target: str) -> None:
    snippet = compiled(tmp_path, "int f(int x) { return 1 / x; }", target=target)
    check = snippet.check("division-by-zero")
    with Replayer(snippet.loaded, snippet.checks) as replayer:
        result = replayer.replay(Counterexample(check, "f", [0], [], []))
    assert not result.possible
    assert not result.confirmed
    assert result.reason is not None
    assert "do not run on" in result.reason
    assert result.output.startswith("not replayable")


def test_32_bit_programs(tmp_path: Path) -> None:
    code = """#include <stdlib.h>
    struct s { char c; long long v; int a[6]; };
    int in(struct s x, int i) { int *p = x.a; return p[i] + (int)(x.v / (i - 9)); }
    int f(long i) { struct s x = {1, 5000000000LL, {0}}; int *p = calloc(1, 4); if (p) *p = 1;
      return in(x, i) + (sizeof(long) == 4 ? 1 / (int)(i - 3) : 0); }"""
    snippet = compiled(tmp_path, code, target="i386")
    check = snippet.check("division-by-zero", -1)
    with Replayer(snippet.loaded, snippet.checks) as replayer:
        result = replayer.replay(Counterexample(check, "f", [3], [], []))
        if not result.possible:
            pytest.skip(str(result.reason))
        assert result.confirmed, result.output
        assert not replayer.replay(Counterexample(check, "f", [4], [], [])).confirmed
        outside = snippet.check("pointer")
        assert replayer.replay(Counterexample(outside, "f", [6], [], [])).confirmed
        assert not replayer.replay(Counterexample(outside, "f", [5], [], [])).confirmed


def test_programs_of_a_processor_with_other_instructions(tmp_path: Path) -> None:
    """ARM code runs with ARM's types; its assembly and argument lists do not."""
    code = """#include <stdarg.h>
    struct s { char c; long long v; int *p; };
    int sum(int n, ...) { va_list l; va_start(l, n); int v = va_arg(l, int); va_end(l); return v + n; }
    int asm_one(int x) { int r; __asm__("mov %0, %1" : "=r"(r) : "r"(x)); return r; }
    int f(int x) { if (x == 1) x = sum(1, 2); if (x == 2) x = asm_one(x);
      return 1 / (int)(sizeof(long) + sizeof(struct s) + sizeof(void *) - 32 + x); }"""
    snippet = compiled(tmp_path, code, target="thumbv7m-none-eabi")
    check = snippet.check("division-by-zero")
    with Replayer(snippet.loaded, snippet.checks) as replayer:
        results = [replayer.replay(Counterexample(check, "f", [x], [], [])) for x in (0, 3, 1, 2)]
    if not results[0].possible:
        pytest.skip(str(results[0].reason))
    assert [(r.possible, r.confirmed) for r in results] == [
        (True, True),
        (True, False),
        (False, False),
        (False, False),
    ]


CPLUSPLUS = """
struct shape { virtual ~shape() {} virtual int area(int x) = 0; };
struct square : shape { int side; square(int s) : side(s) {} int area(int x) override { return side * x; } };
struct counter { int n; counter() : n(4) {} } started;
template <typename T> T half(T x) { return x / T(2); }
static int &pick(int &a, int &b, bool second) { return second ? b : a; }
int main(int argc, char **) {
  shape *s = new square(3);
  int a = s->area(argc), b = half<int>(10);
  static counter late;
  pick(a, b, false) += started.n + late.n;
  delete s;
  return 1 / (a + b - 16 /* 3 + 8 + 5 */);
}
"""


def test_cplusplus(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, CPLUSPLUS, name="code.cpp")
    found = [c for c in snippet.checks if c.category is Category.DIVISION_BY_ZERO and c.function == "main"]
    assert snippet.replay(found[0], entry="main").confirmed
    near = compiled(tmp_path, CPLUSPLUS.replace("- 16", "- 17"), name="near.cpp")
    found = [c for c in near.checks if c.category is Category.DIVISION_BY_ZERO and c.function == "main"]
    assert not near.replay(found[0], entry="main").confirmed
