"""Small C programs as trees: each can be written as C, and run by a direct interpreter of C's rules (LP64).

The interpreter follows what vouch promises after a violation: overflow and narrowing go on with the wrapped
value, anything else ends the run, because what follows is arbitrary.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Type:
    name: str
    bits: int
    signed: bool

    @property
    def low(self) -> int:
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << self.bits - self.signed) - 1

    def wrap(self, value: int) -> int:
        if self is BOOL:
            return int(value != 0)
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value >> self.bits - 1 else value

    def fits(self, value: int) -> bool:
        return self.low <= value <= self.high


BOOL = Type("_Bool", 1, False)
INT, UINT = Type("int", 32, True), Type("unsigned int", 32, False)
LONG, ULONG = Type("long", 64, True), Type("unsigned long", 64, False)
SMALL = [
    Type("char", 8, True),
    Type("signed char", 8, True),
    Type("unsigned char", 8, False),
    Type("short", 16, True),
    Type("unsigned short", 16, False),
]
LONG_LONG = [Type("long long", 64, True), Type("unsigned long long", 64, False)]
TYPES = [BOOL, *SMALL, INT, UINT, LONG, ULONG, *LONG_LONG]


def promoted(type_: Type) -> Type:
    return INT if type_.bits < 32 else type_


def common(a: Type, b: Type) -> Type:
    """The usual arithmetic conversions."""
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b


class Stopped(Exception):
    """What follows is arbitrary."""


@dataclass
class Run:
    """One execution: variables (None: not initialised) and violations in order, as (category, line)."""

    scalars: dict[str, int | None] = field(default_factory=dict)
    arrays: dict[str, list[int]] = field(default_factory=dict)
    violations: list[tuple[str, int]] = field(default_factory=list)
    maybe: set[tuple[str, int]] = field(default_factory=set)  # conversions of constants, left to clang
    line: int = 0
    stopped: str = ""  # the category of what ended the run

    def violated(self, category: str) -> None:
        self.violations.append((category, self.line))

    def stop(self, category: str) -> None:
        self.violated(category)
        self.stopped = category
        raise Stopped

    def convert(
        self, value: int, source: Type, target: Type, constant: bool = False, category: str = "narrowing"
    ) -> int:
        """A conversion in the program's text; one that is written as a cast has a category of its own."""
        if target is not BOOL and target.bits < source.bits and not target.fits(value):
            if constant:
                self.maybe.add((category, self.line))
            else:
                self.violated(category)
        return target.wrap(value)

    def arithmetic(self, exact: int, type_: Type) -> int:
        if type_.signed and not type_.fits(exact):
            self.violated("signed-overflow")
        return type_.wrap(exact)


class Expression(Protocol):
    @property
    def type(self) -> Type: ...

    @property
    def constant(self) -> bool: ...

    def text(self) -> str: ...

    def value(self, run: Run) -> int: ...


@dataclass(frozen=True)
class Literal:
    type: Type
    number: int
    constant: bool = True

    def text(self) -> str:
        suffix = {UINT: "U", LONG: "L", ULONG: "UL"}.get(self.type, "")
        if self.number == self.type.low and self.type.signed:
            return f"({self.number + 1}{suffix} - 1)"  # the lowest number has no literal of its type
        return f"{self.number}{suffix}" if self.number >= 0 else f"({self.number}{suffix})"

    def value(self, run: Run) -> int:
        return self.number


@dataclass(frozen=True)
class Variable:
    type: Type
    name: str
    constant: bool = False

    def text(self) -> str:
        return self.name

    def value(self, run: Run) -> int:
        value = run.scalars[self.name]
        if value is None:
            run.stop("uninitialised")
            raise AssertionError
        return value

    def put(self, run: Run, value: int) -> None:
        run.scalars[self.name] = value


@dataclass(frozen=True)
class Element:
    type: Type
    array: str
    length: int
    index: Expression
    constant: bool = False

    def text(self) -> str:
        return f"{self.array}[{self.index.text()}]"

    def place(self, run: Run) -> int:
        place = self.index.value(run)
        if not 0 <= place < self.length:
            run.stop("bounds")
        return place

    def value(self, run: Run) -> int:
        return run.arrays[self.array][self.place(run)]

    def put(self, run: Run, value: int) -> None:
        run.arrays[self.array][self.place(run)] = value


@dataclass(frozen=True)
class Unary:
    operator: str
    operand: Expression

    @property
    def type(self) -> Type:
        return INT if self.operator == "!" else promoted(self.operand.type)

    @property
    def constant(self) -> bool:
        return self.operand.constant

    def text(self) -> str:
        return f"({self.operator}{self.operand.text()})"

    def value(self, run: Run) -> int:
        value = self.operand.value(run)
        if self.operator == "!":
            return int(value == 0)
        if self.operator == "~":
            return self.type.wrap(~value)
        return run.arithmetic(-self.type.wrap(value), self.type)


@dataclass(frozen=True)
class Cast:
    type: Type
    operand: Expression

    @property
    def constant(self) -> bool:
        return self.operand.constant

    def text(self) -> str:
        return f"(({self.type.name}){self.operand.text()})"

    def value(self, run: Run) -> int:
        value = self.operand.value(run)
        return run.convert(value, self.operand.type, self.type, self.constant, "cast")


COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
ARITHMETIC = ("+", "-", "*", "/", "%", "&", "|", "^")
SHIFTS = ("<<", ">>")


def combined(run: Run, operator: str, x: int, a: Type, y: int, b: Type) -> tuple[int, Type]:
    """An arithmetic operator or shift on two values."""
    if operator in SHIFTS:
        type_ = promoted(a)
        return _shifted(run, operator, type_.wrap(x), y, type_), type_
    type_ = common(a, b)
    x, y = type_.wrap(x), type_.wrap(y)
    if operator in "/%":
        if y == 0:
            run.stop("division-by-zero")
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        if not type_.fits(quotient):
            run.stop("signed-overflow")
        return (quotient if operator == "/" else x - y * quotient), type_
    exact = {"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}[operator]
    return run.arithmetic(exact, type_), type_


def _shifted(run: Run, operator: str, x: int, amount: int, type_: Type) -> int:
    if not 0 <= amount < type_.bits:
        run.stop("shift")
    if operator == ">>":
        return x >> amount
    if type_.signed and (x < 0 or not type_.fits(x << amount)):
        run.stop("shift")
    return type_.wrap(x << amount)


@dataclass(frozen=True)
class Binary:
    operator: str
    left: Expression
    right: Expression

    @property
    def type(self) -> Type:
        if self.operator in COMPARISONS or self.operator in ("&&", "||"):
            return INT
        if self.operator in SHIFTS:
            return promoted(self.left.type)
        return common(self.left.type, self.right.type)

    @property
    def constant(self) -> bool:
        return self.left.constant and self.right.constant

    def text(self) -> str:
        return f"({self.left.text()} {self.operator} {self.right.text()})"

    def value(self, run: Run) -> int:
        x = self.left.value(run)
        if self.operator in ("&&", "||"):
            short = (self.operator == "||") is (x != 0)
            return int(x != 0) if short else int(self.right.value(run) != 0)
        y = self.right.value(run)
        if self.operator not in COMPARISONS:
            return combined(run, self.operator, x, self.left.type, y, self.right.type)[0]
        type_ = common(self.left.type, self.right.type)
        x, y = type_.wrap(x), type_.wrap(y)
        return int(
            {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y}[self.operator]
        )


@dataclass(frozen=True)
class Conditional:
    condition: Expression
    yes: Expression
    no: Expression

    @property
    def type(self) -> Type:
        return common(self.yes.type, self.no.type)

    @property
    def constant(self) -> bool:
        return self.condition.constant and self.yes.constant and self.no.constant

    def text(self) -> str:
        return f"({self.condition.text()} ? {self.yes.text()} : {self.no.text()})"

    def value(self, run: Run) -> int:
        chosen = self.yes if self.condition.value(run) else self.no
        return self.type.wrap(chosen.value(run))


class Statement(Protocol):
    def lines(self) -> list[str]: ...

    def execute(self, run: Run, line: int) -> None:
        """Run it; its text begins at `line`."""


Place = Variable | Element


@dataclass(frozen=True)
class Assign:
    """`place operator= value`, plain with operator ""."""

    place: Place
    operator: str
    source: Expression

    def lines(self) -> list[str]:
        return [f"{self.place.text()} {self.operator}= {self.source.text()};"]

    def execute(self, run: Run, line: int) -> None:
        run.line = line
        value, type_ = self.source.value(run), self.source.type
        if self.operator:
            value, type_ = combined(run, self.operator, self.place.value(run), self.place.type, value, type_)
        constant = self.source.constant and not self.operator
        self.place.put(run, run.convert(value, type_, self.place.type, constant))


def body(statements: tuple[Statement, ...]) -> list[str]:
    return [line for statement in statements for line in statement.lines()]


def execute_all(statements: tuple[Statement, ...], run: Run, line: int) -> None:
    for statement in statements:
        statement.execute(run, line)
        line += len(statement.lines())


@dataclass(frozen=True)
class If:
    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]

    def lines(self) -> list[str]:
        return [f"if ({self.condition.text()}) {{", *body(self.then), "} else {", *body(self.otherwise), "}"]

    def execute(self, run: Run, line: int) -> None:
        run.line = line
        if self.condition.value(run):
            execute_all(self.then, run, line + 1)
        else:
            execute_all(self.otherwise, run, line + 2 + len(body(self.then)))


@dataclass(frozen=True)
class Loop:
    """`for (n = 0; n < (bound & 3); n++)`: at most `LONGEST` rounds."""

    counter: Variable
    bound: Expression
    inside: tuple[Statement, ...]
    LONGEST = 3

    def lines(self) -> list[str]:
        n = self.counter.name
        head = f"for ({n} = 0; {n} < ({self.bound.text()} & {self.LONGEST}); {n}++) {{"
        return [head, *body(self.inside), "}"]

    def execute(self, run: Run, line: int) -> None:
        for number in range(self.LONGEST + 1):
            run.line = line
            self.counter.put(run, number)
            if number >= self.bound.value(run) & self.LONGEST:
                return
            execute_all(self.inside, run, line + 1)


@dataclass(frozen=True)
class Switch:
    """Cases 0, 1, … of `selector & 3`; all but the last fall through where `falls` says so."""

    selector: Expression
    cases: tuple[tuple[tuple[Statement, ...], bool], ...]

    def lines(self) -> list[str]:
        result = [f"switch ({self.selector.text()} & 3) {{"]
        for number, (inside, falls) in enumerate(self.cases):
            last = number == len(self.cases) - 1
            result += ["default:" if last else f"case {number}:", *body(inside), ";" if falls else "break;"]
        return [*result, "}"]

    def execute(self, run: Run, line: int) -> None:
        run.line = line
        chosen = min(self.selector.value(run) & 3, len(self.cases) - 1)
        line += 1
        running = False
        for number, (inside, falls) in enumerate(self.cases):
            running = running or number == chosen
            if running:
                execute_all(inside, run, line + 1)
                if not falls:
                    return
            line += 2 + len(body(inside))
