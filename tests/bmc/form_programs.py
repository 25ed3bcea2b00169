"""Random C functions over every kind of number that C and clang have, each statement on a line of its own."""

from __future__ import annotations

import random

# Variables with their types.
KINDS = {
    "i": "int",
    "u": "unsigned",
    "s": "short",
    "c": "unsigned char",
    "q": "long long",
    "w": "__int128",
    "o": "_BitInt(17)",
    "n": "unsigned _BitInt(23)",
    "f": "float",
    "d": "double",
    "t": "_Atomic int",
    "x": "volatile int",
}
WHOLE = ("i", "u", "s", "c", "q", "w", "o", "n", "t", "x", "fs", "fu", "v", "e")
HEADER = """typedef int v4 __attribute__((vector_size(16)));
struct bits { int s : 5; unsigned u : 4; int rest : 9; };
static int table[6] = {3, -1, 7, 0, 2, 9};
"""


class Maker:
    """One function from a random number generator."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.lines: list[str] = []

    def leaf(self) -> str:
        match self.chance.randrange(6):
            case 0:
                return str(self.chance.choice((0, 1, -1, 2, 3, 7, 8, 31, 255, 256, 65535, 2147483647)))
            case 1:
                return self.chance.choice(("a", "b"))
            case _:
                return self.place(self.chance.choice(WHOLE))

    def place(self, kind: str) -> str:
        match kind:
            case "fs" | "fu":
                return f"z.{kind[1]}"
            case "v":
                return f"v[{self.chance.randrange(4)}]"
            case "e":
                return f"table[{self.index()}]"
            case _:
                return kind

    def index(self) -> str:
        inner = self.chance.choice(("a", "b", "i", "c", "z.u", "x"))
        return self.chance.choice((inner, f"{inner} & 3", f"(unsigned)({inner}) % 6u", "2"))

    def value(self, depth: int) -> str:
        if depth == 0:
            return self.leaf()
        left, right = self.value(depth - 1), self.value(depth - 1)
        match self.chance.randrange(12):
            case 0 | 1:
                return f"({left} + {right})"
            case 2:
                return f"({left} - {right})"
            case 3:
                return f"({left} * {right})"
            case 4:
                return f"({left} / {self.divisor(right)})"
            case 5:
                return f"({left} % {self.divisor(right)})"
            case 6:
                return f"({left} << {self.amount(right)})"
            case 7:
                return f"({left} >> {self.amount(right)})"
            case 8:
                return f"({left} & {right})"
            case 9:
                return f"({left} < {right} ? {left} : {right})"
            case 10:
                kind = self.chance.choice(("short", "unsigned char", "int", "long long", "unsigned"))
                return f"({kind})({left})"
            case _:
                return f"-({left})"

    def divisor(self, text: str) -> str:
        return self.chance.choice((text, f"(({text}) | 1)", f"((({text}) & 7) + 1)"))

    def amount(self, text: str) -> str:
        return self.chance.choice((f"(int)({text})", f"(int)(({text}) & 7)", "3"))

    def number(self) -> str:
        """A floating value."""
        inner = self.chance.choice(("f", "d", "(float)a", "(double)b", "1.5f", "(double)q"))
        other = self.chance.choice(("f", "d", "2.0f", "(float)i", "1e10"))
        return f"({inner} {self.chance.choice('+-*/')} {other})"

    def statement(self) -> str:
        kind = self.chance.choice((*WHOLE, "f", "d", "if", "vv"))
        depth = self.chance.choice((1, 1, 2))
        match kind:
            case "f" | "d":
                return f"{kind} = {self.number()};"
            case "if":
                return f"if ({self.value(1)} < {self.value(1)}) i = {self.value(depth)};"
            case "vv":
                return f"v = v {self.chance.choice('+-*&')} (v4){{(int)i, a, 1, b}};"
            case "i" if self.chance.random() < 0.3:
                return f"i = (int){self.number()};"
            case "c" | "s" | "i" if self.chance.random() < 0.3:
                return f"{kind} {self.chance.choice(('+=', '-=', '*=', '|='))} {self.leaf()};"
            case _:
                return f"{self.place(kind)} = {self.value(depth)};"

    def function(self, statements: int) -> str:
        body = [f"    {kind} {name} = 1;" for name, kind in KINDS.items()]
        body += ["    struct bits z = {1, 2, 3};", "    v4 v = {1, 2, 3, 4};"]
        body += [f"    {self.statement()}" for _ in range(statements)]
        ends = "return (int)((unsigned)i ^ (unsigned)u ^ (unsigned)s ^ (unsigned)c) & 1;"
        return HEADER + "int form(int a, int b) {\n" + "\n".join(body) + f"\n    {ends}\n}}\n"


def program(chance: random.Random, statements: int = 7) -> str:
    """A function `form(int, int)` of so many statements."""
    return Maker(chance).function(statements)
