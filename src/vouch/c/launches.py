"""Kernel launches and shared variables in preprocessed CUDA C++: written so that a C++ compiler takes them.

`k<<<grid, block>>>(…)` becomes `__vouch_launch(k, grid, block)(…)`, and `__shared__` a static variable of a
section of its own. Everything stays in its line.
"""

from __future__ import annotations

import re

from vouch.errors import VouchError

_TOKEN = re.compile(
    rb'(?P<raw>R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)")|(?P<text>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
    rb"|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<marker>^[ \t]*#[^\n]*)|(?P<open><<<)|(?P<close>>>>)"
    rb"|(?P<shared>\b__shared__\b)|(?P<number>\b\d[\w.']*)|(?P<name>[A-Za-z_]\w*)",
    re.MULTILINE | re.DOTALL,
)
# What is launched: a name, with its scopes and the arguments of a template.
_KERNEL = re.compile(
    rb"(?:::\s*)?[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*\s*(?:<[^<>;{}]*(?:<[^<>;{}]*>[^<>;{}]*)*>)?\s*$"
)
# `[…] __device__ (…)`, `__host__`: compilers take no attribute there, and who calls a lambda says what it is.
_MARK = rb'__attribute__\(\(annotate\("vouch_(?:device|host)"\)\)\)'
_LAMBDA = re.compile(rb"((?:[=(,{;?:]|\breturn)\s*\[[^\[\]]*\]\s*)((?:" + _MARK + rb"\s*)+)")
_SECTION = b'__attribute__((section("vouch_shared")))'


def rewritten(text: bytes, path: str) -> bytes:
    """The preprocessed text without CUDA's own syntax."""
    text = _LAMBDA.sub(lambda match: match[1] + b"\n" * match[2].count(b"\n"), text)
    pieces: list[bytes] = []
    done = 0
    inside = False
    before = b""  # the name in front
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "tag":
            kind = "raw"
        if kind == "open":
            head = text[done : match.start()]
            kernel = _KERNEL.search(head)
            if kernel is None or inside:
                raise VouchError(f"{path}: a kernel launch whose kernel is no plain name is not supported")
            pieces += [head[: kernel.start()], b"__vouch_launch(", kernel.group().strip(), b", "]
            done, inside = match.end(), True
        elif kind == "close" and inside:
            pieces += [text[done : match.start()], b")"]
            done, inside = match.end(), False
        elif kind == "shared":
            pieces += [
                text[done : match.start()],
                _SECTION if before in (b"extern", b"static") else b"static " + _SECTION,
            ]
            done = match.end()
        before = match.group() if kind == "name" else b""
    return b"".join((*pieces, text[done:]))
