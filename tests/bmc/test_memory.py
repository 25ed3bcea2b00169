"""Memory against a bytearray: random reads, writes, forks and joins at constant and variable places."""

from __future__ import annotations

import random
from typing import Any

import pytest

from vouch.bmc.contents import Contents
from vouch.bmc.context import ExecutionContext
from vouch.bmc.initial import Unknown
from vouch.bmc.value import Kind, MemObject, symbols
from vouch.c import frontend, ir
from vouch.smt import term as T
from vouch.smt.operators import ArrayValue
from vouch.smt.term import Term
from vouch.smt.walk import evaluate


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[ir.Program]:
    path = tmp_path_factory.mktemp("memory") / "empty.c"
    path.write_text("int nothing;\n")
    little = frontend.load([str(path)]).program
    big = frontend.load([str(path)]).program
    big.layout.big_endian = True
    return [little, big]


class Run:
    """The same operations on `Memory` and on bytes. `values` are the values of all symbols."""

    def __init__(self, program: ir.Program, size: int, rng: random.Random) -> None:
        self.context = ExecutionContext(program, arbitrary=False)
        self.size = size
        self.rng = rng
        self.order = "big" if program.layout.big_endian else "little"
        self.values: dict[Term, Any] = {}
        self.target = MemObject(Kind.STACK, "object", size, Unknown(undefined=True))

    def value(self, term: Term) -> int:
        """The value of a term. What was there before the first write may be anything: it must not matter."""
        for symbol in symbols(term):
            if symbol not in self.values:
                filler = self.rng.getrandbits(8)
                self.values[symbol] = ArrayValue(filler, {}) if symbol.sort.is_array else filler
        return int(evaluate(term, self.values))

    def symbol(self, width: int, value: int) -> Term:
        made = T.fresh("s", T.bitvec(width))
        self.values[made] = value
        return made

    def offset(self, length: int) -> tuple[Term, int]:
        """A place for `length` bytes: a constant, a symbol, or a multiple of one."""
        place = self.rng.randrange(0, self.size - length + 1)
        bits = self.context.pointer_bits
        match self.rng.randrange(3):
            case 0:
                return T.bv(place, bits), place
            case 1:
                return self.symbol(bits, place), place
            case _:
                place -= place % length
                index = self.symbol(bits, place // length)
                return T.mul(index, T.bv(length, bits)), place

    def write(self, contents: Contents | None, data: bytearray) -> Contents:
        length = self.rng.choice([1, 1, 2, 4, 8])
        where, place = self.offset(length)
        number = self.rng.getrandbits(8 * length)
        value = self.symbol(8 * length, number) if self.rng.random() < 0.7 else T.bv(number, 8 * length)
        data[place : place + length] = number.to_bytes(length, self.order)  # type: ignore[arg-type]
        return self.context.memory.write_at(self.target, contents, where, ir.IntType(8 * length), value)

    def check(self, contents: Contents | None, data: bytearray) -> None:
        length = self.rng.choice([1, 2, 4, 8])
        where, place = self.offset(length)
        value, undefined = self.context.memory.read_at(self.target, contents, where, ir.IntType(8 * length))
        assert isinstance(value, Term)
        expected = int.from_bytes(data[place : place + length], self.order)  # type: ignore[arg-type]
        assert self.value(value) == expected
        assert not self.value(undefined)


@pytest.mark.parametrize("seed", range(40))
def test_against_bytes(worlds: list[ir.Program], seed: int) -> None:
    rng = random.Random(seed)
    run = Run(worlds[seed % 2], rng.choice([8, 16, 24, 600]), rng)
    data = bytearray(run.size)
    contents: Contents | None = None
    for at in range(0, run.size, 8):  # nothing is left undefined
        contents = run.context.memory.write(run.target, contents, at, ir.IntType(64), T.bv(0, 64))
    for _ in range(12):
        match rng.randrange(4):
            case 0 | 1:
                contents = run.write(contents, data)
            case 2:
                run.check(contents, data)
            case _:
                contents, data = _fork(run, rng, contents, data)
    for _ in range(6):
        run.check(contents, data)


def _fork(
    run: Run, rng: random.Random, contents: Contents | None, data: bytearray
) -> tuple[Contents, bytearray]:
    """Two branches write what they like; one of them is the one that was taken."""
    condition = T.fresh("taken", T.BOOL)
    taken = rng.random() < 0.5
    run.values[condition] = taken
    sides = []
    for _ in range(2):
        own, bytes_ = contents, bytearray(data)
        for _ in range(rng.randrange(3)):
            own = run.write(own, bytes_)
        sides.append((own, bytes_))
    merged = run.context.memory.merge(run.target, condition, sides[0][0], sides[1][0])
    assert merged is not None
    return merged, sides[0][1] if taken else sides[1][1]


def test_what_nobody_wrote_is_undefined(worlds: list[ir.Program]) -> None:
    run = Run(worlds[0], 16, random.Random(0))
    memory, byte = run.context.memory, ir.IntType(8)
    contents = memory.write(run.target, None, 4, ir.IntType(32), T.bv(7, 32))
    for place in range(16):
        value, undefined = memory.read(run.target, contents, place, byte)
        assert (undefined is T.TRUE) == (not 4 <= place < 8)
        assert memory.read(run.target, contents, place, byte)[0] is value  # the same each time
    where = run.symbol(64, 5)
    assert not run.value(memory.read_at(run.target, contents, where, byte)[1])
    where = run.symbol(64, 9)
    assert run.value(memory.read_at(run.target, contents, where, byte)[1])
