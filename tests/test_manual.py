"""The manual says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

from vouch.c.checks.base import OFF_BY_DEFAULT, Category
from vouch.manual import options_page, types_module
from vouch.settings import SECTIONS
from vouch.verdict import Exit

ROOT = Path(__file__).resolve().parent.parent


def test_options_page_is_up_to_date() -> None:
    """If this fails: python -m vouch.manual > docs/options.md"""
    assert (ROOT / "docs" / "options.md").read_text(encoding="utf-8") == options_page()


def test_types_of_settings_are_up_to_date() -> None:
    """If this fails: python -m vouch.manual types > src/vouch/option_types.py"""
    assert (ROOT / "src" / "vouch" / "option_types.py").read_text(encoding="utf-8") == types_module()


def test_manual_of_check_is_complete() -> None:
    text = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    for category in Category:
        row = next(line for line in text.splitlines() if line.startswith(f"| `{category}`"))
        assert ("off" in row.split("|")[2]) == (category in OFF_BY_DEFAULT), category
    for code in Exit:
        assert f"| `{int(code)}` |" in text
    for verdict in ("safe", "unsafe", "bound-safe", "cond-unsafe", "unknown"):
        assert f"`{verdict}`" in text


def test_flags_in_the_pages_exist() -> None:
    known = {flag for options in SECTIONS.values() for o in options for flag in o.spellings}
    text = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    used = set(re.findall(r"`(--[a-z-]+)", text))
    common = {"--json", "--timeout", "--jobs", "--quiet", "--verbose", "--help"}
    assert used <= known | common, used - known - common


def test_links_between_pages() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
