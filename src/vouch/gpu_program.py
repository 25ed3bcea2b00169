"""A counterexample of a CUDA program as something that a machine with a GPU compiles and runs.

`bmc/replay/gpu.py` writes it, `run/gpu.py` runs it, with nothing but Python's own library: it may be
carried to another machine as JSON.

A header is put in front of every file of the program (`nvcc -include`): it has the values from outside, and
makes every call of CUDA's libraries, and every assertion that fails, tell what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from typing import Any

from vouch.printable import visible
from vouch.record import frozen_record

_LIBRARIES = {
    "cuda": ("cuda_runtime.h", "cudaError_t"),
    "cublas": ("cublas_v2.h", "cublasStatus_t"),
    "cudnn": ("cudnn.h", "cudnnStatus_t"),
}
_START = """\
#ifndef VOUCH_REPLAY_H
#define VOUCH_REPLAY_H
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
{headers}
#ifdef __cplusplus
extern "C" {{
#endif
/* What a call returned: a line for stderr, or for the file that VOUCH_REPORT names. */
__attribute__((weak)) int vouch_said(int status, const char *call, const char *file, int line)
{{
    const char *name = getenv("VOUCH_REPORT");
    FILE *out = name ? fopen(name, "a") : stderr;
    if (out) fprintf(out, "%s\\t%d\\t%s\\t%d\\n", call, status, file, line);
    if (out && name) fclose(out);
    return status;
}}
__attribute__((weak, noreturn)) void vouch_failed(const char *file, int line)
{{
    vouch_said(1, "assert", file, line);
    _Exit(134);
}}
/* What went wrong on the device and nobody asked for. The runtime may be gone by then (4). */
__attribute__((weak)) void vouch_end(void)
{{
    int status = (int)cudaDeviceSynchronize();
    if (status == 0) status = (int)cudaGetLastError();
    if (status != 0 && status != 4) vouch_said(status, "cudaDeviceSynchronize", "", 0);
}}
__attribute__((constructor)) static void vouch_begin(void) {{ atexit(vouch_end); }}
#ifdef __cplusplus
}}
#endif
#ifdef __CUDA_ARCH__
#define __assert_fail(text, file, line, function) __trap()
#else
#define __assert_fail(text, file, line, function) vouch_failed(file, line)
#endif
"""
_WRAPPED = """\
#ifdef {name}
#undef {name}
#define {name}(...) (({type})vouch_said((int){name}_v2(__VA_ARGS__), "{name}", __FILE__, __LINE__))
#else
#define {name}(...) (({type})vouch_said((int){name}(__VA_ARGS__), "{name}", __FILE__, __LINE__))
#endif
"""


class Sign(StrEnum):
    """What shows a violation on a GPU."""

    ASSERT = "assert"
    """The assertion at the place fails."""
    CALL = "call"
    """The call at the place returns an error, or accesses memory that it must not."""
    MADE = "made"
    """The call at the place is made."""
    LAUNCH = "launch"
    """Some call tells of a launch that failed."""
    FAULT = "fault"
    """An access that the machine, or `compute-sanitizer`, refuses."""
    UNWRITTEN = "unwritten"
    RACE = "race"
    BARRIER = "barrier"


@frozen_record
class GpuProgram:
    """The check `id` of the program in `files`. `outside` defines the functions without a body; `calls` are
    the functions of CUDA's libraries that the program calls. `call` is the one that `sign` is about."""

    id: str
    outside: str
    calls: tuple[str, ...]
    files: tuple[str, ...]
    flags: tuple[str, ...]
    sign: Sign
    file: str
    line: int
    call: str = ""
    limits: tuple[str, ...] = ()

    @property
    def libraries(self) -> list[str]:
        """Those beside the runtime."""
        found = {_library(name) for name in self.calls}
        return [name for name in ("cublas", "cudnn") if name in found]

    @property
    def header(self) -> str:
        headers = "\n".join(f"#include <{_LIBRARIES[name][0]}>" for name in ("cuda", *self.libraries))
        about = visible(self.id).replace("*/", "* /")
        parts = [f"/* {about} */\n", _START.format(headers=headers), self.outside]
        parts += [_WRAPPED.format(name=name, type=_LIBRARIES[_library(name)][1]) for name in self.calls]
        return "".join((*parts, "#endif\n"))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> GpuProgram:
        lists = {key: tuple(document[key]) for key in ("calls", "files", "flags", "limits")}
        return cls(**{**document, **lists, "sign": Sign(document["sign"])})


def _library(call: str) -> str:
    return next(name for name in _LIBRARIES if call.startswith(name))
