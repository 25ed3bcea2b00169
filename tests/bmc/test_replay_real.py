"""Native runs with the results of the real math library."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import pytest
from tests.bmc.replaying import compiled

from vouch.numeric import real


def bits(value: float) -> int:
    return int.from_bytes(struct.pack("<d", value), "little")


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("sin", (0.75,), math.sin(0.75)),
        ("pow", (2.5, 3.0), math.pow(2.5, 3.0)),
        ("erf", (0.25,), math.erf(0.25)),
    ],
)
def test_results_of_the_library(name: str, arguments: tuple[float, ...], expected: float) -> None:
    assert real.call(name, tuple(bits(a) for a in arguments)) == bits(expected)


def test_other_functions_are_not_called() -> None:
    assert real.shape("system") is None
    assert real.call("system", (0,)) is None


def test_a_run_asks_for_what_it_needs(tmp_path: Path) -> None:
    code = """#include <math.h>
    int f(double x) {
        double s = 0;
        for (int i = 0; i < 20; i++) s += sin(x + i);
        return 1 / (s < 0.4 ? 0 : 1);
    }
    """
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")

    def low(x: float) -> bool:
        return sum(math.sin(x + i) for i in range(20)) < 0.4

    assert [low(0.0), low(1.5)] == [True, False] or [low(0.0), low(1.5)] == [False, True]
    for x in (0.0, 1.5):
        assert snippet.replay(check, bits(x)).confirmed is low(x)
