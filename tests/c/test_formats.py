"""Lengths of formatted text, against the C library."""

from __future__ import annotations

import ctypes
import random
from types import SimpleNamespace
from typing import Any

import pytest

from vouch.c.ir import FloatType, IntConstant, IntType, PointerType
from vouch.c.known import PRINTING
from vouch.c.ranges import domain
from vouch.c.ranges.formats import FormatReading

_LIBC = ctypes.CDLL(None)
_ROUNDS = 1500


class _Given:
    """Arguments with ranges, and a value for each out of its range."""

    def __init__(self, pick: random.Random) -> None:
        self.pick = pick
        self.operands: list[Any] = []
        self.values: list[Any] = []
        self.ranges: dict[int, Any] = {}
        self.lengths: dict[int, int] = {}

    def integer(self, bits: int, far: int | None = None) -> None:
        ends = (-far, far) if far is not None else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        lo, hi = sorted(self._near(*ends) for _ in range(2))
        operand = IntConstant(IntType(bits), len(self.operands))
        self.ranges[len(self.operands)] = domain.signed(lo, hi, bits)
        self.operands.append(operand)
        value = self.pick.choice((lo, hi, self.pick.randint(lo, hi)))
        self.values.append((ctypes.c_int if bits == 32 else ctypes.c_longlong)(value))

    def _near(self, lo: int, hi: int) -> int:
        edge = self.pick.choice((lo, hi, 0, 9, 10, -10, 255, 256, 65536, self.pick.randint(lo, hi)))
        return min(max(edge, lo), hi)

    def text(self) -> None:
        held = "x" * self.pick.choice((0, 1, 5, 30))
        self.lengths[len(self.operands)] = len(held)
        self.operands.append(SimpleNamespace(type=PointerType(), number=len(self.operands)))
        self.values.append(ctypes.c_char_p(held.encode()))

    def real(self) -> None:
        self.operands.append(SimpleNamespace(type=FloatType("double")))
        numbers = (0.0, -1.5, 1e-300, -1.7976931348623157e308, float("inf"), -float("nan"), 123456.789)
        self.values.append(ctypes.c_double(self.pick.choice(numbers)))

    def state(self) -> Any:
        """What stands for the state of an analysis."""
        layout = SimpleNamespace(pointer_bits=64)
        return SimpleNamespace(
            integer=lambda operand: self.ranges[operand.value],
            pointer=lambda operand: operand.number,
            text_length=self.lengths.get,
            whole=SimpleNamespace(program=SimpleNamespace(layout=layout)),
        )


def _conversion(pick: random.Random, given: _Given) -> str:
    kind = pick.choice("diuxXocsfgeaG")
    flags = "".join(pick.sample("-+ #0", pick.randint(0, 2)))
    width = pick.choice(("", "1", "7", "20", "*"))
    precision = pick.choice(("", "", ".", ".0", ".3", ".12", ".*"))
    length = pick.choice(("", "", "hh", "h", "l", "ll", "z", "j")) if kind in "diuxXo" else ""
    if width == "*":
        given.integer(32, 40)
    if precision == ".*":
        given.integer(32, 40)
    if kind == "s":
        given.text()
    elif kind in "fgeaG":
        given.real()
    else:
        given.integer(64 if length in ("l", "ll", "z", "j") else 32)
    return f"%{flags}{width}{precision}{length}{kind}"


@pytest.mark.parametrize("seed", range(4))
def test_lengths(seed: int) -> None:
    pick = random.Random(seed)
    place = PRINTING["snprintf"]._replace(format=-1)
    exact = 0
    for _ in range(_ROUNDS // 4):
        given = _Given(pick)
        text = pick.choice(("", "ab", "100%%"))
        text += "".join(_conversion(pick, given) for _ in range(pick.randint(1, 3)))
        call = SimpleNamespace(arguments=given.operands, type=IntType(32))
        found = FormatReading(given.state(), call, place).all_of(text)  # type: ignore[arg-type]
        assert found is not None, text
        length = _LIBC.snprintf(None, ctypes.c_size_t(0), text.encode(), *given.values)
        assert found.least <= length <= found.most, (text, given.values, found)
        exact += length == found.most
    assert exact > 50  # ends that are reached, not only far off


@pytest.mark.parametrize("text", ["%", "%5", "%n", "%1$d", "%ls", "%lc", "%m", "%Ld", "%Lf", "%v", "%d%d"])
def test_unclear(text: str) -> None:
    given = _Given(random.Random(0))
    given.integer(32)
    call = SimpleNamespace(arguments=given.operands, type=IntType(32))
    place = PRINTING["snprintf"]._replace(format=-1)
    assert FormatReading(given.state(), call, place).all_of(text) is None  # type: ignore[arg-type]
