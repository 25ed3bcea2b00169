"""Formats that other tools read: accepted by their schemas, and with the same findings in all of them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest
import yaml

import vouch
import vouch.errors
from vouch.equiv.outcome import Witness
from vouch.equiv.result import Comparison
from vouch.nn.result import Result, ViolatingInput
from vouch.report import FORMATS, render, report_of
from vouch.report.model import read
from vouch.result import RunResult
from vouch.verdict import Verdict

HERE = Path(__file__).parent
SARIF = "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"

PROGRAM = """extern int nondet_int(void);
void reach_error(void) {}

int divide(int a, int b)
{
    return a / b;
}

int main(void)
{
    int x = nondet_int();
    int y = nondet_int();
    if (x > 10 && y == x + 7 && x < 100) {
        reach_error();
    }
    return divide(x, y);
}
"""

LOOP = """extern unsigned nondet_uint(void);
int main(void)
{
    unsigned n = nondet_uint();
    int s = 0;
    for (unsigned i = 0; i < n; i++) {
        if (s < 50)
            s = s + 1;
    }
    return 100 / (s - 60);
}
"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    source = tmp_path_factory.mktemp("c") / "program.c"
    source.write_text(PROGRAM)
    return vouch.check(source, checks=["assertion", "division-by-zero", "signed-overflow"], jobs=1)


NETWORK = Result(
    Verdict.UNSAFE,
    "bounds",
    0.5,
    counterexample=ViolatingInput(np.array([0.25, 1.0]), np.array([-1.0, 2.0])),
    replayed=True,
    question={"network": "nets/a.onnx", "property": "props/p.vnnlib", "input_shape": [2]},
)
COMPARED = Comparison(
    Verdict.DIFFERENT,
    "paths",
    0.5,
    "top-1",
    counterexample=Witness(np.array([0.5]), np.array([1.0, 0.0]), np.array([0.0, 1.0]), True),
)


def findings(result: Any) -> dict[str, str]:
    return {item.id: str(item.verdict) for item in report_of(result).items}


@pytest.mark.parametrize("kind", ["c", "network", "equivalence"])
def test_the_same_findings_in_all_formats(kind: str, checked: RunResult) -> None:
    result: Any = {"c": checked, "network": NETWORK, "equivalence": COMPARED}[kind]
    wanted = {name: v for name, v in findings(result).items() if v not in ("safe", "equivalent")}
    assert any(verdict in ("unsafe", "different") for verdict in wanted.values())
    sarif = json.loads(render(result, "sarif"))["runs"][0]["results"]
    marked = {r["partialFingerprints"]["vouchCheckId/v1"]: r["properties"]["verdict"] for r in sarif}
    assert marked == wanted
    assert len(render(result, "concise").splitlines()) == len(wanted)
    assert sum(line.startswith("::") for line in render(result, "github").splitlines()) == len(wanted)
    root = ElementTree.fromstring(render(result, "junit").encode())
    failed = {case.get("name") for case in root.iter("testcase") if len(case)}
    assert failed == set(wanted)
    document = json.loads(render(result, "json"))
    assert findings_of_document(document) == findings(result)
    assert render(read(document), "json") == render(result, "json")
    html = result._repr_html_()
    for item in report_of(result).items:
        if item.verdict not in (Verdict.SAFE, Verdict.EQUIVALENT):
            assert str(item.verdict) in html


def findings_of_document(document: dict[str, Any]) -> dict[str, str]:
    return {item.id: str(item.verdict) for item in read(document).items}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_takes_every_kind(name: str) -> None:
    for result in (NETWORK, COMPARED, replace(NETWORK, verdict=Verdict.SAFE, counterexample=None)):
        text = render(result, name)
        assert text == "" or text.endswith("\n")


def test_what_is_written_is_read_back(checked: RunResult) -> None:
    document = json.loads(json.dumps(checked.to_json()))
    again = RunResult.from_json(document)
    assert again.to_json() == document
    assert again.exit_code() == checked.exit_code()
    for name in ("full", "concise", "sarif", "junit", "github"):
        assert render(replace(again, sources=checked.sources), name) == render(checked, name)


def test_witness_of_a_violation(checked: RunResult) -> None:
    entries = yaml.safe_load(render(checked, "witness"))
    jsonschema.validate(entries, json.loads((HERE / "schemas" / "witness-2.0.json").read_text()))
    entry = next(e for e in entries if "reach_error" in e["metadata"]["task"]["specification"])
    task = entry["metadata"]["task"]
    file = task["input_files"][0]
    assert task["input_file_hashes"][file] == hashlib.sha256(Path(file).read_bytes()).hexdigest()
    points = [part["segment"][-1]["waypoint"] for part in entry["content"]]
    assert [point["type"] for point in points] == ["function_return", "function_return", "target"]
    x, y = (int(point["constraint"]["value"].removeprefix("\\result == ")) for point in points[:2])
    assert 10 < x < 100
    assert y == x + 7  # the condition of the program, by hand
    assert [point["location"]["line"] for point in points] == [11, 12, 14]


def test_witness_of_a_proof(tmp_path: Path) -> None:
    """The invariants hold in a native run that visits the loop's head a hundred times."""
    source = tmp_path / "loop.c"
    source.write_text(LOOP)
    result = vouch.check(source, checks=["division-by-zero"], jobs=1)
    assert [str(r.verdict) for r in result.checks] == ["safe"]
    entries = yaml.safe_load(render(result, "witness"))
    jsonschema.validate(entries, json.loads((HERE / "schemas" / "witness-2.0.json").read_text()))
    invariant = entries[0]["content"][0]["invariant"]
    assert invariant["location"]["line"] == 6
    names = {"s": 0, "i": 0, "n": 100}
    for i in range(101):
        names["i"] = i
        assert eval(invariant["value"].replace("&&", "and"), {}, names)
        names["s"] += names["s"] < 50
    assert not eval(invariant["value"].replace("&&", "and"), {}, {**names, "s": -1})


def sarif_schema() -> Path | None:
    root = HERE.parent.parent
    return next((root / p for p in (SARIF, f".ci/{SARIF}") if (root / p).is_file()), None)


@pytest.mark.skipif(sarif_schema() is None, reason="no schema (npm install --no-save @microsoft/jest-sarif)")
@pytest.mark.parametrize("kind", ["c", "network", "equivalence"])
def test_sarif_is_accepted_by_its_schema(kind: str, checked: RunResult) -> None:
    path = sarif_schema()
    assert path is not None
    result: Any = {"c": checked, "network": NETWORK, "equivalence": COMPARED}[kind]
    document = json.loads(render(result, "sarif"))
    validator = jsonschema.validators.validator_for(schema := json.loads(path.read_text()))
    assert [error.message for error in validator(schema).iter_errors(document)] == []
    document["runs"][0]["results"][0]["level"] = "terrible"
    assert list(validator(schema).iter_errors(document))


def test_sarif_fingerprints_survive_lines_above(checked: RunResult, tmp_path: Path) -> None:
    moved = tmp_path / "program.c"
    moved.write_text("/* a new line */\n" + PROGRAM)
    again = vouch.check(moved, checks=["assertion", "division-by-zero", "signed-overflow"], jobs=1)

    def marks(result: RunResult) -> set[str]:
        found = json.loads(render(result, "sarif"))["runs"][0]["results"]
        return {item["partialFingerprints"]["vouchLine/v1"] for item in found}

    assert marks(again) == marks(checked)
    moved.write_text(PROGRAM.replace("x + 7", "x + 8"))
    assert marks(checked)


def test_sarif_paths_are_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    result = vouch.check(tmp_path / "a.c", checks=["assertion"], jobs=1)
    found = json.loads(render(result, "sarif"))["runs"][0]["results"][0]
    place = found["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "a.c", "uriBaseId": "SRCROOT"}
    flow = found["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["executionOrder"] for step in flow] == list(range(1, len(flow) + 1))
    assert flow[-1]["kinds"] == ["violation"]


def test_report_command(checked: RunResult, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(render(checked, "json"))
    (tmp_path / "n.json").write_text(render(NETWORK, "json"))
    (tmp_path / "bad.json").write_text('{"x": 1}')

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "vouch", "report", *words]
        return subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, env=dict(os.environ))

    done = run("c.json", "--sarif", "out.sarif", "--junit", "out.xml", "--json", "again.json")
    assert done.returncode == 1
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads((tmp_path / "c.json").read_text())
    assert json.loads((tmp_path / "out.sarif").read_text())["version"] == "2.1.0"
    assert run("c.json", "n.json", "--html", "pages").returncode == 1
    listed = (tmp_path / "pages" / "data" / "list-0.js").read_text()
    assert "p.vnnlib holds for a.onnx" in listed
    assert run("bad.json").stderr == "error: bad.json: not a JSON report of vouch\n"
    assert run("bad.json").returncode == 2


@pytest.mark.parametrize("kind", ["c", "network", "equivalence", "grid"])
def test_plots(kind: str, checked: RunResult, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from vouch.report.plot import draw

    grid = {
        "reference": "a.onnx",
        "property": "top-1",
        "clusters": [{"label": 0}, {"label": 3}],
        "cells": [
            {"network": "b.onnx", "cluster": 0, "verdict": "equivalent", "proved": 0.25, "refuted": None},
            {"network": "b.onnx", "cluster": 1, "verdict": "different", "proved": None, "refuted": 0.5},
        ],
    }
    made = {"c": checked, "network": NETWORK, "equivalence": COMPARED}
    report = read(grid) if kind == "grid" else report_of(made[kind])
    draw(report, tmp_path / "plot.svg")
    text = (tmp_path / "plot.svg").read_text()
    assert text.lstrip().startswith("<?xml")
    if kind == "grid":
        assert [row[0][0] for row in report.grids[0].cells] == ["0.25 … nothing"]
        assert report.grids[0].cells[0][1][1] == "different"
    with pytest.raises(vouch.errors.VouchError):
        draw(report, tmp_path / "plot.nonsense")


def test_networks_show_themselves_in_a_notebook() -> None:
    html = COMPARED._repr_html_()
    assert html.count("height:9px;background:#") == 8  # a track and a bar for each number of both networks
    assert "<b>1</b>" in html  # each decides for another class, and both are bold
    assert "<th style='text-align:left'>verdict</th><td style='text-align:left'>different</td>" in html
    square = replace(NETWORK, counterexample=ViolatingInput(np.arange(16.0), np.array([1.0, np.nan])))
    assert square._repr_html_().count("<rect") == 16
    assert "rgb(255,255,255)" in square._repr_html_()
    assert "<rect" not in NETWORK._repr_html_()
    moved = replace(square, question={"original": [0.0] * 16})
    assert moved._repr_html_().count("<rect") == 48  # original, counterexample, difference
    assert "aria-label='difference'" in moved._repr_html_()
