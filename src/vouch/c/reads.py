"""Which files a compilation may read.

`#include` and `#embed` of hostile code can name any file of the user's, and what they read becomes values,
which reports show. So the compiler lists what it read, and IR that rests on anything but sources, headers and
files of the project is not used. The list is that of `-MD`, which names embedded files too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

# Names of headers and sources: others' are read from anywhere, as compilers do.
_SUFFIXES = frozenset(
    (
        ".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".cuh", ".inc", ".inl", ".ipp", ".tcc", ".tpp",
        ".txx", ".def", ".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cu", ".i", ".ii", ".S",
    )
)
# Where software is installed, with headers that have no suffix; nobody keeps secrets there.
_INSTALLED = ("/usr/", "/opt/", "/lib/", "/nix/", "/Library/", "/Applications/")
_NAME = re.compile(r"(?:\\[ #]|[^\s])+")
TARGET = "vouch"  # of the rule that clang writes


class Reads:
    """Files below `roots` may be read, whatever they are; headers and sources anywhere."""

    def __init__(self, roots: Iterable[str]) -> None:
        self._roots = tuple(dict.fromkeys(os.path.join(os.path.realpath(root), "") for root in roots))

    def refused(self, rule: str, source: str) -> str | None:
        """The first file in clang's list (a rule of make) that `source` may not read; also what is no file at
        all: a name that cannot be told from its neighbours hides one."""
        return next((name for name in _files(rule, source) if not self._allows(name)), None)

    def _allows(self, name: str) -> bool:
        real = os.path.realpath(name)
        if real == os.devnull:
            return True
        if not os.path.isfile(real):
            return False
        known = os.path.splitext(real)[1] in _SUFFIXES or real.startswith(_INSTALLED)
        return known or real.startswith(self._roots)


def _files(rule: str, source: str) -> Iterator[str]:
    head, _, rest = rule.partition(":")
    if head != TARGET:
        yield rule[:80]
        return
    rest = rest.lstrip(" \\\n")
    # The source comes first, with whatever its name is made of.
    rest = rest.removeprefix(source.replace("$", "$$").replace(" ", "\\ ").replace("#", "\\#"))
    for match in _NAME.finditer(rest.replace("\\\n", " ")):
        yield match.group().replace("\\ ", " ").replace("\\#", "#").replace("$$", "$")


class Listed:
    """A nameless file for clang's list; `flags` make it write there."""

    def __init__(self) -> None:
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("vouch")
        else:
            import tempfile

            descriptor, name = tempfile.mkstemp()
            os.unlink(name)
        self._file = os.fdopen(descriptor, "w+b")

    @property
    def descriptor(self) -> int:
        return self._file.fileno()

    @property
    def flags(self) -> list[str]:
        # As -MD, which the driver leaves out for preprocessed files, although they can include others.
        words = ("-dependency-file", f"/dev/fd/{self.descriptor}", "-MT", TARGET, "-sys-header-deps")
        return [part for word in words for part in ("-Xclang", word)]

    def read(self) -> str:
        self._file.seek(0)
        return self._file.read().decode("utf-8", "surrogateescape")

    def __enter__(self) -> Listed:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
