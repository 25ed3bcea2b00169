"""The table of known functions: complete for the models, and the only place with names of C functions."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import vouch
from vouch.bmc import library
from vouch.bmc.replay import stubs
from vouch.c import known
from vouch.c.clang import Clang, Unit
from vouch.c.library import FLAGS, FOLDER, split_model
from vouch.c.options import FrontOptions

SOURCES = Path(vouch.__file__).parent
# Files that name functions of their own, of LLVM's code generator, or of this machine's math library.
OWN = {"c/known.py", "bmc/replay/emit.py", "bmc/replay/module.py", "numeric/real.py"}
# Words that are C functions and keys of the engine, or parts of the names of LLVM's intrinsics, besides.
AMBIGUOUS = frozenset({row.by for row in known.TABLE.values() if row.place == "engine"}) | {
    *("abs", "ceil", "floor", "nearbyint", "rint", "round", "trunc", "select", "read"),
}


def is_own(name: str, stem: str) -> bool:
    """Whether a function is a helper within its model's file."""
    return name.startswith(f"__vouch_{stem}")


@pytest.fixture(scope="module")
def models() -> dict[str, set[str]]:
    clang = Clang(FrontOptions(flags=FLAGS))
    found: dict[str, set[str]] = {}
    for path in sorted(FOLDER.glob("*.c")):
        part = split_model(path.stem, clang.compile(Unit(str(path)), instrument=False), 0)
        found[path.stem] = {name for name in part.functions if not is_own(name, path.stem)}
    return found


def test_every_model_has_a_row_and_every_row_a_model(models: dict[str, set[str]]) -> None:
    for stem, names in models.items():
        rows = {row.name for row in known.TABLE.values() if (row.place, row.by) == ("model", stem)}
        assert names == {name for name in rows if not is_own(name, stem)}, stem
    assert {row.by for row in known.TABLE.values() if row.place == "model"} == models.keys()


def test_the_engine_has_every_key() -> None:
    keys = {row.by for row in known.TABLE.values() if row.place == "engine"}
    assert keys - {"resume"} <= library._BY_KEY.keys()  # resuming is left to what is outside
    assert library._BY_KEY.keys() - keys == {"nondet"}
    assert (stubs._BODIES.keys() | stubs._HEAP.keys()) <= keys


def test_contracts_have_one_letter_for_each_argument() -> None:
    for row in known.TABLE.values():
        if row.place == "outside":
            assert re.fullmatch(r"([sSrRwWtT]\d?|-)+", row.by), row
            letters = known.contract(row.name)
            counted = [number for _, number in letters if number is not None]
            assert all(number >= len(letters) or letters[number] == ("-", None) for number in counted), row


def test_no_other_module_lists_functions() -> None:
    """A set, list or dictionary of strings elsewhere that holds names of the table is a second table."""
    names = known.TABLE.keys() - AMBIGUOUS
    second: list[str] = []
    for path in sorted([*(SOURCES / "c").rglob("*.py"), *(SOURCES / "bmc").rglob("*.py")]):
        if str(path.relative_to(SOURCES)) in OWN:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Set, ast.List, ast.Tuple, ast.Dict)):
                items = node.keys if isinstance(node, ast.Dict) else node.elts
                held = {i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str)}
                if held & names:
                    second.append(f"{path}:{node.lineno}: {sorted(held & names)}")
    assert second == [], "\n".join(second)
