"""Replay on a GPU: the whole way with models in the place of the libraries, and what counts as seen."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from bench import cuda_conformance

import vouch
from vouch.gpu_program import GpuProgram, Sign
from vouch.run import gpu
from vouch.verdict import Verdict

SOURCE = """
#include <assert.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdlib.h>
float __VERIFIER_nondet_float(void);
int main(void) {
    float in = __VERIFIER_nondet_float(), out, *x;
    const float two = 2;
    cublasHandle_t handle = 0;
    if (!(in >= 0 && in <= 1)) return 0;
    if (DEFECT != 1 && cublasCreate(&handle)) return 1;
    if (cudaMalloc((void **)&x, sizeof in)) return 1;
    if (cudaMemcpy(x, &in, sizeof in, cudaMemcpyHostToDevice)) return 1;
    if (cublasSscal(handle, 1, &two, x, 1)) return 1;
    if (cudaMemcpy(&out, x, sizeof out, cudaMemcpyDeviceToHost)) return 1;
    assert(out <= (DEFECT == 2 ? 1.5f : 2.5f));
    cudaFree(x);
    cublasDestroy(handle);
    return 0;
}
"""
FLAGS = """
import subprocess, sys
words = [w for w in sys.argv[1:] if w not in ("-lineinfo", "-lcublas")]
words = [*{compiler}, "-w", "-I", {headers!r}, *words, {models!r}, "-Wl,-rpath," + {folder!r}]
sys.exit(subprocess.run(words).returncode)
"""


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A compiler that has the models where nvcc has the libraries."""
    folder = tmp_path_factory.mktemp("nvcc")
    models = cuda_conformance.build(folder)
    headers = Path(cuda_conformance.ROOT) / "src/vouch/c/include/cuda"
    script = folder / "nvcc.py"
    script.write_text(
        FLAGS.format(
            compiler=next(iter(cuda_conformance.compilers())),
            headers=str(headers),
            models=str(models),
            folder=str(folder),
        )
    )
    program = folder / "nvcc"


    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(script))} "$@"\n')
    program.chmod(0o755)
    return str(program)


def _violation(source: Path, defect: int) -> Any:
    checks = vouch.check([source], define=[f"DEFECT={defect}"]).checks
    return next(c for c in checks if c.verdict is not Verdict.SAFE)


@pytest.mark.parametrize(
    ("defect", "told"), [(1, "cublasSscal at net.c:15 returns 1"), (2, "the assertion at net.c:17 fails")]
)
def test_a_violation_is_seen(defect: int, told: str, compiler: str, tmp_path: Path) -> None:
    source = tmp_path / "net.c"
    source.write_text(SOURCE)
    found = _violation(source, defect)
    assert found.verdict is Verdict.UNSAFE
    document = found.driver["program"]
    program = GpuProgram.from_json(document)
    assert program.header == found.driver["driver"]
    assert gpu.replay(program, gpu.GpuTools(compiler, "")) == gpu.GpuRun(True, told)
    right = GpuProgram.from_json(document | {"flags": ("-DDEFECT=0",)})
    run = gpu.replay(right, gpu.GpuTools(compiler, ""))
    assert run == gpu.GpuRun(False, "the run ends as if nothing were wrong")
    assert found.driver["command"].startswith("nvcc ")
    assert found.driver["file"] == "replay.h"


def test_what_does_not_compile_is_not_run(compiler: str, tmp_path: Path) -> None:
    source = tmp_path / "net.c"
    source.write_text("int main(void) { return nobody; }\n")
    program = GpuProgram("", "", (), (str(source),), (), Sign.ASSERT, "net.c", 1)
    run = gpu.replay(program, gpu.GpuTools(compiler, ""))
    assert run.seen is None
    assert "does not compile it" in run.what


def _program(sign: Sign, call: str = "") -> GpuProgram:
    return GpuProgram("", "", (), ("a/net.cu",), (), sign, "a/net.cu", 10, call)


@pytest.mark.parametrize(
    ("program", "said", "ended", "seen"),
    [
        (_program(Sign.ASSERT), gpu.Said("assert", 1, "net.cu", 10), 134, True),
        (_program(Sign.ASSERT), gpu.Said("assert", 1, "net.cu", 30), 134, False),
        (_program(Sign.ASSERT), gpu.Said("cudaMalloc", 2, "net.cu", 10), 1, False),
        (_program(Sign.CALL, "cudaMemset"), gpu.Said("cudaMemset", 1, "net.cu", 11), 1, True),
        (_program(Sign.CALL, "cudaMemset"), gpu.Said("cudaMemcpy", 1, "net.cu", 10), 1, False),
        (_program(Sign.CALL, "cudaMalloc"), gpu.Said("cudaMalloc", 100, "net.cu", 10), 1, None),
        (_program(Sign.MADE, "cudaMemset"), gpu.Said("cudaMemset", 0, "net.cu", 10), 0, True),
        (_program(Sign.LAUNCH), gpu.Said("cudaGetLastError", 9, "net.cu", 11), 1, True),
        (_program(Sign.LAUNCH), gpu.Said("cublasSscal", 9, "net.cu", 11), 1, False),
        (_program(Sign.FAULT), gpu.Said("cudaDeviceSynchronize", 700, "", 0), 0, True),
        (_program(Sign.FAULT), gpu.Said("cudaMalloc", 0, "net.cu", 3), -11, True),
        (_program(Sign.FAULT), gpu.Said("cudaMalloc", 2, "net.cu", 3), 1, False),
        (_program(Sign.RACE), gpu.Said("cudaDeviceSynchronize", 700, "", 0), 0, False),
    ],
)
def test_what_counts_as_seen(program: GpuProgram, said: gpu.Said, ended: int, seen: bool | None) -> None:
    assert gpu.judged(program, [gpu.Said("cudaMalloc", 0, "net.cu", 2), said], ended).seen is seen


def test_no_compiler_no_run(tmp_path: Path) -> None:
    assert gpu.machine(str(tmp_path / "nvcc")) == f"{tmp_path / 'nvcc'} is not installed"


@pytest.mark.skipif(isinstance(gpu.machine(), str), reason="no GPU with nvcc")
def test_on_this_machine(tmp_path: Path) -> None:
    source = tmp_path / "net.cu"
    source.write_text(
        "#include <assert.h>\n__global__ void one(int *x) { *x = 1; }\n"
        "int main() { int h = 0, *d; cudaMalloc(&d, 4); one<<<1, 1>>>(d);\n"
        "cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); assert(h == 2); }\n"
    )
    found = [c for c in vouch.check([source], replay_gpu=True).checks if c.verdict is Verdict.UNSAFE]
    assert found[0].driver is not None
    assert found[0].driver["gpu"] == {"seen": True, "what": "the assertion at net.cu:4 fails"}
