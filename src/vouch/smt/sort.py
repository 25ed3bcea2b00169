"""Sorts of terms: booleans, bit-vectors, IEEE floats and arrays. Interned, compared by identity."""

from __future__ import annotations

from typing import Literal

Kind = Literal["bool", "bv", "fp", "array"]


class Sort:
    """An interned sort.

    `width` is the number of bits of a value (1 for booleans, 0 for arrays). `exponent` and
    `significand` (hidden bit included, as in SMT-LIB) describe floats, `key` and `element` arrays.
    `full` is the interval of all unsigned values.
    """

    __slots__ = ("element", "exponent", "full", "key", "kind", "significand", "width")

    def __init__(
        self,
        kind: Kind,
        width: int,
        exponent: int = 0,
        significand: int = 0,
        key: Sort | None = None,
        element: Sort | None = None,
    ) -> None:
        self.kind: Kind = kind
        self.width = width
        self.full = (0, (1 << width) - 1)
        self.exponent = exponent
        self.significand = significand
        self.key = key
        self.element = element

    @property
    def is_array(self) -> bool:
        return self.kind == "array"

    def __reduce__(self) -> tuple[object, ...]:
        if self.kind == "bool":
            return (_bool, ())
        if self.kind == "bv":
            return (bitvec, (self.width,))
        if self.kind == "fp":
            return (floating, (self.exponent, self.significand))
        return (array, (self.key, self.element))

    def __repr__(self) -> str:
        match self.kind:
            case "bool":
                return "Bool"
            case "bv":
                return f"(_ BitVec {self.width})"
            case "fp":
                return f"(_ FloatingPoint {self.exponent} {self.significand})"
            case "array":
                return f"(Array {self.key!r} {self.element!r})"


BOOL = Sort("bool", 1)
_bitvecs: dict[int, Sort] = {}
_floats: dict[tuple[int, int], Sort] = {}
_arrays: dict[tuple[Sort, Sort], Sort] = {}


def _bool() -> Sort:
    return BOOL


def bitvec(width: int) -> Sort:
    """The sort of bit-vectors of `width` bits, at least one."""
    sort = _bitvecs.get(width)
    if sort is None:
        if width < 1:
            raise ValueError(f"a bit-vector needs at least one bit, not {width}")
        sort = _bitvecs[width] = Sort("bv", width)
    return sort


def floating(exponent: int, significand: int) -> Sort:
    """The sort of IEEE floats with that many exponent and significand bits (hidden bit included)."""
    key = (exponent, significand)
    sort = _floats.get(key)
    if sort is None:
        if exponent < 2 or significand < 2:
            raise ValueError(f"no such float format: {exponent} exponent, {significand} significand bits")
        sort = _floats[key] = Sort("fp", exponent + significand, exponent, significand)
    return sort


def array(key: Sort, element: Sort) -> Sort:
    """The sort of arrays from `key` to `element`."""
    sort = _arrays.get((key, element))
    if sort is None:
        sort = _arrays[key, element] = Sort("array", 0, key=key, element=element)
    return sort


FLOAT16 = floating(5, 11)
FLOAT32 = floating(8, 24)
FLOAT64 = floating(11, 53)
FLOAT128 = floating(15, 113)
