"""Programs that call a function of shipped C, as text."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from vouch.errors import VouchError
from vouch.shipped.interface import Interface

if TYPE_CHECKING:
    from vouch.equiv.region import Region


def harness_of(
    interface: Interface, region: Region, outputs: int, at: Any = None, expected: Any = None
) -> str:
    """A program that calls the function: anywhere in the region, each output compared with a number of its
    own; or with the input `at`, or with outputs compared with `expected` (pairs of limits)."""
    kind, size = interface.kind, region.size
    single = interface.arguments.count("input")
    if single and single != size:
        raise VouchError(f"{interface.function} takes {single} numbers, the model {size}")
    names = iter(range(size))
    words = {"inputs": "vouch_in", "outputs": "vouch_out"}
    arguments = [words[role] if role in words else f"vouch_in[{next(names)}]" for role in interface.arguments]
    types = {"inputs": f"const {kind} *", "outputs": f"{kind} *", "input": kind}
    prototype = ", ".join(types[role] for role in interface.arguments)
    call = f"{interface.function}({', '.join(arguments)});"
    lines = [
        "#include <assert.h>",
        f"{kind} {interface.nondet}(void);",
        "void __VERIFIER_assume(int);",
        f"{kind if interface.returns else 'void'} {interface.function}({prototype});",
        f"static {kind} vouch_in[{size}], vouch_out[{outputs}];",
        "int main(void) {",
    ]
    for n, (low, high) in enumerate(zip(region.lower, region.upper, strict=True)):
        if at is None:
            lines.append(f"    vouch_in[{n}] = {interface.nondet}();")
            first, last = _ends(interface, low, high)
            inside = f"vouch_in[{n}] >= {first} && vouch_in[{n}] <= {last}"
            lines.append(f"    __VERIFIER_assume({inside});")
        else:
            lines.append(f"    vouch_in[{n}] = ({kind}){_number_text(interface, at[n] * interface.unit)};")
    lines.append(f"    {'vouch_out[0] = ' if interface.returns else ''}{call}")
    if expected is None:
        lines += [f"    assert(!(vouch_out[{n}] == {interface.nondet}()));" for n in range(outputs)]
    for n, limits in enumerate(expected or ()):
        low, high = (_number_text(interface, end) for end in limits)
        lines.append(f"    assert(vouch_out[{n}] >= {low} && vouch_out[{n}] <= {high});")
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
