"""`vouch serve PATH…`: the pages of `vouch check`, live while it runs, and afterwards until Ctrl-C."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from vouch.errors import VouchError
from vouch.interrupts import wait_for_one
from vouch.settings import Settings, chosen
from vouch.verdict import Exit

if TYPE_CHECKING:
    from vouch.report.live import Live, Server
    from vouch.result import RunResult
    from vouch.run.checking import Seen


def serve(paths: list[str], port: int, bind: str, settings: Settings) -> int:
    from vouch.report.live import Live, Server

    if not paths and not settings.project:
        raise VouchError("nothing to serve: give files or folders, -p DIR, or JSON reports")
    live = Live()
    try:
        server = Server(bind, port, live)
    except OSError as error:
        raise VouchError(f"option --port: {bind}:{port}: {error.strerror}") from None
    print(f"{server.url} (Ctrl-C ends)", file=sys.stderr, flush=True)
    try:
        if paths and all(path.endswith(".json") for path in paths):
            return _reports(paths, live, server)
        return _check(paths, settings, live, server)
    finally:
        server.stop()


def _reports(paths: list[str], live: Live, server: Server) -> int:
    from vouch.cli.report import read_report, worst

    found = [read_report(path, ".") for path in paths]
    live.show(found, 0)
    live.say("", done=True)
    server.start()
    wait_for_one()
    return worst(found)


def _check(paths: list[str], settings: Settings, live: Live, server: Server) -> int:
    from vouch.cli.progress import Progress
    from vouch.report.model import report_of
    from vouch.run.checking import checked

    configuration = chosen("check", settings)

    def show(result: RunResult, decided: int) -> None:
        live.show([report_of(result, configuration=configuration)], decided)

    def hear(seen: Seen) -> None:
        # The server's thread begins after the process of the analysis was made: the two do not mix.
        server.start()
        progress(seen)
        live.say(progress.text(seen))
        if seen.record.checks and live.due(len(seen.answered)):
            show(seen.record.result("not decided yet"), len(seen.answered))

    with Progress(settings) as progress:
        result = checked(paths, settings, hear)
    server.start()
    show(result, -2)
    live.say(f"done in {result.seconds:.1f} s", done=True)
    if result.interrupted:
        return Exit.INTERRUPTED
    if not settings.quiet:
        from vouch.report import TextStyle, render

        print(render(result, "full", TextStyle(verbosity=-1)), end="", flush=True)
    wait_for_one()
    return result.exit_code()
