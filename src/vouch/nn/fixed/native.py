"""The generated C, compiled and called in this process.

The code is made by vouch from numbers alone, so it is trusted like vouch itself. It is compiled with the
clang of the `ziglang` wheel to a shared object that needs no C library, and called through ctypes, which lets
other threads run: a search over many points uses all cores and starts no process.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from vouch.c.wheel import wheel
from vouch.errors import Unsupported, VouchError
from vouch.folder import Folder
from vouch.nn.fixed.cases import IntCase
from vouch.nn.fixed.codegen import header, source
from vouch.nn.fixed.cproperty import violated_text, wide_enough
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.format import Ints
from vouch.nn.fixed.network import IntegerNetwork
from vouch.process import OutOfTime, call

_SECONDS = 300
# Straight-line vectorisation for AVX-512 in clang 22 gives wrong results; loops for AVX2 are quick enough.
_FLAGS = ("-std=c99", "-O3", "-fno-slp-vectorize", "-fPIC", "-ffreestanding", "-fno-stack-protector", "-w")
# Points on which compiled code is compared with the reference before anything is believed.
_CHECKED = 64
# Points between two looks at the flag that ends a search.
_ROUND = 1 << 14

_DRIVER = """
#include "net.h"

int net_numbers = (int)sizeof(net_t);

void net_rows(const net_t *in, net_t *out, int64_t count)
{
    int64_t i;
    for (i = 0; i < count; i++) net_run(in + i * NET_INPUTS, out + i * NET_OUTPUTS);
}
"""
# Every point of boxes of places, in the order of counting with the last place fastest.
_SEARCH = """
static int violated(const net_t *in, const net_t *out)
{
    (void)in; (void)out;
    return %(condition)s;
}

int64_t net_search(const int64_t *lower, const int64_t *upper, int64_t boxes, const int64_t *start,
                   const int64_t *const *levels, int64_t first, int64_t most, int64_t *at)
{
    int64_t box, done = 0;
    for (box = 0; box < boxes; box++) {
        const int64_t *low = lower + box * NET_INPUTS, *high = upper + box * NET_INPUTS;
        net_t in[NET_INPUTS], out[NET_OUTPUTS];
        int64_t place[NET_INPUTS];
        int64_t skip = box ? 0 : first;
        int i;
        for (i = NET_INPUTS - 1; i >= 0; i--) {
            int64_t width = high[i] - low[i] + 1;
            place[i] = low[i] + skip %% width;
            skip /= width;
            in[i] = (net_t)(levels[i] ? levels[i][place[i]] : start[i] + place[i]);
        }
        for (;;) {
            net_run(in, out);
            done++;
            if (violated(in, out)) {
                for (i = 0; i < NET_INPUTS; i++) at[i] = in[i];
                return done;
            }
            if (done >= most) return -done;
            for (i = NET_INPUTS - 1; i >= 0; i--) {
                if (place[i] < high[i]) {
                    place[i]++;
                    in[i] = (net_t)(levels[i] ? levels[i][place[i]] : start[i] + place[i]);
                    break;
                }
                place[i] = low[i];
                in[i] = (net_t)(levels[i] ? levels[i][place[i]] : start[i] + place[i]);
            }
            if (i < 0) break;
        }
    }
    return -done;
}
"""


@lru_cache(maxsize=1)
def _machine() -> tuple[str, ...]:
    """Flags for vector instructions that this machine has."""
    try:
        known = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").split()
    except OSError:
        return ()
    return ("-mavx2",) if "avx2" in known else ()


def compiled(folder: Path, texts: dict[str, str]) -> Path:
    """A shared object from C files."""
    flags = (*_FLAGS, *_machine())
    zig = str(wheel() / "zig")
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="ascii")
    objects = [str(compile_one(folder, name, flags)) for name in texts if name.endswith(".c")]
    made = folder / "net.so"
    _call([zig, "ld.lld", "-shared", *objects, "-o", str(made)], folder)
    return made


def compile_one(folder: Path, name: str, flags: Sequence[str]) -> Path:
    """The object file of one C file."""
    target = folder / f"{name}.o"
    include = ("-nostdinc", "-isystem", str(wheel() / "lib" / "include"))
    words = [*flags, *include, "-c", str(folder / name), "-o", str(target)]
    _call([str(wheel() / "zig"), "clang", *words], folder)
    return target


def _call(command: list[str], folder: Path) -> None:
    try:
        done = call(command, deadline=time.monotonic() + _SECONDS, writable=[str(folder)])
    except OSError as error:
        raise VouchError(f"cannot run {command[0]}: {error.strerror}") from None
    except OutOfTime:
        raise Unsupported("the generated code cannot be compiled in time") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        raise VouchError(f"the generated code cannot be compiled: {said[0]}")


class Native:
    """A compiled network, and for the cases of a property a search through all their points."""

    def __init__(self, network: IntegerNetwork, cases: Sequence[IntCase] = ()) -> None:
        self.network = network
        self.searchable = wide_enough(network, cases)
        texts = {"net.h": header(network), "net.c": source(network), "driver.c": _DRIVER}
        if self.searchable:
            for number, case in enumerate(cases):
                text = _SEARCH % {"condition": violated_text(case, network)}
                texts[f"search{number}.c"] = '#include "net.h"\n' + text.replace(
                    "int64_t net_search(", f"int64_t net_search_{number}("
                )
        with Folder("vouch-nn-") as folder:
            self.library = ctypes.CDLL(str(compiled(folder, texts)))
        size = ctypes.c_int.in_dll(self.library, "net_numbers").value
        self.dtype = {1: np.int8, 2: np.int16, 4: np.int32}[size]
        self._check(cases)

    def _check(self, cases: Sequence[IntCase]) -> None:
        """A compiler can be wrong: what it made has to agree with the reference on points of every case."""
        rng, word = np.random.default_rng(0), self.network.input_format.word
        rows = [rng.integers(word.low, word.high + 1, size=(_CHECKED, self.network.inputs))]
        for case in cases:
            if case.points:
                rows.append(case.numbers(rng.integers(0, case.counts, size=(_CHECKED, self.network.inputs))))
        points = np.concatenate(rows)
        if not np.array_equal(self.run(points), evaluate(self.network, points)):
            raise Unsupported("the compiled code does not compute what the reference computes")

    def run(self, rows: Ints) -> Ints:
        """Outputs [batch, outputs] for rows of numbers."""
        given = np.ascontiguousarray(rows, dtype=self.dtype)
        made = np.zeros((len(given), self.network.outputs), dtype=self.dtype)
        self.library.net_rows(_pointer(given), _pointer(made), ctypes.c_int64(len(given)))
        return made.astype(np.int64)

    def search(
        self, number: int, case: IntCase, lower: Ints, upper: Ints, most: int = 1 << 62
    ) -> tuple[int, Ints | None]:
        """All points of boxes of places [boxes, inputs]: how many were run, and the first that violates."""
        return _Search(self.library, number, case).boxes(lower, upper, most)

    def exhaust(
        self, number: int, case: IntCase, jobs: int, late: Any, report: Any
    ) -> tuple[int, Ints | None]:
        """All points of a case, on `jobs` threads; ends early where `late()`. Counts what was run."""
        return _Search(self.library, number, case).whole(jobs, late, report)


def _pointer(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


class _Search:
    def __init__(self, library: Any, number: int, case: IntCase) -> None:
        self.function, self.case = getattr(library, f"net_search_{number}"), case
        self.function.restype = ctypes.c_int64
        self.starts = np.array([axis.low for axis in case.axes], dtype=np.int64)
        self.levels = [
            None if axis.levels is None else np.ascontiguousarray(axis.levels) for axis in case.axes
        ]
        addresses = [0 if levels is None else levels.ctypes.data for levels in self.levels]
        self.table = np.array(addresses, dtype=np.uint64)

    def _run(self, lower: Ints, upper: Ints, first: int, most: int) -> tuple[int, Ints | None]:
        at = np.zeros(len(self.starts), dtype=np.int64)
        done = self.function(
            _pointer(lower),
            _pointer(upper),
            ctypes.c_int64(len(lower)),
            _pointer(self.starts),
            _pointer(self.table),
            ctypes.c_int64(first),
            ctypes.c_int64(most),
            _pointer(at),
        )
        return (done, at) if done > 0 else (-done, None)

    def boxes(self, lower: Ints, upper: Ints, most: int) -> tuple[int, Ints | None]:
        low, high = (np.ascontiguousarray(end, dtype=np.int64) for end in (lower, upper))
        return self._run(low, high, 0, most)

    def whole(self, jobs: int, late: Any, report: Any) -> tuple[int, Ints | None]:
        counts = self.case.counts
        low, high, total = np.zeros((1, len(counts)), dtype=np.int64), (counts - 1)[None, :], self.case.points
        step, done = _ROUND, 0
        with ThreadPoolExecutor(jobs) as pool:
            while done < total and not late():
                began = time.monotonic()
                starts = list(range(done, min(total, done + step * jobs), step))
                tasks = [(start, min(step, total - start)) for start in starts]
                answers = list(pool.map(lambda task: self._run(low, high, *task), tasks))
                for count, found in answers:
                    done += count
                    if found is not None:
                        return done, found
                if time.monotonic() - began < 0.1:
                    step *= 4
                report(done / total)
        return done, None
