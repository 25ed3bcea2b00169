"""A workspace from the first step to the report: what was decided is kept, what changed is decided again."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.patience import patient, within

from vouch.cli.main import run
from vouch.run.workspace import Workspace

BIRD = """
static void bot(int x, int y) { if (y >= 0 && y < 100) { x = x + 2; } }
static void mid2(int x, int y) { if (y > 100) { bot(x, y); } }
static void mid1(int x, int y) { if (x > 0) { x = x - 1; bot(x, y); } }
void top(int x, int y) { if (x > 0) { x = x - 1; mid1(x, y); mid2(x, y); } }
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Figure 6.2 of the Thesis, and a division that has nothing to do with it."""
    (tmp_path / "bird.c").write_text(BIRD)
    (tmp_path / "ratio.c").write_text("int ratio(int a, int b) { return a / b; }\n")
    assert run(["init", str(tmp_path)]) == 0
    monkeypatch.chdir(tmp_path)
    assert run(["sources", "--find"]) == 0
    return tmp_path


def stored(project: Path) -> dict[str, tuple[str, str]]:
    rows = sqlite3.connect(project / ".vouch" / "store.db").execute(
        "select id, verdict, coalesce(decided_by, '') from results"
    )
    return {name: (verdict, rung) for name, verdict, rung in rows}


def test_from_the_first_step_to_the_report(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "check-timeout=5", "jobs=1", "define="]) == 0  # nothing defined
    assert run(["compile"]) == 0
    assert run(["analyze", "combined"]) == 3
    assert stored(project)["bot.signed-overflow.1"] == ("cond-unsafe", "local")
    assert run(["refine", "callers", "--check", "bot.signed-overflow.1"]) == 3
    assert stored(project)["bot.signed-overflow.1"] == ("safe", "callers")
    assert stored(project)["ratio.division-by-zero.1"][0] == "unknown"  # nothing to abstract from
    assert run(["analyze"]) == 1
    assert stored(project)["ratio.division-by-zero.1"] == ("unsafe", "global")
    capsys.readouterr()
    assert run(["checks", "--verdict", "unsafe", "--function", "ratio"]) == 0
    assert "ratio.division-by-zero.1" in capsys.readouterr().out
    assert run(["trace", "ratio.division-by-zero.1"]) == 0
    assert "b = 0" in capsys.readouterr().out
    assert run(["report", "--json", "all.json"]) == 1
    document = json.loads((project / "all.json").read_text())
    assert document["summary"] == {"safe": 3, "unsafe": 2}


def test_only_what_a_change_can_affect_is_decided_again(project: Path) -> None:
    assert run(["analyze", "--no-replay"]) == 1
    space = Workspace.here()
    base = space.base
    results, marks = space.results(), {}
    for name, mark in base.execute("select function, fingerprint from results"):
        marks[name] = mark
    space.put(({**r, "seconds": 77.0} for r in results), marks)  # only a result that is used again keeps it
    (project / "ratio.c").write_text("\n\nint ratio(int a, int b) { return b > 0 ? a / b : 0; }\n")
    assert run(["analyze", "--no-replay"]) == 0
    seconds = {
        name: json.loads(text)["seconds"] for name, text in base.execute("select id, document from results")
    }
    assert stored(project)["ratio.division-by-zero.1"][0] == "safe"
    assert seconds["bot.signed-overflow.1"] == 77.0
    assert seconds["ratio.division-by-zero.1"] < 77.0
    assert (
        json.loads(next(base.execute("select document from results where id like 'ratio.d%'"))[0])["line"]
        == 3
    )


def test_the_same_question_is_answered_from_the_store(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["analyze", "--no-replay", "--json"]) == 1
    first = json.loads(capsys.readouterr().out)
    with monkeypatch.context() as patch:
        patch.setattr("vouch.api.run", lambda *given, **more: pytest.fail("analysed again"))
        assert run(["analyze", "--no-replay", "--json"]) == 1
    again = json.loads(capsys.readouterr().out)
    said = [{c["id"]: c["verdict"] for c in document["checks"]} for document in (first, again)]
    assert said[0] == said[1]
    assert again.keys() == first.keys()
    code = "int ratio(int a, int b) { return a / b; } // vouch: ignore[division-by-zero] b is never 0\n"
    (project / "ratio.c").write_text(code)
    run(["analyze", "--no-replay", "--json"])
    changed = json.loads(capsys.readouterr().out)
    assert any(check["suppressed"] for check in changed["checks"])


def test_a_run_that_ran_out_of_time_is_gone_on_with(project: Path) -> None:
    run(["analyze", "--no-replay", "--timeout", "0.01"])
    assert run(["analyze", "--no-replay"]) == 1


def test_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["status"], ["analyze"], ["checks"], ["trace", "x"], ["sources"], ["config"], ["compile"]):
        assert run(words) == 2, words
    assert run(["init", "."]) == 0
    assert run(["analyze"]) == 2  # no sources
    assert run(["config", "nonsense=1"]) == 2
    assert run(["config", "unwind=x"]) == 2
    assert run(["refine", "learned"]) == 2
    assert run(["trace", "x"]) == 2
    assert run(["sources", "--add", "missing.c"]) == 2


@pytest.mark.parametrize("mode", ["preconditions", "learned"])
def test_refinement_by_preconditions(project: Path, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["refine", mode, "--depth", "3"]) == 3
    assert stored(project)["bot.signed-overflow.1"] == ("safe", "precondition")
    assert run(["report", "--json", "all.json"]) == 3
    found = {check["id"]: check for check in json.loads((project / "all.json").read_text())["checks"]}
    assert found["ratio.division-by-zero.1"]["precondition"] == "b != 0"
    assert found["ratio.division-by-zero.1"]["verdict"] == "unknown"
    bird = BIRD.replace("x = x - 1; mid1", "mid1")  # one step less: now it overflows from top
    (project / "bird.c").write_text(bird)
    assert run(["refine", mode, "--check", "bot.signed-overflow.1"]) == 1
    assert stored(project)["bot.signed-overflow.1"] == ("unsafe", "precondition")
    capsys.readouterr()
    assert run(["trace", "bot.signed-overflow.1"]) == 0
    assert "safe if: " in capsys.readouterr().out


def test_a_step_that_says_less_takes_nothing_away(project: Path) -> None:
    loop = "int count(unsigned n) { int s = 0; for (unsigned i = 0; i < n; i++) { s = s + 1; } return s; }\n"
    (project / "ratio.c").write_text(loop)
    assert run(["analyze", "global", "--unwind", "3"]) == 3
    before = stored(project)["count.signed-overflow.1"]
    assert before[0] == "bound-safe"
    assert run(["refine", "preconditions", "--unwind", "3"]) == 3
    assert stored(project)["count.signed-overflow.1"] == before


# ---------------------------------------------------------------- of somebody else


def forged(project: Path, change: str) -> None:
    base = sqlite3.connect(project / ".vouch" / "store.db")
    with base:
        base.execute(change)
    base.close()


def test_a_forged_result_is_not_believed(project: Path) -> None:
    assert run(["analyze", "--no-replay"]) == 1
    forged(project, "update results set verdict = 'safe', document = replace(document, 'unsafe', 'safe')")
    forged(project, "update runs set document = replace(document, '\"exit_code\": 1', '\"exit_code\": 0')")
    assert run(["analyze", "--no-replay"]) == 1
    assert stored(project)["ratio.division-by-zero.1"][0] == "unsafe"


@pytest.mark.parametrize("key", ["clang", "solver", "output_format", "html", "dump_smt"])
def test_the_store_names_no_program_and_no_place_to_write(
    project: Path, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    program = project / "run.sh"
    program.write_text(f"#!/bin/sh\ntouch {project}/victim\n")
    program.chmod(0o755)
    value = json.dumps(["json=victim"] if key == "output_format" else str(program))
    forged(project, f"insert into config values ('{key}', '{value}')")
    assert run(["analyze"]) == 2
    assert "victim" not in {path.name for path in project.iterdir()}
    assert "error: " in capsys.readouterr().err
    assert run(["config", f"{key}={program}"]) == 2


def test_a_workspace_of_somebody_else_is_not_opened(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that came with the repository: other key, no key, or a database that would run something."""
    owner = project / ".vouch" / "owner"
    said = owner.read_text()
    for text in (None, "", "a b c", "0" * 32 + " " + "0" * 64, said[:-2] + "x\n"):
        owner.unlink(missing_ok=True)
        if text is not None:
            owner.write_text(text)
        for command in (["analyze"], ["status"], ["compile"], ["report", "--json", "x.json"]):
            assert run(command) == 2
            assert "not made by you" in capsys.readouterr().err
    owner.write_text(said)
    assert run(["status"]) == 0


def test_links_are_no_workspace(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A link would make vouch write to a database of the user's."""
    elsewhere = tmp_path_factory.mktemp("own") / "cookies.db"
    store = project / ".vouch" / "store.db"
    store.rename(elsewhere)
    before = elsewhere.read_bytes()
    store.symlink_to(elsewhere)
    assert run(["sources", "--find"]) == 2
    assert elsewhere.read_bytes() == before
    folder = project / ".vouch"
    folder.rename(elsewhere.parent / "folder")
    folder.symlink_to(elsewhere.parent / "folder")
    assert run(["status"]) == 2
    assert run(["init", str(project)]) == 2


def test_a_damaged_store_is_an_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".vouch" / "store.db").write_bytes(b"no database " * 1000)
    assert run(["status"]) == 2
    assert "not a database" in capsys.readouterr().err


def test_every_step_speaks_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["config", "jobs=1"])
    run(["analyze", "combined", "--no-replay"])
    [check] = [name for name, (verdict, _) in stored(project).items() if verdict == "cond-unsafe"][:1]
    for words, keys in (
        (["sources"], {"sources"}),
        (["config"], {"jobs"}),
        (["compile"], {"entry_points", "checks", "warnings", "seconds"}),
        (["status"], {"results"}),
        (["checks", "--function", "bot"], {"checks"}),
        (["trace", check], {"id", "trace", "precondition"}),
    ):
        capsys.readouterr()
        assert run([*words, "--json"]) == 0
        assert keys <= json.loads(capsys.readouterr().out).keys()


def test_tests_are_found_and_left_out(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("tests/x.c", "vendor/y.c"):
        (project / name).parent.mkdir()
        (project / name).write_text("int main(void) { return 0; }\n")
    assert run(["config", "exclude=vendor"]) == 0
    capsys.readouterr()
    assert run(["sources", "--find"]) == 0
    shown = capsys.readouterr()
    assert shown.out.split() == ["bird.c", "ratio.c"]
    assert "tests and examples left out: 1" in shown.err
    assert run(["sources", "--add", "tests/x.c", "vendor/y.c"]) == 0
    assert run(["compile"]) == 0, "one main, the other is excluded"


def test_an_interrupt_keeps_what_was_decided(project: Path) -> None:
    """Ctrl-C while a check is looked at that takes longer than anybody waits."""
    (project / "slow.c").write_text(
        "#include <assert.h>\nint slow(unsigned long a, unsigned long b) { if (a > 1 && b > 1"
        " && a < 4294967296 && b < 4294967296) assert(a * b != 9153552214547054437ul); return 0; }\n"
    )
    assert run(["sources", "--find"]) == 0
    process = subprocess.Popen(
        [sys.executable, "-m", "vouch", "analyze", "global", "--no-replay"], stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + patient(60)
    while stored(project).get("ratio.division-by-zero.1", ("",))[0] != "unsafe":
        assert time.monotonic() < until
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    with within(2.0):
        process.communicate(timeout=60)
    assert process.returncode == 130
    found = stored(project)
    assert found["ratio.division-by-zero.1"] == ("unsafe", "global")
    assert found["slow.assertion.1"][0] == "unknown"
