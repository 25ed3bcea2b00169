"""What the pages for developers name is there: files, and functions, classes and methods in them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "vouch"
PAGES = ["docs/architecture.md", "docs/background.md"]
_NAMED = re.compile(r"`((?:[\w]+/)*[\w]+\.py)`(?: `([A-Z_a-z][\w.]*)`)?")
_PATH = re.compile(r"`((?:tests|docs|examples)/[\w/.]+)`|\]\(([\w./-]+)\)")


# In recipes: a file, a colon, and what is to be added to which of its tables.
_TABLE = re.compile(r"`((?:src/|tests/)?[\w/]+\.py)`: ((?:(?!`[\w/]+\.py`:|\n\n|\n\d\. ).)*)", re.DOTALL)
_CONSTANT = re.compile(r"`(_?[A-Z][A-Z_]+)`")


def names_in(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
            parts = node.body if isinstance(node, ast.ClassDef) else []
            found |= {f"{node.name}.{part.name}" for part in parts if isinstance(part, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("page", PAGES)
def test_what_is_named_is_there(page: str) -> None:
    text = (ROOT / page).read_text()
    named = [(path, name) for path, name in _NAMED.findall(text) if not path.startswith("tests/")]
    assert len(named) > 20
    for path, name in named:
        file = SOURCE / path
        if "NAME" in path or "FAMILY" in path or path == "leak.py":
            continue
        assert file.is_file(), path
        assert not name or name in names_in(file), f"{path}: {name}"


def test_tables_of_the_recipes_are_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    asked = 0
    for path, said in _TABLE.findall(text[text.index("## Recipes") :]):
        file = ROOT / path if path.startswith("tests/") else SOURCE / path
        for name in _CONSTANT.findall(said) if "NAME" not in path and "FAMILY" not in path else ():
            assert re.search(rf"^{name}\b", file.read_text(), re.MULTILINE), f"{path}: {name}"
            asked += 1
    assert asked >= 6


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md", "README.md"])
def test_files_and_links_lead_somewhere(page: str) -> None:
    home = (ROOT / page).parent
    for path, link in _PATH.findall((ROOT / page).read_text()):
        if link and not link.startswith("http"):
            assert (home / link).exists(), link
        elif path and not any(mark in path for mark in ("NAME", "GROUP", "…")):
            assert (ROOT / path).exists(), path


def test_works_are_named_in_one_place() -> None:
    """Comments name author and year; titles stand in docs/background.md."""
    known = (ROOT / "docs" / "background.md").read_text()
    for path in (*SOURCE.rglob("*.py"), *(ROOT / "docs").glob("*.md"), *(ROOT / "bench").glob("*.py")):
        text = path.read_text()
        assert "Thesis" not in text, path
        for author, year in re.findall(r"(Kleine Büning|Sena et al\.) (\d{4}[ab]?)", text):
            assert f"{author} {year}" in known, path
