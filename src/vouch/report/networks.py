"""Answers about networks as items: a property, a batch, a comparison, a radius, a table of radii."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from vouch.record import frozen_record
from vouch.report.item import Grid, Item
from vouch.verdict import Verdict

# The words of VNN-COMP for what vouch calls otherwise.
_WORDS = {"sat": Verdict.UNSAFE, "unsat": Verdict.SAFE, "timeout": Verdict.TIMEOUT}
_SHOWN = 12  # numbers of a vector that are shown before the rest is only counted


@frozen_record
class Made:
    title: str
    items: tuple[Item, ...]
    text: str
    grids: tuple[Grid, ...] = ()


def text_of(result: Any) -> str:
    """What a terminal shows of it, where it writes that itself."""
    text = getattr(result, "text", None)
    return str(text()) if callable(text) else ""


def _vector(values: Sequence[float]) -> str:
    shown = ", ".join(f"{value:.6g}" for value in values[:_SHOWN])
    rest = len(values) - _SHOWN
    return f"[{shown}]" if rest <= 0 else f"[{shown}, … {rest} more]"


def _rows(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is worth reading of a network's answer, as names and texts."""
    yield "verdict", str(document["verdict"]) + (" (vacuous)" if document.get("vacuous") else "")
    if document.get("reason"):
        yield "reason", str(document["reason"])
    yield "engine", str(document.get("engine", ""))
    yield "seconds", f"{document.get('seconds', 0.0):.2f}"
    if found := document.get("counterexample"):
        yield "input", _vector(found["input"])
        yield "output", _vector(found["output"])
        yield "replayed", "yes, in onnxruntime" if document.get("replayed") else "no"
    if document.get("bound") is not None:
        yield "proved margin", f"{document['bound']:.6g}"
    if document.get("progress") is not None and document["verdict"] in ("unknown", "timeout"):
        yield "proved so far", f"{100 * document['progress']:.1f} %"


def _asked(document: Mapping[str, Any]) -> Mapping[str, Any]:
    return document.get("question") or {}


def of_answer(document: Mapping[str, Any]) -> Made:
    """`nn verify` and `nn robust`."""
    asked = _asked(document)
    network = str(asked.get("network") or "network")
    category = "robustness" if asked.get("radius") is not None else "property"
    name = str(asked.get("property") or category)
    message = str(asked.get("text") or f"{PurePath(name).name} holds for {PurePath(network).name}")
    item = Item(
        id=f"{PurePath(network).name}.{category}.{PurePath(name).stem}",
        category=category,
        message=message,
        verdict=Verdict(document["verdict"]),
        file=name if asked.get("property") else network,
        line=1,
        function=PurePath(network).name,
        kind="network",
        decided_by=document.get("engine"),
        reason=document.get("reason"),
        bound=document.get("bound"),
        seconds=float(document.get("seconds", 0.0)),
        replayed=document.get("replayed"),
        inputs=_named_inputs(document.get("counterexample")),
        assumptions=tuple(asked.get("assumptions", ())),
        detail=dict(document),
    )
    text = "\n".join(f"{key:14} {value}" for key, value in _rows(document))
    return Made(message, (item,), text)


def _named_inputs(counterexample: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if counterexample is None:
        return None
    return {f"x{i}": value for i, value in enumerate(counterexample["input"])}


def of_batch(document: Mapping[str, Any]) -> Made:
    items = []
    for row in document["instances"]:
        network, prop = PurePath(row["onnx"]).name, PurePath(row["vnnlib"]).name
        item = Item(
            id=f"{network}.property.{PurePath(prop).stem}",
            category="property",
            message=f"{prop} holds for {network}",
            verdict=_WORDS.get(row["result"], Verdict.UNKNOWN),
            file=str(row["vnnlib"]),
            line=1,
            function=network,
            kind="network",
            decided_by=row.get("engine") or None,
            reason=row.get("reason") or (row["result"] if row["result"] == "error" else None),
            seconds=float(row.get("seconds", 0.0)),
            detail={key: row[key] for key in ("timeout", "seconds", "result") if key in row},
        )
        items.append(item)
    lines = [f"{item.function}  {item.message}  {item.verdict}  {item.seconds:.2f} s" for item in items]
    return Made(f"{len(items)} instances", tuple(items), "\n".join(lines), _batch_grid(items))


def _batch_grid(items: Sequence[Item]) -> tuple[Grid, ...]:
    """Networks against properties, where that is a table."""
    networks = list(dict.fromkeys(item.function for item in items))
    properties = list(dict.fromkeys(PurePath(item.file).stem for item in items))
    if len(networks) < 2 or len(properties) < 2:
        return ()
    known = {(item.function, PurePath(item.file).stem): item for item in items}

    def cell(network: str, prop: str) -> tuple[str, str | float, str]:
        item = known.get((network, prop))
        if item is None:
            return "", "", ""
        return f"{item.seconds:.2g} s", str(item.verdict), f"{item.verdict}: {item.reason or item.message}"

    cells = tuple(tuple(cell(network, prop) for prop in properties) for network in networks)
    return (Grid("Instances", tuple(networks), tuple(properties), cells),)


def of_widths(document: Mapping[str, Any]) -> Made:
    """`nn bits`: properties against word lengths. The answer for a property is that of the smallest format
    for which all hold, or else of the widest that was tried."""
    network = PurePath(str(_asked(document).get("network") or "network")).name
    widths, smallest = document["widths"], document.get("smallest")
    properties = [str(name) for name in document["properties"]]
    told = next(
        (w for w in widths if smallest and w["bits"] == smallest["bits"]), widths[-1] if widths else None
    )
    items = tuple(
        Item(
            id=f"{network}.property.{name}",
            category="property",
            message=f"{name} holds for {network} in {told['format']}, {told['bits']} bits",
            verdict=Verdict(told["verdicts"].get(name, "unknown")),
            file=str(_asked(document).get("network") or network),
            line=1,
            function=network,
            kind="network",
            decided_by="word lengths",
            detail={"question": {**_asked(document), "property": name, "text": f"in {told['format']}"}},
        )
        for name in properties
        if told is not None
    )
    cells = tuple(
        tuple(
            (_SHORT.get(w["verdicts"].get(name, ""), "?"), w["verdicts"].get(name, ""), _width(w))
            for w in widths
        )
        for name in properties
    )
    grid = Grid("Word lengths", tuple(properties), tuple(str(w["bits"]) for w in widths), cells)
    best = f"smallest: {smallest['format']}, {smallest['bits']} bits" if smallest else "none holds"
    title = f"{network} by word length ({best})"
    return Made(title, items, title, (grid,))


_SHORT = {"safe": "S", "unsafe": "F", "timeout": "TO", "unknown": "?"}


def _width(width: Mapping[str, Any]) -> str:
    excluded = "" if width.get("overflow_excluded", True) else ", may overflow"
    return f"{width['format']}: {width.get('seconds', 0.0):.2g} s{excluded}"


def of_coverage(document: Mapping[str, Any]) -> Made:
    """`nn cover`: layers against methods. A share that was asked for is a question that has an answer."""
    network = PurePath(str(_asked(document).get("network") or "network")).name
    methods, wanted = document["methods"], document.get("wanted")
    columns = [
        f"layer {n}" for n in range(1, 1 + max((len(m["layers"]) for m in methods.values()), default=0))
    ]
    rows, items = [], []
    for name, method in methods.items():
        cells = [_share(layer["covered"], layer["neurons"]) for layer in method["layers"]]
        cells += [("", "", "")] * (len(columns) - len(cells))
        rows.append((*cells, _share(method["covered"], method["neurons"])))
        if wanted is not None:
            reached = method["share"] >= wanted
            items.append(
                Item(
                    id=f"{network}.coverage.{name}",
                    category="coverage",
                    message=f"method {name} covers {method['share']:.1%} of the neurons, {wanted:.1%} wanted",
                    verdict=Verdict.SAFE if reached else Verdict.UNSAFE,
                    file=str(_asked(document).get("network") or network),
                    line=1,
                    function=network,
                    kind="network",
                    decided_by="measured",
                    detail={"question": dict(_asked(document))},
                )
            )
    grids = [Grid("Coverage", tuple(methods), (*columns, "all"), tuple(rows))]
    if measures := document["measures"]:
        found = tuple((_share(m["covered"], m["total"]),) for m in measures.values())
        grids.append(Grid("Other measures", tuple(measures), ("covered",), found))
    title = f"Coverage of {network} by {document.get('inputs', '?')} inputs"
    return Made(title, tuple(items), title, tuple(grids))


def _share(covered: int, total: int) -> tuple[str, str | float, str]:
    share = covered / total if total else 1.0
    return f"{share:.0%}", share, f"{covered} of {total}"


def is_comparison(document: Mapping[str, Any]) -> bool:
    return "verdict" in document and ("region" in document or document["verdict"] in _EQUIVALENCE)


_EQUIVALENCE = ("equivalent", "different")


def _compared(document: Mapping[str, Any], asked: Mapping[str, Any], name: str = "") -> Item:
    reference, test = str(asked.get("reference") or "reference"), str(asked.get("test") or "test")
    subject = f"{PurePath(reference).name} and {PurePath(test).name}"
    where = document.get("region") or "the region"
    found = document.get("counterexample")
    return Item(
        id=f"{PurePath(test).name}.equivalence.{name or document.get('name') or 1}",
        category="equivalence",
        message=f"{subject}: {document.get('property', 'equivalent')} over {where}",
        verdict=Verdict(document["verdict"]),
        file=test,
        line=1,
        function=PurePath(test).name,
        kind="equivalence",
        decided_by=document.get("engine"),
        reason=document.get("reason"),
        bound=document.get("bound"),
        seconds=float(document.get("seconds", 0.0)),
        replayed=document.get("replayed"),
        inputs=_named_inputs(found),
        detail={**document, "question": dict(asked)},
    )


def of_comparison(document: Mapping[str, Any]) -> Made:
    asked = _asked(document)
    parts = document.get("clusters") or ()
    items = [_compared(part, asked, str(number)) for number, part in enumerate(parts, 1)]
    if not items:
        items = [_compared(document, asked)]
    title = items[0].message
    text = f"{document['verdict']}: {title} ({document.get('seconds', 0.0):.2f} s)"
    return Made(title, tuple(items), text)


def of_radius(document: Mapping[str, Any]) -> Made:
    where = f"{document.get('norm')} balls around the centre"
    item = _compared({**document, "region": where}, _asked(document))
    ends = [_end(document.get(side)) for side in ("proved", "refuted")]
    grid = Grid(
        "Radius",
        (item.function,),
        ("proved up to", "refuted from"),
        (((ends[0], str(Verdict.EQUIVALENT), ""), (ends[1], str(Verdict.DIFFERENT), "")),),
    )
    text = f"{document.get('property')}: proved up to {ends[0]}, refuted from {ends[1]}"
    return Made(item.message, (item,), text, (grid,))


def _end(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.4g}"


def of_sweep(document: Mapping[str, Any]) -> Made:
    asked = {"reference": document["reference"]}
    names = [_cluster(number, c) for number, c in enumerate(document["clusters"])]
    items, cells = [], {}
    for cell in document["cells"]:
        own = {**cell, "property": document.get("property"), "region": f"cluster {names[cell['cluster']]}"}
        item = _compared(own, {**asked, "test": cell["network"]}, str(cell["cluster"]))
        items.append(item)
        shown = f"{_end(cell.get('proved'))} … {_end(cell.get('refuted'))}"
        cells[cell["network"], cell["cluster"]] = (shown, str(item.verdict), str(cell.get("reason") or ""))
    networks = list(dict.fromkeys(cell["network"] for cell in document["cells"]))
    grid = Grid(
        "Radius proved … refuted, by cluster",
        tuple(networks),
        tuple(names),
        tuple(tuple(cells.get((n, i), ("", "", "")) for i in range(len(names))) for n in networks),
    )
    text = f"{document.get('property')} against {document['reference']}"
    return Made(text, tuple(items), text, (grid,))


def _cluster(number: int, cluster: Mapping[str, Any]) -> str:
    letter = chr(ord("a") + number) if number < 26 else str(number)
    return f"{letter} (label {cluster.get('label')})"
