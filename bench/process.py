"""Run the command as a user does and measure it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

VOUCH = Path(sys.executable).parent / "vouch"


@dataclass(frozen=True, slots=True)
class Measured:
    code: int
    output: str
    errors: str
    seconds: float
    megabytes: float  # largest resident set of the process itself


def run(arguments: list[str], limit: float, folder: Path | None = None) -> Measured:
    """`vouch ARGUMENTS…`, killed after `limit` seconds (exit code -9 then)."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        began = time.monotonic()
        process = subprocess.Popen([str(VOUCH), *arguments], stdout=out, stderr=err, cwd=folder)
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - began > limit:
                process.kill()
            time.sleep(0.005)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Measured(process.returncode, out.read(), err.read(), seconds, usage.ru_maxrss / 1024)
