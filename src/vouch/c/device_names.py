"""Code of the host that names a variable of the device, which has its own copy: `unknown`, with the name.

Comes in: linked IR in which the CUDA headers marked what is `__device__`, `__constant__` or `__managed__` by
annotations. Goes out: the text without them, and in functions of the host a call of `__vouch_unsupported`
in front of each instruction that names such a variable; in functions of both sides a call that asks who runs
(`__vouch_cuda_named`, models/kernel.c). To hand one to a function of the headers
(`cudaMemcpyToSymbol`) is what they are for; managed variables belong to both sides, and so does a constant of
one number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

_NAME = r'(?:"[^"]*"|[\w.$-]+)'
_LIST = re.compile(r"^@llvm\.global\.annotations = .*\n", re.MULTILINE)
_ENTRY = re.compile(rf"\{{ ptr @({_NAME}), ptr @({_NAME}),")
_WORD = re.compile(rf'^@({_NAME}) = .*constant \[\d+ x i8\] c"vouch_(device|managed|host)\\00"', re.MULTILINE)
_GLOBAL = re.compile(rf"^@({_NAME}) = ([^\n]*)$", re.MULTILINE)
_NUMBER = re.compile(r"(?:^|.* )constant (?:i\d+|float|double|half) ")
_NAMED = re.compile(rf"@({_NAME})")
_CALLEE = re.compile(rf"\b(?:call|invoke) [^@\n]*@({_NAME})\(")
_HOST = "__vouch_unsupported"
_EITHER = "__vouch_cuda_named"  # asks who runs
_DEBUG = re.compile(r", !dbg !\d+")


def guarded(
    text: str,
    functions: Mapping[str, str],
    headers: Collection[str],
    kernels: Collection[str],
    closure: Callable[[Mapping[str, str], Collection[str], list[str]], Collection[str]],
) -> tuple[str, dict[str, str]]:
    """The text and the functions with host code guarded. `closure` gives functions and what they call."""
    marked = _marked(text)
    if not marked:
        return text, dict(functions)
    text = _LIST.sub("", text)
    variables = _variables(text, marked)
    start = [name for name in functions if name in kernels or "device" in marked.get(name, ())]
    device = set(closure(functions, headers, start))
    own = {name for name in start if name in kernels or "host" not in marked[name]}  # of the device alone
    changed = {
        name: _function(body, variables, headers, _EITHER if name in device else _HOST)
        for name, body in functions.items()
        if variables and name not in own and name not in headers
    }
    changed = {name: body for name, body in changed.items() if body != functions[name]}
    for name, body in changed.items():
        text = text.replace(functions[name], body)
    for guard, parameters in ((_HOST, ""), (_EITHER, "ptr")):
        used = any(f"@{guard}(" in body for body in changed.values())
        if used and f"@{guard}(" not in _declared(text):
            text += f"declare void @{guard}({parameters})\n"
    return text, {**functions, **changed}


def _declared(text: str) -> str:
    return "\n".join(re.findall(r"^declare [^\n]*$", text, re.MULTILINE))


def _marked(text: str) -> dict[str, set[str]]:
    """What the headers said of each function and variable."""
    found = _LIST.search(text)
    words = {match[1]: match[2] for match in _WORD.finditer(text)} if found else {}
    marked: dict[str, set[str]] = {}
    for name, word in _ENTRY.findall(found.group()) if found else ():
        if word in words:
            marked.setdefault(name, set()).add(words[word])
    return marked


def _variables(text: str, marked: Mapping[str, set[str]]) -> set[str]:
    """Variables of the device, and those of the host that begin with the address of one."""
    globals_ = {match[1]: match[2] for match in _GLOBAL.finditer(text)}
    found = {
        name
        for name, words in marked.items()
        if name in globals_ and words == {"device"} and not _NUMBER.match(globals_[name])
    }
    others = {name: line for name, line in globals_.items() if name not in marked and found}
    while more := {n for n, line in others.items() if n not in found and found & {*_NAMED.findall(line)}}:
        found |= more
    return found


def _function(body: str, variables: set[str], headers: Collection[str], guard: str) -> str:
    out: list[str] = []
    waiting: list[str] = []  # behind the phis of a block
    for line in body.split("\n"):
        named = [name for name in _NAMED.findall(line) if name in variables]
        called = _CALLEE.search(line)
        if named and not line.lstrip().startswith("#dbg") and not (called and called[1] in headers):
            debug = _DEBUG.search(line)
            place = debug.group() if debug is not None else ""
            waiting.append(f"  call void @{guard}(ptr @{named[0]}){place}")
        if " = phi " not in line:
            out += waiting
            waiting = []
        out.append(line)
    return "\n".join(out)
