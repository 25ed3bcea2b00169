"""A report as a picture, drawn with matplotlib (the `plot` extra).

Tables (radii, word lengths, coverage, batches) become coloured grids; the answer about a network its outputs
with proved bounds and counterexample, its progress beside them; C code its verdicts by category.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from os import PathLike
from typing import Any

from vouch.errors import VouchError
from vouch.printable import visible
from vouch.report.item import Grid
from vouch.report.model import ORDER, Report
from vouch.verdict import Verdict

_COLOURS = {
    Verdict.UNSAFE: "#b3261e",
    Verdict.DIFFERENT: "#b3261e",
    Verdict.COND_UNSAFE: "#a34a06",
    Verdict.UNKNOWN: "#c9a227",
    Verdict.TIMEOUT: "#c9a227",
    Verdict.BOUND_SAFE: "#1f62a8",
    Verdict.SAFE: "#1d7040",
    Verdict.EQUIVALENT: "#1d7040",
}


def draw(report: Report, file: str | PathLike[str]) -> None:
    """Write the picture; the ending of the name says how (.png, .svg, .pdf)."""
    try:
        import matplotlib
    except ImportError:
        raise VouchError("drawing needs matplotlib (pip install 'vouch[plot]')") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    details = [dict(item.detail) for item in report.items if item.detail]
    if report.grids:
        figure = _grids(pyplot, report)
    elif report.kind != "c" and details:
        figure = _answer(pyplot, details[0])
    else:
        figure = _verdicts(pyplot, report)
    figure.suptitle(visible(report.title))
    try:
        figure.savefig(file, bbox_inches="tight")
    except (OSError, ValueError) as error:
        raise VouchError(f"option --plot: {file}: {error}") from None
    finally:
        pyplot.close(figure)


def _grids(pyplot: Any, report: Report) -> Any:
    heights = [len(grid.rows) + 1 for grid in report.grids]
    width = max(len(grid.columns) for grid in report.grids)
    figure, axes = pyplot.subplots(
        len(report.grids),
        1,
        squeeze=False,
        figsize=(3 + 1.3 * width, 1 + 0.5 * sum(heights)),
        layout="constrained",
    )
    for grid, each in zip(report.grids, axes[:, 0], strict=True):
        _grid(grid, each)
    return figure


def _grid(grid: Grid, axes: Any) -> None:
    for row, cells in enumerate(grid.cells):
        for column, (text, tone, _) in enumerate(cells):
            box = axes.barh(row, 0.96, left=column - 0.48, height=0.9, color=_tone(tone))
            box[0].set_alpha(0.35)
            axes.text(column, row, visible(text), ha="center", va="center", fontsize=9)
    axes.set_xticks(range(len(grid.columns)), [visible(name) for name in grid.columns])
    axes.set_yticks(range(len(grid.rows)), [visible(name) for name in grid.rows])
    axes.set_xlim(-0.5, len(grid.columns) - 0.5)
    axes.invert_yaxis()
    axes.set_title(visible(grid.title), fontsize=10)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def _tone(tone: str | float) -> Any:
    if isinstance(tone, str):
        return _COLOURS.get(Verdict(tone), "#999999") if tone else "#dddddd"
    return (1.0 - 0.6 * tone, 0.95, 1.0 - 0.6 * tone)


def _answer(pyplot: Any, detail: Mapping[str, Any]) -> Any:
    """Outputs: proved ranges as bars, the counterexample as dots; beside them the share proved over time."""
    history = detail.get("history") or []
    figure, axes = pyplot.subplots(
        1, 2 if len(history) > 1 else 1, squeeze=False, figsize=(10, 3.6), layout="constrained"
    )
    outputs, found = axes[0, 0], detail.get("counterexample") or {}
    for number, pair in enumerate(detail.get("output_bounds") or ()):
        if None not in pair:
            outputs.bar(number, pair[1] - pair[0], bottom=pair[0], width=0.6, color="#9db4e0", zorder=1)
    asked = detail.get("question") or {}
    named = (("output", "counterexample"), ("reference", "reference"), ("test", "test"))
    series = [(label, found[key]) for key, label in named if found.get(key)]
    if asked.get("original_output"):
        series.insert(0, ("at the original", asked["original_output"]))
    for label, values in series:
        outputs.plot(range(len(values)), values, "o", label=label, zorder=2)
    outputs.set_xlabel("output")
    if series:
        outputs.legend()
    if len(history) > 1:
        axes[0, 1].plot([time for time, _ in history], [100 * share for _, share in history])
        axes[0, 1].set_xlabel("seconds")
        axes[0, 1].set_ylabel("% proved")
    return figure


def _verdicts(pyplot: Any, report: Report) -> Any:
    counted = report.counted
    names = sorted({item.category for item in counted})
    figure, axes = pyplot.subplots(figsize=(8, 1.5 + 0.35 * len(names)), layout="constrained")
    left = [0] * len(names)
    for verdict in ORDER:
        own = Counter(item.category for item in counted if item.verdict is verdict)
        if own:
            counts = [own[name] for name in names]
            axes.barh(names, counts, left=left, color=_COLOURS[verdict], label=str(verdict))
            left = [a + b for a, b in zip(left, counts, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("checks")
    if counted:
        axes.legend()
    return figure
