"""Random tiny networks in fixed point with all inputs run in the compiled C: every engine has to be right.

`python -m bench nn_fixed_tiny [count=500] [first=1000] [engines=enumerate,bounds,smt,milp,auto,code]
[limit=60]` asks every engine about the network and the property of each seed
(`tests/nn/test_fixed_engines.py`). A time-out is counted as undecided; a wrong verdict, or a violation that
was not replayed, fails.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path


def main(arguments: list[str]) -> int:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "nn"))
    from test_fixed_engines import tiny

    import vouch
    from vouch.nn.fixed import search
    from vouch.verdict import Verdict

    given = dict(argument.split("=", 1) for argument in arguments)
    first, count = int(given.get("first", 1000)), int(given.get("count", 500))
    engines = given.get("engines", "enumerate,bounds,smt,milp,auto,code").split(",")
    limit, whole = float(given.get("limit", 60)), search._LEAF
    verdicts: Counter[str] = Counter()
    right, undecided, spent = Counter[str](), Counter[str](), Counter[str]()
    wrong: list[tuple[int, str]] = []
    for seed in range(first, first + count):
        case = tiny(seed)
        truth = case.truth()
        verdicts[truth.value] += 1
        # Every other network without the help of leaves that are run point by point.
        search._LEAF = 1 if seed % 2 else whole
        for engine in engines:
            began = _processor()
            result = vouch.nn.verify(case.network, case.prop, engine=engine, timeout=limit, **case.options)
            spent[engine] += _processor() - began
            if result.verdict is truth and (result.replayed is True) == (truth is Verdict.UNSAFE):
                right[engine] += 1
            elif result.verdict in (Verdict.TIMEOUT, Verdict.UNKNOWN):
                undecided[engine] += 1
                print(f"seed {seed}: {engine} {result.verdict.value}: {result.reason}", flush=True)
            else:
                wrong.append((seed, engine))
                print(f"seed {seed}: {engine} says {result.verdict.value}, is {truth.value}", flush=True)
        if (seed - first) % 25 == 24 or seed == first + count - 1:
            print(f"seeds {first} to {seed} {dict(verdicts)}", flush=True)
            for engine in engines:
                told = f"{right[engine]} right, {undecided[engine]} undecided, {spent[engine]:.0f} cpu s"
                print(f"  {engine:9} {told}", flush=True)
    print(f"wrong: {wrong}")
    return 1 if wrong else 0


def _processor() -> float:
    """Seconds of processor time of this process and of its children that have ended: most of it is compilers
    and solvers."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
