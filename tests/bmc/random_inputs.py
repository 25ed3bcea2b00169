"""Random inputs for a native run: the opponent of every proof.

They keep to what vouch assumes of the outside: pointers from there are valid and point to memory of their
type, large enough; everything else is arbitrary.
"""

from __future__ import annotations

import random
from collections import deque

from vouch.bmc.counterexample import Address, Counterexample, OutsideObject, Scalar
from vouch.bmc.replay import Replayer, ReplayResult, wire
from vouch.bmc.replay.text import Unreplayable
from vouch.bmc.replay.wire import Encoder
from vouch.c import ir
from vouch.c.checks.base import Check

_ELEMENTS = 64  # objects behind a pointer: pointers from outside point to arrays
_CALLBACK = 0x7FFF0000  # an address that belongs to nothing: a function outside
_LIMIT = 64  # objects in all; then pointers begin to share them
_MOST = 1 << 17  # bytes of theirs, the same
_CHOSEN = 4096  # bytes of an object that are chosen one by one


class RandomReplayer(Replayer):
    def run_random(self, entry: str, seed: int, *, library: bool = False) -> ReplayResult:
        """Run `entry` on random inputs to its end; `fired` names every check that was violated on the way.

        `confirmed` is False always. Equal seeds give equal runs. With `library` global variables hold
        random contents at the start.
        """
        if not self._checks:
            return ReplayResult(False, reason="no checks")
        outside = (f for f in self._program.functions.values() if not f.defined)
        if any(parameter.sret for function in outside for parameter in function.parameters):
            reason = "a random run has nobody who writes the structs that functions outside return"
            return ReplayResult(False, reason=reason, possible=False)
        try:
            encoder = wire.Encoder(self._build()[0], self._program)
            example = random_example(self._program, encoder, entry, self._checks[0], seed, library=library)
            flags = wire.RANDOM | (0 if library else wire.CONSTRUCTORS)
            flags |= wire.MAIN if entry == "main" else 0
            return self._run(example, flags, 0, seed)
        except Unreplayable as error:
            return ReplayResult(False, reason=str(error), possible=False)


def random_example(
    program: ir.Program, encoder: Encoder, entry: str, check: Check, seed: int, *, library: bool
) -> Counterexample:
    """A counterexample of nothing in particular. With `library` all globals hold random contents."""
    return _Maker(program, random.Random(seed)).make(encoder, entry, check, library)


class _Maker:
    def __init__(self, program: ir.Program, source: random.Random) -> None:
        self._program = program
        self._random = source
        self._width = program.layout.pointer_bits // 8
        self._objects: list[OutsideObject] = []
        self._by_type: dict[int | None, list[str]] = {}
        self._open: deque[tuple[OutsideObject, int, int | None]] = deque()  # object, offset, C type there

    def make(self, encoder: Encoder, entry: str, check: Check, library: bool) -> Counterexample:
        function = self._program.functions[entry]
        arguments: list[Scalar] = []
        pointers = self._pointer_types(function)
        leaves = encoder.leaves(entry) if entry != "main" else []
        for number, (_, size, kind) in enumerate(leaves):
            if isinstance(kind, ir.PointerType):
                target, alone = pointers.get(number, (None, False))
                arguments.append(Address(self._object(target, alone=alone), 0))
            else:
                arguments.append(int.from_bytes(self._bytes(size), "little"))
        self._globals(library)
        while self._open:
            self._fill(*self._open.popleft())
        return Counterexample(check, entry, arguments, self._objects, [])

    def _pointer_types(self, function: ir.Function) -> dict[int, tuple[int | None, bool]]:
        """What each pointer parameter points to, where parameters and C types stand one to one, and whether
        it is `restrict`."""
        types = function.parameter_types
        if len(types) != len(function.parameters):
            return {}
        return {i: (self._target(t), self._is_restrict(t)) for i, t in enumerate(types)}

    def _is_restrict(self, key: int | None) -> bool:
        kind = self._program.ctypes.get(key) if key is not None else None
        return kind is not None and "restrict" in kind.qualifiers

    def _target(self, key: int | None) -> int | None:
        kind = self._program.ctypes.get(key) if key is not None else None
        return kind.target if kind is not None and kind.kind == "pointer" else None

    def _bytes(self, size: int) -> bytes:
        """Numbers of four bytes that are mostly small or near a border; after many of them, any bytes."""
        out = bytearray()
        while len(out) < size:
            if len(out) >= _CHOSEN:
                out += self._random.randbytes(size - len(out))
                break
            choice = self._random.randrange(8)
            number = self._random.getrandbits(32)
            if choice < 3:
                number %= 17
            elif choice == 3:
                number = -(number % 17)
            elif choice == 4:
                number = (1 << number % 32) - (number & 1)
            out += (number & 0xFFFFFFFF).to_bytes(4, "little")
        return bytes(out[:size])

    def _object(self, key: int | None, *, alone: bool = False) -> str:
        """The name of an object of this C type, new or old; one that is `alone` nobody else gets."""
        known = self._by_type.setdefault(key, []) if not alone else []
        full = len(self._objects) >= _LIMIT or sum(o.size for o in self._objects) > _MOST
        if known and (full or self._random.randrange(4) == 0):
            return self._random.choice(known)
        kind = self._program.ctypes.get(key) if key is not None else None
        size = max(1, kind.size) if kind is not None and kind.size else 1
        name = f"random.{len(self._objects)}"
        made = OutsideObject(name, "outside", size * _ELEMENTS, self._bytes(size * _ELEMENTS))
        self._objects.append(made)
        known.append(name)
        for index in range(_ELEMENTS):
            self._open.append((made, index * size, key))
        return name

    def _globals(self, library: bool) -> None:
        """Contents of variables that other files define, and in a library of all that can change."""
        for item in self._program.globals.values():
            if item.initializer is not None and (item.constant or not library):
                continue
            key = item.variable.type if item.variable is not None else None
            kind = self._program.ctypes.get(key) if key is not None else None
            if kind is not None and kind.size:
                made = OutsideObject(item.name, "global", kind.size, self._bytes(kind.size))
                self._open.append((made, 0, key))
            elif item.initializer is None and isinstance(item.type, ir.PointerType):  # stdin and the like
                made = OutsideObject(item.name, "global", self._width, bytes(self._width))
                made.pointers[0] = Address(self._object(None), 0)
            else:
                continue
            self._objects.append(made)

    def _fill(self, made: OutsideObject, offset: int, key: int | None) -> None:
        """Put pointers to fitting objects where the C type has pointers, and 0 or 1 where it has a bool."""
        kind = self._program.ctypes.get(key) if key is not None else None
        if kind is None:
            return
        if kind.kind == "pointer":
            target = self._program.ctypes.get(kind.target) if kind.target is not None else None
            if target is not None and target.kind == "function":
                made.pointers[offset] = Address(None, _CALLBACK)
            else:
                made.pointers[offset] = Address(self._object(kind.target), 0)
        elif kind.kind == "bool":
            value = bytearray(made.data)
            value[offset : offset + kind.size] = self._random.randrange(2).to_bytes(kind.size, "little")
            made.data = bytes(value)
        elif kind.kind == "array" and kind.target is not None:
            element = self._program.ctypes.get(kind.target)
            if element is not None and element.size and element.kind not in ("int", "char", "float", "enum"):
                for index in range(kind.count or 0):
                    self._open.append((made, offset + index * element.size, kind.target))
        elif kind.kind == "struct":
            for member in kind.members:
                if not member.bitfield:
                    self._open.append((made, offset + member.offset // 8, member.type))
