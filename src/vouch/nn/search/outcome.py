"""What a search engine reports to the driver."""

from __future__ import annotations

from dataclasses import dataclass

from vouch.nn.result import ViolatingInput


@dataclass(slots=True)
class Outcome:
    """A confirmed `counterexample`, or how far the proof came.

    `proved` is exactly 1.0 when the case is proved. `stuck` counts parts that this engine can do nothing more
    about; they are open. `bound` is the lowest bound among the parts that are open; of a proof, the margin by
    which the property holds, where the engine knows it.
    """

    counterexample: ViolatingInput | None
    proved: float
    boxes: int
    stuck: int
    bound: float | None
