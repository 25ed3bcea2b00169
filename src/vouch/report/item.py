"""`Item`: one question and its answer, as every format reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from vouch.record import frozen_record
from vouch.steps import TraceStep
from vouch.verdict import Verdict


@frozen_record
class Replay:
    """A program that shows a violation, and how to run it. `limits`: what it does not reproduce. `file`: its
    name there. `gpu`: what a run on a GPU showed, "" where there was none."""

    driver: str
    command: str
    limits: tuple[str, ...] = ()
    file: str = "replay.c"
    gpu: str = ""


@frozen_record
class Grid:
    """A table of verdicts or numbers. `cells[row][column]` is (text, tone, remark); tones are verdicts, or a
    share from 0 to 1 of what is wanted, or "" for neither."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[tuple[str, str | float, str], ...], ...]


@frozen_record
class Item:
    """Fields are those of a check in the JSON document. Networks have their question in `message`, their file
    in `file` and their name in `function`; `detail` holds what only they have: points, outputs, bounds."""

    id: str
    category: str
    message: str
    verdict: Verdict
    file: str = ""
    line: int = 0
    column: int = 0
    function: str = ""
    kind: str = "c"
    decided_by: str | None = None
    reason: str | None = None
    bound: float | None = None
    seconds: float = 0.0
    replayed: bool | None = None
    inputs: Mapping[str, Any] | None = None
    precondition: str | None = None
    trace: tuple[TraceStep, ...] = ()
    assumptions: tuple[str, ...] = ()
    suppressed: str | None = None
    known: bool = False
    replay: Replay | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


def item_of_check(document: Mapping[str, Any]) -> Item:
    return Item(
        id=str(document["id"]),
        category=str(document["category"]),
        message=str(document["message"]),
        verdict=Verdict(document["verdict"]),
        file=str(document["file"]),
        line=int(document["line"]),
        column=int(document.get("column") or 0),
        function=str(document.get("function") or ""),
        decided_by=document.get("decided_by"),
        reason=document.get("reason"),
        bound=document.get("bound"),
        seconds=float(document.get("seconds") or 0.0),
        replayed=document.get("replayed"),
        inputs=document.get("inputs"),
        precondition=document.get("precondition"),
        trace=tuple(TraceStep.from_json(step) for step in document.get("trace") or ()),
        assumptions=tuple(document.get("assumptions") or ()),
        suppressed=document.get("suppressed"),
        known=bool(document.get("baseline", False)),
        replay=_replay(document.get("replay")),
    )


def _replay(document: Mapping[str, Any] | None) -> Replay | None:
    if document is None:
        return None
    limits, file = tuple(document.get("limits", ())), str(document.get("file", "replay.c"))
    return Replay(str(document["driver"]), str(document["command"]), limits, file, _gpu(document.get("gpu")))


def _gpu(document: Mapping[str, Any] | None) -> str:
    if document is None:
        return ""
    words = {True: "confirmed on the GPU", False: "not seen on the GPU", None: "not run on a GPU"}
    return f"{words[document['seen']]}: {document['what']}"
