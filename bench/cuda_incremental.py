"""Incremental verification of CUDA programs, as Sena et al. 2021b compare it in section 5, on own networks.

Every program of `examples/cuda` that is named (default: figure4, ensemble, vectors), correct and
with a defect, by each strategy: everything unrolled (`global`), base case and forward condition at
growing bounds (`incremental`), and with the inductive step, which assumes the interval invariants,
as well (`k-induction`).
"""

from __future__ import annotations

from bench.cuda_programs import checked, problems, processor, programs

STRATEGIES = ("ladder", "global", "incremental", "k-induction")


def main(arguments: list[str]) -> int:
    wrong = 0
    print(f"{'program':20} {'defect':>6} " + " ".join(f"{name:>16}" for name in STRATEGIES))
    for program in programs():
        if program.path.stem not in (arguments or ("figure4", "ensemble", "vectors")):
            continue
        for defect in (None, program.defects[-1]):
            cells = []
            for strategy in STRATEGIES:
                began = processor()
                result = checked(program, defect.number if defect else 0, strategy=strategy)
                good = not list(problems(program, defect, result))
                word = "undecided" if not good else "proved" if defect is None else "found"
                wrong += not good
                cells.append(f"{word:>9} {processor() - began:4.1f} s")
            number = defect.number if defect else "-"
            print(f"{program.path.name:20} {number:>6} " + " ".join(f"{c:>16}" for c in cells), flush=True)
    return 1 if wrong else 0
