"""Real C code that nobody here wrote: `python -m bench real_code [NAME…] [--limit S]`.

Small C libraries are taken from source packages of the Python registry (fetched by name, kept under
`bench/out`, never committed). Wanted: every check with a verdict or a named reason, no crash, nothing that
the native replay contradicts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.fetch import unpack
from bench.process import run

OUT = Path(__file__).resolve().parent / "out" / "real_code"


@dataclass(frozen=True, slots=True)
class Library:
    """`files` are globs below the unpacked package."""

    name: str
    package: str
    files: tuple[str, ...]
    options: tuple[str, ...] = ()


LIBRARIES = (
    Library("tiny-AES", "tinyaes", ("tiny-AES-c/aes.c",)),
    Library("siphash", "siphashc", ("siphash/siphash.c",)),
    Library("heatshrink-decoder", "heatshrink2", ("heatshrink2/_heatshrink/heatshrink_decoder.c",)),
    Library("heatshrink-encoder", "heatshrink2", ("heatshrink2/_heatshrink/heatshrink_encoder.c",)),
    Library("liblzf", "lzf", ("liblzf/lzf_c.c", "liblzf/lzf_d.c")),
    Library("fastlz", "fastlz", ("fastlz/fastlz.c",)),
    Library("crc32c", "crc32c", ("src/crc32c/ext/crc32c_sw.c",)),
    Library("http-parser", "httptools", ("vendor/http-parser/http_parser.c",)),
    Library("minilzo", "minilzo", ("minilzo.c",)),
    Library("xxhash", "xxhash", ("deps/xxhash/xxhash.c",)),
    Library("zopfli", "zopfli", ("zopfli/src/zopfli/*.c",)),
)


def fetch(package: str) -> Path:
    """The unpacked source package; downloaded once."""
    folder = OUT / package
    if not any(folder.glob("*")):
        folder.mkdir(parents=True, exist_ok=True)
        store = OUT / "packages" / package
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]
        command += ["--disable-pip-version-check", "--no-binary", ":all:", "--dest", str(store), package]
        subprocess.run(command, check=True, timeout=300, capture_output=True)
        unpack(next(store.iterdir()), folder)
    return next(p for p in sorted(folder.iterdir()) if p.is_dir())


def check(library: Library, limit: float) -> tuple[str, dict[str, Any] | None]:
    """One row of the table, and the document behind it."""
    root = fetch(library.package)
    files = [str(path) for glob in library.files for path in sorted(root.glob(glob))]
    command = ["check", *files, *library.options, "--json", "--timeout", str(limit), "--check-timeout", "10"]
    done = run(command, 2 * limit + 30, root)
    if done.code not in (0, 1, 3):
        problem = (done.errors.strip().splitlines() or ["no message"])[-1]
        return f"{library.name:20} exit code {done.code}: {problem[:90]}", None
    document = json.loads(done.output)
    counts = document["summary"]
    verdicts = " ".join(
        f"{counts.get(v, 0):6}" for v in ("safe", "unsafe", "bound-safe", "cond-unsafe", "unknown")
    )
    row = f"{library.name:20} {len(document['checks']):6} {verdicts} {document['replay_failures']:6}"
    return f"{row} {done.seconds:8.1f} {done.megabytes:7.0f}", document


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench real_code", description=__doc__)
    parser.add_argument("names", nargs="*", help="libraries (default: all)")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each library")
    wanted = parser.parse_args(arguments)
    print(f"{'library':20} checks   safe unsafe bound- cond-u unknown not-rep seconds      MB")
    reasons: Counter[str] = Counter()
    failed = 0
    for library in LIBRARIES:
        if wanted.names and library.name not in wanted.names:
            continue
        try:
            row, document = check(library, wanted.limit)
        except (OSError, subprocess.SubprocessError, StopIteration) as error:
            row, document = f"{library.name:20} could not be fetched: {type(error).__name__}", None
        print(row, flush=True)
        if document is None:
            failed += 1
            continue
        for item in document["checks"]:
            if item["verdict"] in ("unknown", "cond-unsafe", "bound-safe"):
                reasons[f"{item['verdict']}: {item['reason'] or 'NO REASON'}"] += 1
    print("\nreasons")
    for reason, count in reasons.most_common(25):
        print(f"{count:6} {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
