"""`vouch`: builds the command tree and maps every way a command can end to its exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

import typer

from vouch import __version__
from vouch.errors import VouchError
from vouch.printable import visible
from vouch.verdict import Exit

# Verbs in the order of the help text; a module registers its commands with `register(app)`.
VERBS = ("vouch.cli.check", "vouch.cli.explain", "vouch.cli.nn", "vouch.cli.equiv")


def _version(shown: bool) -> None:
    if shown:
        typer.echo(f"vouch {__version__}")
        raise typer.Exit


def build() -> typer.Typer:
    app = typer.Typer(
        name="vouch",
        help="Formal verification of C code and neural networks in embedded systems.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help: rich would double the start-up time
    )

    @app.callback()
    def top(
        version: bool = typer.Option(
            False, "--version", callback=_version, is_eager=True, help="Show the version."
        ),
    ) -> None:
        pass

    for name in VERBS:
        import_module(name).register(app)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code. Errors become one line on stderr."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    try:
        code = typer.main.get_command(build()).main(
            args=list(arguments) if arguments is not None else None, prog_name="vouch", standalone_mode=False
        )
        return int(code or 0)
    except typer.Exit as done:
        return done.exit_code
    except VouchError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
    except typer.Abort:
        return Exit.INTERRUPTED
    except OSError as error:
        return _fail(str(error))
    except MemoryError:
        return _fail("out of memory")
    except Exception as error:
        # Usage errors of the argument parser carry `format_message`; anything else is a bug in vouch.
        message = getattr(error, "format_message", None)
        if type(error).__name__ == "NoArgsIsHelpError" and message is not None:
            print(message(), file=sys.stderr)
            return Exit.BAD_INPUT
        if message is not None:
            return _fail(message())
        if "-v" in sys.argv or "--verbose" in sys.argv:
            raise
        return _fail(f"internal error: {type(error).__name__}: {error} (run with -v for the traceback)")


def _fail(message: str) -> int:
    print("error: " + visible(" ".join(message.split())), file=sys.stderr)
    return Exit.BAD_INPUT
