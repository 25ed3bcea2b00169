"""The types of settings, for the type checker: made from the option tables by
`python -m vouch.manual types > src/vouch/option_types.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal


class OptionTypes:
    """The options of all commands; a command has the common ones and those of its section."""

    json: bool
    timeout: float | None
    jobs: int | None
    quiet: bool
    verbose: bool
    include: list[str]
    define: list[str]
    std: str | None
    target: str | None
    clang: str | None
    project: str | None
    exclude: list[str]
    strict_sources: bool
    no_cache: bool
    entry: list[str]
    checks: list[str]
    loops: bool
    globals: Literal["initial", "arbitrary"] | None
    sharing: Literal["language", "same-type"]
    strict_pointers: bool
    extern: Literal["havoc", "pure", "noop", "error"]
    malloc_may_fail: bool
    range: list[str]
    device_range: list[str]
    strategy: str
    rungs: list[str]
    points: int
    havoc_limit: int
    caller_depth: int
    unwind: int | None
    unwind_loop: list[str]
    check_timeout: float
    cluster: str | None
    check_memory: int
    solver: str
    individual: bool
    no_bounds: bool
    no_invariants: bool
    no_enumeration: bool
    libm: str
    no_slice: bool
    no_simplify: bool
    no_propagation: bool
    no_balance: bool
    smt_during_symex: bool
    dump_smt: str | None
    no_replay: bool
    replay_gpu: bool
    nvcc: str
    fail_on: list[str]
    baseline: str | None
    full_trace: bool
    output_format: list[str]
    output_file: str | None
    html: str | None
    engine: str
    format: str | None
    rounding: Literal["floor", "nearest"]
    overflow: Literal["wrap", "saturate"]
    activation: str | None
    step: str | None
    arithmetic: Literal["real", "float32"]
    device: Literal["cpu", "cuda"]
    seed: int
    epsilon: float | None
    top: int | None
    norm: Literal["linf", "l1"]
    ball_norm: Literal["linf", "l1"] | None
    box: str | None
    centre: str | None
    radius: float | None
    clusters: str | None
    property: str | None
    densest: int
    domain: str | None
    configuration: Path | None  # the file that was read
    from_file: frozenset[str]
