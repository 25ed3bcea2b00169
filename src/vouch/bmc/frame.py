"""One activation of a function."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from vouch.bmc.state import Edge
from vouch.bmc.value import MemObject, Value
from vouch.c import ir
from vouch.c.flow.order import Flow

Shadow: TypeAlias = tuple[Value, ...]  # which bytes of a register are unwritten: see `vouch.bmc.shadow`


def name_of(register: str) -> str:
    """Under which a register's shadow stands beside it; no register is named so."""
    return f"{register}\0"


class Frame:
    """One activation. `registers` are those of the current block; `caller` is the call that made it."""

    __slots__ = (
        "call",
        "caller",
        "fixed",
        "flow",
        "function",
        "marked",
        "model",
        "objects",
        "pending",
        "registers",
        "varargs",
    )

    def __init__(self, flow: Flow, caller: Frame | None, call: ir.Call | None) -> None:
        self.flow = flow
        self.function = flow.function
        self.caller = caller
        self.call = call
        self.registers: dict[str, Value] = {}
        self.fixed: dict[
            str, Value
        ] = {}  # parameters and allocas of the entry block: the same in every block
        self.pending: dict[str, list[Edge]] = {}
        self.objects: list[MemObject] = []
        self.varargs: list[tuple[ir.Type, Value, Shadow | None]] = []
        self.model = False
        self.marked = False  # some register holds unwritten bytes

    def chain(self) -> Iterable[Frame]:
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.caller
