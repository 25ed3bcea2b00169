"""`code`: the generated C and its harness go through `vouch check`, like anybody's code.

The proved ranges of all values are assumed on the way, unless `no-invariants` is set. Options of `vouch
check` that `vouch nn` does not have (solver, slicing, simplification, balancing, …) come from `VOUCH_*`
variables or the file, as for any run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vouch.folder import Folder
from vouch.nn.fixed.codegen import MOST_TERMS, Style, header, source
from vouch.nn.fixed.cproperty import entry
from vouch.nn.fixed.project import invariants
from vouch.nn.result import Result
from vouch.settings import resolve
from vouch.verdict import PROVED, Verdict

if TYPE_CHECKING:
    from vouch.nn.fixed.decide import FixedQuestion

_ENTRY = "check_network"
# Terms up to which every one is written by itself: there are no loops to follow then.
_STRAIGHT = 4000


def code(question: FixedQuestion) -> Result:
    cases = [case for case in question.cases if case.points]
    network = question.network
    style = Style("straight") if network.work <= min(_STRAIGHT, MOST_TERMS) else Style()
    files = {
        "net.h": header(network),
        "net.c": source(network, style, invariants(network, cases)),
        "harness.c": entry(network, cases, _ENTRY),
    }
    with Folder("vouch-nn-") as folder:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="ascii")
        checked = _checked([str(folder / name) for name in ("harness.c", "net.c")], question)
    return _judged(question, checked)


def _checked(paths: list[str], question: FixedQuestion) -> Any:
    # Through the public door: the C flow stands above the engines, which do not import it.
    import vouch

    limit = None if question.clock.endless else max(0.1, question.clock.left)
    options: dict[str, Any] = {"entry": [_ENTRY], "timeout": limit}
    if not resolve("check", {}).no_invariants:
        options["define"] = ["NET_ASSUME_RANGES"]
    if limit is not None:
        options["check_timeout"] = limit
    # The only check is in the entry point: looking at functions alone would not help it.
    options |= {"strategy": "global", "checks": ["assertion"], "unwind": 4096}
    return vouch.check(paths, jobs=question.settings.jobs, **options)


def _judged(question: FixedQuestion, checked: Any) -> Result:
    """The verdict of the assertions; a violation is one only if the inputs that come with it are."""
    asserted = [one for one in checked.checks if one.check.function == _ENTRY]
    for one in asserted:
        if one.verdict is Verdict.UNSAFE:
            given = [int(one.inputs.get(f"x{i}", 0)) for i in range(question.network.inputs)]
            return question.violation("code", np.array(given, dtype=np.int64))
    if asserted and all(one.verdict in PROVED for one in asserted):
        return question.made(Verdict.SAFE, "code", progress=1.0)
    reasons = [one.reason or one.verdict.value for one in asserted if one.verdict not in PROVED]
    if question.clock.over:
        return question.made(Verdict.TIMEOUT, "code", reason="the time is up")
    return question.made(Verdict.UNKNOWN, "code", reason=f"vouch check: {(reasons or ['no assertion'])[0]}")
