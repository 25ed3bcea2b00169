"""Entry points: where executions of the program start.

`main`, or what the user names. A program with neither is a library: every function that other files can see,
or whose address leaves the program, is an entry point, also where the program itself calls it. Every other
function is reachable from one, so that no check is skipped in silence.
"""

from __future__ import annotations

from collections.abc import Sequence

from vouch.c.escape import leaving
from vouch.c.interrupts import handlers
from vouch.c.ir import Function, Program
from vouch.c.mentions import mentioned, reached_by_mention, reached_through
from vouch.errors import VouchError
from vouch.record import frozen_record

_OWN_FILE_ONLY = ("internal", "private")
_SYSTEM_HEADERS = ("/libcxx/", "/include/c++/", "/usr/include/")


@frozen_record
class Entries:
    """Where executions start, and in which state. `library`: the program has no beginning of its own, so that
    code outside calls what it likes, when it likes. `arbitrary`: global variables may hold anything when an
    entry point is called. `handlers` are functions that hardware calls at any time, beside those."""

    names: tuple[str, ...]
    library: bool
    arbitrary: bool
    handlers: tuple[str, ...] = ()


def entries(program: Program, wanted: Sequence[str] = (), globals_: str | None = None) -> Entries:
    """Those of a program: `wanted` are the functions that the user names (`--entry`), `globals_` is what the
    user says of global variables (`--globals`)."""
    library = is_library(program, wanted)
    arbitrary = library if globals_ is None else globals_ == "arbitrary"
    names = tuple(entry_points(program, wanted))
    return Entries(names, library, arbitrary, tuple(handlers(program, names)))


def entry_points(program: Program, wanted: Sequence[str] = ()) -> list[str]:
    """Names in `program.functions`, in the order of the program."""
    if wanted:
        return [name for text in wanted for name in _named(program, text)]
    return _library(program) if is_library(program) else ["main"]


def is_library(program: Program, wanted: Sequence[str] = ()) -> bool:
    """Whether the program has no beginning of its own: code outside calls what it likes, when it likes."""
    main = program.functions.get("main")
    return not wanted and not (main is not None and main.defined)


def _named(program: Program, text: str) -> list[str]:
    found = [f.name for f in program.functions.values() if f.defined and text in (f.name, f.source_name)]
    if found:
        return found
    known = [f.source_name for f in program.functions.values() if f.defined]
    from difflib import get_close_matches

    close = get_close_matches(text, known, 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise VouchError(f"no function {text!r} with a body in the program{hint}")


def _library(program: Program) -> list[str]:
    own = {n: f for n, f in program.functions.items() if f.defined and not _is_internal(program, n)}
    calls = {name: set(mentioned(function)) for name, function in own.items()}
    outside = leaving(program)
    started = set(program.constructors) | set(program.destructors)
    entries = {n for n, f in own.items() if n not in started and (n in outside or is_public(f))}
    reached = reached_through(program, entries | started, calls)
    # What is left nobody calls, or only calls itself in circles, or is only mentioned in tables.
    called = {callee for name, callees in calls.items() for callee in callees if callee != name}
    for name in sorted(own, key=lambda n: n in called):
        if name not in reached:
            entries.add(name)
            reached |= reached_through(program, {name}, calls)
    return [name for name in own if name in entries]


def is_public(function: Function) -> bool:
    """Can other files call it by name? What the headers of C++ define belongs to the library they are of."""
    if function.linkage in _OWN_FILE_ONLY or function.linkage == "available_externally":
        return False
    if function.linkage.startswith("linkonce"):
        file = function.location.file if function.location is not None else ""
        return not any(part in file for part in _SYSTEM_HEADERS)
    return True


def _is_internal(program: Program, name: str) -> bool:
    """Models of library functions and what the compiler made for itself."""
    return name in program.models or name.startswith(("__cxx_global_", "_GLOBAL__", "__vouch_", "llvm."))


def uncalled(program: Program, starts: Entries) -> list[str]:
    """Functions that no execution from the entry points gets to, although other files can see them or the
    program marks them as used: interrupt handlers, say, which hardware calls."""
    own = {n: f for n, f in program.functions.items() if f.defined and not _is_internal(program, n)}
    run = {*starts.names, *starts.handlers, *program.constructors, *program.destructors}
    reached = reached_by_mention(program, run)
    kept = reached_by_mention(program, program.used, into_functions=False)
    return [n for n, f in own.items() if n not in reached and (n in kept or is_public(f))]
