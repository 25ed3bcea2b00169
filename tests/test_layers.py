"""The layers stay apart, and the command line starts without the heavy packages."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from vouch.c.flow.components import components

SOURCE = Path(__file__).resolve().parent.parent / "src" / "vouch"
ENGINES = ("c", "smt", "bmc", "numeric", "modular", "nn", "equiv")
FORBIDDEN = ("vouch.cli", "vouch.run", "vouch.report", "vouch.api", "vouch.deciding")
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


def module_name(path: Path) -> str:
    return ".".join(("vouch", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


def statements(node: ast.AST, lazy: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports that run when a module is loaded and, with `lazy`, those that run with its functions; not those
    for the type checker alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        elif lazy or not isinstance(child, ast.FunctionDef):
            yield from statements(child, lazy)


@cache
def graph(lazy: bool) -> dict[str, list[str]]:
    """Which module imports which. `from a import b` imports the module a.b where there is one, else a."""
    files = {module_name(path): path for path in SOURCE.rglob("*.py")}
    found: dict[str, list[str]] = {}
    for name, path in files.items():
        wanted: set[str] = set()
        for node in statements(ast.parse(path.read_text(encoding="utf-8")), lazy):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            else:
                assert not node.level, f"{name}: imports are absolute"
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                wanted |= {part if part in files else str(node.module) for part in inner}
        found[name] = sorted(other for other in wanted if other in files and other != name)
    return found


@pytest.mark.parametrize("lazy", [False, True])
def test_the_import_graph_has_no_cycles(lazy: bool) -> None:
    imports = graph(lazy)
    assert [members for members in components(imports, imports) if len(members) > 1] == []


def test_the_import_graph_sees_what_it_must() -> None:
    assert "vouch.bmc.verify" in graph(True)["vouch.deciding"]
    assert "vouch.bmc.verify" not in graph(False)["vouch.deciding"]
    assert "vouch.bmc.access" in graph(False)["vouch.bmc.library"]


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; from vouch.cli.main import run; run(['check', '--help']);"
        f"print('HEAVY', [m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("HEAVY []")


def test_a_small_file_loads_no_arrays(tmp_path: Path) -> None:
    """A violation that is found and replayed: numbers are for code that computes with many."""
    (tmp_path / "a.c").write_text("int f(int x)\n{\n    return 10 / (x - 3);\n}\n")
    program = (
        "import sys; from vouch.api import check; result = check('a.c', jobs=1);"
        "print('HEAVY', result.exit_code(), [m for m in ('numpy', 'scipy') if m in sys.modules])"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("HEAVY 1 []")
