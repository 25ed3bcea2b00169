"""Completion in the shells themselves: words are typed, the tabulator is pressed, the shell offers others."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.command import vouch

# What is typed, and words that are among those offered.
TYPED = {
    "vouch ": "check nn equiv refine",
    "vouch ch": "check checks",
    "vouch check --unw": "--unwind --unwind-loop",
    "vouch check bad.c --unw": "--unwind --unwind-loop",
    "vouch check ba": "bad.c",
    "vouch check --strategy ": "ladder global",
    "vouch nn ": "verify robust batch",
    "vouch nn verify --engine m": "milp",
    "vouch nn verify ba": "bad.c",
    "vouch nn cover --eng": "",
    "vouch equiv a b --eps": "--epsilon",
    "vouch equiv radius a b --cen": "--centre",
    "vouch equiv radius a b --bo": "",
    "vouch refine ": "callers preconditions learned",
    "vouch refine callers --de": "--depth",
    "vouch analyze ": "global local calls combined",
    "vouch explain na": "narrowing",
    "vouch completion ": "bash zsh fish",
}
# `--name=value` is one word in some shells and three in others.
JOINED = {
    "bash": {"vouch check --strategy=l": "ladder"},
    "zsh": {"vouch check --strategy=l": "--strategy=ladder"},
    "fish": {"vouch check --strategy=l": "--strategy=ladder"},
}

# Each notes what is offered in the file `offered`.
NOTING = {
    "bash": """
_noted() { _vouch "$@"; printf '%s\\n' "${COMPREPLY[@]}" >> offered; }
complete -o filenames -F _noted vouch
""",
    "zsh": """
compadd() {
    local -a hits
    if [[ "$*" != *-[OAD]\\ * ]]; then
        builtin compadd -A hits "$@"
        print -rl -- $hits >> offered
    fi
    builtin compadd "$@"
}
""",
}
STARTED = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bad.c").write_text("int f(int x) { return 10 / x; }\n")
    return tmp_path


def offered(folder: Path, shell: str, script: str, typed: list[str]) -> list[set[str]]:
    """What an interactive shell offers for each of the lines."""
    (folder / "script").write_text(script + NOTING[shell])
    # A line is wiped out again (Ctrl-A, Ctrl-K), and then the file says where the next one begins.
    keys = "".join(f"{line}\t\x01\x0becho next >> offered\n" for line in typed)
    environ = {**os.environ, "TERM": "xterm", "HOME": str(folder), "EDITOR": "", "VISUAL": ""}
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        STARTED[shell],
        cwd=folder,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environ,
        start_new_session=True,
    )
    os.close(terminal)
    said = bytearray()
    try:
        os.write(master, f". ./script\n{keys}exit\n".encode())
        while part := _read(master):
            said += part
        assert process.wait(60) == 0, said.decode("utf-8", "replace")
    finally:
        process.kill()
        process.wait()
        os.close(master)
    parts = (folder / "offered").read_text().split("next\n")
    assert len(parts) == len(typed) + 1, said.decode("utf-8", "replace")
    return [set(part.split()) for part in parts[:-1]]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # nobody has it open any more
        return b""


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_what_a_shell_offers(folder: Path, shell: str) -> None:
    script = vouch(folder, "completion", shell).stdout
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    typed = {**TYPED, **JOINED.get(shell, {})}
    for line, found in zip(typed, offered(folder, shell, script, list(typed)), strict=True):
        assert_offered(line, typed[line], found)


def test_what_fish_offers(folder: Path) -> None:
    script = vouch(folder, "completion", "fish").stdout
    if not shutil.which("fish"):
        pytest.skip("no fish here")
    typed = {**TYPED, **JOINED["fish"]}
    asked = "\n".join(f"complete -C '{line}'; echo next" for line in typed)
    own = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(folder))
    environ = {**os.environ, **own}
    done = subprocess.run(
        ["fish", "--private"],
        input=f"{script}\n{asked}\n",
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    parts = done.stdout.split("next\n")[:-1]
    for line, part in zip(typed, parts, strict=True):
        assert_offered(line, typed[line], {text.partition("\t")[0] for text in part.splitlines()})


def assert_offered(line: str, words: str, found: set[str]) -> None:
    if words:
        assert set(words.split()) <= found, (line, found)
    else:
        assert not any(word.startswith("--") for word in found), (line, found)


def test_other_shells(folder: Path) -> None:
    done = vouch(folder, "completion", "csh")
    assert done.returncode == 2
    assert "bash, zsh, fish" in done.stderr
