"""Incremental verification of CUDA programs, as Sena et al. 2021b compare it in section 5, on own networks.

    python -m bench cuda_incremental [NAME…]

Columns are strategies: everything unrolled (`global`), base case and forward condition at growing bounds
(`incremental`), and the inductive step as well (`k-induction`); the latter two with interval invariants from
the abstract interpretation (II) and without (NII). The first rows are the paper's table 5: whether an input
near (2, 2) lets the network of figure 4 reach half of its neurons by each covering method, with the paper's
seconds. The others are programs of `examples/cuda`, right and with their last defect. Seconds are those of
the processor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import vouch
from bench.cuda_programs import Defect, Program, problems, processor, programs

_II, _NII = {"no_invariants": False}, {"no_invariants": True}
COLUMNS = {
    "global": {"strategy": "global", **_II},
    "incremental II": {"strategy": "incremental", **_II},
    "incremental NII": {"strategy": "incremental", **_NII},
    "k-induction II": {"strategy": "k-induction", **_II},
    "k-induction NII": {"strategy": "k-induction", **_NII},
    "ladder": {"strategy": "ladder", **_II},
}
# Of table 5: method, whether the share is reached, seconds with and without invariants.
TABLE_5 = (("SS", False, 0.667, 0.710), ("DS", False, 25.995, 29.438))
TABLE_5 += (("SV", True, 0.614, 0.640), ("DV", False, 27.469, 28.700))


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    program: Program
    defect: Defect | None
    define: str
    paper: str = ""


def rows(names: list[str]) -> Iterator[Row]:
    known = {program.path.stem: program for program in programs()}
    for number, (method, reached, with_, without) in enumerate(TABLE_5, 1):
        if not names or "coverage" in names:
            program = known["coverage"]
            defect = program.defects[0] if reached else None
            paper = f"{'unsafe' if reached else 'safe':6} {with_:6.1f} {without:6.1f}"
            yield Row(f"{method}-Cover", program, defect, f"METHOD={number}", paper)
    for name in names or ("figure4", "ensemble", "vectors"):
        if name != "coverage":
            last = known[name].defects[-1]
            yield Row(known[name].path.name, known[name], None, "DEFECT=0")
            yield Row(f"  defect {last.number}", known[name], last, f"DEFECT={last.number}")


def main(arguments: list[str]) -> int:
    wrong = 0
    print(f"{'program':14} " + " ".join(f"{name:>16}" for name in COLUMNS) + "   paper: II, NII")
    for row in rows(arguments):
        cells = []
        for options in COLUMNS.values():
            began = processor()
            result = vouch.check([row.program.path], define=[row.define], **options)  # type: ignore[arg-type]
            good = not list(problems(row.program, row.defect, result))
            word = "undecided" if not good else "safe" if row.defect is None else "unsafe"
            wrong += not good
            cells.append(f"{word:>9} {processor() - began:4.1f} s")
        print(f"{row.name:14} " + " ".join(f"{cell:>16}" for cell in cells) + f"   {row.paper}", flush=True)
    return 1 if wrong else 0
