"""Several processes at one question decide like one."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vouch.equiv import box, compare, team
from vouch.equiv.boxes import prove as prove_boxes
from vouch.equiv.confirm import confirmer
from vouch.equiv.neurons import prove as prove_neurons
from vouch.equiv.pair import Pair, dense
from vouch.equiv.property import Epsilon
from vouch.equiv.team import Team
from vouch.nn.search.task import Clock
from vouch.run.pool import run_jobs
from vouch.verdict import Verdict

TWO = Team(2, run_jobs)


@pytest.fixture
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """So short that every search goes through several rounds."""
    for name, seconds in (("ALONE", 0.01), ("SHORTEST", 0.02), ("LONGEST", 0.3)):
        monkeypatch.setattr(team, name, seconds)


def _networks(seed: int, close: float, *hidden: int) -> Pair:
    rng = np.random.default_rng(seed)
    sizes = [3, *(hidden or (7, 6)), 2]
    first = [(rng.normal(size=(m, n)), rng.normal(size=m)) for n, m in itertools.pairwise(sizes)]
    second = [(w + close * rng.normal(size=w.shape), b) for w, b in first]
    return Pair(dense(first), dense(second))


def _gap(pair: Pair) -> float:
    """The largest difference over the box, by sampling it and its corners."""
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
    points = np.vstack([np.random.default_rng(5).uniform(-1, 1, (20_000, 3)), corners])
    return float(np.abs(pair.reference.evaluate(points) - pair.test.evaluate(points)).max())


@pytest.mark.usefixtures("short_rounds")
@pytest.mark.parametrize(("prove", "hidden"), [(prove_boxes, (7, 6)), (prove_neurons, (4, 3))])
def test_rounds_decide_like_one_process(prove: Callable[..., Any], hidden: tuple[int, ...]) -> None:
    region = box([-1.0] * 3, [1.0] * 3)
    for seed in range(2):
        pair = _networks(seed, 0.05, *hidden)
        gap = _gap(pair)
        for epsilon in (gap * 1.1, gap * 0.9):
            prop = Epsilon(epsilon)
            confirm = confirmer(pair, region, prop)
            alone = prove(pair, region, prop, confirm, Clock(240.0))
            shared = prove(pair, region, prop, confirm, Clock(240.0), team=TWO)
            assert alone.verdict is shared.verdict
            # Sampling comes close to the largest difference: the verdicts themselves are known.
            assert alone.verdict is (Verdict.EQUIVALENT if epsilon > gap else Verdict.DIFFERENT)
            if epsilon > gap:
                assert gap <= shared.bound <= epsilon


@pytest.mark.usefixtures("short_rounds")
def test_a_process_that_dies_loses_nothing() -> None:
    pair = _networks(0, 0.05)
    region, prop = box([-1.0] * 3, [1.0] * 3), Epsilon(_gap(pair) * 1.02)
    deaths = 0

    def deadly(function: Callable[[Any], Any], items: Any, **options: Any) -> Any:
        nonlocal deaths
        deaths += 1

        def work(item: Any) -> Any:
            if deaths <= 3:
                os._exit(9)
            return function(item)

        return run_jobs(work, items, **options)

    confirm = confirmer(pair, region, prop)
    outcome = prove_boxes(pair, region, prop, confirm, Clock(240.0), team=Team(2, deadly))
    assert outcome.verdict is prove_boxes(pair, region, prop, confirm, Clock(240.0)).verdict
    assert outcome.verdict is Verdict.EQUIVALENT
    assert deaths > 3


def _clusters() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    points = np.vstack([rng.normal(size=(12, 3)) * 0.1 + shift for shift in (-1.0, 1.0)])
    return points, np.repeat([0, 1], 12)


def test_clusters_in_processes(tmp_path: Path) -> None:
    points, labels = _clusters()
    data = tmp_path / "points.csv"
    np.savetxt(data, np.column_stack([points, labels]), delimiter=",")
    pair = _networks(2, 0.05)
    nets = [[(x.weights, x.bias) for x in net.layers] for net in (pair.reference, pair.test)]
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
    pair = _networks(2, 0.05)
    nets = [[(x.weights, x.bias) for x in net.layers] for net in (pair.reference, pair.test)]

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
    pair = _networks(2, 0.05)
    nets = [[(x.weights, x.bias) for x in net.layers] for net in (pair.reference, pair.test)]

    def press(line: str) -> None:
        raise KeyboardInterrupt

    answer = compare(
        *nets, epsilon=50.0, clusters=str(data), densest=2, jobs=jobs, pool=run_jobs, report=press
    )
    assert [part.verdict for part in answer.parts] == [Verdict.EQUIVALENT, Verdict.UNKNOWN]
    assert answer.parts[1].reason == "interrupted"
    assert answer.exit_code == 130
