"""Several threads at one question, and several processes at its parts, decide like one."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vouch.equiv import compare
from vouch.nn.network import Network
from vouch.run.pool import run_jobs
from vouch.verdict import Verdict

Layers = list[tuple[np.ndarray, np.ndarray]]


def _networks(seed: int, close: float, *hidden: int) -> tuple[Layers, Layers]:
    rng = np.random.default_rng(seed)
    sizes = [3, *(hidden or (7, 6)), 2]
    first = [(rng.normal(size=(m, n)), rng.normal(size=m)) for n, m in itertools.pairwise(sizes)]
    second = [(w + close * rng.normal(size=w.shape), b) for w, b in first]
    return first, second


def _gap(nets: tuple[Layers, Layers]) -> float:
    """The largest difference over the box, by sampling it and its corners."""
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
    points = np.vstack([np.random.default_rng(5).uniform(-1, 1, (20_000, 3)), corners])
    r, t = (Network.from_layers(net).evaluate(points) for net in nets)
    return float(np.abs(r - t).max())


@pytest.mark.parametrize("hidden", [(7, 6), (4, 3)])
def test_threads_decide_like_one(hidden: tuple[int, ...]) -> None:
    """The larger pair by halving boxes, the smaller one by splitting neurons."""
    for seed in range(1):
        nets = _networks(seed, 0.05, *hidden)
        gap = _gap(nets)
        for epsilon in (gap * 1.1, gap * 0.9):
            answers = [
                compare(*nets, epsilon=epsilon, box=([-1.0] * 3, [1.0] * 3), jobs=jobs, pool=run_jobs)
                for jobs in (1, 2)
            ]
            # Sampling comes close to the largest difference: the verdicts themselves are known.
            expected = Verdict.EQUIVALENT if epsilon > gap else Verdict.DIFFERENT
            assert [answer.verdict for answer in answers] == [expected, expected]
            if epsilon > gap:
                assert all(answer.bound is not None and gap <= answer.bound <= epsilon for answer in answers)


def _clusters() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    points = np.vstack([rng.normal(size=(12, 3)) * 0.1 + shift for shift in (-1.0, 1.0)])
    return points, np.repeat([0, 1], 12)


def test_clusters_in_processes(tmp_path: Path) -> None:
    points, labels = _clusters()
    data = tmp_path / "points.csv"
    np.savetxt(data, np.column_stack([points, labels]), delimiter=",")
    nets = _networks(2, 0.05)
    answers = [
        compare(*nets, epsilon=0.4, clusters=str(data), densest=2, jobs=jobs, pool=run_jobs, timeout=60.0)
        for jobs in (1, 2)
    ]
    assert [part.name for part in answers[0].parts] == [part.name for part in answers[1].parts]
    assert [part.verdict for part in answers[0].parts] == [part.verdict for part in answers[1].parts]
    assert len(answers[0].parts) == 2


def test_a_lost_part_is_unknown_by_name(tmp_path: Path) -> None:
    points, labels = _clusters()
    data = tmp_path / "points.csv"
    np.savetxt(data, np.column_stack([points, labels]), delimiter=",")
    nets = _networks(2, 0.05)

    def deadly(function: Callable[[Any], Any], items: Any, **options: Any) -> Any:
        return run_jobs(lambda item: os._exit(9) if item == 1 else function(item), items, **options)

    answer = compare(*nets, epsilon=50.0, clusters=str(data), densest=2, jobs=2, pool=deadly)
    assert answer.verdict is Verdict.UNKNOWN
    assert answer.parts[0].verdict is Verdict.EQUIVALENT
    assert "lost" in str(answer.parts[1].reason)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_keeps_what_was_decided(tmp_path: Path, jobs: int) -> None:
    points, labels = _clusters()
    data = tmp_path / "points.csv"
    np.savetxt(data, np.column_stack([points, labels]), delimiter=",")
    nets = _networks(2, 0.05)

    def press(line: str) -> None:
        raise KeyboardInterrupt

    answer = compare(
        *nets, epsilon=50.0, clusters=str(data), densest=2, jobs=jobs, pool=run_jobs, report=press
    )
    assert [part.verdict for part in answer.parts] == [Verdict.EQUIVALENT, Verdict.UNKNOWN]
    assert answer.parts[1].reason == "interrupted"
    assert answer.exit_code == 130
