"""Generated functions against the steps they stand for: the same claims, step for step."""

from __future__ import annotations

from pathlib import Path

import pytest

from vouch.bmc import straight, straight_steps
from vouch.bmc.problem import pose
from vouch.bmc.rounds import Log, Rounds
from vouch.bmc.verify import process_limits
from vouch.c import checks, frontend
from vouch.c.entries import entries
from vouch.errors import VouchError
from vouch.settings import resolve
from vouch.smt.term import Session, bv
from vouch.smt.walk import order

CASES = Path(__file__).parent.parent / "cases"

LOOPS = """
#include <stdint.h>
static const int16_t W[12] = {3, -5, 100, 32000, -32768, 7, 0, 1, 2, 9, -1, 4};
static const float F[4] = {0.5f, -2.0f, 3.0f, 1e30f};
int in[12]; float x[4]; unsigned char bytes[16]; int16_t small[12];
struct pair { int a; short b[3]; } pairs[4];
extern int which(void);

int sum(int n)
{
    int total = 0, left;
    for (int i = 0; i < 12; i++) {
        int product = W[i] * in[i];        /* may overflow */
        total += product >> 3;
        if (i == 9) total += left;         /* not written */
        small[i] = (int16_t)total;
        bytes[i] = (unsigned char)(total ^ i);
        pairs[i & 3].b[i % 3] = small[11 - i];
        in[i] = pairs[(i + 1) & 3].a - i;
    }
    float f = 0;
    for (int i = 0; i < 10; i++) {
        f += F[i & 3] * x[i % 4];
        if (f < 0) f = -f;
    }
    for (int i = 0; i < 9; i++) total += W[i + (n & 3)];
    for (long i = 8; i >= 0; i--) total -= bytes[i] / (int)(i + 1);
    for (int i = 0; i <= 12; i++) in[i] = i; /* one too many */
    return total + (int)f + W[which() & 7];
}
"""


def digest(terms):
    """What terms are, whatever their session: a number for each."""
    known = {}
    for term in order(terms):
        own = (term.op, repr(term.sort), term.index, term.value, term.name if term.op == "symbol" else "")
        known[term] = hash((own, tuple(known[arg] for arg in term.args)))
    return [known[term] for term in terms]


def recorded(path, hot, monkeypatch, unwind=16):
    monkeypatch.setattr(straight, "_HOT", hot)
    settings = resolve("check", {"checks": ["all"]})
    program = frontend.load([str(path)]).program
    listed = checks.find(program, checks.chosen(settings.checks), program.sources)
    found = []
    problem = pose(program, listed, set(), settings, entries=entries(program, None, None), bounds={})
    for start in problem.starts:
        with process_limits(), Session():
            e = Rounds(problem, Log()).equation(start, unwind)
            claims = digest([t for c in e.claims for t in (c.reached, c.violated)])
            steps = digest([s.guard for s in e.steps])
            what = [(s.kind, s.what, s.location.line) for s in e.steps]
            cuts = [(c.kind, c.reason) for c in e.cuts]
            found.append(([c.check.id for c in e.claims], claims, steps, what, cuts, e.instructions,
                          sorted(e.visited), digest(e.constraints)))  # fmt: skip
    return found


def test_what_is_generated_claims_the_same(tmp_path, monkeypatch):
    path = tmp_path / "loops.c"
    path.write_text(LOOPS)
    made = []
    plain = straight.generated
    monkeypatch.setattr(straight, "generated", lambda s: made.append(plain(s)) or made[-1])
    slow = recorded(path, 1 << 60, monkeypatch)
    assert not made
    assert recorded(path, 1, monkeypatch) == slow
    assert sum(one is not None for one in made) > 5
    assert recorded(path, 3, monkeypatch) == slow


def test_what_goes_wrong_is_left_to_the_steps(tmp_path, monkeypatch):
    """An error in the middle of a generated function: variables are written back."""
    path = tmp_path / "loops.c"
    path.write_text(LOOPS)
    slow = recorded(path, 1 << 60, monkeypatch)
    wrong = []

    def failing(*given):
        wrong.append(given)
        if len(wrong) % 3 == 0:
            raise ZeroDivisionError
        return bv(*given)

    monkeypatch.setitem(straight_steps._GIVEN, "bv", failing)
    assert recorded(path, 1, monkeypatch) == slow
    assert len(wrong) > 30


def attack(path, monkeypatch):
    try:
        slow = recorded(path, 1 << 60, monkeypatch, 6)
    except VouchError:
        return
    assert recorded(path, 1, monkeypatch, 6) == slow, path


SOURCES = sorted(path for path in CASES.glob("*/*.c") if path.parent.name not in ("cuda", "cpp"))


@pytest.mark.parametrize("folder", ["arithmetic", "loops", "bounds"])
def test_cases(folder, monkeypatch):
    for path in [path for path in SOURCES if path.parent.name == folder][::9]:
        attack(path, monkeypatch)


def test_an_address_that_is_an_offset_of_another(monkeypatch):
    """The first one is nowhere but in the variables of the function, where the second one is computed."""
    attack(CASES / "loops" / "short_circuit_safe.c", monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(24))
def test_all_cases(block, monkeypatch):
    for path in SOURCES[block::24]:
        attack(path, monkeypatch)
