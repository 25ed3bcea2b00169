"""A CUDA counterexample on a real GPU: compiled with the real libraries, run, and judged by what is seen.

The program under test is run here with the rights of whoever runs vouch: there is no confinement under which
a GPU's driver works. It happens only where it was asked for. Nothing but Python's own library is used.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vouch.folder import Folder
from vouch.gpu_program import GpuProgram, Sign
from vouch.process import end, start

COMPILING, RUNNING = 300.0, 60.0  # seconds
_COMPLAINT = 97  # how compute-sanitizer ends where it found something
_TOOLS = {
    Sign.CALL: "memcheck",
    Sign.FAULT: "memcheck",
    Sign.UNWRITTEN: "initcheck",
    Sign.RACE: "racecheck",
    Sign.BARRIER: "synccheck",
}
# Statuses of the runtime: no GPU can be used; the device refuses a launch; it refuses an access.
_UNUSABLE = frozenset({35, 46, 100, 101, 209, 803, 804})
_REFUSED = frozenset({1, 9, 701})
_FAULTS = frozenset({700, 716, 717, 718, 719})
_KEPT = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "TMPDIR")
_PLACES = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/aarch64-linux-gnu")


@dataclass(slots=True, frozen=True)
class GpuRun:
    """`seen` is None where there was no run; `what` says what was seen, or why there was none."""

    seen: bool | None
    what: str


@dataclass(slots=True, frozen=True)
class Said:
    """What a call returned, where."""

    call: str
    status: int
    file: str
    line: int


@dataclass(slots=True, frozen=True)
class GpuTools:
    """`compiler` is nvcc; `sanitizer` is compute-sanitizer, "" where it is not installed."""

    compiler: str
    sanitizer: str


def machine(compiler: str = "nvcc") -> GpuTools | str:
    """What this machine offers, or what is missing."""
    found = shutil.which(compiler)
    if found is None:
        return f"{compiler} is not installed"
    if not Path("/dev/nvidiactl").exists() and not Path("/dev/nvidia0").exists():
        return "there is no GPU"
    beside = Path(found).resolve().parent / "compute-sanitizer"
    return GpuTools(found, shutil.which("compute-sanitizer") or (str(beside) if beside.is_file() else ""))


def replay(program: GpuProgram, on: GpuTools) -> GpuRun:
    """Compile the program and run it, a second time under compute-sanitizer where that may show more."""
    with Folder("vouch-gpu-") as folder:
        wrong = _built(program, on, folder)
        if wrong:
            return GpuRun(None, wrong)
        ended = _run([str(folder / "replay")], folder, RUNNING, folder / "report")
        said = reports(folder / "report")
        found = judged(program, said, ended)
        tool = _TOOLS.get(program.sign)
        if found.seen or tool is None or not on.sanitizer:
            return found
        return _sanitized(program, on, folder, tool, found)


def _sanitized(program: GpuProgram, on: GpuTools, folder: Path, tool: str, found: GpuRun) -> GpuRun:
    words = [on.sanitizer, "--tool", tool, "--error-exitcode", str(_COMPLAINT), str(folder / "replay")]
    ended = _run(words, folder, 4 * RUNNING, folder / "second")
    if ended == _COMPLAINT:
        return GpuRun(True, f"compute-sanitizer's {tool} complains about the run")
    return GpuRun(False, f"{found.what}; compute-sanitizer's {tool} finds nothing")


def command(program: GpuProgram, compiler: str = "nvcc", header: str = "replay.h") -> list[str]:
    """What compiles the program, where compiler and libraries are installed as usual."""
    words = [compiler, "-g", "-lineinfo", "-include", header, *program.flags]
    files = [f"./{file}" if file.startswith("-") else file for file in program.files]
    return [*words, *files, *(f"-l{name}" for name in program.libraries), "-o", "replay"]


def _built(program: GpuProgram, on: GpuTools, folder: Path) -> str:
    """Make the file `replay`; what went wrong, "" for nothing."""
    header = folder / "replay.h"
    header.write_text(program.header, encoding="utf-8")
    words = command(program, on.compiler, str(header))
    words[-1] = str(folder / "replay")
    for name in program.libraries:
        words += _from_packages(name, on)
    done, text = _process(words, Path.cwd(), COMPILING, {})
    if done == 0:
        return ""
    lines = [line for line in text.splitlines() if "error" in line] or text.splitlines()[-1:]
    said = lines[0].strip() if lines else f"exit code {done}"
    return f"{Path(on.compiler).name} does not compile it: {said}"


def _from_packages(name: str, on: GpuTools) -> list[str]:
    """Flags for a library that Python packages brought and that is not installed beside the compiler."""
    home = Path(on.compiler).resolve().parent.parent
    installed = [home / "lib64", *home.glob("targets/*/lib"), *map(Path, _PLACES)]
    if any((folder / f"lib{name}.so").exists() for folder in installed):
        return []
    for entry in sys.path:
        for found in sorted(Path(entry or ".").glob(f"nvidia/*/lib/lib{name}.so*")):
            folder = found.parent
            flags = [f"-I{folder.parent / 'include'}", f"-L{folder}", "-Xlinker", f"-rpath={folder}"]
            return [*flags, "-Xlinker", f"-l:{found.name}"]
    return []


def _run(words: Sequence[str], folder: Path, seconds: float, report: Path) -> int:
    return _process(words, folder, seconds, {"VOUCH_REPORT": str(report)})[0]


def _process(words: Sequence[str], folder: Path, seconds: float, more: Mapping[str, str]) -> tuple[int, str]:
    """How a program ended and what it said; it ends, with its children, when its time is over."""
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | dict(more)
    with tempfile.TemporaryFile() as output:
        process = start(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
        finally:
            end(process)
        output.seek(0)
        return code, output.read(1 << 16).decode("utf-8", "replace")


def reports(path: Path) -> list[Said]:
    """What the header's functions wrote."""
    return list(_reports(path.read_text(encoding="utf-8", errors="replace"))) if path.exists() else []


def _reports(text: str) -> Iterator[Said]:
    for line in text.splitlines():
        words = line.split("\t")
        if len(words) == 4 and words[3].isdecimal():
            with contextlib.suppress(ValueError):
                yield Said(words[0], int(words[1]), words[2], int(words[3]))


def judged(program: GpuProgram, said: Sequence[Said], ended: int) -> GpuRun:
    """Whether what calls and assertions told, and how the run ended, show the violation."""
    failed = next((one for one in said if one.status != 0), None)
    of_runtime = failed.status if failed is not None and failed.call.startswith("cuda") else 0
    if of_runtime in _UNUSABLE:
        return GpuRun(None, f"the GPU cannot be used: {_told(failed)}")
    if program.sign is Sign.ASSERT:
        seen = failed is not None and failed.call == "assert" and _is_there(program, failed)
    elif program.sign is Sign.CALL:
        seen = failed is not None and failed.call == program.call and _is_there(program, failed)
    elif program.sign is Sign.MADE:
        made = [one for one in said if one.call == program.call and _is_there(program, one)]
        return GpuRun(bool(made), _told(made[0]) if made else _told(failed, ended))
    elif program.sign is Sign.LAUNCH:
        seen = of_runtime in _REFUSED
    else:
        trapped = ended < 0 and -ended in (signal.SIGSEGV, signal.SIGBUS)
        seen = program.sign is Sign.FAULT and (trapped or of_runtime in _FAULTS)
    return GpuRun(seen, _told(failed, ended))


def _is_there(program: GpuProgram, one: Said) -> bool:
    """Compilers differ in which line of a call they count."""
    if one.line == 0:
        return True
    same = Path(one.file).name == Path(program.file).name
    return same and 0 <= one.line - program.line <= 3


def _told(one: Said | None, ended: int = 0) -> str:
    if one is None:
        return f"the run ends with {_ending(ended)}" if ended else "the run ends as if nothing were wrong"
    place = f" at {Path(one.file).name}:{one.line}" if one.line else ""
    if one.call == "assert":
        return f"the assertion{place} fails"
    return f"{one.call}{place} returns {one.status}"


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
