"""What a call of a function with a body stands for: the body itself, or a model in its place.

The executor asks its policy at every such call. Checks inside a function that is not executed stay open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from vouch.bmc.state import State
from vouch.c import ir

if TYPE_CHECKING:
    from vouch.bmc.execution import Execution
    from vouch.bmc.frame import Frame


class CallModel(Protocol):
    """Yields the state after the call, None when no execution comes back, and puts the result into the frame.
    The state covers what the function may do: an arbitrary one, or a summary."""

    def __call__(
        self, ex: Execution, frame: Frame, state: State, call: ir.Call, function: ir.Function, /
    ) -> State | None: ...


CalleePolicy: TypeAlias = Callable[[ir.Function, int], CallModel | None]
"""The model for a function at this depth of calls (1 in the entry point), or None to execute its body."""


def inline(function: ir.Function, depth: int) -> None:
    """Execute every body."""
