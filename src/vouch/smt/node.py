"""The term graph itself: nodes, the session that owns and shares them, constants, symbols, switches.

Every term is made here, once in a session: equal terms are the same object, so comparison is identity. `make`
never rewrites; the constructors in boolean.py, bitvector.py, floating.py and arrays.py do.
"""

from __future__ import annotations

from itertools import count
from threading import RLock
from typing import Any

from vouch.smt.sort import BOOL, Sort, bitvec

Value = int | bool
_BRIEF = 400  # characters of a text for people


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
        return _brief(self, 4)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("terms are not pickled: jobs see them through fork, others read SMT-LIB text")


def _brief(term: Term, depth: int) -> str:
    """A short text for people: deep parts are elided."""
    if not term.args:
        return term.name or f"{term.value}:{term.sort!r}"
    if depth == 0:
        return "…"
    index = "".join(f"_{number}" for number in term.index)
    text = f"({term.op}{index} {' '.join(_brief(arg, depth - 1) for arg in term.args)})"
    return text if len(text) <= _BRIEF else text[:_BRIEF] + "…"


class Switches:
    """How the session in use wants terms made. `simplify` off leaves constant folding and sharing only;
    `balance` off leaves long sums as they grow."""

    __slots__ = ("balance", "simplify")

    def __init__(self) -> None:
        self.simplify = True
        self.balance = True


class Session:
    """Owns the terms that are made while it is in use (`with Session(): …`), and goes with them. Terms of two
    sessions must not meet; TRUE and FALSE are everybody's.

    Constructors take no session: one is in use in the whole process at a time, so that a second thread waits.
    What is made outside any belongs to one that lives as long as the process, for tests and small scripts."""

    __slots__ = ("_outer", "balance", "constants", "fresh", "simplify", "symbols", "table")

    def __init__(self, *, simplify: bool = True, balance: bool = True) -> None:
        self.simplify = simplify
        self.balance = balance
        self.table: dict[tuple[object, ...], Term] = {}
        self.constants: dict[tuple[int, Sort], Term] = {}
        self.symbols: dict[str, Term] = {}
        self.fresh = count()
        self._outer: Session | None = None

    def __enter__(self) -> Session:
        _in_use.acquire()
        self._outer = _session
        _use(self)
        return self

    def __exit__(self, *raised: object) -> None:
        assert self._outer is not None
        _use(self._outer)
        self._outer = None
        _in_use.release()

    def __len__(self) -> int:
        """How many terms it has."""
        return len(self.table) + len(self.constants) + len(self.symbols)

    def clear(self) -> None:
        """Forget all its terms: those made before must not meet those made after."""
        for held in (self.table, self.constants, self.symbols):
            held.clear()

    def switch(self, *, simplify: bool | None = None, balance: bool | None = None) -> None:
        """Switch rewriting and balancing of long sums on or off. Terms made before stay as they are."""
        self.simplify = self.simplify if simplify is None else simplify
        self.balance = self.balance if balance is None else balance
        if self is _session:
            _use(self)


def _use(session: Session) -> None:
    global _session, _table, _constants, _symbols, _fresh
    _session = session
    _table, _constants, _symbols, _fresh = session.table, session.constants, session.symbols, session.fresh
    switches.simplify, switches.balance = session.simplify, session.balance


def active() -> Session:
    """The session in use."""
    return _session


_ids = count()
_in_use = RLock()
_session = Session()
# Of the session in use: the constructors look here, millions of times.
_table, _constants, _symbols, _fresh = _session.table, _session.constants, _session.symbols, _session.fresh
switches = Switches()

TRUE = Term("const", (), BOOL, (), True)
FALSE = Term("const", (), BOOL, (), False)


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
    sort = bitvec(width)
    bits = value & ((1 << width) - 1)
    term = _constants.get((bits, sort))
    return constant(bits, sort) if term is None else term


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
