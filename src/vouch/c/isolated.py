"""Reading IR that vouch did not make itself, in a process of its own: LLVM ends the process for some of it.

Run as a program, this module reads a module (`text` or `bitcode`) from its standard input and writes it, as
this LLVM prints it, to its standard output. Exit code 1: not valid, with the reason on standard error.
"""

from __future__ import annotations

import re
import sys
import time

from vouch.errors import VouchError
from vouch.process import OutOfTime, call

_SECONDS = 600.0
_PLACE = re.compile(r"^<string>:(\d+):(\d+): error: (.*)$", re.MULTILINE)


def parse_error(name: str, said: str) -> str:
    """What LLVM said, with the place in the file where it tells one."""
    if place := _PLACE.search(said):
        return f"{name}:{place[1]}:{place[2]}: not valid LLVM IR: {place[3]}"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    what = lines[1] if len(lines) > 1 and lines[0].endswith("parsing error") else (lines or ["unknown"])[0]
    return f"{name}: not valid LLVM IR: {what}"


def printed(content: bytes, name: str, *, bitcode: bool) -> str:
    """A module, verified and printed. Raises `VouchError` where it is none."""
    # -P: nothing is imported from the current folder, which belongs to the code under test.
    command = [sys.executable, "-P", "-m", "vouch.c.isolated", "bitcode" if bitcode else "text"]
    try:
        done = call(command, data=content, deadline=time.monotonic() + _SECONDS, writable=())
    except OutOfTime:
        raise VouchError(f"{name}: reading it takes too long") from None
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "surrogateescape")
    said = done.stderr.decode("utf-8", "replace") if done.returncode == 1 else ""
    raise VouchError(parse_error(name, said or "LLVM's reader gives up on it"))


def _main(kind: str) -> int:
    import llvmlite.binding as llvm

    content = sys.stdin.buffer.read()
    try:
        if kind == "bitcode":
            module = llvm.parse_bitcode(content)
        else:
            module = llvm.parse_assembly(content.decode("utf-8", "surrogateescape"))
        module.verify()
        text = str(module)
    except (RuntimeError, UnicodeError) as error:
        print(error, file=sys.stderr)
        return 1
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1]))
