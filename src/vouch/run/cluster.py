"""The jobs of a run on the workers of a Dask cluster, behind the protocol of a pool.

A job is a function and an item; both travel pickled, the function once. On a worker they go to a process
of their own (`servant`), which keeps the function for the jobs to come and forks for each, so that limits of
time and memory hold there as they do here. A worker that dies costs nothing: the cluster gives its jobs to
others. Jobs that cannot travel, because they hold terms, run here.
"""

from __future__ import annotations

import hashlib
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any

from vouch.errors import VouchError
from vouch.parallel import for_here, for_others
from vouch.process import start
from vouch.run.pool import Failure, Item, JobResult, Result, run_jobs

if TYPE_CHECKING:
    from vouch.parallel import Pool

_CONNECT_SECONDS = 10
_AGAIN = 2  # times that a job is handed out once more, on average
_KEPT = 2  # functions that a servant keeps: that of this step, and that of the one before


def cluster_pool(address: str) -> Pool:
    """A pool whose jobs run on the cluster with this scheduler, as many at a time as it has workers."""
    try:
        from distributed import Client
    except ImportError:
        raise VouchError("option --cluster: Dask is not installed: pip install 'vouch[cluster]'") from None
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise VouchError(f"option --cluster: no scheduler at {address}: {error}") from None

    def pool(
        function: Callable[..., Result],
        items: Iterable[Item],
        jobs: int = 1,
        timeout: float | None = None,
        memory: int | None = None,
        ordered: bool = True,
        deadline: float | None = None,
        hear: Callable[[Item, Any], None] | None = None,
    ) -> Iterator[tuple[Item, JobResult[Result]]]:
        todo = list(items)
        try:
            packed = _packed(function, todo)
        except (TypeError, AttributeError, pickle.PicklingError):
            yield from run_jobs(function, todo, jobs, timeout, memory, ordered, deadline, hear)
            return
        yield from _spread(client, *packed, todo, timeout, memory, ordered, deadline, hear)

    return pool


def _packed(function: Callable[..., Result], items: list[Item]) -> tuple[bytes, list[bytes]]:
    import cloudpickle

    return cloudpickle.dumps(function), [cloudpickle.dumps(item) for item in items]


def _spread(
    client: Any,
    function: bytes,
    packed: list[bytes],
    items: list[Item],
    timeout: float | None,
    memory: int | None,
    ordered: bool,
    deadline: float | None,
    hear: Callable[[Item, Any], None] | None,
) -> Iterator[tuple[Item, JobResult[Result]]]:
    from distributed import as_completed

    shared = client.scatter(function, broadcast=True, hash=True)
    limits = (timeout, memory, for_others(deadline), hear is not None)
    futures = [client.submit(_at_worker, shared, item, limits, pure=False) for item in packed]
    numbers = {future.key: number for number, future in enumerate(futures)}
    finished: dict[int, JobResult[Result]] = {}
    position, again = 0, _AGAIN * len(futures)
    try:
        for future in (coming := as_completed(futures, loop=client.loop)):
            number = numbers[future.key]
            if future.status in ("lost", "cancelled") and again:
                # The only worker that had the function, since others came later, is gone.
                again -= 1
                shared = client.scatter(function, broadcast=True, hash=False)
                futures[number] = client.submit(_at_worker, shared, packed[number], limits, pure=False)
                numbers[futures[number].key] = number
                coming.add(futures[number])
                continue
            finished[number], said = _outcome(future)
            for message in said if hear is not None else ():
                assert hear is not None
                hear(items[number], message)
            if not ordered:
                yield items[number], finished.pop(number)
            while ordered and position in finished:
                yield items[position], finished.pop(position)
                position += 1
    finally:
        client.cancel(futures)


def _outcome(future: Any) -> tuple[JobResult[Any], list[Any]]:
    """What became of a job, and what it had said before."""
    if future.status == "finished":
        answer: tuple[JobResult[Any], list[Any]] = pickle.loads(future.result())
        return answer
    return JobResult(None, Failure.CRASH, f"the cluster gave up: {future.exception()}"), []


# ---------------------------------------------------------------- on a worker

_threads = threading.local()
Limits = tuple[float | None, int | None, float | None, bool]  # seconds, MiB, end, does it talk?


def _at_worker(function: bytes, item: bytes, limits: Limits) -> bytes:
    """Runs in a thread of a worker: hands the job to the thread's servant."""
    for _ in range(2):  # a servant that was ended from outside is replaced once
        servant: subprocess.Popen[bytes] | None = getattr(_threads, "servant", None)
        if servant is None or servant.poll() is not None:
            line = [sys.executable, "-P", "-m", "vouch.run.cluster"]  # -P: nothing of the current folder
            servant = _threads.servant = start(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            return _ask(servant, function, item, limits)
        except (OSError, EOFError):
            servant.kill()
            servant.wait()
    raise RuntimeError("the process for jobs does not live")


def _ask(servant: subprocess.Popen[bytes], function: bytes, item: bytes, limits: Limits) -> bytes:
    assert servant.stdin is not None
    assert servant.stdout is not None
    name = hashlib.sha256(function).hexdigest()
    pickle.dump((name, item, limits), servant.stdin)
    servant.stdin.flush()
    if not pickle.load(servant.stdout):  # it does not have the function
        pickle.dump(function, servant.stdin)
        servant.stdin.flush()
    answer: bytes = pickle.load(servant.stdout)
    return answer


def servant(asked: IO[bytes], answers: IO[bytes]) -> None:
    """Answers jobs until the worker is gone."""
    known: dict[str, Any] = {}
    while True:
        try:
            name, item, limits = pickle.load(asked)
        except EOFError:
            return
        pickle.dump(name in known, answers)
        answers.flush()
        if name not in known:
            while len(known) >= _KEPT:
                known.pop(next(iter(known)))
            known[name] = pickle.loads(pickle.load(asked))
        pickle.dump(pickle.dumps(_run(known[name], pickle.loads(item), limits)), answers)
        answers.flush()


def _run(function: Callable[..., Any], item: Any, limits: Limits) -> tuple[JobResult[Any], list[Any]]:
    timeout, memory, end, talks = limits
    said: list[Any] = []

    def hear(_: Any, message: Any) -> None:
        said.append(message)

    found = run_jobs(function, [item], 1, timeout, memory, True, for_here(end), hear if talks else None)
    [(_, outcome)] = found
    return outcome, said


if __name__ == "__main__":
    import os

    # What jobs print is not an answer.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    servant(sys.stdin.buffer, replies)
