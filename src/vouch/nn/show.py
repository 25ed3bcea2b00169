"""How a result shows itself: a table in a notebook, and a plot of bounds and counterexample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vouch.errors import VouchError
from vouch.show import bars, colour_of, pictures, table, vector
from vouch.verdict import PROVED, VIOLATED, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vouch.nn.result import Result


def rows(result: Result) -> Iterator[tuple[str, str]]:
    """What is worth reading, as names and texts; the table on a terminal shows the same."""
    yield "verdict", result.verdict.value + (" (vacuous)" if result.vacuous else "")
    if result.reason:
        yield "reason", result.reason
    yield "engine", result.engine
    yield "seconds", f"{result.seconds:.2f}"
    if result.counterexample is not None:
        yield "input", vector(result.counterexample.input.tolist())
        yield "output", vector(result.counterexample.output.tolist())
        yield "replayed", f"yes, in {result.runtime}" if result.replayed else "no"
    if result.bound is not None:
        yield "proved margin", f"{result.bound:.6g}"
    if result.progress is not None and result.verdict not in PROVED | VIOLATED:
        yield "proved so far", f"{100 * result.progress:.1f} %"
    for warning in result.warnings:
        yield "warning", warning


def html(result: Result) -> str:
    return table(rows(result), result.verdict) + _drawn(result)


def _drawn(result: Result) -> str:
    """The counterexample as a picture where it is one, and its outputs as bars."""
    if result.counterexample is None:
        return ""
    asked = result.question or {}
    point, output = result.counterexample.input.tolist(), result.counterexample.output.tolist()
    before = [("at the original", asked["original_output"])] if asked.get("original_output") else []
    return _beside(asked.get("original"), point) + bars([*before, ("counterexample", output)])


def _beside(original: Sequence[float] | None, point: Sequence[float]) -> str:
    """Original, counterexample and difference as pictures; the difference has its own scale of greys."""
    if not original:
        return pictures([("counterexample", point)])
    moved = [abs(new - old) for old, new in zip(original, point, strict=True)]
    both = pictures([("original", original), ("counterexample", point)])
    if not both:
        return ""
    return f"<div style='display:flex;gap:16px'>{both}{pictures([('difference', moved)])}</div>"


def plot(result: Result, axes: Any = None) -> Any:
    """Bars for the proved range of each output, dots for what the counterexample gives."""
    if result.output_bounds is None and result.counterexample is None:
        raise VouchError("nothing to plot: the result has neither bounds nor a counterexample")
    axes = output_axes(axes)
    if result.output_bounds is not None:
        low, high = result.output_bounds
        axes.bar(range(len(low)), high - low, bottom=low, width=0.6, alpha=0.5, label="proved range")
    if result.counterexample is not None:
        values = result.counterexample.output
        axes.plot(range(len(values)), values, "o", color=colour_of(Verdict.UNSAFE), label="counterexample")
    axes.set_title(f"{result.verdict.value}, {result.engine}, {result.seconds:.2f} s")
    axes.legend()
    return axes


def output_axes(axes: Any = None) -> Any:
    """Axes (new ones unless given) for one value or range for each output, with room around the bars."""
    try:
        from matplotlib import pyplot
        from matplotlib.ticker import MaxNLocator
    except ImportError:
        raise VouchError("plotting needs matplotlib (pip install 'vouch[plot]')") from None
    if axes is None:
        _, axes = pyplot.subplots(figsize=(6, 3), layout="constrained")
    axes.use_sticky_edges = False
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("output")
    axes.set_ylabel("value")
    return axes
