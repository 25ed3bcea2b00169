"""Z3 through its C interface as the Python package wraps it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import z3

from vouch.smt import softfloat as sf
from vouch.smt.convert import Converter
from vouch.smt.node import Term, Value
from vouch.smt.solver import Answer
from vouch.smt.sort import Sort

BINARY = {
    "eq": z3.Z3_mk_eq, "add": z3.Z3_mk_bvadd, "sub": z3.Z3_mk_bvsub, "mul": z3.Z3_mk_bvmul,
    "udiv": z3.Z3_mk_bvudiv, "urem": z3.Z3_mk_bvurem, "sdiv": z3.Z3_mk_bvsdiv, "srem": z3.Z3_mk_bvsrem,
    "shl": z3.Z3_mk_bvshl, "lshr": z3.Z3_mk_bvlshr, "ashr": z3.Z3_mk_bvashr, "band": z3.Z3_mk_bvand,
    "bor": z3.Z3_mk_bvor, "bxor": z3.Z3_mk_bvxor, "bnot": z3.Z3_mk_bvnot, "neg": z3.Z3_mk_bvneg,
    "ult": z3.Z3_mk_bvult, "slt": z3.Z3_mk_bvslt, "concat": z3.Z3_mk_concat, "not": z3.Z3_mk_not,
    "ite": z3.Z3_mk_ite, "fp_rem": z3.Z3_mk_fpa_rem, "fp_neg": z3.Z3_mk_fpa_neg,
    "fp_abs": z3.Z3_mk_fpa_abs, "fp_eq": z3.Z3_mk_fpa_eq, "fp_lt": z3.Z3_mk_fpa_lt,
    "fp_le": z3.Z3_mk_fpa_leq, "fp_is_nan": z3.Z3_mk_fpa_is_nan, "fp_is_inf": z3.Z3_mk_fpa_is_infinite,
    "fp_is_zero": z3.Z3_mk_fpa_is_zero, "fp_is_negative": z3.Z3_mk_fpa_is_negative,
    "fp_is_subnormal": z3.Z3_mk_fpa_is_subnormal, "select": z3.Z3_mk_select, "store": z3.Z3_mk_store,
}  # fmt: skip
ROUNDED = {
    "fp_add": z3.Z3_mk_fpa_add, "fp_sub": z3.Z3_mk_fpa_sub, "fp_mul": z3.Z3_mk_fpa_mul,
    "fp_div": z3.Z3_mk_fpa_div, "fp_fma": z3.Z3_mk_fpa_fma, "fp_sqrt": z3.Z3_mk_fpa_sqrt,
}  # fmt: skip
CONVERTED = {
    "fp_from_sbv": z3.Z3_mk_fpa_to_fp_signed, "fp_from_ubv": z3.Z3_mk_fpa_to_fp_unsigned,
    "fp_to_fp": z3.Z3_mk_fpa_to_fp_float,
}  # fmt: skip
OVERFLOW = {
    "sadd_overflow": (z3.Z3_mk_bvadd_no_overflow, True, z3.Z3_mk_bvadd_no_underflow),
    "ssub_overflow": (z3.Z3_mk_bvsub_no_underflow, True, z3.Z3_mk_bvsub_no_overflow),
    "smul_overflow": (z3.Z3_mk_bvmul_no_overflow, True, z3.Z3_mk_bvmul_no_underflow),
    "umul_overflow": (z3.Z3_mk_bvmul_no_overflow, False, None),
}
ROUNDING = {
    "RNE": z3.Z3_mk_fpa_rne, "RNA": z3.Z3_mk_fpa_rna, "RTP": z3.Z3_mk_fpa_rtp, "RTN": z3.Z3_mk_fpa_rtn,
    "RTZ": z3.Z3_mk_fpa_rtz,
}  # fmt: skip


class Z3Solver(Converter):
    name = "z3"

    def __init__(self, memory: int | None = None) -> None:
        super().__init__()
        self._context = z3.Context()
        self._ref = self._context.ref()
        self._solver = z3.Solver(ctx=self._context)
        if memory is not None:
            self._solver.set("max_memory", memory)
        self._model: Any = None
        self._modes = {name: self._keep(make(self._ref)) for name, make in ROUNDING.items()}

    def _keep(self, ast: Any) -> Any:
        return z3.ExprRef(ast, self._context)

    def add(self, term: Term) -> None:
        z3.Z3_solver_assert(self._ref, self._solver.solver, self.convert(term).ast)

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        self._solver.set("timeout", 4294967295 if timeout is None else max(1, int(timeout * 1000)))
        # Pushed, not passed: z3 wants assumptions to be literals.
        self._solver.push()
        try:
            for term in assumptions:
                self.add(term)
            began = time.monotonic()
            result = self._solver.check()
            if result == z3.sat:
                self._model = self._solver.model()
                return Answer.SAT
            if result == z3.unknown:
                why = self._solver.reason_unknown()
                if why == "canceled" and (timeout is None or time.monotonic() - began < 0.9 * timeout):
                    raise KeyboardInterrupt  # z3 has taken the Ctrl-C for itself
                self.reason = "solver time limit" if why in ("canceled", "timeout") else f"z3: {why}"
        finally:
            self._solver.pop()
        return Answer.UNSAT if result == z3.unsat else Answer.UNKNOWN

    def value(self, term: Term) -> Value:
        expression = self.convert(term)
        if term.sort.kind == "bool":
            return bool(z3.is_true(self._evaluate(expression.ast)))
        if term.sort.kind == "fp":
            # z3 leaves the bits of a NaN open.
            if z3.is_true(self._evaluate(z3.Z3_mk_fpa_is_nan(self._ref, expression.ast))):
                return sf.nan(term.sort)
            expression = self._keep(z3.Z3_mk_fpa_to_ieee_bv(self._ref, expression.ast))
        return int(self._evaluate(expression.ast).as_long())

    def _evaluate(self, ast: Any) -> Any:
        return self._model.eval(self._keep(ast), model_completion=True)

    def close(self) -> None:
        super().close()
        self._modes.clear()
        self._solver = self._model = None

    def _sort(self, sort: Sort) -> Any:
        match sort.kind:
            case "bool":
                return z3.BoolSort(self._context)
            case "bv":
                return z3.BitVecSort(sort.width, self._context)
            case "fp":
                return z3.FPSort(sort.exponent, sort.significand, self._context)
            case "array":
                assert sort.key is not None
                assert sort.element is not None
                return z3.ArraySort(self._sort(sort.key), self._sort(sort.element))

    def _constant(self, value: Value, sort: Sort) -> Any:
        if sort.kind == "bool":
            return z3.BoolVal(value, self._context)
        bits = z3.BitVecVal(value, sort.width, self._context)
        if sort.kind == "bv":
            return bits
        return self._keep(z3.Z3_mk_fpa_to_fp_bv(self._ref, bits.ast, self._sort(sort).ast))

    def _node(self, term: Term, args: list[Any]) -> Any:
        op = term.op
        asts = [arg.ast for arg in args]
        make = BINARY.get(op)
        if make is not None:
            return self._keep(make(self._ref, *asts))
        if op in ("and", "or"):
            array = (z3.Ast * len(asts))(*asts)
            join = z3.Z3_mk_and if op == "and" else z3.Z3_mk_or
            return self._keep(join(self._ref, len(asts), array))
        if term.value is not None:
            return self._constant(term.value, term.sort)
        if op == "symbol":
            return z3.Const(term.name, self._sort(term.sort))
        return self._keep(self._other(term, asts))

    def _other(self, term: Term, asts: list[Any]) -> Any:
        op, ref = term.op, self._ref
        match op:
            case "extract":
                return z3.Z3_mk_extract(ref, *term.index, asts[0])
            case "zext":
                return z3.Z3_mk_zero_ext(ref, term.index[0], asts[0])
            case "sext":
                return z3.Z3_mk_sign_ext(ref, term.index[0], asts[0])
            case "fp_round":
                return z3.Z3_mk_fpa_round_to_integral(ref, self._modes[str(term.index[0])].ast, asts[0])
            case "fp_from_bits":
                return z3.Z3_mk_fpa_to_fp_bv(ref, asts[0], self._sort(term.sort).ast)
            case "fp_to_sbv":
                return z3.Z3_mk_fpa_to_sbv(ref, self._modes["RTZ"].ast, asts[0], term.width)
            case "fp_to_ubv":
                return z3.Z3_mk_fpa_to_ubv(ref, self._modes["RTZ"].ast, asts[0], term.width)
            case "const_array":
                assert term.sort.key is not None
                return z3.Z3_mk_const_array(ref, self._sort(term.sort.key).ast, asts[0])
        if op in ROUNDED:
            return ROUNDED[op](ref, self._modes["RNE"].ast, *asts)
        if op in CONVERTED:
            return CONVERTED[op](ref, self._modes["RNE"].ast, asts[0], self._sort(term.sort).ast)
        return self._overflow(op, asts)

    def _overflow(self, op: str, asts: list[Any]) -> Any:
        above, signed, below = OVERFLOW[op]
        # Of each pair only one takes the flag: the other makes sense for one reading alone.
        fits = [self._keep(above(self._ref, *asts, signed))]
        if below is not None:
            fits.append(self._keep(below(self._ref, *asts)))
        array = (z3.Ast * len(fits))(*[fit.ast for fit in fits])
        both = self._keep(z3.Z3_mk_and(self._ref, len(fits), array))
        return z3.Z3_mk_not(self._ref, both.ast)
