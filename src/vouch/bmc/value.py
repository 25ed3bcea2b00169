"""What a register or a memory cell holds during symbolic execution.

An integer is a bit-vector term (`i1` a Bool term), a float a floating-point term, a pointer a guarded set of
(object, offset), a struct, array or vector a tuple of values.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.initial import Initial


class Kind(Enum):
    NULL = "null"  # the null pointer's object: no access is valid
    STACK = "stack"
    GLOBAL = "global"
    HEAP = "heap"
    OUTSIDE = "outside"  # behind a pointer that came from outside: valid and large enough
    FUNCTION = "function"
    DEVICE = "device"  # memory-mapped registers: offset is the address
    WILD = "wild"  # an integer that is no known object's address: offset is the address

    __hash__ = object.__hash__  # members are single: that of Enum is slow, and asked for millions of times


class MemObject:
    """One object in memory. Identity matters; contents live in the state.

    `size` in bytes: a number, a term (variable-length arrays, `malloc(n)`), or None where it is taken to be
    large enough. `dead` is set when the activation that owns a stack object has ended.
    """

    __slots__ = (
        "align",
        "base",
        "constant",
        "ctype",
        "dead",
        "heap_kind",
        "id",
        "initial",
        "kind",
        "name",
        "size",
        "type",
        "varies",
    )
    _count = 0

    def __init__(
        self,
        kind: Kind,
        name: str,
        size: int | Term | None,
        initial: Initial,
        *,
        align: int = 1,
        ctype: int | None = None,
        constant: bool = False,
    ) -> None:
        MemObject._count += 1
        self.id = MemObject._count
        self.kind = kind
        self.name = name
        self.size = size
        self.initial = initial
        self.align = align
        self.ctype = ctype
        self.constant = constant
        self.dead = False
        self.base: Term | None = None
        self.heap_kind = ""
        self.varies = False  # volatile storage: every read is new

    @classmethod
    def newest(cls) -> int:
        """The number of the object that was made last."""
        return cls._count

    def __repr__(self) -> str:
        return f"<{self.kind.value} {self.name}#{self.id}>"


Target: TypeAlias = tuple[Term, MemObject, Term]  # guard, object, offset in bytes


class Pointer:
    """The targets' guards exclude each other and one of them holds."""

    __slots__ = ("targets",)

    def __init__(self, targets: tuple[Target, ...]) -> None:
        self.targets = targets

    @staticmethod
    def to(target: MemObject, offset: Term) -> Pointer:
        return Pointer(((T.TRUE, target, offset),))

    def shifted(self, delta: Term) -> Pointer:
        return Pointer(tuple((g, o, T.add(off, delta)) for g, o, off in self.targets))

    @property
    def single(self) -> tuple[MemObject, Term] | None:
        if len(self.targets) == 1:
            return self.targets[0][1], self.targets[0][2]
        return None

    def __repr__(self) -> str:
        return f"Pointer({self.targets!r})"


Value: TypeAlias = "Term | Pointer | tuple[Value, ...]"


def merge(condition: Term, a: Value, b: Value) -> Value:
    """`a` where the condition holds, `b` elsewhere. Both have the same type."""
    if a is b or condition is T.TRUE:
        return a
    if condition is T.FALSE:
        return b
    if isinstance(a, Term) and isinstance(b, Term):
        return T.ite(condition, a, b)
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        return merge_pointers(condition, a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return tuple(merge(condition, x, y) for x, y in zip(a, b, strict=True))
    raise TypeError(f"cannot merge {type(a).__name__} and {type(b).__name__}")


def merge_pointers(condition: Term, a: Pointer, b: Pointer) -> Pointer:
    otherwise = T.not_(condition)
    found: dict[int, Target] = {}
    for guard, target, offset in a.targets:
        combined = T.and_(condition, guard)
        if combined is not T.FALSE:
            found[target.id] = (combined, target, offset)
    for guard, target, offset in b.targets:
        combined = T.and_(otherwise, guard)
        if combined is T.FALSE:
            continue
        known = found.get(target.id)
        if known is None:
            found[target.id] = (combined, target, offset)
        else:
            found[target.id] = (T.or_(known[0], combined), target, T.ite(known[0], known[2], offset))
    if len(found) == 1:
        _, target, offset = next(iter(found.values()))
        return Pointer.to(target, offset)
    return Pointer(tuple(found.values()))


def select(choices: list[tuple[Term, Value]]) -> Value:
    """The value of the choice whose condition holds; one of them does. The last one is the default."""
    result = choices[-1][1]
    for condition, value in reversed(choices[:-1]):
        result = merge(condition, value, result)
    return result


def symbols(value: Value) -> Iterator[Term]:
    """The symbols in the terms of a value (offsets of pointers included)."""
    work: list[Value] = [value]
    seen: set[Term] = set()
    while work:
        part = work.pop()
        if isinstance(part, Pointer):
            work.extend(offset for _, _, offset in part.targets)
        elif isinstance(part, tuple):
            work.extend(part)
        elif part not in seen:
            seen.add(part)
            if part.name:
                yield part
            work.extend(part.args)
