"""One table of options, from which flags, `VOUCH_*` variables, `vouch.toml` and the manual are made.

An option is a row of one of the tables below. `resolve` merges, strongest first: flags, environment,
`vouch.toml` or `[tool.vouch]` in `pyproject.toml`, defaults. An unknown key is an error.
A file belongs to the code under test and may be hostile: it names no programs to run and no places to write.
Settings are read as attributes: option `check-timeout` is `settings.check_timeout`. Their types are made from
the tables: after a change of a table, `python -m vouch.manual types > src/vouch/option_types.py`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vouch.configuration import file_values
from vouch.errors import VouchError
from vouch.option import Option, parsed, valid
from vouch.option_types import OptionTypes

SECONDS = 1e9  # the longest time limit
# Variables beside those of the options.
_OTHER_VARIABLES = frozenset({"VOUCH_CACHE_DIR", "VOUCH_CACHE_KEY", "VOUCH_DATA"})


# Every command has these.
COMMON: tuple[Option, ...] = (
    Option("json", bool, False, "Print exactly one JSON document on stdout.", in_file=False),
    Option(
        "timeout",
        float,
        None,
        "Limit for the whole command in seconds.",
        minimum=0,
        maximum=SECONDS,
        metavar="S",
    ),
    Option(
        "jobs",
        int,
        None,
        "Worker processes (default: all cores).",
        ("-j", "--jobs"),
        minimum=1,
        maximum=1024,
        metavar="N",
    ),
    Option("quiet", bool, False, "Say less.", ("-q", "--quiet")),
    Option("verbose", bool, False, "Say more.", ("-v", "--verbose")),
)

# Where results of every kind go.
OUTPUT: tuple[Option, ...] = (
    Option(
        "output-format",
        list,
        (),
        "How results are printed (default: full), or with =FILE written beside that.",
        choices=("full", "concise", "json", "sarif", "junit", "github", "witness"),
        metavar="NAME[=FILE]",
        writes=True,
    ),
    Option("output-file", str, None, "Write the report there instead of stdout.", metavar="F", in_file=False),
    Option(
        "html", str, None, "Write the report as pages into this folder.", metavar="DIR", in_file=False
    ),
)

CHECK: tuple[Option, ...] = (
    # What is read.
    Option("include", list, (), "Folder to search for headers.", ("-I", "--include"), metavar="DIR"),
    Option("define", list, (), "Define a preprocessor macro.", ("-D", "--define"), metavar="NAME[=VALUE]"),
    Option("std", str, None, "Language standard, as clang names it (c99, gnu11, c++17, …).", metavar="NAME"),
    Option("target", str, None, "Target triple, which sets type widths (default: host).", metavar="TRIPLE"),
    Option(
        "clang",
        str,
        None,
        "A clang to use instead of the one that came with vouch.",
        metavar="PROGRAM",
        program=True,
    ),
    Option("project", str, None, "Folder with compile_commands.json.", ("-p", "--project"), metavar="DIR"),
    Option("exclude", list, (), "Leave out files that match, of folders and databases.", metavar="GLOB"),
    Option("strict-sources", bool, False, "A file of a folder that does not compile is an error."),
    Option("no-cache", bool, False, "Compile anew even what has not changed."),
    # What is asked.
    Option(
        "entry",
        list,
        (),
        "Entry point (repeatable; default: main, else all that other files can call).",
        metavar="F",
    ),
    Option(
        "checks", list, (), "Categories, `-name` to leave one out, `all`; comma-separated.", metavar="LIST"
    ),
    Option(
        "loops", bool, False, "List loops with names, trip counts and bounds; check nothing.", in_file=False
    ),
    # What is assumed about the world outside.
    Option(
        "globals",
        str,
        None,
        "What global variables hold when an entry point is called (default: their initial values for main "
        "and --entry, anything for a library).",
        choices=("initial", "arbitrary"),
        metavar="STATE",
    ),
    Option(
        "sharing",
        str,
        "language",
        "Memory that pointers from outside may share: whatever the language allows, also with an offset, or "
        "only whole objects of the same type.",
        choices=("language", "same-type"),
        metavar="NAME",
    ),
    Option("strict-pointers", bool, False, "Pointers from outside may be null or dangling."),
    Option(
        "extern",
        str,
        "havoc",
        "What a function without a body does: write all it can reach, return an arbitrary value only, "
        "return zero, or make what depends on it unknown.",
        choices=("havoc", "pure", "noop", "error"),
        metavar="NAME",
    ),
    Option("malloc-may-fail", bool, False, "malloc and its kin may return null."),
    Option(
        "range",
        list,
        (),
        "Values from outside lie within: of a parameter (FUNCTION.NAME), a global, or a result (FUNCTION()). "
        "FUNCTION.NAME[LENGTH]: so many elements are behind a pointer.",
        metavar="NAME=A..B",
    ),
    Option("device-range", list, (), "Addresses of device registers.", metavar="A..B"),
    # How it is decided.
    Option(
        "strategy",
        str,
        "ladder",
        "How checks are decided.",
        choices=("ladder", "global", "incremental", "k-induction"),
        metavar="NAME",
    ),
    Option(
        "rungs",
        list,
        ("local", "callers", "preconditions", "global"),
        "Rungs of the ladder: functions alone, with their callers, with callees replaced by preconditions "
        "(learned ones on demand), whole executions; calls: from entry points, with other callees replaced.",
        choices=("local", "callers", "calls", "preconditions", "learned", "global", "none"),
        metavar="LIST",
    ),
    Option(
        "points",
        int,
        0,
        "Make preconditions of so many failing inputs at most; 0: of the condition itself.",
        minimum=0,
        maximum=10_000,
        metavar="N",
    ),
    Option(
        "havoc-limit",
        int,
        1,
        "From so many calls below a function on, callees are replaced by what they may do (vouch analyze "
        "calls and combined).",
        minimum=1,
        maximum=16,
        metavar="N",
    ),
    Option(
        "caller-depth",
        int,
        2,
        "How many calls up and down functions are looked at together.",
        minimum=0,
        maximum=16,
        metavar="N",
    ),
    Option(
        "unwind",
        int,
        None,
        "Bound for loops without a constant trip count, and for recursion (default: grows from 2 to 128).",
        minimum=0,
        metavar="K",
    ),
    Option("unwind-loop", list, (), "Bound of one loop (see --loops).", metavar="NAME=K"),
    Option(
        "check-timeout",
        float,
        60.0,
        "Limit for one check in seconds.",
        minimum=0,
        maximum=SECONDS,
        metavar="S",
    ),
    Option(
        "cluster", str, None, "Run the jobs on the Dask cluster with this scheduler.", metavar="ADDRESS",
        in_file=False,
    ),
    Option("check-memory", int, 4096, "Limit for one check in MiB.", minimum=16, metavar="MIB"),
    Option(
        "solver",
        str,
        "bitwuzla",
        "bitwuzla, z3, cvc5, boolector, or an SMT-LIB 2 program.",
        metavar="NAME",
        program=True,
        packages=("bitwuzla", "z3", "cvc5", "boolector"),
    ),
    Option("individual", bool, False, "Solve each check by itself instead of in groups."),
    Option("no-bounds", bool, False, "Do not try bounds of numbers before the solver."),
    Option("no-invariants", bool, False, "Leave out the interval analysis: induction has no invariants."),
    Option("no-enumeration", bool, False, "Do not run all inputs of checks that have few."),
    Option(
        "libm",
        str,
        "glibc",
        "Accuracy assumed of the math library: glibc, musl, or a number of ulps for every function.",
        metavar="NAME",
    ),
    Option("no-slice", bool, False, "Send the whole equation to the solver, not only what a check reaches."),
    Option("no-simplify", bool, False, "Do not simplify terms."),
    Option("no-propagation", bool, False, "Do not propagate constants during symbolic execution."),
    Option("no-balance", bool, False, "Do not balance long sums."),
    Option("smt-during-symex", bool, False, "Ask the solver whether branches are feasible while executing."),
    Option(
        "dump-smt",
        str,
        None,
        "Write every formula as SMT-LIB 2 into this folder.",
        metavar="DIR",
        in_file=False,
    ),
    Option("no-replay", bool, False, "Run nothing natively, neither counterexamples nor all inputs."),
    Option(
        "replay-gpu",
        bool,
        False,
        "Run counterexamples of CUDA programs on this machine's GPU as well, with your rights.",
        in_file=False,
    ),
    Option("nvcc", str, "nvcc", "The compiler for --replay-gpu.", metavar="PROGRAM", program=True),
    # What comes out.
    Option(
        "fail-on",
        list,
        ("unsafe",),
        "Verdicts that give exit code 1.",
        choices=("unsafe", "cond-unsafe", "bound-safe", "unknown"),
        metavar="LIST",
    ),
    Option(
        "baseline",
        str,
        None,
        "JSON or SARIF report of an earlier run: what it lists does not count again.",
        metavar="FILE",
    ),
    Option("full-trace", bool, False, "Show every step of a violation, not only those that matter for it."),
)

NN: tuple[Option, ...] = (
    Option(
        "engine",
        str,
        "auto",
        "How to decide.",
        choices=("auto", "bounds", "milp", "star", "enumerate", "smt", "code"),
        metavar="NAME",
    ),
    Option(
        "format",
        str,
        None,
        "Fixed point: K integer bits with the sign, L fractional bits (one, or one for each layer).",
        metavar="K.L",
    ),
    Option(
        "rounding",
        str,
        "floor",
        "How fixed-point products and conversions round; ties of nearest go away from zero.",
        choices=("floor", "nearest"),
        metavar="NAME",
    ),
    Option(
        "overflow",
        str,
        "wrap",
        "What becomes of fixed-point numbers that do not fit.",
        choices=("wrap", "saturate"),
        metavar="NAME",
    ),
    Option(
        "activation",
        str,
        None,
        "Sigmoid and tanh in fixed point: exact, or lut:EPS for a look-up table with this error.",
        metavar="NAME",
    ),
    Option(
        "step",
        str,
        None,
        "Fixed-point inputs are only what multiples of this become, such as 0.01 or 1/255.",
        metavar="S",
    ),
    Option(
        "arithmetic",
        str,
        "float32",
        "What the network computes in: exact reals, or float32 as onnxruntime runs it.",
        choices=("real", "float32"),
        metavar="NAME",
    ),
    Option("device", str, "cpu", "Where bounds are computed.", choices=("cpu", "cuda"), metavar="NAME"),
    Option("seed", int, 0, "Seed of the falsifier; equal seeds give equal answers.", minimum=0, metavar="N"),
)

EQUIV: tuple[Option, ...] = (
    Option("epsilon", float, None, "Outputs may differ by at most E.", minimum=0, metavar="E"),
    Option(
        "top",
        int,
        None,
        "The reference's class is among the test's K largest outputs.",
        minimum=1,
        metavar="K",
    ),
    Option(
        "norm",
        str,
        "linf",
        "Norm of the difference, and of a ball unless --ball-norm says otherwise.",
        choices=("linf", "l1"),
        metavar="NAME",
    ),
    Option(
        "ball-norm", str, None, "Norm of the ball around --centre.", choices=("linf", "l1"), metavar="NAME"
    ),
    Option(
        "box",
        str,
        None,
        "Inputs: the input constraints of a VNN-LIB file.",
        metavar="P.vnnlib",
        in_file=False,
    ),
    Option("centre", str, None, "Inputs: around this point (file, or numbers).", metavar="X", in_file=False),
    Option("radius", float, None, "Inputs: as far as this from the centre.", minimum=0, metavar="R"),
    Option("clusters", str, None, "Inputs: clusters of labelled data, each by itself.", metavar="DATA"),
    Option(
        "property",
        str,
        None,
        "Instead of all that: a VNN-LIB 2.0 property of two networks.",
        metavar="P.vnnlib",
        in_file=False,
    ),
    Option("densest", int, 5, "How many clusters, densest first.", minimum=1, metavar="N"),
    Option("domain", str, None, "Limits of every input.", metavar="LOW..HIGH"),
    Option(
        "engine",
        str,
        "auto",
        "How to decide.",
        choices=("auto", "differential", "paths", "milp"),
        metavar="NAME",
    ),
    Option(
        "strategy",
        str,
        "less",
        "When path enumeration over-approximates.",
        choices=("exact", "first", "approx", "less", "max", "oracle"),
        metavar="NAME",
    ),
    Option(
        "arithmetic",
        str,
        "real",
        "What the networks compute in: exact reals, or float32 as onnxruntime runs them.",
        choices=("real", "float32"),
        metavar="NAME",
    ),
    Option("seed", int, 0, "Seed of the falsifier; equal seeds give equal answers.", minimum=0, metavar="N"),
)

# A command's options live in the table of its section; `vouch.toml` has one [section] for each, and
# common options stand at the top.
SECTIONS: Mapping[str, tuple[Option, ...]] = {
    "check": CHECK + OUTPUT,
    "nn": NN + OUTPUT,
    "equiv": EQUIV + OUTPUT,
}


class Settings(OptionTypes):
    """Resolved options of one command, read as attributes: those of its section and the common ones."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)

    if not TYPE_CHECKING:  # for the type checker `OptionTypes` says which there are

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(f"no option {name!r}")

    def replace(self, **changes: Any) -> Settings:
        unknown = changes.keys() - self.__dict__.keys()
        if unknown:
            raise VouchError(f"unknown option {sorted(unknown)[0]!r}")
        return Settings({**self.__dict__, **changes})

    def __repr__(self) -> str:
        return f"Settings({self.__dict__!r})"


def options_of(section: str) -> tuple[Option, ...]:
    """Common options and those of a section, in the order of the manual."""
    return COMMON + SECTIONS[section]


def chosen(section: str, settings: Settings) -> dict[str, Any]:
    """Options that are not at their default, and that say something about the answer: for reports."""
    known = {option.name: (getattr(settings, option.key, None), option) for option in options_of(section)}
    return {
        name: value
        for name, (value, option) in known.items()
        if name not in _TALK and value not in (None, [], option.default, list(_listed(option.default)))
    }


# Options that say how to talk about an answer.
_TALK = frozenset({"json", "quiet", "verbose", "output-format", "output-file", "html", "full-trace", "plot"})


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else ()


def resolve(
    section: str,
    flags: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """Merge all sources. `flags` maps keys to values; a value of None means "not given". Beside the options
    the settings have `configuration`, the file that was read, and `from_file`, the keys it decided."""
    options = options_of(section)
    given = {key: value for key, value in (flags or {}).items() if value is not None}
    unknown = given.keys() - {o.key for o in options}
    if unknown:
        raise VouchError(f"unknown option {sorted(unknown)[0]!r}")
    environ = os.environ if environ is None else environ
    _known_variables(environ)
    path, in_file = file_values(SECTIONS, COMMON, section, folder or Path.cwd())
    values: dict[str, Any] = {}
    from_file: set[str] = set()
    for option in options:
        if option.key in given:
            value = valid(option, given[option.key], f"option {option.spellings[-1]}")
        elif option.variable in environ and option.in_file:
            value = valid(option, parsed(option, environ[option.variable]), option.variable)
        elif option.key in in_file:
            value = in_file[option.key]
            from_file.add(option.key)
        else:
            value = list(option.default) if isinstance(option.default, (list, tuple)) else option.default
        values[option.key] = value
    return Settings({**values, "configuration": path, "from_file": frozenset(from_file)})


def _known_variables(environ: Mapping[str, str]) -> None:
    """A misspelled variable would change nothing, and nobody would notice."""
    own = [name for name in environ if name.startswith("VOUCH_") and name not in _OTHER_VARIABLES]
    if not own:
        return
    known = {o.variable: o for options in (COMMON, *SECTIONS.values()) for o in options}
    for name in sorted(own):
        if name not in known:
            raise VouchError(f"variable {name}: there is no such option")
        if not known[name].in_file:
            raise VouchError(f"variable {name}: give the flag {known[name].spellings[-1]} instead")
