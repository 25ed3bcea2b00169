"""Counterexamples of the CUDA programs in `examples/cuda` on a real GPU, with the real libraries.

    python -m bench cuda_replay --write FILE [NAME…]    find the defects, write what to run
    python3 -m bench.cuda_replay [FILE] [--nvcc PROGRAM] [--output FILE]  run it where there is a GPU

The first needs vouch, the second nothing but Python's own library and nvcc. It prints for every defect what
the GPU showed of it, and a tally. Without a file it runs what is in `tests/c/recorded`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "c" / "recorded" / "cuda_replay.json"
sys.path.insert(0, str(ROOT / "src"))

from vouch.gpu_program import GpuProgram  # noqa: E402
from vouch.run import gpu  # noqa: E402


def found(names: list[str]) -> list[dict[str, Any]]:
    """What vouch finds in each defect that is named, as programs for a GPU."""
    from bench.cuda_programs import checked, programs

    items = []
    os.chdir(ROOT)
    for program in programs():
        for defect in program.defects if not names or program.path.stem in names else ():
            for one in checked(program, defect.number).checks:
                about = str(one.check.category) in defect.categories and defect.text in one.check.message
                if about and one.driver is not None and "program" in one.driver:
                    document = _beside(one.driver["program"])
                    name = f"{program.path.name} {defect.number}"
                    items.append({"name": name, "message": one.check.message, "program": document})
                    break
            print(f"{program.path.name} {defect.number}: {items[-1]['message'] if items else ''}", flush=True)
    return items


def _beside(document: dict[str, Any]) -> dict[str, Any]:
    """Files as they are named from the top of the repository."""
    files = [str(Path(file).resolve().relative_to(ROOT)) for file in document["files"]]
    return document | {"files": files, "file": str(Path(document["file"]).resolve().relative_to(ROOT))}


def replayed(items: list[dict[str, Any]], compiler: str, output: Path | None) -> int:
    on = gpu.machine(compiler)
    if isinstance(on, str):
        print(f"error: {on}", file=sys.stderr)
        return 2
    os.chdir(ROOT)
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda item: gpu.replay(GpuProgram.from_json(item["program"]), on), items))
    words = {True: "seen", False: "not seen", None: "not run"}
    for item, run in zip(items, runs, strict=True):
        print(f"{item['name']:20} {words[run.seen]:8} {run.what}\n{'':29} {item['message']}")
        item["gpu"] = asdict(run)
    if output is not None:
        output.write_text(json.dumps(items, indent=1) + "\n", encoding="utf-8")
    tally = Counter(words[run.seen] for run in runs)
    print(f"{len(runs)} counterexamples: " + ", ".join(f"{count} {word}" for word, count in tally.items()))
    return 0 if not tally["not run"] else 1


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("cuda_replay")
    parser.add_argument("file", type=Path, nargs="?", default=RECORD)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    if options.write:
        options.file.write_text(json.dumps(found(options.names), indent=1) + "\n", encoding="utf-8")
        return 0
    return replayed(json.loads(options.file.read_text(encoding="utf-8")), options.nvcc, options.output)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
