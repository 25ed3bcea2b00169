"""The competition's formats: result files as its scorer reads them, and lists of instances."""

from __future__ import annotations

import ast
import csv
import io
import math
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from vouch.errors import VouchError
from vouch.files import read_text
from vouch.nn.result import Result
from vouch.verdict import Verdict

# VNN-LIB asks whether a violation exists: safe is unsat.
WORDS = {
    Verdict.SAFE: "unsat",
    Verdict.UNSAFE: "sat",
    Verdict.UNKNOWN: "unknown",
    Verdict.TIMEOUT: "timeout",
}


def result_text(result: Result) -> str:
    """`unsat`, `unknown`, `timeout`, or `sat` with the assignment."""
    word = WORDS[result.verdict]
    if result.counterexample is None:
        return word + "\n"
    found = result.counterexample
    inputs = found.decimals or tuple(repr(float(v)) for v in found.input)
    lines = [f"(X_{i} {text})" for i, text in enumerate(inputs)]
    lines += [f"(Y_{i} {format(Decimal(float(v)), 'f')})" for i, v in enumerate(found.output)]
    return f"{word}\n(" + "\n".join(lines) + ")\n"


def write_result(path: Path, result: Result) -> None:
    try:
        path.write_text(result_text(result), encoding="ascii")
    except OSError as error:
        raise VouchError(f"{path}: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class Instance:
    """One line of instances.csv, as it stands there; paths are relative to the file's folder."""

    network: str
    property: str
    timeout: float

    def networks(self) -> list[tuple[str, str]]:
        """(name, path) of each network; the name is empty where there is only one."""
        if not self.network.startswith("["):
            return [("", self.network)]
        try:
            listed = ast.literal_eval(self.network)
            return [(str(name), str(path)) for name, path in listed]
        except (ValueError, SyntaxError, TypeError):
            raise VouchError(f"{self.network}: a list of (name, path) expected") from None


def read_instances(path: Path) -> list[Instance]:
    """The lines of an instances.csv: network, property, seconds."""
    instances = []
    try:
        for number, row in enumerate(csv.reader(io.StringIO(read_text(path), newline="")), 1):
            if not row:
                continue
            try:
                network, prop, timeout = (field.strip() for field in row)
                instances.append(Instance(network, prop, float(timeout)))
            except ValueError:
                raise VouchError(f"{path}:{number}: network,property,seconds expected") from None
            if not 0 <= instances[-1].timeout < math.inf:
                raise VouchError(f"{path}:{number}: {timeout} is no number of seconds")
    except csv.Error as error:
        raise VouchError(f"{path}: {error}") from None
    if not instances:
        raise VouchError(f"{path}: no instances")
    return instances
