"""Trip counts of loops that count, by hand; none where the source does not fix it."""

from __future__ import annotations

from pathlib import Path

import pytest

from vouch.bmc.loops import describe, given_bounds
from vouch.c import frontend
from vouch.errors import VouchError

SOURCE = """#include <stdint.h>
int f(int n, int *a)
{
    int s = 0;
    for (int i = 0; i < 10; i++) s ^= i;
    for (uint8_t k = 3u; k <= 200u; k += 2u) s ^= k;
    for (unsigned j = 16; j > 0; j >>= 1) { if (a[j]) continue; s ^= 1; }
    while (n > 0) n /= 3;
    for (int i = 0; i < n; i++) s ^= i;
    for (;;) { if (a[0]) break; }
    for (long q = -4; q != 4; ++q) s ^= 3;
    for (int i = 0; i < 10; i++) { if (a[i]) i++; }
    for (int i = 0; i < 10; i++) { a = &i; }
    for (uint8_t i = 0; i < 300; i++) s ^= 5;
    return s;
}
"""
#           line: body runs
EXPECTED = {
    5: 10,
    6: 99,  # 3, 5, …, 199
    7: 5,  # 16, 8, 4, 2, 1
    8: None,
    9: None,
    10: None,
    11: 8,
    12: None,  # stepped in two places
    13: None,  # somebody else may change it
    14: None,  # never ends
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> frontend.Loaded:
    path = tmp_path_factory.mktemp("loops") / "loops.c"
    path.write_text(SOURCE)
    return frontend.load([str(path)])


def test_trip_counts(program: frontend.Loaded) -> None:
    found = describe(program.program, {}, {}, None)
    assert {info.line: info.trip_count for info in found} == EXPECTED
    assert [info.name for info in found] == [f"f.loop.{n}" for n in range(1, len(EXPECTED) + 1)]


def test_bounds_by_strength(program: frontend.Loaded, tmp_path: Path) -> None:
    file = program.units[0]
    found = {i.line: i for i in describe(program.program, {"f.loop.5": 7}, {(file, 8): 3, (file, 9): 4}, 2)}
    assert (found[8].bound, found[8].bound_from) == (3, "comment")
    assert (found[9].bound, found[9].bound_from) == (7, "option")
    assert (found[5].bound, found[5].bound_from) == (10, "inferred")
    assert (found[10].bound, found[10].bound_from) == (2, "option")


@pytest.mark.parametrize("text", ["f.loop.1", "=3", "f.loop.1=", "f.loop.1=-2", "f.loop.1=x"])
def test_bad_words(text: str) -> None:
    with pytest.raises(VouchError, match="--unwind-loop"):
        given_bounds([text])


def test_unknown_loop(program: frontend.Loaded) -> None:
    with pytest.raises(VouchError, match=r"g\.loop\.1"):
        describe(program.program, {"g.loop.1": 3}, {}, None)
