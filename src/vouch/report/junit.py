"""`--output-format junit`: one test case for each check, one suite for each file."""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree

from vouch.printable import leading, visible
from vouch.report.text import Style, by_place, explanation, inputs
from vouch.result import CheckResult, RunResult
from vouch.verdict import Verdict


def render(result: RunResult, style: Style) -> str:
    root = ElementTree.Element("testsuites", name="vouch", time=f"{result.seconds:.3f}")
    for file, group in groupby(by_place(result.checks), key=lambda r: r.check.location.file):
        items = list(group)
        suite = ElementTree.SubElement(root, "testsuite", name=visible(file), tests=str(len(items)))
        kinds = [_case(suite, item) for item in items]
        suite.set("failures", str(kinds.count("failure")))
        suite.set("skipped", str(kinds.count("skipped")))
        suite.set("errors", "0")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _case(suite: ElementTree.Element, item: CheckResult) -> str | None:
    """Add the case; undecided and suppressed checks are skipped tests, with the reason."""
    check = item.check
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=visible(check.function),
        name=visible(check.id),
        file=visible(check.location.file),
        line=str(check.location.line),
        time=f"{item.seconds:.3f}",
    )
    text = f"{check.category}: {visible(check.message)}"
    if check.suppressed is not None:
        ElementTree.SubElement(case, "skipped", message=f"suppressed: {visible(check.suppressed)}")
        return "skipped"
    if item.verdict is Verdict.SAFE:
        return None
    if item.verdict is Verdict.UNSAFE:
        failure = ElementTree.SubElement(case, "failure", message=text, type=str(check.category))
        steps = [f"{leading(s.file)}:{s.line}: {visible(s.what)}" for s in item.trace]
        failure.text = "\n".join([*([f"inputs: {inputs(item)}"] if item.inputs else []), *steps])
        return "failure"
    ElementTree.SubElement(case, "skipped", message=f"{item.verdict}: {text} ({explanation(item)})")
    return "skipped"
