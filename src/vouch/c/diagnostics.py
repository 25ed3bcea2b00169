"""What a compiler says about sources that do not compile, without what it quotes of files elsewhere.

Code under test can include any file that the user can read, and the compiler would show it line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vouch.c.sources import Sources

# Where a diagnostic begins: whatever stands before this is the name of a file.
_PLACE = re.compile(r":(\d+):(\d+): (?:fatal error|error|warning|note): ")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_FRAME = re.compile(r"In file included from |\d+ (?:errors?|warnings?) ")
NOT_QUOTED = "not quoted: the file is in none of the folders given"


def quoted(text: str, sources: Sources) -> str:
    """The diagnostics, with only their places where they are about files that `sources` does not show."""
    return "".join(line + "\n" for line in _lines(text, sources))


def _lines(text: str, sources: Sources) -> Iterator[str]:
    shown = True
    for line in text.splitlines():
        plain = _COLOUR.sub("", line)
        places = list(_PLACE.finditer(plain))
        # A folder may be named like a diagnostic: every reading of the line has to name a file that is shown.
        if places:
            shown = all(sources.shows(plain[: place.start()]) for place in places)
            if not shown:
                yield f"{plain[: places[-1].end()]}{NOT_QUOTED}"
                continue
        if shown or _FRAME.match(plain):
            yield line
