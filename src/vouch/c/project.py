"""Which files make up the program, and which folders their headers are in.

Nothing is executed: no build script, no configure, no command of a compilation database.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from vouch.c.beside import in_side_folder
from vouch.c.clang import SOURCES, Unit, as_word
from vouch.c.database import DATABASE, read_database
from vouch.c.options import FrontOptions
from vouch.configuration import MARKS
from vouch.errors import VouchError
from vouch.files import read_bytes

IR_FILES = frozenset((".ll", ".bc"))
_HEADERS = frozenset((".h", ".hh", ".hpp", ".hxx", ".inc", ".def", ".H", ".cuh"))
# In a folder, preprocessed files and IR are products of the sources beside them.
_IN_FOLDERS = SOURCES - {".i", ".ii"}
_SKIPPED = frozenset(("CMakeFiles", "node_modules", "__pycache__"))
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*(?:include|import)[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
# Headers may be in these folders beside the one given, or beside one above it.
_NEARBY = ("include", "inc")
_LIMIT = 20_000  # files looked at for headers


def find_units(paths: Sequence[str], options: FrontOptions, system: Iterable[Path] = ()) -> list[Unit]:
    """The translation units that `paths` (and the compilation database) name, in a stable order."""
    if options.database is not None:
        units = _kept(read_database(options.database, SOURCES), options)
        units = _within(units, paths)
        named = {os.path.abspath(unit.path) for unit in units}
        files = [p for p in _files(paths, options.exclude) if os.path.abspath(p) not in named]
        if not units and not files:
            raise VouchError(f"{options.database}: the compilation database names no C source")
        # Folders beside a database add nothing that the database leaves out on purpose.
        extra = [f for f in files if f in paths]
        return [*units, *_plain(extra, paths, options, system)]
    listed = _files(paths, options.exclude)
    files = [file for file in listed if file in paths or not is_excluded(file, options.exclude)]
    files = without_tests(files, paths)
    if not files:
        where = ", ".join(paths) or "."
        raise VouchError(f"no C source in {where}{' that is not excluded' if options.exclude else ''}")
    known = _discovered(paths)
    units = _plain([file for file in files if os.path.realpath(file) not in known], paths, options, system)
    plain = {unit.path: unit for unit in units}
    return [plain.get(file) or _named(file, known[os.path.realpath(file)]) for file in files]


def without_tests(files: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Without what lies in folders for tests and examples, unless nothing else is there."""
    folders = [path for path in paths if os.path.isdir(path)]
    aside = {file for folder in folders for file in files if _is_aside(file, folder)} - set(paths)
    return [file for file in files if file not in aside] or list(files)


def _is_aside(file: str, folder: str) -> bool:
    return PurePath(file).is_relative_to(folder) and in_side_folder(file, folder)


def tests_beside(paths: Sequence[str], units: Iterable[Unit], options: FrontOptions) -> list[str]:
    """The tests and examples in the given folders that are no units."""
    if options.database is not None:
        return []
    taken = {unit.path for unit in units}
    listed = _files(paths, options.exclude)
    return [file for file in listed if file not in taken and not is_excluded(file, options.exclude)]


def _named(file: str, unit: Unit) -> Unit:
    """The unit, under the name that was given."""
    return Unit(file, unit.flags, unit.ignored)


def databases(paths: Sequence[str]) -> list[str]:
    """The folder with the nearest compilation database of each path: its own or one above in its repository,
    or the `build` in them."""
    found: dict[str, None] = {}
    for path in paths:
        folder = _folder_of(path)
        places = (p for base in (folder, *_above(folder)) for p in (base, os.path.join(base, "build")))
        nearest = next((place for place in places if os.path.isfile(os.path.join(place, DATABASE))), None)
        if nearest is not None:
            found[nearest] = None
    return list(found)


def _discovered(paths: Sequence[str]) -> dict[str, Unit]:
    """Units of the compilation databases of the given paths, by real path: the flags that files are built
    with. Files that a database leaves out are found without it."""
    found: dict[str, Unit] = {}
    for place in databases(paths):
        for unit in read_database(place, SOURCES):
            found.setdefault(os.path.realpath(unit.path), unit)
    return found


def is_excluded(file: str, patterns: Sequence[str]) -> bool:
    """A pattern names a file or a folder, by its name alone or with folders in front (`tests/*`)."""
    parts = Path(os.path.normpath(file)).parts
    ends = ["/".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)]
    return any(fnmatchcase(end, pattern.rstrip("/")) for pattern in patterns for end in ends)


def _kept(units: list[Unit], options: FrontOptions) -> list[Unit]:
    return [unit for unit in units if not is_excluded(unit.path, options.exclude)]


def _within(units: list[Unit], paths: Sequence[str]) -> list[Unit]:
    """Units of a database below the given paths; all without any."""
    if not paths:
        return units
    roots = [os.path.abspath(path) for path in paths]
    return [
        unit
        for unit in units
        if any(
            os.path.abspath(unit.path) == r or os.path.abspath(unit.path).startswith(r + os.sep)
            for r in roots
        )
    ]


def _files(paths: Sequence[str], exclude: Sequence[str]) -> list[str]:
    """Files as given, folders walked."""
    found: dict[str, None] = {}
    for path in paths:
        if os.path.isdir(path):
            found.update(dict.fromkeys(sources_in(path, exclude)))
        elif not os.path.exists(path):
            raise VouchError(f"{path}: no such file or folder")
        elif os.path.splitext(path)[1] not in SOURCES | IR_FILES:
            raise VouchError(f"{path}: not a C source, LLVM IR or folder")
        else:
            found[path] = None
    return list(found)


def sources_in(folder: str, exclude: Sequence[str]) -> list[str]:
    """C sources below a folder; IR files where there are none."""

    def refuse(error: OSError) -> None:
        """What cannot be looked at must not look as if it were proved."""
        if not is_excluded(str(error.filename), exclude):
            raise VouchError(f"{error.filename}: {error.strerror} (--exclude leaves it out)")

    files = list(_walk(folder, refuse))
    for kinds in (_IN_FOLDERS, SOURCES, IR_FILES):
        found = [f for f in files if os.path.splitext(f)[1] in kinds]
        if found:
            return found
    return []


def _walk(folder: str, refuse: Callable[[OSError], None] | None = None) -> Iterable[str]:
    for base, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED)
        for name in sorted(names):
            path = os.path.join(base, name)
            yield path[2:] if path.startswith("./") and folder == "." else path


# ---------------------------------------------------------------- what reports may quote


def readable(paths: Sequence[str | os.PathLike[str]], options: FrontOptions) -> list[str]:
    """Folders below which source lines may be read: those the user gave, and where the user is. Not a home
    folder as such, where other things than sources lie; nor what the program or its build files name."""
    roots = [_folder_of(os.fspath(path)) for path in paths]
    nearby = [folder for root in roots for folder in header_folders(root)]
    home = os.path.join(os.path.realpath(os.path.expanduser("~")), "")
    here = os.path.join(os.path.realpath(os.curdir), "")
    if not home.startswith(here):
        roots.append(here)
    return [*roots, *nearby, *options.quoted]


def projects(paths: Sequence[str | os.PathLike[str]], options: FrontOptions) -> list[str]:
    """Folders below which a compilation may read whatever it wants: as above, and the repositories that the
    paths are in."""
    given = (repository(_folder_of(os.fspath(path))) for path in paths)
    return [*readable(paths, options), *(root for root in given if root is not None)]


def header_folders(folder: str) -> list[str]:
    """`include` and `inc` beside a folder and, within its repository, beside those above it. A link that
    leads out of what is searched is nobody's header folder."""
    root = repository(folder)
    found = []
    for above in _above(folder) if root else [_parent(folder)]:
        inside = os.path.join(root or os.path.realpath(above), "")
        places = (os.path.join(above, name) for name in _NEARBY)
        found += [p for p in places if os.path.isdir(p) and os.path.realpath(p).startswith(inside)]
    return found


def _folder_of(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path) or "."


def _parent(folder: str) -> str:
    return os.path.normpath(os.path.join(folder, os.pardir))


def _above(folder: str) -> list[str]:
    """The folders above within the repository, nearest first; none outside of one."""
    root, found = repository(folder), []
    while root is not None and os.path.realpath(folder) != root:
        folder = _parent(folder)
        if not os.path.join(os.path.realpath(folder), "").startswith(os.path.join(root, "")):
            break
        found.append(folder)
    return found


def repository(folder: str) -> str | None:
    """The folder above (or this one) that version control begins in; never a home folder."""
    folder, home = os.path.realpath(folder), os.path.realpath(os.path.expanduser("~"))
    while not any(os.path.exists(os.path.join(folder, mark)) for mark in MARKS):
        above = os.path.dirname(folder)
        if folder in (home, above):
            return None
        folder = above
    return None if folder == home else folder


# ---------------------------------------------------------------- headers


def _plain(
    files: Sequence[str], paths: Sequence[str], options: FrontOptions, system: Iterable[Path]
) -> list[Unit]:
    """Units without a database: the folders of their headers are found by looking."""
    finder = _Finder(paths, options.includes, system)
    units = []
    for file in files:
        source = os.path.splitext(file)[1] in SOURCES
        units.append(Unit(file, finder.flags(file) if source else ()))
    return units


class _Finder:
    """Finds the folders that includes are relative to."""

    def __init__(self, paths: Sequence[str], given: Sequence[str], system: Iterable[Path]) -> None:
        self._paths = paths
        self._given = list(given)
        self._system = [str(folder) for folder in system]
        self._index: dict[str, list[str]] | None = None
        self._includes: dict[str, list[tuple[bool, str]]] = {}

    def flags(self, file: str) -> tuple[str, ...]:
        """`-I` flags for the folders that `file` and the headers it includes need."""
        folders: dict[str, None] = {}
        seen = {file}
        todo = [file]
        while todo:
            current = todo.pop()
            for quoted, name in self._included(current):
                header = self._resolve(current, quoted, name, folders)
                if header is not None and header not in seen:
                    seen.add(header)
                    todo.append(header)
        return tuple(f"-I{as_word(folder)}" for folder in folders)

    def _resolve(self, current: str, quoted: bool, name: str, folders: dict[str, None]) -> str | None:
        """The project's header that is meant; a folder for it is added where it takes one. Headers of the
        system and what cannot be found are left to clang."""
        beside = os.path.normpath(os.path.join(os.path.dirname(current), name))
        if quoted and os.path.isfile(beside):
            return beside
        for folder in (*self._given, *folders):
            if os.path.isfile(os.path.join(folder, name)):
                return os.path.join(folder, name)
        if any(os.path.isfile(os.path.join(folder, name)) for folder in self._system):
            return None
        found = self._search(current, name)
        if found is not None:
            # name may begin with "../": its own folder is what the include is relative to.
            folders[_without_suffix(found, name)] = None
        return found

    def _search(self, current: str, name: str) -> str | None:
        """The header nearest to the including file whose path ends with `name`."""
        parts = Path(os.path.normpath(name)).parts
        if ".." in parts or os.path.isabs(name):
            return None
        matches = [
            header
            for header in self._headers().get(parts[-1], [])
            if Path(header).parts[-len(parts) :] == parts
        ]
        here = Path(os.path.abspath(current)).parent.parts
        return min(matches, key=lambda header: (_distance(here, header), header), default=None)

    def _headers(self) -> dict[str, list[str]]:
        """Headers of the project by name."""
        if self._index is None:
            self._index = {}
            seen = 0
            for root in self._roots():
                for path in _walk(root):
                    seen += 1
                    if os.path.splitext(path)[1] in _HEADERS | SOURCES:
                        known = self._index.setdefault(os.path.basename(path), [])
                        if path not in known:
                            known.append(path)
                    if seen > _LIMIT:
                        return self._index
        return self._index

    def _roots(self) -> list[str]:
        """Folders given, for files their own, and those beside them where headers usually are."""
        own = [_folder_of(path) for path in self._paths]
        nearby = (place for folder in own for place in header_folders(folder))
        return list(dict.fromkeys((*own, *nearby)))

    def _included(self, file: str) -> list[tuple[bool, str]]:
        known = self._includes.get(file)
        if known is None:
            try:
                content = read_bytes(file)
            except VouchError:
                content = b""
            known = [
                (mark == b'"', name.decode("utf-8", "surrogateescape"))
                for mark, name in _INCLUDE.findall(content)
            ]
            self._includes[file] = known
        return known


def _without_suffix(path: str, name: str) -> str:
    folder = Path(path).parents[len(Path(os.path.normpath(name)).parts) - 1]
    return str(folder)


def _distance(here: tuple[str, ...], header: str) -> int:
    there = Path(os.path.abspath(header)).parent.parts
    common = 0
    for a, b in zip(here, there, strict=False):
        if a != b:
            break
        common += 1
    return len(here) + len(there) - 2 * common
