"""Runs a list of instances, one after the other, in a worker process that may crash or hang.

The worker lives on between instances, so that libraries are loaded once; it is killed when an instance
overruns its limit, and replaced. After every instance the results file is written anew, in one piece.
"""

from __future__ import annotations

import csv
import importlib
import io
import math
import multiprocessing
import os
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from vouch.errors import VouchError
from vouch.forks import INTERRUPTS, die_with_parent, held_back
from vouch.interrupts import bells
from vouch.nn.vnncomp import WORDS, Instance
from vouch.settings import Settings
from vouch.verdict import Verdict

# What an instance may take beyond its limit before its worker is killed: engines look at the clock only
# now and then.
GRACE = 1.5

# Seconds in which a worker has to have loaded its libraries.
_START = 120.0

# Loaded before the first instance, so that no instance pays for it.
_LIBRARIES = ("vouch.nn.search", "onnxruntime", "scipy.sparse", "vouch.nn.loaders.onnx")

ERROR = "error"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the results file. `result` is the competition's word, or `error` with the reason."""

    onnx: str
    vnnlib: str
    timeout: float
    result: str
    seconds: float
    engine: str = ""
    reason: str = ""

    @property
    def decided(self) -> bool:
        return self.result in (WORDS[Verdict.SAFE], WORDS[Verdict.UNSAFE])

    @property
    def verdict(self) -> Verdict:
        return next((v for v, word in WORDS.items() if word == self.result), Verdict.UNKNOWN)


def run(
    instances: Sequence[Instance], folder: Path, output: Path, settings: Settings
) -> Iterator[tuple[Row, bool]]:
    """Yields (row, whether it is new) for every instance, in order; decided rows of an old file are kept.

    Stops early when `settings.timeout` for all of them is over.
    """
    known = {(row.onnx, row.vnnlib): row for row in read_rows(output) if row.decided}
    kept = {place: known.get((i.network, i.property)) for place, i in enumerate(instances)}
    rows = {place: row for place, row in kept.items() if row is not None}
    deadline = math.inf if settings.timeout is None else time.monotonic() + settings.timeout
    worker = _Worker(folder)
    try:
        for place, instance in enumerate(instances):
            if place in rows:
                yield rows[place], False
                continue
            left = min(instance.timeout, deadline - time.monotonic())
            if left <= 0:
                return
            rows[place] = worker.decide(instance, settings.replace(timeout=left))
            with held_back():
                write_rows(output, [rows[n] for n in sorted(rows)])
            yield rows[place], True
    finally:
        worker.stop()


class _Worker:
    """A process that decides instances, restarted whenever it had to be killed or died."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: Any = None
        self.line: Connection | None = None

    def decide(self, instance: Instance, settings: Settings) -> Row:
        line = self._started()
        start = time.monotonic()
        line.send((instance, vars(settings)))
        assert settings.timeout is not None  # an instance has a time limit
        limit = settings.timeout
        try:
            if _answered(line, limit + GRACE):
                answer: dict[str, Any] = line.recv()
                return _row(instance, **answer)
            result, reason = WORDS[Verdict.TIMEOUT], "killed at the limit"
        except (EOFError, OSError):
            self.process.join(1)
            result, reason = ERROR, f"the worker died (exit code {self.process.exitcode})"
        self.stop()
        return _row(instance, result=result, seconds=time.monotonic() - start, reason=reason)

    def _started(self) -> Connection:
        if self.line is None or not self.process.is_alive():
            context = multiprocessing.get_context("spawn")
            self.line, end = context.Pipe()
            self.process = context.Process(target=_serve, args=(end, str(self.folder), os.getpid()))
            # Ctrl-C reaches it as well, until it has a session of its own.
            with held_back(), _nothing_from_the_current_folder():
                self.process.start()
            end.close()
            try:
                if not _answered(self.line, _START):
                    raise EOFError
                self.line.recv()  # it has loaded its libraries
            except EOFError:
                self.stop()
                raise VouchError("the worker process does not start") from None
        return self.line

    def stop(self) -> None:
        """Kill the worker and whatever it started."""
        if self.process is None:
            return
        if self.process.pid is not None:  # else it could not even be started
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self.process.kill()
            self.process.join()
        if self.line is not None:
            self.line.close()
        self.process = self.line = None


@contextmanager
def _nothing_from_the_current_folder() -> Iterator[None]:
    """A Python that is started in here imports none of its modules from where the instances lie."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _answered(line: Connection, seconds: float) -> bool:
    """Whether there is an answer within the time; a signal ends the wait."""
    ready = wait([line, *bells()], seconds)
    if ready and line not in ready:
        raise KeyboardInterrupt
    return bool(ready)


def _row(instance: Instance, *, result: str, seconds: float, engine: str = "", reason: str = "") -> Row:
    return Row(
        instance.network, instance.property, instance.timeout, result, round(seconds, 3), engine, reason
    )


def _serve(line: Connection, folder: str, parent: int) -> None:
    """The worker: a process group of its own, so that it can be killed with all its children."""
    os.setsid()
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)  # they were held back while it was started
    from vouch.nn.api import decide

    warnings.simplefilter("ignore")  # of numpy and its kin, about numbers that are checked elsewhere
    for name in _LIBRARIES:
        importlib.import_module(name)
    line.send("ready")
    while True:
        try:
            instance, values = line.recv()
        except EOFError:
            return
        line.send(_answer(instance, Path(folder), Settings(values), decide))


def _answer(
    instance: Instance, folder: Path, settings: Settings, decide: Callable[..., Any]
) -> dict[str, Any]:
    start = time.monotonic()
    try:
        networks = instance.networks()
        paths: Any = {name: folder / path for name, path in networks}
        subject = paths if len(networks) > 1 or networks[0][0] else folder / networks[0][1]
        result = decide(subject, folder / instance.property, settings)
    except Exception as error:  # one instance, whatever is wrong with it, costs only itself
        text = str(error) if isinstance(error, VouchError) else f"{type(error).__name__}: {error}"
        return {"result": ERROR, "seconds": time.monotonic() - start, "reason": " ".join(text.split())}
    return {
        "result": WORDS[result.verdict],
        "seconds": result.seconds,
        "engine": result.engine,
        "reason": result.reason or "; ".join(result.warnings),
    }


_COLUMNS = [field.name for field in fields(Row)]


def read_rows(path: Path) -> list[Row]:
    """The rows of an earlier run; none where there is no file."""
    if not path.exists():
        return []
    rows = []
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = csv.DictReader(file)
            if lines.fieldnames is not None and list(lines.fieldnames) != _COLUMNS:
                raise ValueError
            for line in lines:
                limit, seconds = float(line["timeout"]), float(line["seconds"])
                names = (line["onnx"], line["vnnlib"])
                rows.append(Row(*names, limit, line["result"], seconds, line["engine"], line["reason"]))
    except (OSError, KeyError, TypeError, ValueError, csv.Error):
        raise VouchError(f"{path}: exists, and is not a results file of vouch nn batch") from None
    return rows


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    try:
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text.getvalue())
        os.chmod(draft, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(draft, path)
    except OSError as error:
        raise VouchError(f"{path}: {error.strerror}") from None
