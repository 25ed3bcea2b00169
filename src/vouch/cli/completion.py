"""`vouch completion SHELL`: a script made from the tables of commands and options."""

from __future__ import annotations

from vouch.cli.commands import COMMANDS, DEFAULTS, Command
from vouch.errors import VouchError


def completion(shell: str) -> int:
    makers = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    if shell not in makers:
        raise VouchError(f"no completion for {shell!r}: one of {', '.join(makers)}")
    print(makers[shell]())
    return 0


def _words() -> dict[str, list[str]]:
    """What may follow a beginning of a command line: the next word of a command, or its flags."""
    found: dict[str, list[str]] = {"": []}
    for command in COMMANDS:
        first, _, second = command.name.partition(" ")
        if first not in found[""]:
            found[""].append(first)
        if second:
            found.setdefault(first, []).append(second)
        found[command.name] = _flags(command)
        if second and DEFAULTS.get(first) == second:
            found[first] += _flags(command)
    return found


def _flags(command: Command) -> list[str]:
    return [word for option in command.options for word in option.spellings if word.startswith("--")]


def _bash() -> str:
    cases = "\n".join(f"        {name!r}) words={' '.join(words)!r} ;;" for name, words in _words().items())
    return f"""_vouch() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" at="" words="" word
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$word" in -*) ;; *) case "$at" in *' '*) ;; '') at="$word" ;; *) at="$at $word" ;; esac ;; esac
    done
    case "$at" in
{cases}
        *) case "${{at%% *}}" in check) at=check ;; equiv) at='equiv compare' ;; esac ;;
    esac
    if [ -z "$words" ]; then
        case "$at" in
{cases}
        esac
    fi
    case "$at$current" in
        '') COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current")) ;;
    esac
}}
complete -o filenames -F _vouch vouch"""


def _zsh() -> str:
    return "autoload -U +X bashcompinit && bashcompinit\n" + _bash()


def _fish() -> str:
    lines = ["complete -c vouch -n __fish_use_subcommand -f"]
    for name, words in _words().items():
        first = name.partition(" ")[0]
        seen = "__fish_use_subcommand" if not name else f"__fish_seen_subcommand_from {name.split()[-1]}"
        if name and " " in name:
            seen += f"; and __fish_seen_subcommand_from {first}"
        for word in words:
            what = f"-l {word[2:]}" if word.startswith("--") else f"-a {word}"
            lines.append(f"complete -c vouch -n '{seen}' {what}")
    return "\n".join(lines)
