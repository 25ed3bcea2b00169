"""Reads VNN-LIB 1.0: SMT-LIB declarations of X_i and Y_j and asserts over linear arithmetic.

Any nesting of `and`, `or`, `not` and `=>` over comparisons of linear terms is understood, also inputs and
outputs in one constraint. What is not linear, not declared or not well formed is an error with its line.
"""

from __future__ import annotations

import re
from fractions import Fraction

from vouch.errors import VouchError
from vouch.nn.constraints import LARGEST, And, Formula, Linear, Or, cases, compare, negate, number
from vouch.nn.property import Property

_TOKEN = re.compile(r"\s+|;[^\n]*|([()]|\"[^\"]*\"|\|[^|]*\||[^\s();|\"]+)")
_VARIABLE = re.compile(r"([XY])_(\d+)\Z")
_COMPARISONS = frozenset({"<=", ">=", "<", ">", "=", "distinct"})
_IGNORED = frozenset({"set-logic", "set-option", "set-info", "check-sat", "get-model", "exit"})


class _List(list["str | _List"]):
    """One bracketed expression, with the place where it starts."""

    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at


def parse(text: str, name: str = "property", region: bool = False) -> Property:
    """The property that the text states; VouchError names the line of what is wrong. A `region` may leave
    out the outputs."""
    return _Reader(text, name, region).property()


class _Reader:
    def __init__(self, text: str, name: str, region: bool = False) -> None:
        self.text, self.name, self.region = text, name, region
        self.numbers: dict[str, int] = {}
        self.declared: dict[str, set[int]] = {"X": set(), "Y": set()}

    def fail(self, at: int, message: str) -> VouchError:
        return VouchError(f"{self.name}:{self.text.count(chr(10), 0, at) + 1}: {message}")

    def property(self) -> Property:
        asserted: list[_List] = []
        for item in self.expressions():
            match item:
                case ["declare-const" | "declare-fun", *_]:
                    self.declare(item)
                case ["assert", _]:
                    asserted.append(item)
                case [str() as head, *_] if head in _IGNORED:
                    pass
                case _:
                    raise self.fail(item.at, f"{_shown(item)} is not a declaration or an assert")
        inputs, outputs = self.sizes()
        self.numbers = {f"X_{i}": i for i in range(inputs)}
        self.numbers |= {f"Y_{j}": inputs + j for j in range(outputs)}
        formulas = [self.formula(item[1], item) for item in asserted]
        return Property(cases(formulas, inputs, outputs, self.name), inputs, outputs, self.name)

    def expressions(self) -> list[_List]:
        """The top-level expressions, read without recursion."""
        top: list[_List] = []
        open_: list[_List] = []
        for token in _TOKEN.finditer(self.text):
            word = token[1]
            if word is None:
                continue
            if word == "(":
                item = _List(token.start())
                if open_:
                    open_[-1].append(item)
                open_.append(item)
            elif word == ")":
                if not open_:
                    raise self.fail(token.start(), "a closing bracket without an opening one")
                item = open_.pop()
                if not open_:
                    top.append(item)
            elif open_:
                open_[-1].append(word)
            else:
                raise self.fail(token.start(), f"{word!r} stands outside of any bracket")
        if open_:
            raise self.fail(open_[0].at, "this bracket is never closed")
        return top

    def declare(self, item: _List) -> None:
        found = _VARIABLE.match(item[1]) if len(item) in (3, 4) and isinstance(item[1], str) else None
        if found is None or item[-1] not in ("Real", "Int"):
            raise self.fail(item.at, f"{_shown(item)}: expected X_i or Y_j of sort Real")
        number = int(found[2])
        if number in self.declared[found[1]]:
            raise self.fail(item.at, f"{item[1]} is declared twice")
        self.declared[found[1]].add(number)

    def sizes(self) -> tuple[int, int]:
        for letter, known in self.declared.items():
            if not known and letter == "Y" and self.region:
                continue
            if not known:
                raise VouchError(f"{self.name}: no {letter}_0 is declared")
            if max(known) != len(known) - 1:
                missing = next(i for i in range(len(known)) if i not in known)
                raise VouchError(f"{self.name}: {letter}_{missing} is not declared")
        return len(self.declared["X"]), len(self.declared["Y"])

    def formula(self, item: str | _List, around: _List) -> Formula:
        match item:
            case ["and", *parts]:
                return And(tuple(self.formula(part, item) for part in parts))
            case ["or", *parts]:
                return Or(tuple(self.formula(part, item) for part in parts))
            case ["not", part]:
                return negate(self.formula(part, item))
            case ["=>", left, right]:
                return Or((negate(self.formula(left, item)), self.formula(right, item)))
            case [str() as operator, left, right] if operator in _COMPARISONS:
                return compare(operator, self.linear(left, item), self.linear(right, item))
            case "true":
                return And(())
            case "false":
                return Or(())
            case str():
                raise self.fail(around.at, f"{item!r} is not a condition")
            case _:
                raise self.fail(item.at, f"{_shown(item)} is not a condition that vouch understands")

    def linear(self, item: str | _List, around: _List) -> Linear:
        match item:
            case str():
                return self.atom(item, around)
            case ["+", first, *rest]:
                total = self.linear(first, item)
                for part in rest:
                    total = total.plus(self.linear(part, item))
                return total
            case ["-", only]:
                return self.linear(only, item).times(-1)
            case ["-", first, *rest]:
                total = self.linear(first, item)
                for part in rest:
                    total = total.plus(self.linear(part, item), -1)
                return total
            case ["*", first, *rest]:
                total = self.linear(first, item)
                for part in rest:
                    total = self.product(total, self.linear(part, item), item)
                return total
            case ["/", first, second]:
                divisor = self.linear(second, item)
                if not divisor.is_constant or not divisor.constant:
                    raise self.fail(item.at, f"{_shown(item)}: division by something other than a number")
                return self.linear(first, item).times(1 / divisor.constant)
            case _:
                raise self.fail(item.at, f"{_shown(item)} is not a linear term")

    def product(self, left: Linear, right: Linear, item: _List) -> Linear:
        if not (left.is_constant or right.is_constant):
            raise self.fail(item.at, f"{_shown(item)} is not linear")
        return right.times(left.constant) if left.is_constant else left.times(right.constant)

    def atom(self, word: str, around: _List) -> Linear:
        variable = self.numbers.get(word)
        if variable is not None:
            return Linear({variable: Fraction(1)})
        value = number(word)
        if value is None:
            raise self.fail(around.at, f"{word!r} is neither a number nor a declared variable")
        if abs(value) > LARGEST:
            raise self.fail(around.at, f"{word!r} is beyond the range of float64")
        return Linear({}, value)


def _shown(item: str | _List, limit: int = 60) -> str:
    """The beginning of an expression, for messages."""
    words: list[str] = []
    pending: list[str | _List] = [item]
    while pending and sum(map(len, words)) < limit:
        part = pending.pop()
        if isinstance(part, str):
            words.append(part)
        else:
            words.append("(")
            pending.append(")")
            pending.extend(reversed(part))
    text = " ".join(words).replace("( ", "(").replace(" )", ")")
    return text if len(text) <= limit else text[: limit - 3] + "..."
