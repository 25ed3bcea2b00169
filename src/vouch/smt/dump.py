"""Every query as an SMT-LIB 2 file, with the answer it got."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import count
from os import getpid
from pathlib import Path

from vouch.smt.node import Term
from vouch.smt.printer import script
from vouch.smt.solver import Answer, Solver
from vouch.smt.wrapper import Wrapper

_numbers = count(1)


class Dumped(Wrapper):
    """Writes the query before it is asked (a crash leaves it behind) and notes the answer after."""

    def __init__(self, inner: Solver, folder: Path) -> None:
        super().__init__(inner)
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        path = self._folder / f"query-{getpid()}-{next(_numbers):05}.smt2"
        path.write_text(script([*self._added, *assumptions]), encoding="utf-8")
        start = time.monotonic()
        answer = self._inner.check(assumptions, timeout)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"; {self.name}: {answer} in {time.monotonic() - start:.3f} s\n")
        return answer
