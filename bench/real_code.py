"""Real C code that nobody here wrote: `python -m bench real_code [NAME…] [--limit S]`.

Small C libraries, parsers and drivers among them, are taken from source packages of the Python registry
(fetched by name, kept under `bench/out`, never committed) and of Debian. Wanted: every check with a verdict
or a named reason, no crash, nothing that the native replay contradicts.
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

from bench.fetch import DebianSource, debian_source, unpack
from bench.process import run

OUT = Path(__file__).resolve().parent / "out" / "real_code"


@dataclass(frozen=True, slots=True)
class Library:
    """`files` are globs below the unpacked package."""

    name: str
    package: str | DebianSource
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
    Library("jsmn", "pyjsmn", ("jsmn/jsmn.c",)),
    Library("bme68x", "bme68x", ("BME68x-Sensor-API/bme68x.c",)),
    Library("vl53l1x", "vl53l1x", ("api/core/*.c",), ("-I", "api/core", "-I", "api/platform")),
    Library(
        "vl53l5cx",
        "vl53l5cx-ctypes",
        ("src/VL53L5CX_ULD_API/src/*.c",),
        ("-I", "src/VL53L5CX_ULD_API/inc", "-I", ".", "-D", "VL53L5CX_NB_TARGET_PER_ZONE=1U"),
    ),
    Library(
        "cjson",
        DebianSource(
            "cjson",
            "cjson_1.7.15.orig.tar.gz",
            "5308fd4bd90cef7aa060558514de6a1a4a0819974a26e6ed13973c5f624c24b2",
        ),
        ("cJSON.c",),
    ),
    Library(
        "json-parser",
        DebianSource(
            "libjsonparser",
            "libjsonparser_1.1.0.orig.tar.gz",
            "5c278793269dbbf98d5f1592c797234581df69088d2838a14154b4af52ebd133",
        ),
        ("json.c",),
    ),
    Library(
        "minmea",
        DebianSource(
            "indi-gpsnmea",
            "indi-gpsnmea_0.2+20221223114018.orig.tar.gz",
            "7b6fb70c408bf5b0241aecb3527109bae6d4094921ba3fd0677f4c936d06a503",
        ),
        ("minmea.c",),
    ),
    Library(
        "lz4",
        DebianSource(
            "lz4", "lz4_1.9.4.orig.tar.gz", "0b0e3aa07c8c063ddf40b082bdf7e37a1562bda40a0ff5272957f3e987e0e54b"
        ),
        ("lib/lz4.c",),
    ),
    Library(
        "can-utils",
        DebianSource(
            "can-utils",
            "can-utils_2020.11.0.orig.tar.xz",
            "f7ace5d077bcb7f6f543c7965870be7d70c07ddd579e28aa8344b9bc7c7be6fe",
        ),
        ("lib.c",),
        ("-I", "include"),
    ),
)


def fetch(package: str | DebianSource) -> Path:
    """The unpacked source package; downloaded once."""
    if isinstance(package, DebianSource):
        return debian_source(package)
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
