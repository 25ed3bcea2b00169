"""Runs the instances of a VNN-COMP folder one after the other; shared by the network benchmarks."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vouch.nn.loaders import load
from vouch.nn.loaders.files import read, resolved
from vouch.nn.properties import parse
from vouch.nn.search import verify
from vouch.settings import resolve
from vouch.verdict import Verdict

WORDS = {Verdict.SAFE: "unsat", Verdict.UNSAFE: "sat", Verdict.TIMEOUT: "timeout", Verdict.UNKNOWN: "unknown"}


def data_folder() -> Path:
    """Where the benchmark data lies: VOUCH_DATA, or shared/data beside the repository."""
    return Path(os.environ.get("VOUCH_DATA", Path(__file__).parents[2] / "shared" / "data"))


@dataclass(frozen=True, slots=True)
class Run:
    network: str
    prop: str
    verdict: str
    seconds: float
    processor: float
    engine: str
    nodes: int


def instances(folder: Path) -> Iterator[tuple[str, str, float]]:
    with (folder / "instances.csv").open(newline="", encoding="utf-8") as file:
        for network, prop, limit in csv.reader(file):
            yield network, prop, float(limit)


def run(folder: Path, network: str, prop: str, limit: float, **options: Any) -> Run:
    """One instance, reading the files included."""
    start, cpu = time.monotonic(), time.process_time()
    subject = load(resolved(folder / network))
    asked = parse(read(resolved(folder / prop)).decode(), prop)
    result = verify(subject, asked, resolve("nn", {"timeout": limit, **options}))
    return Run(
        Path(network).name,
        Path(prop).name,
        WORDS[result.verdict],
        time.monotonic() - start,
        time.process_time() - cpu,
        result.engine,
        int(result.statistics.get("nodes", 0)),
    )
