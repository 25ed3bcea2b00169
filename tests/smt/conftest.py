"""Random terms from genes: the same genes build the same formula, simplified or not, at any width."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from vouch.smt import term as T

Gene = tuple[int, int, int, int]
HALF = T.FLOAT16


@dataclass
class Soup:
    """Terms to choose from, by sort. Every gene adds one, made by some operator of some earlier ones."""

    width: int
    floats: bool = False
    arrays: bool = False
    terms: dict[T.Sort, list[T.Term]] = field(default_factory=dict)
    symbols: list[T.Term] = field(default_factory=list)
    operators: list[tuple[Callable[..., T.Term], tuple[T.Sort, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        narrow, wide = T.bitvec(self.width), T.bitvec(2 * self.width)
        array = T.array(narrow, narrow)
        for sort, names in ((T.BOOL, "pq"), (narrow, "xy"), (wide, "w")):
            for name in names:
                self.keep(T.symbol(name, sort))
        for value in (0, 1, (1 << self.width) - 1, 1 << (self.width - 1), 2):
            self.keep(T.bv(value, self.width))
            self.keep(T.bv(value, 2 * self.width))
        self.operators = _core(narrow) + _bits(narrow, wide)
        if self.floats:
            self.keep(T.symbol("f", HALF))
            self.keep(T.symbol("g", HALF))
            for bits in (0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 1, 0x4248):  # 0 -0 1 -1 inf least 3.14
                self.keep(T.fp_const(bits, HALF))
            self.operators = self.operators + _floats(narrow) * 2
        if self.arrays:
            self.keep(T.symbol("A", array))
            self.keep(T.symbol("B", array))
            self.operators = self.operators + _arrays(narrow, array) * 4

    def keep(self, term: T.Term) -> None:
        self.terms.setdefault(term.sort, []).append(term)
        if term.op == "symbol":
            self.symbols.append(term)

    def grow(self, genes: Sequence[Gene]) -> T.Term:
        """The last term made."""
        made = T.TRUE
        for choice, *picks in genes:
            make, sorts = self.operators[choice % len(self.operators)]
            chosen = [
                self.terms[sort][-1 - pick % len(self.terms[sort])]
                for sort, pick in zip(sorts, picks, strict=False)
            ]
            made = make(*chosen)
            self.keep(made)
        return made

    def claim(self, genes: Sequence[Gene]) -> T.Term:
        """A boolean that depends on what the genes made."""
        made = self.grow(genes)
        if made.sort is T.BOOL:
            return made
        if made.sort.kind == "array":
            made = T.select(made, self.terms[made.sort.key][0])
        pick = genes[-1][1]
        others = [t for t in self.terms[made.sort] if t is not made]
        return T.eq(made, others[pick % len(others)])


def _core(narrow: T.Sort) -> list[Any]:
    b = T.BOOL
    return [
        (T.not_, (b,)), (T.and_, (b, b)), (T.or_, (b, b)), (T.xor, (b, b)), (T.implies, (b, b)),
        (T.and_, (b, b, b)), (T.or_, (b, b, b)), (T.ite, (b, b, b)), (T.ite, (b, narrow, narrow)),
        (T.ite, (b, narrow, narrow)), (T.eq, (b, b)), (T.ne, (b, b)),
    ]  # fmt: skip


def _bits(n: T.Sort, w: T.Sort) -> list[Any]:
    width = n.width
    rows: list[Any] = [
        (f, (s, s))
        for s in (n, w)
        for f in (
            T.add, T.sub, T.mul, T.udiv, T.urem, T.sdiv, T.srem, T.shl, T.lshr, T.ashr, T.band, T.bor, T.bxor,
            T.ult, T.ule, T.ugt, T.uge, T.slt, T.sle, T.sgt, T.sge, T.eq, T.ne, T.add, T.sub,
            T.eq, T.ult, T.slt,
            T.sadd_overflow, T.uadd_overflow, T.ssub_overflow, T.usub_overflow, T.smul_overflow,
            T.umul_overflow,
        )
    ]  # fmt: skip
    rows += [(f, (s,)) for s in (n, w) for f in (T.bnot, T.neg)]
    rows += [
        (T.concat, (n, n)), (T.ite, (T.BOOL, w, w)),
        (lambda a: T.zext(a, 2 * width), (n,)), (lambda a: T.sext(a, 2 * width), (n,)),
        (lambda a: T.extract(a, width - 1, 0), (w,)), (lambda a: T.extract(a, 2 * width - 1, width), (w,)),
        (lambda a: T.extract(a, width, 1), (w,)), (lambda a: T.resize_s(a, width), (w,)),
        (lambda a: T.zext(T.extract(a, width - 2, 0), 2 * width), (n,)),
        (lambda a: T.sext(T.extract(a, width - 1, 1), width), (n,)),
        (lambda b: T.bool_to_bv(b, width), (T.BOOL,)), (lambda b: T.bool_to_bv(b, 2 * width), (T.BOOL,)),
        (lambda a: T.bv_to_bool(T.extract(a, 0, 0)), (n,)),
    ] * 2  # fmt: skip
    return rows


def _floats(n: T.Sort) -> list[Any]:
    f = HALF
    other = T.FLOAT32
    rows: list[Any] = [
        (g, (f, f))
        for g in (T.fp_add, T.fp_sub, T.fp_mul, T.fp_div, T.fp_min, T.fp_max, T.fp_eq, T.fp_lt, T.fp_le, T.eq)
    ]
    rows += [
        (g, (f,))
        for g in (
            T.fp_neg,
            T.fp_abs,
            T.fp_sqrt,
            T.fp_is_nan,
            T.fp_is_inf,
            T.fp_is_zero,
            T.fp_is_negative,
            T.fp_is_subnormal,
        )
    ]
    rows += [
        (T.fp_rem, (f, f)), (T.fp_fmod, (f, f)), (T.fp_fma, (f, f, f)), (T.ite, (T.BOOL, f, f)),
        (lambda a: T.fp_from_sbv(a, f), (n,)), (lambda a: T.fp_from_ubv(a, f), (n,)),
        (lambda a: T.fp_to_sbv(a, n.width), (f,)), (lambda a: T.fp_to_ubv(a, n.width), (f,)),
        (lambda a, b: T.fp_lt(T.fp_to_fp(a, other), T.fp_to_fp(b, other)), (f, f)),
        (lambda a, b: T.fp_to_fp(T.fp_mul(T.fp_to_fp(a, other), T.fp_to_fp(b, other)), f), (f, f)),
        (lambda a: T.fp_from_bits(T.zext(T.extract(a, n.width - 1, 0), f.width), f), (n,)),
    ]  # fmt: skip
    for mode in ("rne", "rna", "rtp", "rtn", "rtz"):
        rows.append((lambda a, mode=mode: T.fp_round(a, mode), (f,)))
    return rows


def _arrays(n: T.Sort, a: T.Sort) -> list[Any]:
    return [
        (T.select, (a, n)), (T.store, (a, n, n)), (T.ite, (T.BOOL, a, a)),
        (lambda v: T.const_array(a, v), (n,)), (lambda x, i: T.store(x, i, T.select(x, i)), (a, n)),
    ]  # fmt: skip


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    """Every test has terms and switches of its own."""
    with T.Session():
        yield


@pytest.fixture
def soup() -> type[Soup]:
    return Soup
