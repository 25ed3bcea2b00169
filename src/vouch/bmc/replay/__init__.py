"""Native replay: a counterexample in, whether the compiled program really violates the check out.

The linked IR is rewritten as text (`module.py` and what it uses), compiled with clang and linked with a
small runtime written in C (`runtime/`), but with no C library (`build.py`). One binary serves all
counterexamples of a program: it reads arguments, memory and recorded events from its input (`wire.py`), runs
in a limited process (`process.py`) and reports which checks were violated. Nothing here decides a verdict.
"""

from __future__ import annotations

from vouch.bmc.replay.limits import ReplayLimits
from vouch.bmc.replay.replayer import Replayer, ReplayResult, replay

__all__ = ["ReplayLimits", "ReplayResult", "Replayer", "replay"]
