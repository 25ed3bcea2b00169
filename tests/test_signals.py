"""Ctrl-C, SIGTERM and SIGKILL at any moment: exit 130 within two seconds with a valid report, no verdict that
a whole run would not give, no process and no folder left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.patience import patient, within

# Several entry points, violations and proofs, and one check that takes longer than anybody waits.
PROGRAM = """#include <assert.h>
#include <string.h>
int divide(int x) { return 7 / x; }
int half(int x) { return x / 2; }
int sum(const int *a, int n) { int s = 0; for (int i = 0; i < n && i < 8; i++) s += a[i]; return s; }
int slow(unsigned long a, unsigned long b)
{
    if (a > 1 && b > 1 && a < 4294967296 && b < 4294967296)
        assert(a * b != 9153552214547054437ul);
    return 0;
}
"""
EXPECTED = {"divide.division-by-zero.1": "unsafe", "sum.signed-overflow.2": "unsafe"}
PROMISED = 2.0  # seconds after the signal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.c").write_text(PROGRAM)
    (tmp_path / "tmp").mkdir()
    return tmp_path


def started(folder: Path, mark: str, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "vouch", "check", "a.c", "--json", "-v", "-D", f"MARK={mark}", *more],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder / "tmp"), "MARKED": mark},
    )


def left(mark: str) -> list[str]:
    """Processes that belong to a run: their environment says so."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            state = (path.parent / "stat").read_text().rpartition(")")[2].split()[0]
            if f"MARKED={mark}".encode() in path.read_bytes().split(b"\0") and state != "Z":
                found.append((path.parent / "cmdline").read_text().replace("\0", " "))
    return found


def assert_nothing_is_left(folder: Path, mark: str) -> None:
    until = time.monotonic() + patient(PROMISED)
    while (left(mark) or list((folder / "tmp").iterdir())) and time.monotonic() < until:
        time.sleep(0.05)
    assert left(mark) == []
    assert list((folder / "tmp").iterdir()) == []


def strike(folder: Path, number: signal.Signals, delay: float, *more: str) -> dict[str, str] | None:
    """Start a run, send it a signal, and return the verdicts that it reported."""
    mark = f"{os.getpid()}.{random.getrandbits(64)}"
    process = started(folder, mark, *more)
    time.sleep(delay)
    process.send_signal(number)
    with within(PROMISED):
        out, err = process.communicate(timeout=60)
    assert_nothing_is_left(folder, mark)
    if number is signal.SIGKILL:
        return None
    early = process.returncode < 0 or ("KeyboardInterrupt" in err and "vouch" not in err)
    if early and not out:  # before the interpreter had come to vouch
        assert delay < patient(PROMISED)
        return {}
    assert process.returncode == 130, (process.returncode, err)
    assert "Traceback" not in err
    return {c["id"]: c["verdict"] for c in json.loads(out)["checks"]} if out else {}


def assert_honest(verdicts: dict[str, str]) -> None:
    for name, verdict in verdicts.items():
        assert verdict in (EXPECTED.get(name, "safe"), "unknown", "bound-safe"), (name, verdict)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_decided_is_kept(folder: Path, number: signal.Signals) -> None:
    mark = f"{os.getpid()}.{random.getrandbits(64)}"
    process = started(folder, mark, "-j", "2")
    assert process.stderr is not None
    for line in process.stderr:
        if "6 of 7 checks decided, 2 violated" in line:
            break
    process.send_signal(number)
    with within(PROMISED):
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    checks = {c["id"]: c for c in json.loads(out)["checks"]}
    assert_honest({name: c["verdict"] for name, c in checks.items()})
    assert checks["half.division-by-zero.1"]["verdict"] == "safe"
    assert checks["slow.assertion.1"]["reason"] == "interrupted"
    # Found, and said so; not called unsafe before it was run.
    found = checks["divide.division-by-zero.1"]
    assert found["verdict"] == "unsafe" or "violation was found" in found["reason"]
    assert_nothing_is_left(folder, mark)


def test_signals_at_random_moments(folder: Path) -> None:
    _bombard(folder, 6)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_signals_at_many_random_moments(folder: Path) -> None:
    _bombard(folder, 50)


def _bombard(folder: Path, times: int) -> None:
    source = random.Random(times)
    for _ in range(times):
        number = source.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
        verdicts = strike(folder, number, source.uniform(0.0, 4.0), "-j", "2")
        assert_honest(verdicts or {})


@pytest.mark.slow
def test_an_interrupted_replay_leaves_no_unconfirmed_violation(folder: Path) -> None:
    """The violation shows itself only after a long native run."""
    (folder / "a.c").write_text(
        "int main(void) { volatile unsigned n = 0; for (unsigned i = 0; i < 4000000000u; i++) n = n + 1;\n"
        "  return 1 / (int)(n - n); }\n"
    )
    mark = f"{os.getpid()}.{random.getrandbits(64)}"
    process = started(folder, mark, "--unwind", "2")
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("replay"):
            break
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode in (130, 3)
    assert all(c["verdict"] != "unsafe" for c in json.loads(out)["checks"])
    assert_nothing_is_left(folder, mark)


MANY = "".join(f"int f{i}(int x) {{ return x / {i + 1}; }}\n" for i in range(400))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_report_that_is_being_written_is_written_whole(folder: Path, number: signal.Signals) -> None:
    """It is longer than a pipe is, so the signal comes in the middle of it."""
    (folder / "a.c").write_text(MANY)
    mark = f"{os.getpid()}.{random.getrandbits(64)}"
    process = started(folder, mark)
    assert process.stdout is not None
    first = os.read(process.stdout.fileno(), 1).decode()
    process.send_signal(number)
    with within(PROMISED):
        rest, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err) == (130, False)
    assert len(json.loads(first + rest)["checks"]) == 400
    assert_nothing_is_left(folder, mark)


@pytest.mark.parametrize("signals", [1, 2])
def test_a_report_that_nobody_reads(folder: Path, signals: int) -> None:
    """The process does not wait for a reader for ever; a second signal ends it at once."""
    (folder / "a.c").write_text(MANY)
    process = started(folder, "none")
    assert process.stdout is not None
    os.read(process.stdout.fileno(), 1)
    with within(PROMISED):
        for _ in range(signals):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.1)
        assert process.wait(60) == 130


NETWORK = """1,2,1,2,
2,1,
0,
-1.0,-1.0,
1.0,1.0,
0.0,0.0,0.0,
1.0,1.0,1.0,
1.0,-1.0,
0.0,
"""
PROPERTY = """(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)
(assert (>= X_0 -1))(assert (<= X_0 1))(assert (>= X_1 -1))(assert (<= X_1 1))(assert (>= Y_0 3))
"""


@pytest.mark.parametrize("delay", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_networks(tmp_path: Path, delay: float, number: signal.Signals) -> None:
    """Interrupted while it loads its libraries or decides: a whole answer, or an interrupted one."""
    (tmp_path / "n.nnet").write_text(NETWORK)
    (tmp_path / "p.vnnlib").write_text(PROPERTY)
    for words in (["nn", "verify", "n.nnet", "p.vnnlib"], ["equiv", "n.nnet", "n.nnet", "--epsilon", "0.1"]):
        more = ["--box", "p.vnnlib"] if words[0] == "equiv" else []
        process = subprocess.Popen(
            [sys.executable, "-m", "vouch", *words, *more, "--json"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(delay)
        process.send_signal(number)
        with within(PROMISED):
            out, err = process.communicate(timeout=60)
        if process.returncode == -number or "importlib" in err:
            continue  # before vouch had begun, or while Python itself was importing
        assert "Traceback" not in err
        assert process.returncode in (130, 0), (process.returncode, err)
        # Before there was an answer, while it was made, or when it was there.
        verdict = json.loads(out)["verdict"] if out else "unknown"
        assert verdict in ("safe", "equivalent") or (verdict, process.returncode) == ("unknown", 130)
