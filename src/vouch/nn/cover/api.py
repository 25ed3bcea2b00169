"""Coverage of a data set, as the command line and a notebook ask for it."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array
from vouch.nn.cover.classic import Classic, CoverageMeasure, classic
from vouch.nn.cover.methods import METHODS, Coverage, CoveringPair, Method, Metrics, coverage
from vouch.nn.cover.potentials import LayeredNetwork, Potentials, potentials
from vouch.nn.cover.raising import Goal, Raised, Raising, raise_coverage
from vouch.nn.network import Network
from vouch.nn.property import Case
from vouch.nn.search.task import Clock
from vouch.verdict import Exit


@dataclass(frozen=True, slots=True, eq=False)
class CoverResult:
    """Coverage by each method. `wanted` is the share that was asked for, `raised` holds the answers about
    new inputs, `measures` the comparison with measures of single inputs."""

    inputs: int
    coverages: dict[Method, Coverage]
    measures: list[CoverageMeasure] = field(default_factory=list)
    wanted: float | None = None
    raised: dict[Method, Raising] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def exit_code(self) -> Exit:
        """Whether every method reaches the wanted share: by the data set, or with one more input where that
        was looked for."""
        if self.wanted is None:
            return Exit.PROVED
        short = [m for m, each in self.coverages.items() if each.covered < needed(self.wanted, each.total)]
        answers = [self.raised[m].answer if m in self.raised else Raised.IMPOSSIBLE for m in short]
        if any(answer is Raised.IMPOSSIBLE for answer in answers):
            return Exit.VIOLATED
        return Exit.PROVED if all(answer is Raised.RAISED for answer in answers) else Exit.UNDECIDED

    def to_json(self) -> dict[str, Any]:
        return {
            "inputs": self.inputs,
            "wanted": self.wanted,
            "methods": {method: _coverage(each) for method, each in self.coverages.items()},
            "measures": {
                m.name: {"covered": m.covered, "total": m.total, "share": m.share} for m in self.measures
            },
            "raise": {method: _raising(each) for method, each in self.raised.items()},
            "seconds": round(self.seconds, 3),
        }


def _coverage(each: Coverage) -> dict[str, Any]:
    return {
        "covered": each.covered,
        "neurons": each.total,
        "share": each.share,
        "pairs": {"covered": each.pairs, "total": each.of_pairs} if each.of_pairs else None,
        "layers": [
            {
                "layer": number,
                "covered": int(layer.sum()),
                "neurons": len(layer),
                "covered_neurons": [int(k) + 1 for k in np.flatnonzero(layer)],
            }
            for number, layer in enumerate(each.neurons, 1)
        ],
        "witnesses": [_witness(witness) for witness in each.witnesses],
    }


def _witness(witness: CoveringPair) -> dict[str, Any]:
    return {
        "condition": None if witness.condition is None else _place(witness.condition),
        "decision": _place(witness.decision),
        "inputs": list(witness.inputs),
    }


def _place(neuron: tuple[int, int]) -> dict[str, int]:
    """Layers and neurons are counted from 1, as people write n_1,1; inputs from 0, as --index does."""
    return {"layer": neuron[0] + 1, "neuron": neuron[1] + 1}


def _raising(each: Raising) -> dict[str, Any]:
    return {
        "verdict": str(each.answer),
        "input": None if each.input is None else [float(x) for x in each.input],
        "share": each.share,
        "bound": each.bound,
        "parts": each.parts,
    }


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What `cover` is asked beyond the coverage itself."""

    methods: tuple[Method, ...] = METHODS
    metrics: Metrics = field(default_factory=Metrics)
    wanted: float | None = None
    profile: Array | None = None  # compare with measures of single inputs, ranges from these rows
    classic: Classic = field(default_factory=Classic)
    near: Case | None = None  # look there for an input that raises the coverage


def cover(
    network: Network | LayeredNetwork,
    rows: Array | Sequence[Sequence[float]],
    asked: Asked | None = None,
    *,
    timeout: float | None = None,
    seed: int = 0,
) -> CoverResult:
    """Coverage of `network` by the rows, each an input. An input that raises it is looked for in networks of
    real numbers."""
    asked, began, clock = asked or Asked(), time.monotonic(), Clock(timeout)
    subject = network if isinstance(network, LayeredNetwork) else potentials(network)
    data = np.atleast_2d(np.asarray(rows, dtype=np.float64))
    if len(subject.layers) < 2:
        raise VouchError("coverage is about two adjacent layers, and this network has one")
    found = coverage(subject, data, asked.methods, asked.metrics)
    measures = [] if asked.profile is None else classic(subject, data, asked.profile, asked.classic)
    raised: dict[Method, Raising] = {}
    if asked.near is not None:
        if not isinstance(subject, Potentials):
            raise VouchError("coverage in fixed point is measured, not raised")
        raised = _raised(subject, data, found, asked, clock, seed)
    return CoverResult(len(data), found, measures, asked.wanted, raised, time.monotonic() - began)


def _raised(
    subject: Potentials, data: Array, found: dict[Method, Coverage], asked: Asked, clock: Clock, seed: int
) -> dict[Method, Raising]:
    assert asked.near is not None
    values = subject.of(data)
    answers: dict[Method, Raising] = {}
    for left, (method, each) in zip(range(len(found), 0, -1), found.items(), strict=True):
        # Without a wanted share, any input that covers one neuron more will do.
        count = each.covered + 1 if asked.wanted is None else needed(asked.wanted, each.total)
        if count <= each.covered:
            continue
        goal = Goal(subject, method, asked.metrics, values, each.neurons, count)
        answers[method] = raise_coverage(goal, asked.near, clock.share(1 / left), seed)
    return answers


def needed(share: float, total: int) -> int:
    """The least number of neurons that makes up a share; 0.8 of 5 is 4 although the product is above it."""
    return math.ceil(share * total - 1e-9)
