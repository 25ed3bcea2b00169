"""Boolector through its Python API: bit-vectors and arrays, no floats."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from pyboolector import Boolector, BtorOption

from vouch.errors import Unsupported
from vouch.smt.convert import Converter
from vouch.smt.interrupt import Flag, held_back
from vouch.smt.node import Term, Value
from vouch.smt.solver import Answer
from vouch.smt.sort import Sort

METHODS = {
    "not": "Not", "and": "And", "or": "Or", "eq": "Eq", "ite": "Cond", "add": "Add", "sub": "Sub",
    "mul": "Mul", "udiv": "Udiv", "urem": "Urem", "sdiv": "Sdiv", "srem": "Srem", "shl": "Sll",
    "lshr": "Srl", "ashr": "Sra", "band": "And", "bor": "Or", "bxor": "Xor", "bnot": "Not", "neg": "Neg",
    "ult": "Ult", "slt": "Slt", "concat": "Concat", "extract": "Slice", "zext": "Uext", "sext": "Sext",
    "sadd_overflow": "Saddo", "ssub_overflow": "Ssubo", "smul_overflow": "Smulo", "umul_overflow": "Umulo",
    "select": "Read", "store": "Write",
}  # fmt: skip


class BoolectorSolver(Converter):
    """Booleans are bit-vectors of one bit there."""

    name = "boolector"

    def __init__(self, memory: int | None = None) -> None:
        super().__init__()
        self._added: list[Term] = []
        self._deadline: float | None = None
        self._interrupt = Flag()
        self._start()

    def _start(self) -> None:
        self._solver = Boolector()
        self._solver.Set_opt(BtorOption.BTOR_OPT_MODEL_GEN, 1)
        self._solver.Set_opt(BtorOption.BTOR_OPT_INCREMENTAL, 1)
        self._solver.Set_term(self._late, ())
        self._methods: dict[str, Callable[..., Any]] = {
            op: getattr(self._solver, method) for op, method in METHODS.items()
        }

    def _late(self) -> bool:
        return self._interrupt.raised or (self._deadline is not None and time.monotonic() > self._deadline)

    def add(self, term: Term) -> None:
        self._solver.Assert(self.convert(term))
        self._added.append(term)

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        for assumption in [self.convert(term) for term in assumptions]:
            self._solver.Assume(assumption)
        self._deadline = None if timeout is None else time.monotonic() + timeout
        with held_back(self._interrupt):
            result = self._solver.Sat()
        if result == self._solver.SAT:
            return Answer.SAT
        if result == self._solver.UNSAT:
            return Answer.UNSAT
        self.reason = "solver time limit"
        self._restart()
        return Answer.UNKNOWN

    def _restart(self) -> None:
        """A new instance with everything added: one that was interrupted never answers again."""
        self._made.clear()
        self._start()
        for term in self._added:
            self._solver.Assert(self.convert(term))

    def value(self, term: Term) -> Value:
        bits = int(self.convert(term).assignment.replace("x", "0"), 2)
        return bool(bits) if term.sort.kind == "bool" else bits

    def close(self) -> None:
        super().close()
        self._methods.clear()
        self._solver = None

    def _sort(self, sort: Sort) -> Any:
        match sort.kind:
            case "bool" | "bv":
                return self._solver.BitVecSort(sort.width)
            case "array":
                assert sort.key is not None
                assert sort.element is not None
                return self._solver.ArraySort(self._sort(sort.key), self._sort(sort.element))
            case "fp":
                raise Unsupported("boolector has no floating-point arithmetic")

    def _node(self, term: Term, args: list[Any]) -> Any:
        op = term.op
        if term.value is not None:
            return self._solver.Const(int(term.value), self._sort(term.sort) and term.width)
        if op == "symbol":
            make = self._solver.Array if term.sort.kind == "array" else self._solver.Var
            return make(self._sort(term.sort), f"{term.name}#{term.id}")
        if op == "const_array":
            return self._solver.ConstArray(self._sort(term.sort), args[0])
        method = self._methods.get(op)
        if method is None:
            raise Unsupported("boolector has no floating-point arithmetic")
        if op in ("and", "or"):
            return reduce(method, args)
        return method(*args, *term.index)
