"""Source lines as runs of coloured text. Pages put the text into elements, so nothing has to be escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Run = list[str]  # [class, text]
_TAB = 4
_LONGEST = 2000  # characters of a line that are shown
# Longer files are shown plain: a lexer takes about 20 µs a line.
_MOST = 400_000

# Classes of pygments that a page tells apart, most telling first.
_CLASSES = (
    ("Comment.Preproc", "p"),
    ("Comment", "c"),
    ("Keyword.Type", "t"),
    ("Keyword", "k"),
    ("Literal.String", "s"),
    ("Literal.Number", "n"),
    ("Name.Function", "f"),
)


def highlighted(file: str, lines: Sequence[str]) -> list[list[Run]]:
    """One list of runs for each line. A run without a class is plain text."""
    shown = [_clean(line) for line in lines]
    lexer = _lexer(file)
    if lexer is None or len(shown) > _MOST:
        return [[["", line]] if line else [] for line in shown]
    result: list[list[Run]] = [[]]
    for kind, text in lexer.get_tokens("\n".join(shown)):
        name = _class(str(kind).removeprefix("Token."))
        for number, part in enumerate(text.split("\n")):
            if number:
                result.append([])
            if part:
                _add(result[-1], name, part)
    # The lexer ends the text with a line break where there was none.
    result += [[] for _ in range(len(shown) - len(result))]
    return result[: len(shown)]


def _add(line: list[Run], name: str, text: str) -> None:
    if line and line[-1][0] == name:
        line[-1][1] += text
    else:
        line.append([name, text])


def _clean(line: str) -> str:
    text = "".join(_expanded(line[:_LONGEST]))
    return text + (" …" if len(line) > _LONGEST else "")


def _expanded(line: str) -> Iterator[str]:
    column = 0
    for character in line:
        if character == "\t":
            width = _TAB - column % _TAB
            yield " " * width
            column += width
        else:
            yield character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"
            column += 1


def _class(kind: str) -> str:
    return next((short for name, short in _CLASSES if kind.startswith(name)), "")


def _lexer(file: str) -> Any:
    from pygments.lexers import CLexer, CppLexer, CudaLexer, LlvmLexer

    known = {".cpp": CppLexer, ".cc": CppLexer, ".hpp": CppLexer, ".cu": CudaLexer, ".ll": LlvmLexer}
    suffix = file[file.rfind(".") :] if "." in file else ""
    if suffix == ".bc":
        return None
    return known.get(suffix, CLexer)(stripnl=False, stripall=False, ensurenl=False)
