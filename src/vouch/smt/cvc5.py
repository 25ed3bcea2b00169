"""cvc5 through its Python API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cvc5
from cvc5 import Kind

from vouch.errors import Unsupported
from vouch.smt.convert import Converter, expect_standard
from vouch.smt.node import Term, Value
from vouch.smt.solver import Answer
from vouch.smt.sort import FLOAT32, FLOAT64, Sort

KINDS = {
    "not": Kind.NOT, "and": Kind.AND, "or": Kind.OR, "eq": Kind.EQUAL, "ite": Kind.ITE,
    "add": Kind.BITVECTOR_ADD, "sub": Kind.BITVECTOR_SUB, "mul": Kind.BITVECTOR_MULT,
    "udiv": Kind.BITVECTOR_UDIV, "urem": Kind.BITVECTOR_UREM, "sdiv": Kind.BITVECTOR_SDIV,
    "srem": Kind.BITVECTOR_SREM, "shl": Kind.BITVECTOR_SHL, "lshr": Kind.BITVECTOR_LSHR,
    "ashr": Kind.BITVECTOR_ASHR, "band": Kind.BITVECTOR_AND, "bor": Kind.BITVECTOR_OR,
    "bxor": Kind.BITVECTOR_XOR, "bnot": Kind.BITVECTOR_NOT, "neg": Kind.BITVECTOR_NEG,
    "ult": Kind.BITVECTOR_ULT, "slt": Kind.BITVECTOR_SLT, "concat": Kind.BITVECTOR_CONCAT,
    "extract": Kind.BITVECTOR_EXTRACT, "zext": Kind.BITVECTOR_ZERO_EXTEND,
    "sext": Kind.BITVECTOR_SIGN_EXTEND, "sadd_overflow": Kind.BITVECTOR_SADDO,
    "ssub_overflow": Kind.BITVECTOR_SSUBO, "smul_overflow": Kind.BITVECTOR_SMULO,
    "umul_overflow": Kind.BITVECTOR_UMULO, "fp_add": Kind.FLOATINGPOINT_ADD,
    "fp_sub": Kind.FLOATINGPOINT_SUB, "fp_mul": Kind.FLOATINGPOINT_MULT, "fp_div": Kind.FLOATINGPOINT_DIV,
    "fp_fma": Kind.FLOATINGPOINT_FMA, "fp_sqrt": Kind.FLOATINGPOINT_SQRT, "fp_rem": Kind.FLOATINGPOINT_REM,
    "fp_neg": Kind.FLOATINGPOINT_NEG, "fp_abs": Kind.FLOATINGPOINT_ABS, "fp_round": Kind.FLOATINGPOINT_RTI,
    "fp_eq": Kind.FLOATINGPOINT_EQ, "fp_lt": Kind.FLOATINGPOINT_LT, "fp_le": Kind.FLOATINGPOINT_LEQ,
    "fp_is_nan": Kind.FLOATINGPOINT_IS_NAN, "fp_is_inf": Kind.FLOATINGPOINT_IS_INF,
    "fp_is_zero": Kind.FLOATINGPOINT_IS_ZERO, "fp_is_negative": Kind.FLOATINGPOINT_IS_NEG,
    "fp_is_subnormal": Kind.FLOATINGPOINT_IS_SUBNORMAL,
    "fp_from_bits": Kind.FLOATINGPOINT_TO_FP_FROM_IEEE_BV,
    "fp_from_sbv": Kind.FLOATINGPOINT_TO_FP_FROM_SBV, "fp_from_ubv": Kind.FLOATINGPOINT_TO_FP_FROM_UBV,
    "fp_to_fp": Kind.FLOATINGPOINT_TO_FP_FROM_FP, "fp_to_sbv": Kind.FLOATINGPOINT_TO_SBV,
    "fp_to_ubv": Kind.FLOATINGPOINT_TO_UBV, "select": Kind.SELECT, "store": Kind.STORE,
}  # fmt: skip
ROUNDED = frozenset(
    {"fp_add", "fp_sub", "fp_mul", "fp_div", "fp_fma", "fp_sqrt", "fp_from_sbv", "fp_from_ubv", "fp_to_fp"}
)
CONVERTED = frozenset({"fp_from_bits", "fp_from_sbv", "fp_from_ubv", "fp_to_fp"})
MODES = {
    "RNE": cvc5.RoundingMode.ROUND_NEAREST_TIES_TO_EVEN,
    "RNA": cvc5.RoundingMode.ROUND_NEAREST_TIES_TO_AWAY,
    "RTP": cvc5.RoundingMode.ROUND_TOWARD_POSITIVE,
    "RTN": cvc5.RoundingMode.ROUND_TOWARD_NEGATIVE,
    "RTZ": cvc5.RoundingMode.ROUND_TOWARD_ZERO,
}
FORMATS = frozenset({FLOAT32, FLOAT64})  # others are experimental there


class Cvc5Solver(Converter):
    name = "cvc5"

    def __init__(self, memory: int | None = None) -> None:
        super().__init__()
        self._manager = cvc5.TermManager()
        self._solver = cvc5.Solver(self._manager)
        for option in ("produce-models", "incremental", "arrays-exp"):
            self._solver.setOption(option, "true")  # the last one for constant arrays
        self._solver.setLogic("ALL")
        self._modes = {name: self._manager.mkRoundingMode(mode) for name, mode in MODES.items()}

    def add(self, term: Term) -> None:
        self._solver.assertFormula(self.convert(term))

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        self._solver.setOption("tlimit-per", str(0 if timeout is None else max(1, int(timeout * 1000))))
        assumed = [self.convert(term) for term in assumptions]
        result = self._solver.checkSatAssuming(*assumed) if assumed else self._solver.checkSat()
        if result.isSat():
            return Answer.SAT
        if result.isUnsat():
            return Answer.UNSAT
        late = result.getUnknownExplanation() == cvc5.UnknownExplanation.TIMEOUT
        self.reason = "solver time limit" if late else f"cvc5: {result.getUnknownExplanation().name}"
        return Answer.UNKNOWN

    def value(self, term: Term) -> Value:
        result = self._solver.getValue(self.convert(term))
        if term.sort.kind == "bool":
            return bool(result.getBooleanValue())
        if term.sort.kind == "fp":
            result = result.getFloatingPointValue()[2]
        return int(result.getBitVectorValue(10))

    def close(self) -> None:
        super().close()
        self._modes.clear()
        self._solver = self._manager = None

    def _sort(self, sort: Sort) -> Any:
        manager = self._manager
        match sort.kind:
            case "bool":
                return manager.getBooleanSort()
            case "bv":
                return manager.mkBitVectorSort(sort.width)
            case "fp":
                expect_standard(self.name, sort, FORMATS)
                return manager.mkFloatingPointSort(sort.exponent, sort.significand)
            case "array":
                assert sort.key is not None
                assert sort.element is not None
                return manager.mkArraySort(self._sort(sort.key), self._sort(sort.element))

    def _constant(self, value: Value, sort: Sort) -> Any:
        if sort.kind == "bool":
            return self._manager.mkBoolean(bool(value))
        bits = self._manager.mkBitVector(sort.width, str(value), 10)
        if sort.kind == "bv":
            return bits
        expect_standard(self.name, sort, FORMATS)
        return self._manager.mkFloatingPoint(sort.exponent, sort.significand, bits)

    def _node(self, term: Term, args: list[Any]) -> Any:
        op, manager = term.op, self._manager
        kind = KINDS.get(op)
        if kind is None:
            if term.value is not None:
                return self._constant(term.value, term.sort)
            if op == "symbol":
                return manager.mkConst(self._sort(term.sort), term.name)
            assert op == "const_array", op
            if term.args[0].value is None:
                raise Unsupported("cvc5 has constant arrays of constants only")
            return manager.mkConstArray(self._sort(term.sort), args[0])
        if op in CONVERTED:
            expect_standard(self.name, term.sort, FORMATS)
        if op in ROUNDED:
            args.insert(0, self._modes["RNE"])
        elif op == "fp_round":
            return manager.mkTerm(kind, self._modes[str(term.index[0])], *args)
        elif op in ("fp_to_sbv", "fp_to_ubv"):
            args.insert(0, self._modes["RTZ"])
        return manager.mkTerm(manager.mkOp(kind, *term.index) if term.index else kind, *args)
