"""`vouch completion SHELL`: a script made from the tables of commands and options."""

from __future__ import annotations

from collections.abc import Iterable

from vouch.cli.commands import COMMANDS, DEFAULTS, GROUPS, Command
from vouch.errors import VouchError
from vouch.option import Option


def completion(shell: str) -> int:
    makers = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    if shell not in makers:
        raise VouchError(f"no completion for {shell!r}: one of {', '.join(makers)}")
    print(makers[shell]())
    return 0


def _arguments() -> dict[str, Iterable[str]]:
    """What may stand in the place of an argument, where it is one of a few words."""
    from vouch.c.checks.base import Category
    from vouch.cli.workspace import MODES, REFINEMENTS

    return {
        "explain": Category,
        "analyze": (mode for mode in MODES if mode is not None),
        "refine": REFINEMENTS,
        "completion": ("bash", "zsh", "fish"),
    }


def _long(option: Option) -> list[str]:
    return [word for word in option.spellings if word.startswith("--")]


def _seconds(group: str) -> list[str]:
    return [c.name.partition(" ")[2] for c in COMMANDS if c.name.startswith(f"{group} ")]


def _firsts() -> list[str]:
    return list(dict.fromkeys(command.name.partition(" ")[0] for command in COMMANDS))


# ---------------------------------------------------------------- bash and zsh


def _case(pattern: str, words: Iterable[str]) -> str:
    return f"        {pattern}) words='{' '.join(words)}' ;;"


def _bash() -> str:
    groups = [_group(name) for name in GROUPS]
    values = [
        _case(f"'{command.name} {word}'", option.choices)
        for command in COMMANDS
        for option in command.options
        for word in option.spellings
        if option.choices
    ]
    known = _arguments()
    flags = [
        _case(f"'{c.name}'", [*known.get(c.name, ()), *(w for o in c.options for w in _long(o))])
        for c in COMMANDS
    ]
    lines = "\n".join
    return f"""_vouch() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words='' files=yes
    local command="${{COMP_WORDS[1]}}" joined=''
    case "$current" in
        --*=*) before="${{current%%=*}}" joined="${{current%%=*}}=" current="${{current#*=}}" ;;
    esac
    if [ "$current" = '=' ]; then
        current=''
    elif [ "$before" = '=' ]; then
        before="${{COMP_WORDS[COMP_CWORD-2]}}"
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '{" ".join(_firsts())}' -- "$current"))
        return
    fi
    case "$command" in
{lines(groups)}
    esac
    case "$command $before" in
{lines(values)}
    esac
    if [ -n "$words" ]; then
        files=''
    else
        case "$command" in
{lines(flags)}
        *) words="$command" ;;
        esac
    fi
    COMPREPLY=($(compgen -P "$joined" -W "$words" -- "$current"))
    if [ -n "$files" ]; then
        COMPREPLY+=($(compgen -P "$joined" -f -- "$current"))
    fi
}}
complete -o filenames -F _vouch vouch"""


def _group(name: str) -> str:
    """Which of the group's commands it is; while that is being typed, all of them are offered."""
    seconds = _seconds(name)
    default = f"{name} {DEFAULTS[name]}" if name in DEFAULTS else " ".join(seconds)
    return f"""        {name})
            if [ "$COMP_CWORD" -eq 2 ]; then
                COMPREPLY=($(compgen -W '{" ".join(seconds)}' -- "$current") $(compgen -f -- "$current"))
                return
            fi
            case "${{COMP_WORDS[2]}}" in
                {"|".join(seconds)}) command="{name} ${{COMP_WORDS[2]}}" ;;
                *) command='{default}' ;;
            esac ;;"""


def _zsh() -> str:
    loaded = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n"
    return loaded + "autoload -U +X bashcompinit && bashcompinit\n" + _bash()


# ---------------------------------------------------------------- fish


def _fish() -> str:
    lines = [_offer("__fish_use_subcommand", f"-f -a {first}", _about(first)) for first in _firsts()]
    for group in GROUPS:
        seconds = " ".join(_seconds(group))
        for command in COMMANDS:
            name, _, second = command.name.partition(" ")
            if name == group:
                seen = f"__fish_seen_subcommand_from {group}; and not __fish_seen_subcommand_from {seconds}"
                lines.append(_offer(seen, f"-a {second}", command.help))
    known = _arguments()
    for command in COMMANDS:
        for word in known.get(command.name, ()):
            lines.append(_offer(_seen(command), f"-f -a {word}"))
        lines += [_flag(command, option) for option in command.options if _long(option)]
    return "\n".join(lines)


def _flag(command: Command, option: Option) -> str:
    what = " ".join(f"-l {word[2:]}" for word in _long(option))
    if option.choices:
        what += f" -x -a '{' '.join(option.choices)}'"
    elif option.type is not bool:
        what += " -r"
    return _offer(_seen(command), what, option.help)


def _offer(when: str, what: str, help_: str = "") -> str:
    said = help_.replace("\\", "\\\\").replace("'", "\\'")
    return f"complete -c vouch -n '{when}' {what}" + (f" -d '{said}'" if said else "")


def _seen(command: Command) -> str:
    first, _, second = command.name.partition(" ")
    if not second:
        return f"__fish_seen_subcommand_from {first}; and not __fish_seen_subcommand_from {' '.join(GROUPS)}"
    if DEFAULTS.get(first) == second:
        others = " ".join(word for word in _seconds(first) if word != second)
        return f"__fish_seen_subcommand_from {first}; and not __fish_seen_subcommand_from {others}"
    return f"__fish_seen_subcommand_from {first}; and __fish_seen_subcommand_from {second}"


def _about(first: str) -> str:
    return GROUPS.get(first) or next(c.help for c in COMMANDS if c.name == first)
