"""`--html DIR`: the report as a static site that opens from the file system, without a network.

Pages are made from the templates beside this file. Everything of the analysed project reaches them as data,
in scripts (`site_data`), and is put into the page as text; a content security policy forbids the rest.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vouch import __version__
from vouch.errors import VouchError
from vouch.report.model import Report
from vouch.report.site_data import SiteData

TEMPLATES = Path(__file__).parent / "templates"
PAGES = ("index.html", "check.html", "source.html")
ASSETS = ("style.css", "theme.js", "common.js", "code.js", "index.js", "check.js", "network.js", "source.js")
# A folder with this file was written by vouch, and may be written anew.
MARK = ".vouch-report"

# Scripts and styles of the site alone, nothing inline, no frames, no forms; text never becomes markup.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types vouch"
)


def pages(title: str, *, live: bool = False) -> Iterator[tuple[str, str]]:
    """(name, text) of the pages. `live`: they ask the server for news."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    policy = POLICY + ("; connect-src 'self'" if live else "")
    shared: dict[str, Any] = {"title": title, "version": __version__, "policy": policy, "live": live}
    for name in PAGES:
        yield name, environment.get_template(f"{name}.j2").render(**shared)


def files(reports: Sequence[Report], *, live: bool = False) -> Iterator[tuple[str, str]]:
    """(path, text) of everything that the site consists of."""
    data = SiteData(reports)
    yield from pages(data.title, live=live)
    for name in ASSETS:
        yield name, (TEMPLATES / name).read_text(encoding="utf-8")
    for name, text in data.scripts():
        yield f"data/{name}.js", text


def refused(folder: str) -> str | None:
    """Why a site cannot be written there, to be told before any work is done."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        return "it is a file"
    if not path.absolute().parent.is_dir():
        return f"there is no folder {path.absolute().parent}"
    if path.is_dir() and not (path / MARK).exists() and any(path.iterdir()):
        return "it holds other files; give an empty folder or a new one"
    return None


def write(reports: Sequence[Report], folder: str | os.PathLike[str]) -> Path:
    """Write the site and return its first page. The folder is replaced in one piece: nothing half-written is
    left, and nothing of an earlier report."""
    target = Path(folder)
    if why := refused(str(target)):
        raise VouchError(f"option --html: {target}: {why}")
    made = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.absolute().parent))
    try:
        (made / "data").mkdir()
        for name, text in files(reports):
            (made / name).write_text(text, encoding="utf-8")
        (made / MARK).write_text(f"written by vouch {__version__}\n", encoding="utf-8")
        made.chmod(0o755)
        _replace(made, target)
    except OSError as error:
        raise VouchError(f"option --html: {target}: {error.strerror}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return target / "index.html"


def _replace(made: Path, target: Path) -> None:
    if not target.exists():
        made.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}-old-", dir=target.absolute().parent))
    try:
        target.rename(old / "site")
        made.rename(target)
    finally:
        shutil.rmtree(old, ignore_errors=True)
