"""Function attributes, with references to groups resolved."""

from __future__ import annotations

import re

_GROUP = re.compile(r"^attributes (#\d+) = \{ ?(.*?) ?\}$", re.MULTILINE)
_WORD = re.compile(r'#\d+|"([^"]*)"(?:="([^"]*)")?|[a-z_]\w*(?:\((?:[^()]|\([^()]*\))*\)|=\d+)?')


class Attributes:
    """`resolve("#3 nounwind")` is the set of attributes it stands for: words as spelled, string attributes
    as `key=value` without quotes."""

    def __init__(self, text: str) -> None:
        self._groups = {name: self._words(body) for name, body in _GROUP.findall(text)}
        self._memo: dict[str, frozenset[str]] = {"": frozenset()}

    def resolve(self, text: str) -> frozenset[str]:
        known = self._memo.get(text)
        if known is None:
            found: set[str] = set()
            for word in self._words(text):
                found |= self._groups.get(word, frozenset()) if word[0] == "#" else {word}
            known = self._memo[text] = frozenset(found)
        return known

    @staticmethod
    def _words(text: str) -> frozenset[str]:
        words = set()
        for match in _WORD.finditer(text):
            if match[1] is not None:
                words.add(match[1] if match[2] is None else f"{match[1]}={match[2]}")
            elif match.group():
                words.add(match.group())
        return frozenset(words)
