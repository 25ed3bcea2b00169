"""What values a term can have: a congruence and an interval, both sound for wrapping arithmetic."""

from __future__ import annotations

import math

from vouch.smt.intervals import unsigned as bounds
from vouch.smt.term import Term

__all__ = ["Shapes", "bounds"]


class Shapes:
    """Congruences of terms, each worked out once."""

    def __init__(self) -> None:
        self._strides: dict[Term, tuple[int, int]] = {}

    def stride(self, term: Term) -> tuple[int, int]:
        """(m, r) with term = r modulo m, m at least 1. Sound for wrapping arithmetic."""
        modulus, rest = self._congruence(term, 0)
        if modulus == 0:
            modulus = 1 << term.width
        return modulus, rest % modulus

    def _congruence(self, term: Term, depth: int) -> tuple[int, int]:
        """(m, r): equal to r modulo m; m = 0 means equal to r."""
        if term.value is not None:
            return 0, int(term.value)
        known = self._strides.get(term)
        if known is not None:
            return known
        result = (1, 0)
        if depth < 16:
            result = self._compute_congruence(term, depth + 1)
        self._strides[term] = result
        return result

    def _compute_congruence(self, term: Term, depth: int) -> tuple[int, int]:
        op = term.op
        if op == "add":
            modulus, rest = self._congruence(term.args[0], depth)
            for argument in term.args[1:]:
                m, r = self._congruence(argument, depth)
                modulus, rest = math.gcd(modulus, m), rest + r
            return self._wrapping(term, modulus, rest)
        if op == "mul" and len(term.args) == 2:
            a, b = term.args
            factor, other = (a, b) if a.value is not None else (b, a)
            if factor.value is None or not factor.value:
                return 1, 0
            m, r = self._congruence(other, depth)
            return self._wrapping(term, m * int(factor.value), r * int(factor.value))
        if op == "shl" and term.args[1].value is not None:
            amount = int(term.args[1].value)
            return (1 << amount, 0) if amount < term.width else (0, 0)
        if op == "concat":
            low = term.args[-1]
            if low.value is not None:
                return 1 << low.width, int(low.value)
            m, r = self._congruence(low, depth)
            power = (m & -m) if m else 1 << low.width
            return power, r % power
        if op == "ite":
            (m1, r1), (m2, r2) = self._congruence(term.args[1], depth), self._congruence(term.args[2], depth)
            modulus = math.gcd(m1, m2, abs(r1 - r2))
            return (modulus, r1 % modulus) if modulus else (0, r1)
        if op == "zext":
            return self._congruence(term.args[0], depth)
        if op == "sext":
            m, r = self._congruence(term.args[0], depth)
            power = (m & -m) if m else 1
            return power, r % power
        return 1, 0

    def _wrapping(self, term: Term, modulus: int, rest: int) -> tuple[int, int]:
        """Arithmetic modulo 2^w keeps a congruence only where the modulus is a power of two or nothing
        wraps."""
        if modulus == 0:
            return 0, rest % (1 << term.width)
        if modulus & (modulus - 1) and not self._fits(term):
            modulus &= -modulus
        return modulus, rest % modulus

    def _fits(self, term: Term) -> bool:
        if term.op == "mul":
            factor, other = term.args if term.args[0].value is not None else term.args[::-1]
            return bounds(other)[1] * int(factor.value or 0) < 1 << term.width
        return sum(bounds(argument)[1] for argument in term.args) < 1 << term.width
