"""The term graph itself: nodes, the table that shares them, constants, symbols, switches.

Every term is made here, once: equal terms are the same object, so comparison is identity. `make`
never rewrites; the constructors in boolean.py, bitvector.py, floating.py and arrays.py do.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from vouch.smt.sort import BOOL, Sort, bitvec

Value = int | bool


class Term:
    """One shared node. `value` is set for constants (floats: their IEEE bits), `name` for symbols,
    `index` for operators with integer parameters. A term's `id` is greater than those of its
    arguments, so sorting by `id` is a topological order."""

    __slots__ = ("args", "id", "index", "interval", "name", "op", "sort", "value", "width")

    def __init__(
        self,
        op: str,
        args: tuple[Term, ...],
        sort: Sort,
        index: tuple[int | str, ...] = (),
        value: Value | None = None,
        name: str = "",
    ) -> None:
        self.op = op
        self.args = args
        self.sort = sort
        self.index = index
        self.value = value
        self.name = name
        self.width = sort.width
        self.interval: Any = None  # the cache of intervals.py
        self.id = next(_ids)

    def __repr__(self) -> str:
        from vouch.smt.printer import brief

        return brief(self)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("terms are not pickled: jobs see them through fork, others read SMT-LIB text")


class Switches:
    """What `configure` sets. `simplify` off leaves constant folding and sharing only."""

    __slots__ = ("balance", "simplify")

    def __init__(self) -> None:
        self.simplify = True
        self.balance = True


_ids = count()
_fresh = count()
_table: dict[tuple[object, ...], Term] = {}
_constants: dict[tuple[int, Sort], Term] = {}
_symbols: dict[str, Term] = {}
switches = Switches()

TRUE = Term("const", (), BOOL, (), True)
FALSE = Term("const", (), BOOL, (), False)


def configure(*, simplify: bool | None = None, balance: bool | None = None) -> None:
    """Switch rewriting and balancing of long sums on or off. Terms made before stay as they are."""
    if simplify is not None:
        switches.simplify = simplify
    if balance is not None:
        switches.balance = balance


def reset() -> None:
    """Forget all terms but TRUE and FALSE. Terms made before must not be mixed with later ones."""
    _table.clear()
    _constants.clear()
    _symbols.clear()


def size() -> int:
    """How many terms are alive in the table."""
    return len(_table) + len(_constants) + len(_symbols)


def make(op: str, args: tuple[Term, ...], sort: Sort, index: tuple[int | str, ...] = ()) -> Term:
    """The shared node for that operator and these arguments, without rewriting."""
    key = (op, args, sort, index)
    term = _table.get(key)
    if term is None:
        term = _table[key] = Term(op, args, sort, index)
    return term


def existing(op: str, args: tuple[Term, ...], sort: Sort) -> Term | None:
    """The node if it has been made already."""
    return _table.get((op, args, sort, ()))


def constant(value: int, sort: Sort) -> Term:
    """A bit-vector or float constant whose bits are already in range (and NaN canonical)."""
    key = (value, sort)
    term = _constants.get(key)
    if term is None:
        term = _constants[key] = Term("const", (), sort, (), value)
        if sort.kind == "bv":
            term.interval = (value, value)
    return term


def boolean(value: object) -> Term:
    return TRUE if value else FALSE


def bv(value: int, width: int) -> Term:
    """The bit-vector constant `value` modulo 2^width."""
    return constant(value & ((1 << width) - 1), bitvec(width))


def symbol(name: str, sort: Sort) -> Term:
    """The free symbol of that name; one name has one sort."""
    term = _symbols.get(name)
    if term is None:
        term = _symbols[name] = Term("symbol", (), sort, (), None, name)
        if sort.kind == "bv":
            term.interval = sort.full
    elif term.sort is not sort:
        raise TypeError(f"symbol {name} has sort {term.sort!r}, not {sort!r}")
    return term


def freshness() -> str:
    """Another text whenever a fresh symbol was made in between."""
    return repr(_fresh)


def fresh(prefix: str, sort: Sort) -> Term:
    """A symbol that no earlier call returned, named after `prefix`."""
    while True:
        name = f"{prefix}!{next(_fresh)}"
        if name not in _symbols:
            return symbol(name, sort)
