"""Speed of symbolic execution on loops over constant arrays: `python -m bench network_code [--fixed]`.

A network of 784 inputs, 64 neurons and 10 outputs as C code with its weights in constant tables, inputs
arbitrary: 50,000 multiplications. Printed: instructions that were executed, seconds of processor time,
instructions a second, and the memory of the process at its peak.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

_CODE = """
#include <stdint.h>
typedef {number} num;
{tables}
num in[{inputs}], hidden[{hidden}], out[{outputs}];

static void layer(const num *weights, const num *bias, const num *from, int n, num *to, int m)
{{
    for (int j = 0; j < m; j++) {{
        {sum} sum = bias[j];
        for (int i = 0; i < n; i++)
            sum += ({sum})weights[j * n + i] * from[i];
        to[j] = (num)({scale});
    }}
}}

static void relu(num *x, int n)
{{
    for (int i = 0; i < n; i++)
        if (x[i] < 0)
            x[i] = 0;
}}

void net_run(void)
{{
    layer(w1, b1, in, {inputs}, hidden, {hidden});
    relu(hidden, {hidden});
    layer(w2, b2, hidden, {hidden}, out, {outputs});
}}
"""


def network(inputs: int, hidden: int, outputs: int, *, fixed: bool) -> str:
    """C code of a network with random weights, in floats or in fixed-point numbers."""
    draw = random.Random(1)

    def table(name: str, size: int) -> str:
        numbers = (draw.randrange(-128, 128) for _ in range(size))
        text = ", ".join(str(n) if fixed else f"{n / 128}f" for n in numbers)
        return f"static const num {name}[{size}] = {{{text}}};"

    sizes = {"w1": inputs * hidden, "b1": hidden, "w2": hidden * outputs, "b2": outputs}
    return _CODE.format(
        number="int16_t" if fixed else "float",
        sum="int32_t" if fixed else "float",
        scale="sum >> 7" if fixed else "sum",
        tables="\n".join(table(name, size) for name, size in sizes.items()),
        inputs=inputs,
        hidden=hidden,
        outputs=outputs,
    )


def execute(path: Path) -> tuple[int, float]:
    """Instructions executed from `net_run` on, and seconds of processor time."""
    from vouch.bmc.problem import pose
    from vouch.bmc.rounds import Log, Rounds
    from vouch.bmc.verify import process_limits
    from vouch.c import checks, frontend
    from vouch.c.entries import entries
    from vouch.settings import resolve
    from vouch.smt.term import Session

    settings = resolve("check", {"check_timeout": 600.0})
    program = frontend.load([str(path)]).program
    listed = checks.find(program, checks.chosen(settings.checks), program.sources)
    starts = entries(program, ["net_run"], "arbitrary")
    problem = pose(program, listed, set(), settings, entries=starts, bounds={})
    with process_limits(), Session():
        began = time.process_time()
        equation = Rounds(problem, Log()).equation(problem.starts[0], 8)
        return equation.instructions, time.process_time() - began


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench network_code", description=__doc__)
    parser.add_argument("--inputs", type=int, default=784)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--outputs", type=int, default=10)
    parser.add_argument("--fixed", action="store_true", help="16-bit fixed point instead of floats")
    wanted = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="vouch-bench-") as folder:
        path = Path(folder) / "net.c"
        path.write_text(network(wanted.inputs, wanted.hidden, wanted.outputs, fixed=wanted.fixed), "utf-8")
        count, seconds = execute(path)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    products = wanted.inputs * wanted.hidden + wanted.hidden * wanted.outputs
    print(f"{products} multiplications, {count} instructions in {seconds:.1f} s of processor time")
    print(f"{count / seconds:.0f} instructions a second, {peak} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
