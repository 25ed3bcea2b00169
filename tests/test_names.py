"""One class name for one thing: a name that a reader meets in two packages means the same in both."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "vouch"


def public_classes() -> dict[str, list[str]]:
    """Where classes are defined, by name. A name with an underscore belongs to its file and is met nowhere
    else."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    return found


def test_a_class_name_is_one_thing() -> None:
    twice = {name: places for name, places in public_classes().items() if len(places) > 1}
    assert twice == {}
