"""Jobs on a real Dask cluster: a scheduler and worker processes, one of which is killed at work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import vouch
from vouch.errors import VouchError
from vouch.run.cluster import cluster_pool
from vouch.run.pool import Failure

pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed")
ROOT = Path(__file__).resolve().parents[2]


class Cluster:
    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder
        file = folder / "scheduler.json"
        self.processes = [
            self._start("scheduler", "--scheduler-file", str(file), "--port", "0", "--no-dashboard")
        ]
        end = time.monotonic() + 60
        while not file.exists() and time.monotonic() < end:
            time.sleep(0.1)
        words = ["--scheduler-file", str(file), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        self.processes += [self._start("worker", *words) for _ in range(workers)]
        import json

        self.address = json.loads(file.read_text())["address"]

    def _start(self, kind: str, *words: str) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-m", "distributed.cli.dask_" + kind, *words]
        return subprocess.Popen(line, cwd=self.folder, stderr=subprocess.DEVNULL)

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    found = Cluster(tmp_path_factory.mktemp("cluster"), 2)
    yield found
    found.end()


def test_jobs_with_limits_and_a_killed_worker(cluster: Cluster) -> None:
    pool = cluster_pool(cluster.address)
    victim = cluster.processes[1].pid
    mark = cluster.folder / "killed"

    def job(number: int) -> int:
        if number == 3 and not mark.exists():
            mark.touch()
            os.kill(victim, signal.SIGKILL)
            time.sleep(1)
        if number == 5:
            time.sleep(3600)
        if number == 6:
            raise ValueError("six")
        return number * number

    found = dict(pool(job, range(8), jobs=2, timeout=12))
    values = {n: out.value if out.ok else out.message for n, out in found.items() if n not in (5, 6)}
    assert values == {0: 0, 1: 1, 2: 4, 3: 9, 4: 16, 7: 49}
    assert found[5].failure is Failure.TIMEOUT
    assert found[6].failure is Failure.ERROR
    assert "six" in found[6].message


def test_the_same_verdicts_as_here(cluster: Cluster) -> None:
    """Whatever runs the jobs; here with the one worker that is left."""
    source = str(ROOT / "examples" / "sensor" / "defective")

    def verdicts(**options: object) -> dict[str, str]:
        found = vouch.check([source], include=[str(ROOT / "examples" / "sensor" / "include")], **options)
        return {result.check.id: str(result.verdict) for result in found.checks}

    here = verdicts(jobs=1)
    assert len(set(here.values())) > 1
    assert verdicts(cluster=cluster.address) == here


def test_nobody_there() -> None:
    with pytest.raises(VouchError, match="no scheduler at"):
        cluster_pool("tcp://127.0.0.1:1")
