"""The models of cuBLAS and cuDNN against the real libraries, over random calls, on a machine with a GPU.

    python3 -m bench.cuda_conformance [--calls 2600] [--output FILE] [--seed N] [--models-only] [--special]

Needs numpy, a C compiler (cc, gcc, clang or nvcc) and the shared libraries of CUDA's runtime, cuBLAS and
cuDNN: from a CUDA installation, or from the pip packages that torch brings. Each call is made from a seed,
with random shapes, flags, steps and leading dimensions, once with the real library and once with vouch's
model, natively compiled, through the same code. Statuses must agree (both succeed or both refuse), integers
exactly, and numbers within twice the error that theory allows a sum of that length in any order: 2 d u M,
where d counts the roundings, u is half a unit in the last place, and M is what the model gives for the
absolute values of all data. What goes through exp, tanh or log may differ by 256 u. Prints a table, writes
a record with a sample of the real answers (test data), and ends with 1 where something differs.
"""

from __future__ import annotations

import argparse
import base64
import ctypes
import ctypes.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.cuda_calls import BLAS, Answer, Draw, Failed, Library  # noqa: E402
from bench.cuda_layers import DNN  # noqa: E402

CALLS = {**BLAS, **DNN}
_MODELS = ROOT / "src" / "vouch" / "c"
_NATIVE = ROOT / "tests" / "c" / "native"
_MATH_UNITS = 256
_EVERY = 8  # every so many calls, the real answer is kept


# ---------------------------------------------------------------- the libraries


def compilers() -> Iterator[list[str]]:
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            yield [name]
    yield [sys.executable, "-m", "ziglang", "cc"]


def build(folder: Path) -> Path:
    """The models as a shared library."""
    target = folder / "libmodels.so"
    files = [_MODELS / "models" / name for name in ("cuda.c", "cublas.c", "cudnn.c")]
    flags = ["-shared", "-fPIC", "-O1", "-w", "-DAWAY=0", "-ffp-contract=off", "-fno-builtin"]
    flags += ["-include", str(_NATIVE / "elementwise.h"), "-I", str(_MODELS / "include" / "cuda")]
    said = ""
    for compiler in compilers():
        command = [*compiler, *flags, "-o", str(target), *map(str, files), str(_NATIVE / "cuda.c"), "-lm"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            said += f"{compiler[0]}: {error}\n"
            continue
        if done.returncode == 0:
            return target
        said += f"{' '.join(compiler)}: {done.stderr[-2000:]}\n"
    raise SystemExit(f"error: the models could not be compiled\n{said}")


def models(folder: Path, *, magnitude: bool = False) -> Library:
    library = ctypes.CDLL(str(build(folder)))
    return Library(library, library, library, magnitude=magnitude)


def _candidates(name: str) -> Iterator[str]:
    folders: list[Path] = []
    for entry in sys.path:
        if entry and (Path(entry) / "nvidia").is_dir():
            folders.append(Path(entry) / "nvidia")
    folders += [Path(p) for p in os.environ.get("LD_LIBRARY_PATH", "").split(":") if p]
    folders += sorted(Path("/usr/local").glob("cuda*/lib64")) + sorted(
        Path("/usr/local").glob("cuda*/targets/*/lib")
    )
    folders += [Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib64"), Path("/usr/lib/aarch64-linux-gnu")]
    for folder in folders:
        if folder.is_dir():
            found = (
                folder.rglob(f"lib{name}.so*") if folder.name == "nvidia" else folder.glob(f"lib{name}.so*")
            )
            yield from map(str, sorted(found))
    if found_by_linker := ctypes.util.find_library(name):
        yield found_by_linker


def _loaded(name: str, probe: str) -> Any:
    """A shared library that has the function `probe`; None where there is none."""
    for path in _candidates(name):
        try:
            library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue
        if hasattr(library, probe):
            print(f"{name}: {path}", file=sys.stderr)
            return library
    return None


def real() -> Library:
    try:
        import torch  # its packages find each other's libraries

        torch.zeros(1, device="cuda")
    except Exception as error:
        print(f"torch does not help: {error}", file=sys.stderr)
    runtime = _loaded("cudart", "cudaMalloc")
    blas = (_loaded("cublasLt", "cublasLtCreate"), _loaded("cublas", "cublasCreate_v2"))[1]
    dnn = _loaded("cudnn", "cudnnCreate")
    if runtime is None or blas is None:
        raise SystemExit("error: no CUDA runtime or no cuBLAS was found")
    if dnn is None:
        print("no cuDNN was found: its functions are left out", file=sys.stderr)
    elif not hasattr(dnn, "cudnnConvolutionForward"):
        dnn = _parts_of_cudnn(dnn)
    return Library(runtime, blas, dnn)


class _Parts:
    """Functions that are spread over several libraries."""

    def __init__(self, libraries: list[Any]) -> None:
        self._libraries = libraries

    def __getattr__(self, name: str) -> Any:
        for library in self._libraries:
            if hasattr(library, name):
                return getattr(library, name)
        raise AttributeError(name)


def _parts_of_cudnn(first: Any) -> Any:
    more = [
        _loaded(f"cudnn_{part}", "cudnnGetVersion")
        for part in ("ops", "cnn", "graph", "ops_infer", "cnn_infer")
    ]
    for part in ("ops", "cnn", "ops_infer", "cnn_infer"):
        for path in _candidates(f"cudnn_{part}"):
            try:
                more.append(ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL))
            except OSError:
                continue
    return _Parts([first, *(library for library in more if library is not None)])


# ---------------------------------------------------------------- comparing


@dataclass
class Tally:
    """What was seen of one function; `worst` is the largest error as a share of what is allowed."""

    calls: int = 0
    numbers: int = 0
    refused: int = 0
    unsupported: int = 0
    worst: float = 0.0
    differences: list[str] = field(default_factory=list)


def made(library: Library, name: str, seed: int, special: bool = False) -> Answer:
    try:
        return CALLS[name](library, Draw(seed, library.magnitude, special))
    finally:
        library.release()


def compare(tally: Tally, seed: int, theirs: Answer, ours: Answer, bound: Answer) -> None:
    """Note how one answer of the model differs from the real one."""
    if bool(theirs.status) != bool(ours.status):
        tally.differences.append(f"seed {seed}: status {theirs.status}, of the model {ours.status}")
        return
    tally.refused += bool(theirs.status)
    for number, (a, b, m) in enumerate(zip(theirs.arrays, ours.arrays, bound.arrays, strict=True)):
        tally.numbers += a.size
        if a.dtype.kind != "f" or ours.depth == 0:
            if not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
                tally.differences.append(f"seed {seed}: array {number} is {b.tolist()}, not {a.tolist()}")
            continue
        unit = np.finfo(a.dtype).eps / 2
        least = float(np.finfo(a.dtype).tiny)
        if ours.depth < 0:
            allowed = np.full(a.shape, _MATH_UNITS * unit)
        else:
            allowed = 2 * ours.depth * unit * np.abs(m.astype(np.float64)) + least
        usual = np.isfinite(a) & np.isfinite(b)
        if not np.array_equal(a[~usual], b[~usual], equal_nan=True):
            tally.differences.append(f"seed {seed}: array {number} is {b.tolist()}, not {a.tolist()}")
            continue
        error = np.abs(a[usual].astype(np.float64) - b[usual].astype(np.float64))
        share = float(np.max(error / allowed[usual])) if error.size else 0.0
        tally.worst = max(tally.worst, share if share == share else np.inf)
        if not share <= 1:
            tally.differences.append(f"seed {seed}: array {number} is off by {share:.3g} of what is allowed")


def kept(name: str, seed: int, answer: Answer) -> dict[str, Any]:
    """An answer as it is recorded."""
    arrays = [{"type": str(a.dtype), "data": base64.b64encode(a.tobytes()).decode()} for a in answer.arrays]
    return {"call": name, "seed": seed, "status": answer.status, "arrays": arrays}


def restored(record: dict[str, Any], depth: int) -> Answer:
    arrays = [np.frombuffer(base64.b64decode(a["data"]), dtype=a["type"]).copy() for a in record["arrays"]]
    return Answer(record["status"], arrays, depth)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=2600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--output", default=os.path.join(os.environ.get("OUT", "."), "cuda_conformance.json"))
    parser.add_argument("--models-only", action="store_true", help="compare the models with themselves")
    parser.add_argument("--special", action="store_true", help="with infinities and what is not a number")
    options = parser.parse_args(arguments)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        ours, bounds = models(Path(folder)), models(Path(folder), magnitude=True)
        theirs = models(Path(folder)) if options.models_only else real()
        names = [name for name in CALLS if theirs.dnn is not None or name in BLAS]
        tallies = {name: Tally() for name in names}
        sample: list[dict[str, Any]] = []
        for number in range(options.calls):
            if time.monotonic() - began > options.seconds:
                break
            name, seed = names[number % len(names)], options.seed * 1_000_003 + number
            tally = tallies[name]
            try:
                answer = made(theirs, name, seed, options.special)
            except Failed as error:
                tally.unsupported += 1
                tally.differences.append(f"seed {seed}: {error} while the call was made ready")
                continue
            if answer.status == 3000:  # cuDNN: not supported on this device
                tally.unsupported += 1
                continue
            tally.calls += 1
            mine = made(ours, name, seed, options.special)
            if ours.blas.vouch_beyond():  # the model says that it is none of this
                tally.unsupported += 1
                continue
            compare(tally, seed, answer, mine, made(bounds, name, seed))
            # Of each function every so many.
            if (number // len(names)) % _EVERY == 0:
                sample.append(kept(name, seed, answer))
        versions = _versions(theirs)
    return _report(tallies, sample, versions, options.output, time.monotonic() - began)


def _versions(library: Library) -> dict[str, Any]:
    version = ctypes.c_int()
    library.blas.cublasGetVersion_v2(library.blas_handle, ctypes.byref(version))
    found: dict[str, Any] = {"cublas": version.value}
    if library.dnn is not None:
        library.dnn.cudnnGetVersion.restype = ctypes.c_size_t
        found["cudnn"] = int(library.dnn.cudnnGetVersion())
    try:
        import torch

        found["device"] = torch.cuda.get_device_name(0)
    except Exception:
        found["device"] = None
    return found


def _report(
    tallies: dict[str, Tally],
    sample: list[dict[str, Any]],
    versions: dict[str, Any],
    output: str,
    seconds: float,
) -> int:
    total = sum(t.calls for t in tallies.values())
    wrong = sum(len(t.differences) for t in tallies.values())
    print(
        f"{'function':36} {'calls':>6} {'numbers':>8} {'refused':>8} {'unsupp.':>8} {'worst':>8} {'off':>6}"
    )
    for name, t in tallies.items():
        print(
            f"{name:36} {t.calls:6} {t.numbers:8} {t.refused:8} {t.unsupported:8} {t.worst:8.3f} "
            f"{len(t.differences):6}"
        )
    for name, t in tallies.items():
        for text in t.differences[:5]:
            print(f"  {name}: {text[:300]}")
    print(f"{total} calls, {wrong} differ, {seconds:.0f} s, {versions}")
    summary = {name: {**asdict(t), "differences": t.differences[:20]} for name, t in tallies.items()}
    record = {"versions": versions, "calls": total, "functions": summary, "sample": sample}
    Path(output).write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
