"""How a result of `vouch check` shows itself in a notebook: what is not safe, violations to step through."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any
from uuid import uuid4

from vouch.printable import visible
from vouch.report.item import Item
from vouch.report.model import Report, report_of
from vouch.report.text import TextStyle, explanation, place, summary
from vouch.steps import Change, TraceStep
from vouch.verdict import PROVED, VIOLATED

_MOST = 200  # findings that a cell shows
_STEPPED = 20  # of which so many have their trace
_LEFT = "text-align:left;vertical-align:top"
# Shows one step of a trace at a time. Without scripts all steps are shown, one below the other.
_SCRIPT = """
for (const box of document.querySelectorAll('#NAME .vouch-trace')) {
  const steps = [...box.querySelectorAll('.vouch-step')];
  const count = box.querySelector('.vouch-count');
  let now = steps.length - 1;
  const show = (to) => {
    now = Math.max(0, Math.min(steps.length - 1, to));
    steps.forEach((step, i) => { step.hidden = i !== now; });
    count.textContent = `${now + 1} / ${steps.length}`;
  };
  const [first, back, on, last] = box.querySelectorAll('button');
  first.onclick = () => show(0);
  back.onclick = () => show(now - 1);
  on.onclick = () => show(now + 1);
  last.onclick = () => show(steps.length - 1);
  box.querySelector('.vouch-buttons').hidden = false;
  box.onkeydown = (event) => {
    const moves = {ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: steps.length - 1};
    if (event.key in moves) { show(moves[event.key]); event.preventDefault(); event.stopPropagation(); }
  };
  show(now);
}
"""


def render(result: Any, style: TextStyle | None = None) -> str:
    """A table of what is not safe under the summary line; each violation opens to its trace."""
    report = report_of(result)
    name = f"vouch-{uuid4().hex}"
    shown = [item for item in report.counted if item.verdict not in PROVED]
    rows = "".join(_row(report, item, number < _STEPPED) for number, item in enumerate(shown[:_MOST]))
    heads = "".join(
        f"<th style='{_LEFT}'>{head}</th>" for head in ("verdict", "category", "place", "message")
    )
    table = f"<table><tr>{heads}</tr>{rows}</table>" if rows else ""
    rest = f"<p>and {len(shown) - _MOST} more</p>" if len(shown) > _MOST else ""
    script = f"<script>{_SCRIPT.replace('NAME', name)}</script>" if any(i.trace for i in shown) else ""
    head = f"<p><b>vouch</b>: {escape(summary(report, TextStyle()))}</p>"
    return f'<div id="{name}">{head}{table}{rest}</div>{script}'


def _colour(item: Item) -> str:
    return "#2e7d32" if item.verdict in PROVED else "#c62828" if item.verdict in VIOLATED else "#b26a00"


def _row(report: Report, item: Item, stepped: bool) -> str:
    why = explanation(item)
    words = escape(visible(item.message)) + (f"<br><small>{escape(why)}</small>" if why else "")
    if item.trace and stepped:
        words = f"<details><summary>{words}</summary>{_trace(report, item)}</details>"
    cells = (
        f'<b style="color:{_colour(item)}">{escape(str(item.verdict))}</b>',
        escape(item.category),
        f"<code>{escape(place(item))}</code>",
        words,
    )
    return "<tr>" + "".join(f"<td style='{_LEFT}'>{cell}</td>" for cell in cells) + "</tr>"


def _trace(report: Report, item: Item) -> str:
    labels = (("⏮", "to the start"), ("◀", "one step back"), ("▶", "one step forwards"), ("⏭", "to the end"))
    buttons = "".join(f'<button aria-label="{label}">{sign}</button>' for sign, label in labels)
    steps = "".join(_step(report, *state) for state in _states(item))
    return (
        f'<div class="vouch-trace" tabindex="0"><div class="vouch-buttons" hidden>{buttons} '
        f'<span class="vouch-count"></span></div>{steps}</div>'
    )


def _states(
    item: Item,
) -> Iterator[tuple[TraceStep, dict[tuple[int | None, str], Change], set[tuple[int | None, str]]]]:
    """Each step with all values at it, and what it changed."""
    values: dict[tuple[int | None, str], Change] = {}
    for step in item.trace:
        values = {key: c for key, c in values.items() if key[0] is None or key[0] <= step.depth}
        values |= {(c.frame, c.name): c for c in step.changes}
        yield step, values, {(c.frame, c.name) for c in step.changes}


def _step(
    report: Report,
    step: TraceStep,
    values: dict[tuple[int | None, str], Change],
    changed: set[tuple[int | None, str]],
) -> str:
    line = report.sources.line(step.file, step.line) if report.sources is not None else ""
    own = [(key, change) for key, change in values.items() if key[0] in (None, step.depth)]
    cells = "".join(
        f"<tr><td style='{_LEFT}'><code>{escape(visible(change.name))}</code></td>"
        f"<td style='{_LEFT}'><code>{_marked(change, key in changed)}</code></td></tr>"
        for key, change in own
    )
    quoted = f"<pre>{step.line:>5} | {escape(visible(line.strip()))}</pre>" if line else ""
    where = f"{visible(step.function)}, line {step.line}"
    return (
        f'<div class="vouch-step"><small>{escape(where)}</small>{quoted}'
        f"<p><b>{escape(visible(step.what))}</b></p><table>{cells}</table></div>"
    )


def _marked(change: Change, fresh: bool) -> str:
    text = escape(visible(change.value))
    return f"<mark>{text}</mark>" if fresh else text
