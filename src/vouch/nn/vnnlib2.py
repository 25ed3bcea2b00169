"""Reads VNN-LIB 2.0 through the `vnnlib` package, also properties about several networks.

`parse_query` gives the networks that the text declares and one property over all of their inputs and all of
their outputs, one network after the other in the order of declaration; `parse` insists on nothing else.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from vouch.errors import VouchError
from vouch.nn.constraints import And, Formula, Linear, Or, cases, compare, number
from vouch.nn.property import Property

_DEEPEST = 1000
_BRACKET = re.compile("[()]")
_LINE = re.compile(r"\s*at line (\d+)(?:, column \d+)?")


@dataclass(frozen=True, slots=True)
class Declared:
    """One declared network. `equal_to` or `isomorphic_to` name another one, or are empty."""

    name: str
    inputs: int
    outputs: int
    equal_to: str = ""
    isomorphic_to: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    networks: tuple[Declared, ...]
    prop: Property


def parse(text: str, name: str = "property") -> Property:
    """The property over the joined inputs and outputs of all declared networks."""
    return parse_query(text, name).prop


def parse_query(text: str, name: str = "property") -> Query:
    """VouchError with a line number, where the package gives one, for what does not parse."""
    import vnnlib

    if _depth(text) > _DEEPEST:
        raise VouchError(f"{name}: nested too deeply")
    try:
        query = vnnlib.parse_query_string(text)
    except vnnlib.VNNLibException as error:
        raise _failed(str(error), name) from None
    except (IndexError, ValueError, RuntimeError) as error:  # of its C++: numbers that no machine word holds
        raise VouchError(f"{name}: not a VNN-LIB query ({error})") from None
    reader = _Reader(query, name)
    return Query(tuple(reader.declared), reader.property())


def _depth(text: str) -> int:
    """How deep brackets nest; the package walks them with the machine's own stack."""
    deepest = depth = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket == "(" else -1
        deepest = max(deepest, depth)
    return deepest


def _failed(message: str, name: str) -> VouchError:
    """The package reports syntax errors as text and the others as JSON."""
    try:
        first = json.loads(message)["errors"][0]
        said = f"{first['message']}: {first['offendingSymbol']}. {first['hint']}"
        line = str(first["line"])
    except (ValueError, KeyError, IndexError, TypeError):
        found = _LINE.search(message)
        line = found[1] if found else ""
        said = _LINE.sub("", message)
    said = " ".join(said.split()).removeprefix("Parse error: ")
    return VouchError(f"{name}:{line}: {said}" if line else f"{name}: {said}")


class _Reader:
    def __init__(self, query: Any, name: str) -> None:
        self.query, self.name = query, name
        self.declared: list[Declared] = []
        self.starts: dict[tuple[str, str], int] = {}
        self.shapes: dict[tuple[str, str], list[int]] = {}
        inputs: list[tuple[str, Any]] = []
        outputs: list[tuple[str, Any]] = []
        for network in query.networks:
            if network.hidden:
                raise VouchError(f"{name}: network {network.name} declares hidden nodes, not supported")
            sizes = {}
            for kind, definitions, into in (
                ("in", network.inputs, inputs),
                ("out", network.outputs, outputs),
            ):
                sizes[kind] = sum(math.prod(d.shape) for d in definitions)
                into.extend((network.name, d) for d in definitions)
            self.declared.append(
                Declared(network.name, sizes["in"], sizes["out"], network.equal_to, network.isometric_to)
            )
        start = 0
        for owner, definition in (*inputs, *outputs):
            self.starts[owner, definition.name] = start
            self.shapes[owner, definition.name] = list(definition.shape)
            start += math.prod(definition.shape)

    def property(self) -> Property:
        inputs = sum(network.inputs for network in self.declared)
        outputs = sum(network.outputs for network in self.declared)
        formulas = [self.formula(assertion.expr) for assertion in self.query.assertions]
        return Property(cases(formulas, inputs, outputs, self.name), inputs, outputs, self.name)

    def formula(self, item: Any) -> Formula:
        import vnnlib

        match item:
            case vnnlib.And():
                return And(tuple(self.formula(part) for part in item.args))
            case vnnlib.Or():
                return Or(tuple(self.formula(part) for part in item.args))
            case vnnlib.Comparison():
                return compare(_OPERATORS[type(item).__name__], self.linear(item.lhs), self.linear(item.rhs))
            case _:
                raise VouchError(f"{self.name}: {item} is not a condition that vouch understands")

    def linear(self, item: Any) -> Linear:
        """The exact linear form of a term. The package's own sums up in float64."""
        import vnnlib

        match item:
            case vnnlib.Var():
                return Linear({self.number(item): Fraction(1)})
            case vnnlib.Literal():
                value = number(item.lexeme)
                if value is None:
                    raise VouchError(f"{self.name}: {item.lexeme} is not a decimal number")
                return Linear({}, value)
            case vnnlib.Negate():
                return self.linear(item.expr).times(-1)
            case vnnlib.Plus():
                return self.total(item.args)
            case vnnlib.Minus():
                return self.linear(item.head).plus(self.total(item.rest), -1)
            case vnnlib.Multiply():
                product = Linear({}, Fraction(1))
                for part in map(self.linear, item.args):
                    if not (product.is_constant or part.is_constant):
                        raise VouchError(f"{self.name}: Non-linear: {item}")
                    still = product.is_constant
                    product = part.times(product.constant) if still else product.times(part.constant)
                return product
            case _:
                raise VouchError(f"{self.name}: {item} is not a term that vouch understands")

    def total(self, items: Any) -> Linear:
        found = Linear({})
        for item in items:
            found = found.plus(self.linear(item))
        return found

    def number(self, variable: Any) -> int:
        """The position of a variable's element, row-major."""
        key = variable.network_name, variable.name
        place = 0
        for index, size in zip(variable.indices, self.shapes[key], strict=True):
            place = place * size + index
        return self.starts[key] + place


_OPERATORS = {
    "LessEqual": "<=",
    "LessThan": "<",
    "GreaterEqual": ">=",
    "GreaterThan": ">",
    "Equal": "=",
    "NotEqual": "!=",
}
