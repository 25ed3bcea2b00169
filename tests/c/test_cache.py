"""What the compiler made is kept: for as long as nothing changes that it was made of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.c.projects import write

from vouch.c.cache import Cache, key_of
from vouch.c.clang import Clang
from vouch.c.frontend import FrontOptions, load


class Counter:
    """Counts the runs of clang by what they were for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.compiled: list[str] = []
        real = Clang._run

        def run(self_: Clang, command: list[str], *more: Any, **named: Any) -> object:
            if "-emit-llvm" in command:
                self.compiled.append(os.path.basename(command[command.index("-emit-llvm") + 3]))
            return real(self_, command, *more, **named)

        monkeypatch.setattr(Clang, "_run", run)


def test_cache_compiles_what_changed(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOUCH_CACHE_DIR", str(tmp_path / "cache"))
    write(
        {
            "a.c": '#include "h.h"\nint a(void) { return H; }',
            "b.c": "int b(void) { return 2; }",
            "h.h": "#define H 1\n",
        }
    )
    count = Counter(monkeypatch)
    first = load(["."])
    assert sorted(count.compiled) == ["a.c", "b.c"]
    assert load(["."]).ir == first.ir
    assert len(count.compiled) == 2
    write({"h.h": "#define H 5\n"})
    changed = load(["."])
    assert count.compiled[2:] == ["a.c"]
    assert "ret i32 5" in changed.ir
    load(["."], FrontOptions(defines=("UNUSED",)))
    assert sorted(count.compiled[3:]) == ["a.c", "b.c"]
    load(["."], FrontOptions(cache=False))
    assert len(count.compiled) == 7


@pytest.mark.parametrize("suffix", [".c", ".cpp", ".i", ".ii", ".cu"])
def test_cache_tells_sources_apart(project: Path, suffix: str) -> None:
    write({f"a{suffix}": "int first;", f"b{suffix}": "int second;"})
    for _ in range(2):
        assert "first" in load([f"a{suffix}"]).program.globals
        assert "second" in load([f"b{suffix}"]).program.globals
    write({f"a{suffix}": "int third;"})
    assert "third" in load([f"a{suffix}"]).program.globals


def test_cache_that_cannot_be_written(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VOUCH_CACHE_DIR", str(tmp_path / "file" / "cache"))
    write({"a.c": "#include <string.h>\nint f(char *s) { return strlen(s); }"})
    assert load(["a.c"]).program.models == {"strlen"}


def test_damaged_entry_is_a_miss(tmp_path: Path) -> None:
    cache, key = Cache(tmp_path), key_of(["x"])
    cache.put(key, b"content")
    assert cache.get(key) == b"content"
    (entry,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    entry.write_bytes(entry.read_bytes()[:-3])
    assert cache.get(key) is None


def test_cache_stays_small(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit=20_000)
    keys = [key_of([str(i)]) for i in range(30)]
    for age, key in enumerate(keys):
        cache.put(key, os.urandom(1000))
        (entry,) = tmp_path.rglob(key[2:])
        os.utime(entry, (age, age))
    assert cache.get(keys[0]) is not None  # used now: the youngest
    cache.prune()
    assert sum(p.stat().st_size for p in tmp_path.rglob("*") if p.is_file()) <= 20_000
    assert cache.get(keys[0]) is not None
    assert cache.get(keys[1]) is None
    assert cache.get(keys[-1]) is not None


def test_key_tells_parts_apart() -> None:
    assert key_of(["ab", "c"]) != key_of(["a", "bc"])
