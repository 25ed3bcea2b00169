"""What ranges alone decide in real code: `python -m bench ranges [NAME…] [--open] [FILE.c…]`.

The libraries are those of `real_code`; processor seconds are of the range stage only.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from pathlib import Path

from bench.real_code import LIBRARIES, fetch

_USUAL = ("cjson", "json-parser", "minmea", "lz4", "can-utils", "jsmn")


def measure(name: str, files: list[str], options: tuple[str, ...], show: bool) -> None:
    from vouch.api import front_options
    from vouch.c import checks, ranges
    from vouch.c.entries import entries
    from vouch.c.frontend import load
    from vouch.settings import resolve

    given = {"include": [options[1]]} if options else {}
    settings = resolve("check", given)
    wanted = checks.chosen(settings.checks)
    program = load(files, front_options(settings, wanted)).program
    found = checks.find(program, wanted, program.sources)
    began = time.process_time()
    decided = ranges.analyse(program, found, entries(program)).decisions
    spent = time.process_time() - began
    share = 100 * len(decided) / max(1, len(found))
    print(
        f"{name:20} {len(found):6} checks {len(decided):6} decided {share:5.1f} % {spent:8.2f} s", flush=True
    )
    left = [check for check in found if check.id not in decided]
    print(
        "    open:", ", ".join(f"{n} {c}" for c, n in Counter(c.category.value for c in left).most_common())
    )
    for check in left if show else ():
        place = check.location
        where = f"{place.file}:{place.line}:{place.column} {check.function}"
        print(f"    {where} {check.category.value}: {check.message}")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench ranges", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"libraries or C files (default: {', '.join(_USUAL)})")
    parser.add_argument("--open", action="store_true", help="list the checks that stay open")
    wanted = parser.parse_args(arguments)
    known = {library.name: library for library in LIBRARIES}
    for name in wanted.names or _USUAL:
        library = known.get(name)
        if library is None:
            measure(Path(name).name, [name], (), wanted.open)
            continue
        root = fetch(library.package)
        os.chdir(root)
        files = [str(path) for glob in library.files for path in sorted(root.glob(glob))]
        measure(name, files, library.options, wanted.open)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
