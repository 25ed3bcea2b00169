"""Coverage as text: a table by layer, and what raises it."""

from __future__ import annotations

from vouch.nn.cover.api import CoverResult, needed
from vouch.nn.cover.methods import CoveringPair
from vouch.nn.cover.raising import Raised, Raising


def table(result: CoverResult, *, brief: bool = False, witnesses: bool = False) -> str:
    lines = [f"{'method':8} {'neurons':>14} {'share':>8}  {'pairs':>14}  by layer"]
    for method, each in result.coverages.items():
        pairs = f"{each.pairs} of {each.of_pairs}" if each.of_pairs else "-"
        layers = "  ".join(f"{int(layer.sum())}/{len(layer)}" for layer in each.neurons)
        line = f"{method:8} {f'{each.covered} of {each.total}':>14} {_percent(each.share):>8}  {pairs:>14}"
        lines.append(f"{line}  {layers}")
    for measure in result.measures:
        line = f"{measure.name:8} {f'{measure.covered} of {measure.total}':>14} {_percent(measure.share):>8}"
        lines.append(line)
    if brief:
        return "\n".join(lines) + "\n"
    if witnesses:
        for method, each in result.coverages.items():
            lines += [f"{method}: {_witness(witness)}" for witness in each.witnesses]
    if result.wanted is not None:
        lines += [_wanted(result, method) for method in result.coverages]
    lines += [f"{method}: {_raised(raised)}" for method, raised in result.raised.items()]
    return "\n".join(lines) + "\n"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _witness(witness: CoveringPair) -> str:
    decision = f"n{witness.decision[1] + 1},{witness.decision[0] + 1}"
    first, second = witness.inputs
    if witness.condition is None:
        return f"{decision} by inputs {first} and {second}"
    condition = f"n{witness.condition[1] + 1},{witness.condition[0] + 1}"
    return f"{condition} and {decision} by inputs {first} and {second}"


def _wanted(result: CoverResult, method: str) -> str:
    assert result.wanted is not None
    each = next(each for name, each in result.coverages.items() if name == method)
    reached = each.covered >= needed(result.wanted, each.total)
    return f"{method}: {_percent(result.wanted)} {'reached' if reached else 'not reached'}"


def _raised(raised: Raising) -> str:
    match raised.answer:
        case Raised.RAISED:
            assert raised.input is not None
            numbers = ", ".join(f"{x:.9g}" for x in raised.input[:8])
            more = ", …" if len(raised.input) > 8 else ""
            return f"raised to {_percent(raised.share)} by ({numbers}{more})"
        case Raised.IMPOSSIBLE:
            return f"no input that near raises it above {_percent(raised.bound)} (proved)"
        case Raised.TIMEOUT | Raised.UNKNOWN:
            return f"undecided: {_percent(raised.share)} found, at most {_percent(raised.bound)} possible"
