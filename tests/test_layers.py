"""The layers stay apart, and the command line starts without the heavy packages."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "vouch"
ENGINES = ("c", "smt", "bmc", "numeric", "modular", "nn", "equiv")
FORBIDDEN = ("vouch.cli", "vouch.run", "vouch.report", "vouch.api")
HEAVY = ("numpy", "scipy", "torch", "onnx", "onnxruntime", "llvmlite", "bitwuzla", "z3", "jinja2", "pygments")


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    package = ["vouch", *path.relative_to(SOURCE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("package", ENGINES)
def test_engines_do_not_reach_up(package: str) -> None:
    for path in (SOURCE / package).rglob("*.py"):
        bad = {n for n in imported(path) if any(n == f or n.startswith(f + ".") for f in FORBIDDEN)}
        assert not bad, f"{path.relative_to(SOURCE)} imports {sorted(bad)}"


def test_the_reader_of_imports_sees_what_it_must() -> None:
    assert "vouch.report" in imported(SOURCE / "cli" / "check.py")


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; from vouch.cli.main import run; run(['check', '--help']);"
        f"print('HEAVY', [m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("HEAVY []")
