"""CUDA: models against recorded answers of the real libraries, host programs, kernels, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from bench import cuda_conformance, cuda_programs

import vouch
from vouch.c import launches
from vouch.verdict import Verdict

RECORD = Path(__file__).parent / "recorded" / "cuda.json"
PROGRAMS = {program.path.name: program for program in cuda_programs.programs()}


def test_models_give_what_the_real_libraries_gave(tmp_path: Path) -> None:
    sample = json.loads(RECORD.read_text(encoding="utf-8"))["sample"]
    assert len(sample) >= 300
    ours = cuda_conformance.models(tmp_path)
    bounds = cuda_conformance.models(tmp_path, magnitude=True)
    tally = cuda_conformance.Tally()
    for record in sample:
        name, seed = record["call"], record["seed"]
        answer = cuda_conformance.made(ours, name, seed)
        theirs = cuda_conformance.restored(record, answer.depth)
        cuda_conformance.compare(tally, seed, theirs, answer, cuda_conformance.made(bounds, name, seed))
    assert tally.differences == []
    assert tally.numbers > 5000
    assert 0 < tally.worst <= 1


def test_a_wrong_answer_is_noticed(tmp_path: Path) -> None:
    ours = cuda_conformance.models(tmp_path)
    tally = cuda_conformance.Tally()
    answer = cuda_conformance.made(ours, "gemm", 5)
    wrong = cuda_conformance.made(ours, "gemm", 5)
    wrong.arrays[0] = wrong.arrays[0] + np.float32(0.01)
    cuda_conformance.compare(tally, 5, wrong, answer, answer)
    assert tally.differences


def test_programs_are_enough() -> None:
    assert len(PROGRAMS) >= 12
    assert all(len(program.defects) >= 3 for program in PROGRAMS.values())


QUICK = (("figure4.c", 0), ("figure4.c", 3), ("perceptron.cu", 4))


def _as_it_should_be(name: str, number: int) -> None:
    program = PROGRAMS[name]
    defect = next((d for d in program.defects if d.number == number), None)
    result = cuda_programs.checked(program, number)
    assert list(cuda_programs.problems(program, defect, result)) == []


@pytest.mark.parametrize(("name", "number"), QUICK)
def test_programs(name: str, number: int) -> None:
    _as_it_should_be(name, number)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "number"),
    [(p.path.name, n) for p in PROGRAMS.values() for n in (0, *(d.number for d in p.defects))],
)
def test_all_programs(name: str, number: int) -> None:
    _as_it_should_be(name, number)


UNSUPPORTED = {
    "__shfl_down_sync": "y[i] = __shfl_down_sync(0xffffffff, y[i], 1);",
    "atomicMax": "atomicMax(y, i);",
    "__syncthreads": "inner();",
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_is_not_modelled_is_named(name: str, tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text(
        "#include <assert.h>\n__device__ void inner() { __syncthreads(); }\n"
        f"__global__ void k(int *y) {{ int i = threadIdx.x; {UNSUPPORTED[name]} }}\n"
        "int main() { int *d; cudaMalloc(&d, 8); cudaMemset(d, 0, 8); k<<<1, 2>>>(d); assert(d == 0); }\n"
    )
    result = vouch.check([source])
    last = next(c for c in result.checks if "d == 0" in c.check.message)
    assert last.verdict is Verdict.UNKNOWN
    assert name in (last.reason or "")


LAUNCHES = {
    "a struct": "struct S { int *p; }; __global__ void k(S s) { *s.p = 1; }",
    "a kernel inside": "struct S { int *p; }; __global__ void i() {} __global__ void k(S) { i<<<1, 1>>>(); }",
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_launches_that_are_not_modelled_are_called_so(name: str, tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text(
        f"#include <assert.h>\n#include <cuda_runtime.h>\n{LAUNCHES[name]}\n"
        "int main() { S s; cudaMalloc(&s.p, 4); k<<<1, 1>>>(s); assert(s.p == 0); }\n"
    )
    last = next(c for c in vouch.check([source]).checks if "s.p == 0" in c.check.message)
    assert last.verdict is Verdict.UNKNOWN
    assert "a kernel launch" in (last.reason or "")


DEVICE = """#include <assert.h>
#include <cuda_runtime.h>
__device__ float w[2] = {{1, 2}};
static __constant__ float c = 3;
__device__ __managed__ int both = 0;
__device__ const int four = 4;
__device__ float sum(float x) {{ return x + c; }}
__global__ void k(float *y) {{
  auto f = [] __device__ (float x) {{ return sum(x); }};
  *y = f(w[0]);
  both = 1;
}}
{outside}
int main() {{
  float *d, h = 5;
  cudaMalloc(&d, 4);
  {before};
  k<<<1, 1>>>(d);
  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
  assert(h == {wanted} && both == 1 && four == 4);
}}
"""


@pytest.mark.parametrize(
    ("name", "outside", "before"),
    [
        ("w", "", "w[0] = 5"),
        ("w", "float *start() { return &w[1] - 1; }", "*start() = 5"),
        ("c", "", "h += c"),
        ("p", "float *p = w;", "p[0] = 5"),
        ("w", "__host__ __device__ float first() { return w[0]; }", "h = first()"),
    ],
)
def test_host_code_that_names_a_variable_of_the_device_is_unknown(
    name: str, outside: str, before: str, tmp_path: Path
) -> None:
    (tmp_path / "a.cu").write_text(DEVICE.format(outside=outside, before=before, wanted=8))
    checks = vouch.check(tmp_path / "a.cu").checks
    (last,) = (item for item in checks if "both == 1" in item.check.message)
    assert last.verdict is Verdict.UNKNOWN
    assert f"names {name}, a variable of the device" in (last.reason or "")


@pytest.mark.parametrize(("wanted", "verdict"), [(8, Verdict.SAFE), (4, Verdict.UNSAFE)])
def test_host_code_that_copies_to_a_variable_of_the_device(
    wanted: int, verdict: Verdict, tmp_path: Path
) -> None:
    before = "cudaMemcpyToSymbol(w, &h, sizeof h)"
    (tmp_path / "a.cu").write_text(DEVICE.format(outside="", before=before, wanted=wanted))
    checks = vouch.check(tmp_path / "a.cu").checks
    (last,) = (item for item in checks if "both == 1" in item.check.message)
    assert last.verdict is verdict


def test_launches_are_rewritten_in_their_line() -> None:
    text = b'a::k<int, 3><<<dim3(2), n >> 1>>>(x);\n"<<<"; // k<<<1>>>\nextern __shared__ int s[];\n'
    done = launches.rewritten(text, "a.cu")
    assert done.count(b"\n") == text.count(b"\n")
    assert b"__vouch_launch(a::k<int, 3>, dim3(2), n >> 1)(x);" in done
    assert b'"<<<"; // k<<<1>>>' in done
    assert b"extern __attribute__" in done
    assert b"static __attribute__" not in done


def test_counterexamples_for_a_gpu_are_those_that_were_run() -> None:
    recorded = json.loads(RECORD.with_name("cuda_replay.json").read_text(encoding="utf-8"))
    assert len(recorded) >= 48
    item = next(item["program"] for item in recorded if item["name"] == "figure4.c 1")
    result = cuda_programs.checked(PROGRAMS["figure4.c"], 1)
    made = next(c.driver["program"] for c in result.checks if c.driver and "program" in c.driver)
    for key in ("calls", "sign", "call", "line", "outside"):
        assert made[key] == item[key] or list(made[key]) == item[key], key


def test_traces_of_kernels_name_threads_and_nothing_of_the_models(tmp_path: Path) -> None:
    (tmp_path / "race.cu").write_text(
        "#include <cuda_runtime.h>\n"
        "__global__ void shift(float *out) {\n"
        "  __shared__ float part[8];\n"
        "  part[threadIdx.x] = 1;\n"
        "  if (threadIdx.x > 3) part[threadIdx.x - 4] = 2;\n"
        "  out[threadIdx.x] = 0;\n"
        "}\n"
        "int main(void) { float *d; cudaMalloc((void **)&d, 32); shift<<<1, 8>>>(d); return 0; }\n"
    )
    result = vouch.check(tmp_path / "race.cu")
    races = [item for item in result.checks if item.verdict is Verdict.UNSAFE]
    assert [item.check.location.line for item in races] == [5]
    said = [step.what for step in races[0].trace]
    assert {"threadIdx.x = 4", "the other thread = 0"} <= set(said)
    texts = [*said, *(item.check.message for item in result.checks)]
    assert [text for text in texts if "__vouch" in text or "operator()" in text or "dim3" in text] == []
    assert any(item.check.message.startswith("part[") for item in result.checks)
