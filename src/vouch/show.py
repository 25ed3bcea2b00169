"""Small pieces of HTML with which results show themselves in a notebook, without scripts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from vouch.verdict import PROVED, VIOLATED, Verdict

_MOST = 40  # values of a vector that are drawn
_SMALLEST, _LARGEST = 16, 1024  # numbers of an input that make a picture
_COLOURS = ("#2a57c4", "#a34a06")
_LISTED = 12  # numbers of a vector that are written before the rest is only counted


def colour_of(verdict: Verdict) -> str:
    if verdict in PROVED:
        return "#1a7f37"
    return "#cf222e" if verdict in VIOLATED else "#9a6700"


def vector(values: Sequence[float]) -> str:
    shown = ", ".join(f"{v:.6g}" for v in values[:_LISTED])
    rest = len(values) - _LISTED
    return f"[{shown}]" if rest <= 0 else f"[{shown}, … {rest} more]"


def table(rows: Iterable[tuple[str, str]], verdict: Verdict) -> str:
    """Names and texts below each other, with the verdict's colour beside them."""
    left = "style='text-align:left'"
    cells = "".join(
        f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(text)}</td></tr>" for name, text in rows
    )
    return f"<table style='border-left:4px solid {colour_of(verdict)}'>{cells}</table>"


def bars(series: Sequence[tuple[str, Sequence[float]]]) -> str:
    """Vectors of one length beside each other, each number as a bar; the largest of each vector is bold."""
    finite = [value for _, values in series for value in values if math.isfinite(value)]
    if not finite:
        return ""
    low, high = min(0.0, *finite), max(0.0, *finite)
    span = (high - low) or 1.0
    rows = []
    for index in range(min(_MOST, max(len(values) for _, values in series))):
        tracks = "".join(
            _bar(name, values, index, low, span, _COLOURS[number % len(_COLOURS)])
            for number, (name, values) in enumerate(series)
            if index < len(values)
        )
        rows.append(f"<tr><td>{index}</td><td style='text-align:left'>{tracks}</td></tr>")
    keys = " ".join(
        f"<span style='color:{_COLOURS[number % len(_COLOURS)]}'>■ {escape(name)}</span>"
        for number, (name, _) in enumerate(series)
    )
    return f"<p>{keys}</p><table>{''.join(rows)}</table>"


def _bar(name: str, values: Sequence[float], index: int, low: float, span: float, colour: str) -> str:
    value = values[index]
    if not math.isfinite(value):
        return f"<div>{value}</div>"
    start = 100 * (min(0.0, value) - low) / span
    width = 100 * abs(value) / span
    text = f"{value:.6g}"
    text = f"<b>{text}</b>" if value == max(values) else text
    return (
        f"<div title='{escape(name)}' style='display:flex;align-items:center;gap:8px'>"
        f"<div style='width:240px;height:9px;background:#8882'><div style='margin-left:{start:.1f}%;"
        f"width:{width:.1f}%;height:9px;background:{colour}'></div></div>{text}</div>"
    )


def pictures(series: Sequence[tuple[str, Sequence[float]]]) -> str:
    """Square vectors as grey pictures beside each other; nothing for others."""
    sizes = {len(values) for _, values in series}
    count = sizes.pop() if len(sizes) == 1 else 0
    side = math.isqrt(count)
    if not _SMALLEST <= count <= _LARGEST or side * side != count:
        return ""
    finite = [value for _, values in series for value in values if math.isfinite(value)]
    if not finite:
        return ""
    low, span = min(finite), (max(finite) - min(finite)) or 1.0
    drawn = "".join(_picture(name, values, side, low, span) for name, values in series)
    return f"<div style='display:flex;gap:16px'>{drawn}</div>"


def _picture(name: str, values: Sequence[float], side: int, low: float, span: float) -> str:
    cells = "".join(
        f"<rect x='{i % side}' y='{i // side}' width='1.02' height='1.02' fill='{_grey(value, low, span)}'/>"
        for i, value in enumerate(values)
    )
    return (
        f"<figure style='margin:0'><svg width='96' height='96' viewBox='0 0 {side} {side}' role='img' "
        f"aria-label='{escape(name)}'>{cells}</svg><figcaption>{escape(name)}</figcaption></figure>"
    )


def _grey(value: float, low: float, span: float) -> str:
    level = round(255 * (value - low) / span) if math.isfinite(value) else 0
    return f"rgb({level},{level},{level})"
