"""`Equation`: what symbolic execution of one entry point yields. Guarded SSA steps, claims, inputs, cuts.

Everything is in order of execution: along any path, what comes earlier in a list happened earlier.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import field
from typing import NamedTuple

from vouch.bmc.initial import Initial
from vouch.bmc.value import MemObject, Pointer, Value
from vouch.c import ir
from vouch.c.checks.base import Check
from vouch.record import record
from vouch.smt.term import Term


@record
class Claim:
    """One execution of a check: violated when `violated` holds (it includes the path); `reached` is the path.

    `position`, `events` and `touches` are the numbers of those before it. `chaos`: after this violation the
    program goes on with arbitrary values (memory errors, bad divisions)."""

    check: Check
    reached: Term
    violated: Term
    position: int
    events: int
    touches: int
    chaos: bool


class Touch(NamedTuple):
    """An access to an object from outside, the `number`-th of all."""

    guard: Term
    offset: Term
    size: int
    number: int


@record
class Step:
    """kind: assign, call, parameter, return, branch. `what` names the variable or function; `target` and
    `offset` give the place in memory of an assignment where it is constant, otherwise it is `offset` bytes
    behind `pointer`."""

    guard: Term
    kind: str
    location: ir.Location
    function: str
    what: str
    value: Value | None = None
    target: MemObject | None = None
    offset: int = 0
    ctype: int | None = None
    pointer: Pointer | None = None


@record
class Incoming:
    """Data that came in: see counterexample.Event. `writes` are objects that got new unknown contents;
    `position` is the number of steps before."""

    guard: Term
    kind: str
    function: str
    type: ir.Type
    value: Value | None
    location: ir.Location | None
    writes: list[tuple[MemObject, Initial]] = field(default_factory=list)
    position: int = 0


@record
class Cut:
    """Executions that were not followed further. kind: loop, recursion, unsupported, budget, callee.

    `reachable` are the sites (numbers of instructions) that those executions might still have reached."""

    guard: Term
    kind: str
    reason: str
    reachable: Container[int]


@record
class Equation:
    entry: str
    claims: list[Claim] = field(default_factory=list)
    visited: set[int] = field(default_factory=set)  # numbers of instructions that were executed
    steps: list[Step] = field(default_factory=list)
    incoming: list[Incoming] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    constraints: list[Term] = field(default_factory=list)
    assumptions: list[Term] = field(default_factory=list)  # guarded `assume`s, already in the guards
    assumed: int = 0  # how many claims were made before the last of them
    externals: dict[str, None] = field(default_factory=dict)  # functions without a body that were called
    callbacks: dict[str, None] = field(default_factory=dict)  # functions that code outside may call
    arguments: list[Value] = field(default_factory=list)
    outside: list[MemObject] = field(default_factory=list)
    allocations: list[tuple[Term, MemObject, str, Initial]] = field(default_factory=list)
    """Objects the program makes, in order, with the path, the alloca's name ("F.x"; "" for the heap) and what
    they hold before they are written. A variable of a block is listed again whenever its life begins."""
    touches: dict[MemObject, list[Touch]] = field(default_factory=dict)
    touched: int = 0  # how many there are in all
    globals: list[MemObject] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    rests: dict[str, dict[str, None]] = field(default_factory=dict)  # what proofs of single checks assume
    unsupported: dict[Term, str] = field(default_factory=dict)  # symbols that stand for the unsupported
    failures: dict[str, None] = field(default_factory=dict)  # mistakes of vouch, each the reason of a cut
    instructions: int = 0
    loops: dict[str, int] = field(default_factory=dict)  # loop name -> most iterations followed
    finished: Term | None = None  # condition under which the entry point returns
    ends: list[Term] = field(default_factory=list)
    """Paths on which nothing new happens any more: the program ends, returning or not, or stays in a loop."""

    def assume(self, condition: Term) -> None:
        self.assumptions.append(condition)
        self.assumed = len(self.claims)
