"""`--output-format junit`: one test case for each question, one suite for each file."""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree

from vouch.printable import leading, visible
from vouch.report.item import Item
from vouch.report.model import Report, by_place
from vouch.report.text import TextStyle, explanation, inputs
from vouch.verdict import PROVED, VIOLATED


def render(report: Report, style: TextStyle) -> str:
    root = ElementTree.Element("testsuites", name="vouch", time=f"{report.seconds:.3f}")
    for file, group in groupby(by_place(report.items), key=lambda r: r.file):
        items = list(group)
        suite = ElementTree.SubElement(root, "testsuite", name=visible(file), tests=str(len(items)))
        kinds = [_case(suite, item) for item in items]
        suite.set("failures", str(kinds.count("failure")))
        suite.set("skipped", str(kinds.count("skipped")))
        suite.set("errors", "0")
    if report.incomplete:
        suite = ElementTree.SubElement(root, "testsuite", name="vouch", tests="1", skipped="1")
        case = ElementTree.SubElement(suite, "testcase", classname="vouch", name="the whole run")
        ElementTree.SubElement(case, "skipped", message=visible(report.incomplete))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _case(suite: ElementTree.Element, item: Item) -> str | None:
    """Add the case; undecided and suppressed checks are skipped tests, with the reason."""
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=visible(item.function),
        name=visible(item.id),
        file=visible(item.file),
        line=str(item.line),
        time=f"{item.seconds:.3f}",
    )
    text = f"{item.category}: {visible(item.message)}"
    if item.suppressed is not None:
        ElementTree.SubElement(case, "skipped", message=f"suppressed: {visible(item.suppressed)}")
        return "skipped"
    if item.verdict in PROVED:
        return None
    if item.verdict in VIOLATED:
        failure = ElementTree.SubElement(case, "failure", message=text, type=str(item.category))
        steps = [f"{leading(s.file)}:{s.line}: {visible(s.what)}" for s in item.trace]
        failure.text = "\n".join([*([f"inputs: {inputs(item)}"] if item.inputs else []), *steps])
        return "failure"
    ElementTree.SubElement(case, "skipped", message=f"{item.verdict}: {text} ({explanation(item)})")
    return "skipped"
