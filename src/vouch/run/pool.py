"""A pool of forked processes with limits on time and memory per job.

Workers are forks of the caller: they see everything it has built (terms, programs) without pickling;
only results are pickled. A worker that crashes, hangs or eats its memory costs the job it was at: the
job's outcome says so, and a new worker goes on with the next. A worker that has grown is replaced between two
jobs: what one of them leaves behind is not carried to the next.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any, Generic, TypeVar

from vouch.forks import INTERRUPTS, TIME, die_with_parent, held_back
from vouch.record import frozen_record

Item = TypeVar("Item")
Result = TypeVar("Result")

_fork = multiprocessing.get_context("fork")
_RECYCLE_AFTER = 200  # Jobs per worker: what solvers leak is given back.
_FULL = 0.25  # of its memory, held between two jobs: a new worker has all of it


class Failure(StrEnum):
    """Why a job has no value."""

    ERROR = "error"  # the function raised
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASH = "crash"  # the process ended by itself


@frozen_record
class JobResult(Generic[Result]):
    """What became of a job: `value`, or why there is none in `failure` and `message`."""

    value: Result | None = None
    failure: Failure | None = None
    message: str = ""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return self.failure is None


def run_jobs(
    function: Callable[..., Result],
    items: Iterable[Item],
    jobs: int = 1,
    timeout: float | None = None,
    memory: int | None = None,
    ordered: bool = True,
    deadline: float | None = None,
    hear: Callable[[Item, Any], None] | None = None,
) -> Iterator[tuple[Item, JobResult[Result]]]:
    """Applies `function` to every item in `jobs` processes and yields items with their outcomes.

    `timeout` is in seconds per job, `memory` in MiB beyond what the caller has. At the `deadline` (of
    `time.monotonic`) all jobs are late, those that have not begun as well. Outcomes come in the order of the
    items, or as they are ready if `ordered` is off. With `hear` the function gets a second argument,
    which it may call with what it knows already: `hear` gets the item and that, whatever becomes of the job.
    Leaving the iterator early, by exception (Ctrl-C) or by closing it, ends all workers at once.
    """
    todo = list(items)
    pool = _Pool(function, todo, max(1, min(jobs, len(todo))), timeout, memory, deadline, hear)
    try:
        finished: dict[int, JobResult[Result]] = {}
        position = 0
        for number, outcome in pool.outcomes():
            if not ordered:
                yield todo[number], outcome
                continue
            finished[number] = outcome
            while position in finished:
                yield todo[position], finished.pop(position)
                position += 1
    finally:
        pool.close()


@dataclass(slots=True, eq=False)
class _Worker:
    process: ForkProcess
    pipe: Connection
    job: int | None = None
    started: float = 0.0
    served: int = 0
    full: bool = False


class _Pool(Generic[Item, Result]):
    def __init__(
        self,
        function: Callable[..., Result],
        items: Sequence[Item],
        jobs: int,
        timeout: float | None,
        memory: int | None,
        deadline: float | None,
        hear: Callable[[Item, Any], None] | None,
    ) -> None:
        self._deadline = deadline
        self._hear = hear
        self._function = function
        self._items = items
        self._jobs = jobs
        self._timeout = timeout
        self._memory = memory
        self._workers: list[_Worker] = []
        self._next = 0

    def outcomes(self) -> Iterator[tuple[int, JobResult[Result]]]:
        """Outcomes with the numbers of their items, as they are ready."""
        gc.freeze()  # Workers then share the pages of what exists already.
        try:
            while True:
                self._hand_out()
                busy = {worker.pipe: worker for worker in self._workers if worker.job is not None}
                if not busy:
                    return
                for pipe in wait(list(busy), self._patience(busy.values())):
                    assert isinstance(pipe, Connection)
                    outcome = self._collect(busy[pipe])
                    if outcome is not None:
                        del busy[pipe]
                        yield outcome
                now = time.monotonic()
                for worker in busy.values():
                    if now >= self._end_of(worker):
                        yield self._late(worker)
                yield from self._never_begun()
        finally:
            gc.unfreeze()

    def _end_of(self, worker: _Worker) -> float:
        own = float("inf") if self._timeout is None else worker.started + self._timeout
        return own if self._deadline is None else min(own, self._deadline)

    def _never_begun(self) -> Iterator[tuple[int, JobResult[Result]]]:
        """The jobs that there is no time for."""
        while self._deadline is not None and time.monotonic() >= self._deadline:
            if self._next >= len(self._items):
                return
            self._next += 1
            yield self._next - 1, JobResult(None, Failure.TIMEOUT, "not begun in time")

    def _hand_out(self) -> None:
        for worker in [w for w in self._workers if w.job is None]:
            if worker.full or worker.served >= _RECYCLE_AFTER:
                self._end(worker)
            elif self._next < len(self._items):
                self._assign(worker)
        while len(self._workers) < self._jobs and self._next < len(self._items):
            self._assign(self._start())

    def _assign(self, worker: _Worker) -> None:
        worker.job, worker.started = self._next, time.monotonic()
        worker.served += 1
        self._next += 1
        with suppress(BrokenPipeError):  # A worker that died waiting is noticed when its answer is read.
            worker.pipe.send(worker.job)

    def _start(self) -> _Worker:
        here, there = _fork.Pipe()
        others = [here, *(worker.pipe for worker in self._workers)]
        limits = (self._memory, self._hear is not None, os.getpid())
        process = _fork.Process(target=_serve, args=(self._function, self._items, there, others, *limits))
        worker = _Worker(process, here)
        with held_back():  # A worker that runs is always listed.
            process.start()
            self._workers.append(worker)
        there.close()
        return worker

    def _patience(self, busy: Iterable[_Worker]) -> float | None:
        """How long until the first running job is late."""
        if self._timeout is None and self._deadline is None:
            return None
        return max(0.0, min(map(self._end_of, busy)) - time.monotonic())

    def _collect(self, worker: _Worker) -> tuple[int, JobResult[Result]] | None:
        """The outcome a worker sent, or what its death means; None for a word in between."""
        number, seconds = worker.job, time.monotonic() - worker.started
        assert number is not None
        try:
            answer = worker.pipe.recv()
            if len(answer) == 1:
                assert self._hear is not None
                self._hear(self._items[number], answer[0])
                return None
            value, failure, message, worker.full = answer
            worker.job = None
        except (EOFError, OSError):
            worker.process.join(5)
            failure, message = _cause(worker.process.exitcode, self._memory)
            value = None
            self._end(worker)
        return number, JobResult(value, failure, message, seconds)

    def _late(self, worker: _Worker) -> tuple[int, JobResult[Result]]:
        assert worker.job is not None
        self._end(worker)
        number, spent = worker.job, time.monotonic() - worker.started
        message = f"no answer in {spent if self._timeout is None else min(spent, self._timeout):g} s"
        return number, JobResult(None, Failure.TIMEOUT, message, spent)

    def _end(self, worker: _Worker) -> None:
        """Ends a worker and what it started."""
        self._workers.remove(worker)
        if worker.process.pid is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(worker.process.pid, signal.SIGKILL)
        worker.process.kill()
        worker.process.join()
        worker.process.close()
        worker.pipe.close()

    def close(self) -> None:
        for worker in list(self._workers):
            self._end(worker)


def _cause(code: int | None, memory: int | None) -> tuple[Failure, str]:
    """What the exit code of a worker that ended by itself means."""
    if code is None or code >= 0:
        return Failure.CRASH, f"the process ended with status {code}"
    name = signal.Signals(-code).name
    if name == "SIGKILL":
        return Failure.MEMORY, "the process was killed, most likely for want of memory"
    if name == "SIGABRT" and memory is not None:
        return Failure.CRASH, f"the process ended by {name}, perhaps at its memory limit of {memory} MiB"
    return Failure.CRASH, f"the process ended by {name}"


def _serve(
    function: Callable[..., Result],
    items: Sequence[Item],
    pipe: Connection,
    others: Sequence[Connection],
    memory: int | None,
    talks: bool,
    parent: int,
) -> None:
    """The worker: answers job numbers until the pipe closes."""
    for other in others:  # Held open here, they would hide the caller's end from other workers.
        other.close()
    os.setpgid(0, 0)  # Ctrl-C reaches the caller only, and one signal ends a worker with its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(TIME, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)  # They were held back while it was started.
    die_with_parent(parent)
    _confine(memory)
    present = _size()

    def say(message: Any) -> None:
        with suppress(BrokenPipeError):
            pipe.send((message,))

    while True:
        try:
            number = pipe.recv()
        except EOFError:
            return
        given = (items[number], say) if talks else (items[number],)
        answer = _attempt(function, given, memory)
        full = memory is not None and _size() - present > _FULL * memory
        try:
            pipe.send((*answer, full))
        except BrokenPipeError:
            return
        except Exception as error:
            pipe.send((None, Failure.ERROR, f"the result cannot be sent: {error}", full))


def _attempt(
    function: Callable[..., Result], given: tuple[Any, ...], memory: int | None
) -> tuple[Result | None, Failure | None, str]:
    try:
        return function(*given), None, ""
    except MemoryError:
        return None, Failure.MEMORY, f"more than {memory} MiB of memory" if memory else "out of memory"
    except Exception as error:
        return None, Failure.ERROR, f"{type(error).__name__}: {error}"


def _size() -> int:
    """MiB of address space that this process has."""
    with suppress(OSError, ValueError), open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize() >> 20
    return 0


def _confine(memory: int | None) -> None:
    """Allows `memory` MiB of address space beyond what the fork has already."""
    if memory is None:
        return
    with suppress(OSError, ValueError):
        limit = (_size() + memory) << 20
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
