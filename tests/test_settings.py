"""The option table: sources in order of strength, unknown keys and bad values refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from vouch.errors import VouchError
from vouch.settings import COMMON, SECTIONS, options_of, resolve


def test_flags_beat_environment_beats_file_beats_default(tmp_path: Path) -> None:
    (tmp_path / "vouch.toml").write_text("[check]\nunwind = 5\nsolver = 'z3'\nextern = 'pure'\n")
    environ = {"VOUCH_UNWIND": "6", "VOUCH_SOLVER": "cvc5"}
    settings = resolve("check", {"unwind": 7}, environ=environ, folder=tmp_path)
    assert (settings.unwind, settings.solver, settings.extern) == (7, "cvc5", "pure")
    assert settings.strategy == "ladder"


def test_file_in_a_folder_above_and_in_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.vouch]\njobs = 3\n[tool.vouch.check]\ninclude = ["inc"]\n'
    )
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    settings = resolve("check", environ={}, folder=inner)
    assert (settings.jobs, settings.include) == (3, ["inc"])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("unwnd = 3", "unwnd"),
        ("[check]\nunwnd = 3", "unwnd"),
        ("[chek]\nunwind = 3", "chek"),
        ("[check]\nunwind = 'many'", "many"),
        ("[check]\nunwind = -1", "-1"),
        ("[check]\nstrategy = 'fast'", "fast"),
        ("[check]\nstrict-pointers = 1", "strict-pointers"),
        ("[check]\njson = true", "json"),
        ("check = 1", "check"),
        ("[check", "vouch.toml"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, text: str, names: str) -> None:
    (tmp_path / "vouch.toml").write_text(text)
    with pytest.raises(VouchError, match=names) as caught:
        resolve("check", environ={}, folder=tmp_path)
    assert "vouch.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("flags", "environ"),
    [
        ({"unwind": -3}, {}),
        ({"solvr": "z3"}, {}),
        ({"check_timeout": "soon"}, {}),
        ({"output_format": "xml"}, {}),
        ({}, {"VOUCH_UNWIND": "lots"}),
        ({}, {"VOUCH_STRICT_POINTERS": "perhaps"}),
        ({"check_timeout": float("nan")}, {}),
    ],
)
def test_bad_values(tmp_path: Path, flags: dict[str, object], environ: dict[str, str]) -> None:
    with pytest.raises(VouchError):
        resolve("check", flags, environ=environ, folder=tmp_path)


def test_lists_and_switches_from_the_environment(tmp_path: Path) -> None:
    environ = {"VOUCH_DEFINE": "A=1,B", "VOUCH_STRICT_POINTERS": "yes"}
    settings = resolve("check", environ=environ, folder=tmp_path)
    assert settings.define == ["A=1", "B"]
    assert settings.strict_pointers is True


@pytest.mark.parametrize("section", sorted(SECTIONS))
def test_tables_are_consistent(section: str) -> None:
    options = options_of(section)
    spellings = [s for o in options for s in o.spellings]
    assert len(spellings) == len(set(spellings))
    assert len({o.key for o in options}) == len(options)
    for option in options:
        assert option.help.endswith("."), option.name
        if option.choices and option.default is not None:
            given = option.default if option.type is list else [option.default]
            assert set(given) <= set(option.choices)
    assert {o.name for o in COMMON} >= {"json", "timeout", "jobs", "quiet", "verbose"}
