"""`vouch`: finds the command, and maps every way it can end to its exit code."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from vouch.cli.commands import COMMANDS, DEFAULTS, GROUPS, Command, by_name, values_of
from vouch.errors import VouchError
from vouch.interrupts import SIGNALS, answering, asked_to_end, leave
from vouch.printable import visible
from vouch.verdict import Exit


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code. Errors become one line on stderr."""
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, leave)
    _open_streams()
    code = run(arguments)
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _silence(sys.stdout)
    sys.exit(code)


def _open_streams() -> None:
    """Closed streams get something harmless in their place, before another file takes their number. The
    report notices by `sys.__stdout__`."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def run(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _dispatch(words)
    except VouchError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        _say("interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:  # the reader has seen enough
        _silence(sys.stdout)
        return Exit.BAD_INPUT
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except MemoryError:
        return _fail("out of memory")
    except RecursionError:
        return _fail("nested too deeply")
    except Exception as error:
        if "-v" in words or "--verbose" in words:
            raise
        return _fail(f"internal error: {type(error).__name__}: {error} (run with -v for the traceback)")


def _dispatch(words: list[str]) -> int:
    if not words:
        return _usage("", Exit.BAD_INPUT)
    if words[0] in ("-h", "--help"):
        return _usage("", Exit.PROVED)
    if words[0] == "--version":
        from vouch import __version__

        print(f"vouch {__version__}")
        return Exit.PROVED
    if words[0] in GROUPS:
        group, rest = words[0], words[1:]
        if not rest:
            return _usage(group, Exit.BAD_INPUT)
        if rest[0] in ("-h", "--help"):
            return _usage(group, Exit.PROVED)
        command = by_name(f"{group} {rest[0]}")
        if command is not None:
            return _call(command, rest[1:])
        if group in DEFAULTS:
            default = by_name(f"{group} {DEFAULTS[group]}")
            assert default is not None
            return _call(default, rest)
        raise VouchError(f"no such command: vouch {group} {rest[0]}")
    command = by_name(words[0])
    if command is None:
        known = sorted({c.name.partition(" ")[0] for c in COMMANDS})
        raise VouchError(f"no such command: vouch {words[0]} (there are: {', '.join(known)})")
    return _call(command, words[1:])


def _call(command: Command, words: list[str]) -> int:
    from vouch.cli.parser import HelpAsked, parse

    try:
        flags, arguments = parse(command, words)
    except HelpAsked:
        from vouch.cli.usage import of_command

        print(of_command(command), end="")
        return Exit.PROVED
    own = values_of(command, flags)
    if command.section is not None:
        from vouch.settings import resolve

        arguments["settings"] = settings = resolve(command.section, flags)
        if settings.verbose and settings.configuration:
            _say(f"settings from {visible(str(settings.configuration))}")
    with answering():
        code = int(command.load()(**arguments, **own))
        sys.stdout.flush()
        return Exit.INTERRUPTED if asked_to_end() else code


def _usage(group: str, code: Exit) -> int:
    from vouch.cli.usage import of_group

    print(of_group(group), end="", file=sys.stderr if code else sys.stdout)
    return code


def _fail(message: str) -> int:
    _say("error: " + visible(" ".join(message.split())))
    return Exit.BAD_INPUT


def _say(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):  # closed, or none at all
        _silence(sys.stderr)


def _silence(stream: object) -> None:
    """Keep the interpreter from complaining at exit about a stream that nobody reads."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[attr-defined]
    except (OSError, ValueError, AttributeError):
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
