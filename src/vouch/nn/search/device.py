"""Branch and bound over input boxes that stays on the device: choosing, bounding, pruning and halving.

Only two numbers per round come back to the host: how many boxes are left, and whether some point looks like a
violation. Boxes that are too narrow for float32 are handed on to the search in float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.bounds.region import Unsafe
from vouch.nn.bounds.single import SingleBounds
from vouch.nn.property import Array, Case
from vouch.nn.result import ViolatingInput
from vouch.nn.search.task import Clock, Judge

# Boxes in a round for each GiB of memory of the device.
_ROUND = 1 << 14
_MOST = 1 << 18
# Boxes narrower than this, relative to the whole, are left to float64.
_NARROW = 2.0**-16
# After so many boxes these bounds are too loose for the question, mostly because a region has several rows
# that only exclude it together; float64 knows how to weigh them.
_MOST_BOXES = 1 << 23


@dataclass(slots=True)
class Swept:
    """A counterexample, or what is left open: boxes lower..upper [count, inputs]."""

    counterexample: ViolatingInput | None
    lower: Array
    upper: Array
    boxes: int


class DeviceSearch:
    """One case, which `vouch.nn.bounds.single.fits`."""

    def __init__(
        self,
        model: BoundModel,
        case: Case,
        judge: Judge,
        clock: Clock,
        device: str,
        *,
        batch: int | None = None,
    ) -> None:
        import torch

        self.torch, self.case, self.judge, self.clock = torch, case, judge, clock
        regions = [Unsafe.of(model, case, rows) for rows in case.regions]
        self.bounds = SingleBounds(model, case, regions, device)
        self.batch = batch or _round(torch, device)
        lower, upper = fed_box(model, case)
        self.root = self._outwards(lower, -np.inf, device), self._outwards(upper, np.inf, device)
        self.width = (self.root[1] - self.root[0]).clamp(min=1e-30)
        self.boxes, self.narrow = 0, [self.root[0][:0], self.root[1][:0]]

    def _outwards(self, end: Array, towards: float, device: str) -> Any:
        single = end.astype(np.float32)
        inside = single > end if towards < 0 else single < end
        single = np.where(inside, np.nextafter(single, np.float32(towards)), single)
        return self.torch.as_tensor(single[None, :], dtype=self.torch.float32, device=device)

    def run(self) -> Swept:
        torch = self.torch
        exact = torch.backends.cuda.matmul.allow_tf32
        torch.backends.cuda.matmul.allow_tf32 = False  # ten bits of mantissa are not what the bounds assume
        try:
            with torch.no_grad():
                return self._run()
        finally:
            torch.backends.cuda.matmul.allow_tf32 = exact

    def _run(self) -> Swept:
        stack, count = [*self.root], 1
        while count and self.boxes < _MOST_BOXES and not self.clock.over:
            here = max(0, count - self.batch)
            lower, upper = stack[0][here:count], stack[1][here:count]
            stack, count = [stack[0][:here], stack[1][:here]], here
            children, suspects = self._step(lower, upper)
            if len(suspects):
                found = self.judge.confirm(self.case, suspects)
                if found is not None:
                    return Swept(found, *self._open(stack), self.boxes)
            if len(children[0]):
                stack = [self.torch.cat(pair) for pair in zip(stack, children, strict=True)]
                count = len(stack[0])
        return Swept(None, *self._open(stack), self.boxes)

    def _open(self, stack: list[Any]) -> tuple[Array, Array]:
        """All that is not proved, in float64."""
        pairs = zip(stack, self.narrow, strict=True)
        lower, upper = (self.torch.cat(pair).cpu().numpy().astype(np.float64) for pair in pairs)
        return lower, upper

    def _step(self, lower: Any, upper: Any) -> tuple[list[Any], Array]:
        """What takes the place of the boxes, and points that look like violations."""
        torch = self.torch
        self.boxes += len(lower)
        forms = self.bounds.rows(lower, upper)
        still = ~(self.bounds.margins(forms) > 0)
        lower, upper, blame = lower[still], upper[still], forms.blame[still]
        if not len(lower):
            return [lower, upper], np.zeros((0, lower.shape[1]))
        middle = (lower + upper) * 0.5
        suspects = middle[self.bounds.met(middle)][:16].cpu().numpy().astype(np.float64)
        wide = upper - lower > _NARROW * self.width
        open_ = wide.any(1)
        if not bool(open_.all()):
            done = (lower[~open_], upper[~open_])
            self.narrow = [torch.cat(pair) for pair in zip(self.narrow, done, strict=True)]
            lower, upper, blame, wide = lower[open_], upper[open_], blame[open_], wide[open_]
        return self._halves(lower, upper, torch.where(wide, blame, -1.0).argmax(1)), suspects

    def _halves(self, lower: Any, upper: Any, axis: Any) -> list[Any]:
        torch = self.torch
        row = torch.arange(len(lower), device=lower.device)
        middle = (lower[row, axis] + upper[row, axis]) * 0.5
        first, second = upper.clone(), lower.clone()
        first[row, axis] = middle
        second[row, axis] = middle
        return [torch.cat([lower, second]), torch.cat([first, upper])]


def _round(torch: Any, device: str) -> int:
    """As many boxes as the device has room and use for."""
    if device != "cuda":
        return 1 << 12
    free, _ = torch.cuda.mem_get_info()
    return int(min(_MOST, max(1 << 12, _ROUND * (free >> 30))))
