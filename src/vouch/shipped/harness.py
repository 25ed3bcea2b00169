"""Programs that call the code: anywhere in a region, or at one point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vouch.errors import VouchError
from vouch.shipped.interface import IN, OUT, ArraySizes, Interface

if TYPE_CHECKING:
    from vouch.equiv.region import Region

NAME = "vouch_harness.c"


def harness(
    interface: Interface,
    sizes: ArraySizes,
    headers: Sequence[str],
    *,
    region: Region | None = None,
    at: Any = None,
    expected: Sequence[tuple[float, float]] | None = None,
) -> str:
    """A program that calls the code: anywhere in the `region`, or with the input `at`. Each output is
    compared with a number of its own, or with the limits that are `expected` of it."""
    kind = interface.kind
    lines = [
        "#include <assert.h>",
        *(f'#include "{Path(header).resolve()}"' for header in headers),
        f"{kind} {interface.nondet}(void);",
        "void __VERIFIER_assume(int);",
        interface.declared,
        "int main(void) {",
        f"    static {kind} {IN}[{sizes.inputs}], {OUT}[{sizes.outputs}];",
    ]
    for n in range(sizes.inputs):
        if region is not None:
            first, last = _ends(interface, region.lower[n], region.upper[n])
            lines.append(f"    {IN}[{n}] = {interface.nondet}();")
            lines.append(f"    __VERIFIER_assume({IN}[{n}] >= {first} && {IN}[{n}] <= {last});")
        else:
            lines.append(f"    {IN}[{n}] = ({kind}){_number_text(interface, at[n] * interface.unit)};")
    lines.append(f"    {interface.call}")
    if expected is None:
        lines += [f"    assert(!({OUT}[{n}] == {interface.nondet}()));" for n in range(sizes.outputs)]
    for n, limits in enumerate(expected or ()):
        low, high = (_number_text(interface, end) for end in limits)
        lines.append(f"    assert({OUT}[{n}] >= {low} && {OUT}[{n}] <= {high});")
    return "\n".join([*lines, "    return 0;", "}", ""])


def _ends(interface: Interface, low: float, high: float) -> tuple[str, str]:
    """The numbers of the function's type that lie in a range of reals."""
    if not interface.integers:
        return _hex(low), _hex(high)
    first, last = math.ceil(Fraction(low) * interface.unit), math.floor(Fraction(high) * interface.unit)
    if first > last:
        raise VouchError("the region has no numbers of the function's format")
    return f"({first})", f"({last})"


def _number_text(interface: Interface, x: float) -> str:
    return f"({int(x)})" if interface.integers else _hex(x)


def _hex(x: float) -> str:
    text = float(x).hex()
    return f"({text})" if text.startswith("-") else text
