"""Bitwuzla through its Python API: the default solver."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import bitwuzla
from bitwuzla import Kind, Option, Options, Result, RoundingMode

from vouch.smt.convert import Converter, expect_standard
from vouch.smt.interrupt import Flag, held_back
from vouch.smt.node import Term, Value
from vouch.smt.solver import Answer
from vouch.smt.sort import FLOAT16, FLOAT32, FLOAT64, FLOAT128, Sort

KINDS = {
    "not": Kind.NOT, "and": Kind.AND, "or": Kind.OR, "eq": Kind.EQUAL, "ite": Kind.ITE,
    "add": Kind.BV_ADD, "sub": Kind.BV_SUB, "mul": Kind.BV_MUL, "udiv": Kind.BV_UDIV, "urem": Kind.BV_UREM,
    "sdiv": Kind.BV_SDIV, "srem": Kind.BV_SREM, "shl": Kind.BV_SHL, "lshr": Kind.BV_SHR,
    "ashr": Kind.BV_ASHR, "band": Kind.BV_AND, "bor": Kind.BV_OR, "bxor": Kind.BV_XOR, "bnot": Kind.BV_NOT,
    "neg": Kind.BV_NEG, "ult": Kind.BV_ULT, "slt": Kind.BV_SLT, "concat": Kind.BV_CONCAT,
    "extract": Kind.BV_EXTRACT, "zext": Kind.BV_ZERO_EXTEND, "sext": Kind.BV_SIGN_EXTEND,
    "sadd_overflow": Kind.BV_SADD_OVERFLOW, "ssub_overflow": Kind.BV_SSUB_OVERFLOW,
    "smul_overflow": Kind.BV_SMUL_OVERFLOW, "umul_overflow": Kind.BV_UMUL_OVERFLOW,
    "fp_add": Kind.FP_ADD, "fp_sub": Kind.FP_SUB, "fp_mul": Kind.FP_MUL, "fp_div": Kind.FP_DIV,
    "fp_fma": Kind.FP_FMA, "fp_sqrt": Kind.FP_SQRT, "fp_rem": Kind.FP_REM, "fp_neg": Kind.FP_NEG,
    "fp_abs": Kind.FP_ABS, "fp_round": Kind.FP_RTI, "fp_eq": Kind.FP_EQUAL, "fp_lt": Kind.FP_LT,
    "fp_le": Kind.FP_LEQ, "fp_is_nan": Kind.FP_IS_NAN, "fp_is_inf": Kind.FP_IS_INF,
    "fp_is_zero": Kind.FP_IS_ZERO, "fp_is_negative": Kind.FP_IS_NEG,
    "fp_is_subnormal": Kind.FP_IS_SUBNORMAL, "fp_from_bits": Kind.FP_TO_FP_FROM_BV,
    "fp_from_sbv": Kind.FP_TO_FP_FROM_SBV, "fp_from_ubv": Kind.FP_TO_FP_FROM_UBV,
    "fp_to_fp": Kind.FP_TO_FP_FROM_FP, "fp_to_sbv": Kind.FP_TO_SBV, "fp_to_ubv": Kind.FP_TO_UBV,
    "select": Kind.ARRAY_SELECT, "store": Kind.ARRAY_STORE,
}  # fmt: skip

ROUNDED = frozenset(
    {"fp_add", "fp_sub", "fp_mul", "fp_div", "fp_fma", "fp_sqrt", "fp_from_sbv", "fp_from_ubv", "fp_to_fp"}
)
CONVERTED = frozenset({"fp_from_bits", "fp_from_sbv", "fp_from_ubv", "fp_to_fp"})
FORMATS = frozenset({FLOAT16, FLOAT32, FLOAT64, FLOAT128})  # others are experimental there


class BitwuzlaSolver(Converter):
    name = "bitwuzla"

    def __init__(self, memory: int | None = None) -> None:
        super().__init__()
        options = Options()
        options.set(Option.PRODUCE_MODELS, True)
        if memory is not None:
            options.set(Option.MEMORY_LIMIT, memory)
        self._manager = bitwuzla.TermManager()
        self._solver = bitwuzla.Bitwuzla(self._manager, options)
        self._rne = self._manager.mk_rm_value(RoundingMode.RNE)
        self._rtz = self._manager.mk_rm_value(RoundingMode.RTZ)
        self._deadline: float | None = None
        self._interrupt = Flag()
        self._solver.configure_terminator(self._late)

    def _late(self) -> bool:
        return self._interrupt.raised or (self._deadline is not None and time.monotonic() > self._deadline)

    def add(self, term: Term) -> None:
        self._solver.assert_formula(self.convert(term))

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        assumed = [self.convert(term) for term in assumptions]
        self._deadline = None if timeout is None else time.monotonic() + timeout
        with held_back(self._interrupt):
            result = self._solver.check_sat(*assumed)
        if result == Result.SAT:
            return Answer.SAT
        if result == Result.UNSAT:
            return Answer.UNSAT
        self.reason = "solver time limit" if self._late() else "solver memory limit"
        return Answer.UNKNOWN

    def value(self, term: Term) -> Value:
        result = self._solver.get_value(self.convert(term)).value(2, False)
        return result if isinstance(result, bool) else int(result, 2)

    def close(self) -> None:
        super().close()
        self._solver = self._manager = None

    def _sort(self, sort: Sort) -> Any:
        manager = self._manager
        match sort.kind:
            case "bool":
                return manager.mk_bool_sort()
            case "bv":
                return manager.mk_bv_sort(sort.width)
            case "fp":
                expect_standard(self.name, sort, FORMATS)
                return manager.mk_fp_sort(sort.exponent, sort.significand)
            case "array":
                assert sort.key is not None
                assert sort.element is not None
                return manager.mk_array_sort(self._sort(sort.key), self._sort(sort.element))

    def _constant(self, value: Value, sort: Sort) -> Any:
        manager = self._manager
        if sort.kind == "bool":
            return manager.mk_true() if value else manager.mk_false()
        if sort.kind == "bv":
            return manager.mk_bv_value(manager.mk_bv_sort(sort.width), value)
        expect_standard(self.name, sort, FORMATS)
        bits = manager.mk_bv_value(manager.mk_bv_sort(sort.width), value)
        return manager.mk_term(Kind.FP_TO_FP_FROM_BV, [bits], [sort.exponent, sort.significand])

    def _node(self, term: Term, args: list[Any]) -> Any:
        op = term.op
        kind = KINDS.get(op)
        if kind is None:
            if term.value is not None:
                return self._constant(term.value, term.sort)
            if op == "symbol":
                return self._manager.mk_const(self._sort(term.sort), term.name)
            assert op == "const_array", op
            return self._manager.mk_const_array(self._sort(term.sort), args[0])
        if op in CONVERTED:
            expect_standard(self.name, term.sort, FORMATS)
        if op in ROUNDED:
            args.insert(0, self._rne)
        elif op == "fp_round":
            return self._manager.mk_term(
                kind, [self._manager.mk_rm_value(RoundingMode[str(term.index[0])]), *args]
            )
        elif op in ("fp_to_sbv", "fp_to_ubv"):
            args.insert(0, self._rtz)
        if term.index:
            return self._manager.mk_term(kind, args, list(term.index))
        return self._manager.mk_term(kind, args)
