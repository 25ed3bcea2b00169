"""Any SMT-LIB 2 program, kept running and asked through its standard input.

A program that does not answer in time is ended and started again with everything said so far.
"""

from __future__ import annotations

import os
import re
import select
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from vouch.errors import Unsupported, VouchError
from vouch.process import end, start
from vouch.smt import softfloat as sf
from vouch.smt.model import ArrayEntries, zero
from vouch.smt.node import Term, Value
from vouch.smt.printer import definitions, literal
from vouch.smt.solver import Answer, SolverError
from vouch.smt.sort import Sort
from vouch.smt.walk import evaluate, order


class Dialect(NamedTuple):
    """How a program wants to be started and what it can do."""

    arguments: tuple[str, ...] = ()
    logic: str = "ALL"
    floats: bool = True
    constant_arrays: bool = True


DIALECTS = {
    "yices-smt2": Dialect(("--incremental",), "QF_AUFBV", floats=False, constant_arrays=False),
    "z3": Dialect(("-in",)),
    "cvc5": Dialect(("--incremental",)),
    "bitwuzla": Dialect(),
}
ALIASES = {"yices": "yices-smt2"}


def _command(text: str) -> tuple[list[str], Dialect]:
    """The command line to run; a bare known name gets the arguments it needs."""
    words = shlex.split(text)
    if not words:
        raise VouchError("the solver's name is empty")
    program = ALIASES.get(words[0], words[0])
    beside = str(Path(sys.executable).parent)  # where the packages of this environment put programs
    found = shutil.which(program) or shutil.which(program, path=beside)
    if found is None:
        raise VouchError(
            f"unknown solver {text}: neither bitwuzla, z3, cvc5, boolector nor a program on the PATH"
        )
    dialect = DIALECTS.get(Path(program).name, Dialect())
    return [found, *(words[1:] or dialect.arguments)], dialect


class SmtLibSolver:
    def __init__(self, command: str, memory: int | None = None) -> None:
        self.name = command
        self.reason = ""
        self._command, self._dialect = _command(command)
        self._memory = memory
        self._known: dict[Term, str] = {}
        self._said = [  # everything a new process has to hear; scoped lines are never part of it
            "(set-option :print-success false)",
            "(set-option :produce-models true)",
            f"(set-logic {self._dialect.logic})",
        ]
        self._heard = 0
        self._pushed = False
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, term: Term) -> None:
        self._said.append(f"(assert {self._define([term])[0]})")

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        scoped = [f"(assert {name})" for name in self._define(assumptions)]
        lines = ["(pop 1)"] if self._pushed else []
        process = self._running()
        lines += [*self._said[self._heard :], "(push 1)", *scoped, "(check-sat)"]
        self._heard, self._pushed = len(self._said), True
        answer = self._ask(process, lines, timeout)
        if answer is None:
            self._end()
            return Answer.UNKNOWN
        if answer in ("sat", "unsat"):
            return Answer(answer)
        if answer != "unknown":
            raise SolverError(f"{self.name}: {answer}")
        self.reason = f"{self.name} answered unknown"
        return Answer.UNKNOWN

    def value(self, term: Term) -> Value:
        result: Value = evaluate(term, {}, self._symbol)
        return result

    def close(self) -> None:
        self._end()
        self._known.clear()

    def _define(self, terms: Sequence[Term]) -> list[str]:
        for term in order(terms, self._known):
            if not self._dialect.floats and (term.sort.kind == "fp" or term.op.startswith("fp_")):
                raise Unsupported(f"{self.name} has no floating-point arithmetic")
            if not self._dialect.constant_arrays and term.op == "const_array":
                raise Unsupported(f"{self.name} has no constant arrays")
        self._said.extend(definitions(terms, self._known))
        return [self._known[term] for term in terms]

    def _symbol(self, symbol: Term) -> Any:
        """The value of a symbol in the current model; one never mentioned is zero."""
        if symbol not in self._known:
            return zero(symbol.sort)
        if symbol.sort.kind == "array":
            return ArrayEntries(symbol, self._entry, {})
        return self._read(self._known[symbol], symbol.sort)

    def _entry(self, read: Term) -> Value:
        """The value of a read of an array symbol at a constant."""
        array, key = read.args
        assert key.value is not None
        return self._read(f"(select {self._known[array]} {literal(key.value, key.sort)})", read.sort)

    def _read(self, name: str, sort: Sort) -> Value:
        assert self._process is not None, "value before SAT"
        answer = self._ask(self._process, [f"(get-value ({name}))"], None)
        if answer is None:
            raise SolverError(f"{self.name}: no value for {name} ({self.reason})")
        return _parse(answer, name, sort)

    # The conversation itself.

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            pipe = subprocess.PIPE
            self._process = start(
                self._command, memory=self._memory, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT
            )
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            end(self._process)
            self._process = None
            self._heard, self._pushed = 0, False

    def _ask(
        self, process: subprocess.Popen[bytes], lines: Sequence[str], timeout: float | None
    ) -> str | None:
        """The answer to the last of `lines`, or None when it did not come (`reason` says why)."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write("\n".join([*lines, ""]).encode())
            process.stdin.flush()
        except BrokenPipeError:
            self.reason = f"{self.name} died"
            return None
        deadline = None if timeout is None else time.monotonic() + timeout
        text = b""
        while not _complete(text):
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([process.stdout], [], [], left)[0]:
                self.reason = "solver time limit"
                return None
            part = os.read(process.stdout.fileno(), 65536)
            if not part:
                self.reason = f"{self.name} died: {text.decode(errors='replace').strip()[:200]}"
                return None
            text += part
        return text.decode().strip()


def _complete(text: bytes) -> bool:
    """Whether `text` is a whole answer: a line whose parentheses, outside of quoted names, close."""
    if not text.endswith(b"\n"):
        return False
    bare = re.sub(rb'\|[^|]*\||"[^"]*"', b"", text)
    return bool(bare.strip()) and bare.count(b"(") == bare.count(b")")


def _parse(answer: str, name: str, sort: Sort) -> Value:
    """The value in `((name value))`."""
    start = answer.find(name)
    if start < 0:
        raise SolverError(f"no value for {name} in: {answer}")
    text = answer[start + len(name) :]
    if sort.kind == "bool":
        return "true" in text
    if sort.kind == "fp":
        special = re.search(r"\(_ ([+-]?)(NaN|oo|zero)", text)
        if special is not None:
            sign = int(special[1] == "-")
            return {"NaN": sf.nan(sort), "oo": sf.infinity(sort, sign), "zero": sf.zero(sort, sign)}[
                special[2]
            ]
    bits = "".join(
        binary or f"{int(hexadecimal, 16):0{4 * len(hexadecimal)}b}"
        for binary, hexadecimal in re.findall(r"#b([01]+)|#x([0-9a-fA-F]+)", text)
    )
    if bits:
        return sf.canonical(sort, int(bits, 2)) if sort.kind == "fp" else int(bits, 2)
    decimal = re.search(r"\(_ bv(\d+) ", text)
    if decimal is None:
        raise SolverError(f"no value for {name} in: {answer}")
    return int(decimal[1])
