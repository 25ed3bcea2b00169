"""Answers kept by what was asked: the same formula is solved once.

The key is a digest of the structure, symbol names included, so it means the same in another process
and another run. UNKNOWN is never kept: more time may help.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import MutableMapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from vouch.c.cache import opened, sealed
from vouch.smt.model import Model, Whole, take
from vouch.smt.node import Term, Value
from vouch.smt.solver import Answer, Solver
from vouch.smt.walk import order
from vouch.smt.wrapper import Wrapper


class CachedAnswer(NamedTuple):
    """An answer; with SAT the values of the symbols by name."""

    answer: Answer
    values: dict[str, Any]


Store = MutableMapping[str, CachedAnswer]


class Digests:
    """Structural digests of terms, each computed once."""

    def __init__(self) -> None:
        self._known: dict[Term, bytes] = {}

    def of(self, term: Term) -> bytes:
        known = self._known
        for t in order((term,), known):
            head = f"{t.op} {t.index} {t.sort!r} {t.name} {t.value}\0".encode()
            known[t] = hashlib.blake2b(head + b"".join(known[a] for a in t.args), digest_size=16).digest()
        return known[term]

    def query(self, terms: Sequence[Term]) -> str:
        """The key of a set of assertions; their order does not matter."""
        return hashlib.blake2b(b"".join(sorted({self.of(t) for t in terms})), digest_size=16).hexdigest()


class AnswerFolder(MutableMapping[str, CachedAnswer]):
    """A store of one small file per answer. A file that cannot be read counts as absent."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def __getitem__(self, key: str) -> CachedAnswer:
        try:
            content = opened(key, (self._folder / key).read_bytes())
        except OSError as error:
            raise KeyError(key) from error
        if content is None:  # torn, or not written by this user
            raise KeyError(key)
        entry = pickle.loads(content)
        if not isinstance(entry, CachedAnswer):
            raise KeyError(key)
        return entry

    def __setitem__(self, key: str, entry: CachedAnswer) -> None:
        data = sealed(key, pickle.dumps(entry))
        if data is not None:
            new = self._folder / f"{key}.new"
            new.write_bytes(data)
            new.replace(self._folder / key)

    def __delitem__(self, key: str) -> None:
        (self._folder / key).unlink()

    def __iter__(self) -> Any:
        return (path.name for path in self._folder.iterdir() if not path.suffix)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Cached(Wrapper):
    """Asks the inner solver only what the store does not know; it sees nothing before that."""

    def __init__(self, inner: Solver, store: Store) -> None:
        super().__init__(inner)
        self._store = store
        self._digests = Digests()
        self._sent = 0
        self._model: Model | None = None
        self.hits = 0

    def add(self, term: Term) -> None:
        self._added.append(term)

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        asserted = [*self._added, *assumptions]
        key = self._digests.query(asserted)
        self._model = None
        entry = self._store.get(key)
        if entry is not None and self._replay(entry, asserted):
            self.hits += 1
            return entry.answer
        for term in self._added[self._sent :]:
            self._inner.add(term)
        self._sent = len(self._added)
        answer = self._inner.check(assumptions, timeout)
        if answer is Answer.UNSAT:
            self._store[key] = CachedAnswer(answer, {})
        elif answer is Answer.SAT:
            with suppress(Whole):
                self._model = take(self._inner, asserted)
                self._store[key] = CachedAnswer(answer, {s.name: v for s, v in self._model.values.items()})
        return answer

    def _replay(self, entry: CachedAnswer, asserted: Sequence[Term]) -> bool:
        """Whether the stored answer holds; a stored model is checked like a new one."""
        if entry.answer is Answer.UNSAT:
            return True
        symbols = [term for term in order(asserted) if term.op == "symbol"]
        model = Model({s: entry.values[s.name] for s in symbols if s.name in entry.values})
        if not all(model.value(term) is True for term in asserted):
            return False
        self._model = model
        return True

    def value(self, term: Term) -> Value:
        if self._model is None:
            return self._inner.value(term)
        result: Value = self._model.value(term)
        return result
