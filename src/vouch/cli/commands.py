"""The commands, in the order of the help text: their arguments, their flags, and the function behind each.

Modules are named, not imported, so that a command loads only what it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from vouch.option import Option
from vouch.record import frozen_record
from vouch.settings import COMMON, OUTPUT, options_of


@frozen_record
class Positional:
    """A positional argument. `many`: all that are given, perhaps none."""

    key: str
    metavar: str
    help: str = ""
    many: bool = False
    required: bool = True


@frozen_record
class Command:
    """`name` is what a user types, with the group in front. `section` names the table of its options (none:
    it has no settings), `extra` are flags of this command alone, `without` are keys of the table that mean
    nothing to it. `reports` are the keys of where results go (`OUTPUT`) that it honours. `function` is
    `module:name`, called with the settings, arguments and extra flags by their keys; it returns the exit
    code."""

    name: str
    help: str
    function: str
    section: str | None = None
    arguments: tuple[Positional, ...] = ()
    extra: tuple[Option, ...] = ()
    without: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()

    @property
    def options(self) -> tuple[Option, ...]:
        own = {option.key for option in self.extra} | {*self.without}
        own |= {option.key for option in OUTPUT} - {*self.reports}
        table = options_of(self.section) if self.section else ()
        return (*self.extra, *(option for option in table if option.key not in own))

    def load(self) -> Callable[..., int]:
        module, _, name = self.function.partition(":")
        function: Callable[..., int] = getattr(import_module(module), name)
        return function


_JSON = next(option for option in COMMON if option.name == "json")
# What a workspace leaves to `vouch report`.
_REPORTED = ("output_format", "output_file", "html", "loops")
_ALL = tuple(option.key for option in OUTPUT)
# What means nothing to commands about networks over the reals, and to those that look for radii.
_FIXED = ("format", "rounding", "overflow", "activation", "step")
_COMPARING = ("engine", "strategy", "arithmetic")

_NETWORK = Positional("network", "NET", "A network, or NAME=FILE,NAME=FILE for several.")
_REFERENCE = Positional("reference", "REF", "The network to be faithful to.")

GROUPS = {
    "nn": "Neural networks.",
    "equiv": "Equivalence of two networks: vouch equiv REF TEST …",
}
# A group whose command may be left out: `vouch equiv REF TEST` is `vouch equiv compare REF TEST`.
DEFAULTS = {"equiv": "compare"}

COMMANDS: tuple[Command, ...] = (
    Command(
        "check",
        "Verify C code.",
        "vouch.cli.check:check",
        "check",
        (Positional("paths", "PATH…", "C, C++ or LLVM IR files, or folders.", many=True),),
        reports=_ALL,
    ),
    Command(
        "explain",
        "Say what a check category finds, why it matters, and what fails and passes.",
        "vouch.cli.explain:explain",
        None,
        (
            Positional(
                "category", "CATEGORY", "A check category; without one, all are listed.", required=False
            ),
        ),
    ),
    Command(
        "report",
        "Make other formats and pages of JSON reports, of any kind and of several runs.",
        "vouch.cli.report:report",
        None,
        (Positional("files", "FILE.json…", "What `--json` printed.", many=True),),
        (
            Option("html", str, None, "Write the report as pages into this folder.", metavar="DIR"),
            Option("sarif", str, None, "Write SARIF 2.1.0.", metavar="F"),
            Option("junit", str, None, "Write JUnit XML.", metavar="F"),
            Option("json", str, None, "Write the JSON document.", metavar="F"),
            Option("github", str, None, "Write GitHub annotations.", metavar="F"),
            Option("witness", str, None, "Write SV-COMP witnesses 2.0.", metavar="F"),
            Option("concise", str, None, "Write one line for each finding.", metavar="F"),
            Option(
                "plot", str, None, "Draw bounds, points, radii or tables (.png, .svg, .pdf).", metavar="F"
            ),
            Option("sources", str, ".", "Folder below which sources are quoted.", metavar="DIR"),
        ),
    ),
    Command(
        "serve",
        "Show the pages of a check in a browser while it runs, or those of JSON reports.",
        "vouch.cli.serve:serve",
        "check",
        (Positional("paths", "PATH…", "As for `vouch check`, or JSON reports.", many=True),),
        (
            Option(
                "port", int, 0, "Port to listen on (default: any).", minimum=0, maximum=65535, metavar="P"
            ),
            Option("bind", str, "127.0.0.1", "Address to listen on.", metavar="ADDRESS"),
        ),
        without=(
            "json",
            "loops",
            "full_trace",
            "baseline",
            "fail_on",
        ),
    ),
    Command(
        "nn verify",
        "Decide a property.",
        "vouch.cli.nn:verify",
        "nn",
        (_NETWORK, Positional("prop", "PROPERTY.vnnlib")),
        (Option("vnncomp", str, None, "Write the result as VNN-COMP reads it.", metavar="FILE"),),
        reports=_ALL,
    ),
    Command(
        "nn robust",
        "Decide whether all inputs near a point get its class.",
        "vouch.cli.nn_near:robust",
        "nn",
        (Positional("network", "NET"),),
        (
            Option("input", str, None, "The point: numbers, .csv, .npy or an image (0 to 1).", metavar="X"),
            Option("radius", float, None, "How far an input may be from it.", minimum=0, metavar="R"),
            Option("norm", str, "linf", "Of the distance.", choices=("linf", "l1", "l2"), metavar="NAME"),
            Option("label", int, None, "The class to keep (default: that of the point).", metavar="C"),
            Option("bottom", bool, False, "The class is that of the smallest output."),
            Option(
                "within",
                float,
                None,
                "Instead of the class: no output moves by more than D.",
                minimum=0,
                metavar="D",
            ),
            Option("scale", str, None, "A factor on the radius for each input; 0 fixes one.", metavar="S"),
            Option("lower", str, None, "Smallest valid inputs: one number or one for each.", metavar="V"),
            Option("upper", str, None, "Largest valid inputs.", metavar="V"),
            Option("index", int, None, "Which point of a data set.", minimum=0, metavar="N"),
            Option("nearest", bool, False, "The nearest input of another class within the radius, or none."),
        ),
        reports=_ALL,
    ),
    Command(
        "nn bounds",
        "Prove ranges of all outputs over an input set.",
        "vouch.cli.nn:bounds",
        "nn",
        (Positional("network", "NET"),),
        (
            Option("box", str, None, "The input set; output constraints are left aside.", metavar="P.vnnlib"),
            Option("input", str, None, "Instead: a point, and --radius around it.", metavar="X"),
            Option("radius", float, None, "How far an input may be from it.", minimum=0, metavar="R"),
            Option("scale", str, None, "A factor on the radius for each input; 0 fixes one.", metavar="S"),
            Option("lower", str, None, "Smallest valid inputs: one number or one for each.", metavar="V"),
            Option("upper", str, None, "Largest valid inputs.", metavar="V"),
            Option("index", int, None, "Which point of a data set.", minimum=0, metavar="N"),
            Option("plot", str, None, "Draw the ranges (needs the extra `plot`).", metavar="FILE"),
        ),
        without=("engine", *_FIXED),
    ),
    Command(
        "nn codegen",
        "Write the network as C code, with a harness for verifiers.",
        "vouch.cli.nn_code:codegen",
        "nn",
        (Positional("network", "NET"),),
        (
            Option("output", str, None, "Where the files go.", ("-o", "--output"), metavar="DIR"),
            Option("property", str, None, "What the harness asserts.", metavar="P.vnnlib"),
            Option(
                "code",
                str,
                "loops",
                "Loops over tables, or every term by itself.",
                choices=("loops", "straight"),
                metavar="NAME",
            ),
            Option(
                "sums",
                str,
                "sequential",
                "In order, or as a tree (straight-line, not with saturation).",
                choices=("sequential", "balanced"),
                metavar="NAME",
            ),
            Option(
                "target",
                str,
                None,
                "Compile the code for a bare target, to see that it can be.",
                choices=("avr", "msp430", "cortex-m"),
                metavar="NAME",
            ),
        ),
        without=("engine", "step", "arithmetic", "device", "seed"),
    ),
    Command(
        "nn bits",
        "How properties fare in fixed point by word length, and the smallest that holds.",
        "vouch.cli.nn_code:bits",
        "nn",
        (Positional("network", "NET"), Positional("properties", "PROPERTY…", "VNN-LIB files.", many=True)),
        (
            Option("range", str, "6..32", "Word lengths in bits.", metavar="LOW..HIGH"),
            Option("per-layer", bool, False, "Then look for a smaller format for each layer."),
            Option("plot", str, None, "Draw the table.", metavar="FILE"),
        ),
        reports=_ALL,
    ),
    Command(
        "nn nearest",
        "The nearest input of another class in fixed point, and a proof that none is nearer.",
        "vouch.cli.nn_near:nearest",
        "nn",
        (Positional("network", "NET"),),
        (
            Option("input", str, None, "The point: numbers, .csv, .npy or an image (0 to 1).", metavar="X"),
            Option("radius", float, 1.0, "How far to look.", minimum=0, metavar="R"),
            Option("norm", str, "linf", "Of the distance.", choices=("linf", "l1", "l2"), metavar="NAME"),
            Option("label", int, None, "The class to leave (default: that of the point).", metavar="C"),
            Option("lower", float, None, "Smallest valid input.", metavar="V"),
            Option("upper", float, None, "Largest valid input.", metavar="V"),
            Option("index", int, None, "Which point of a data set.", minimum=0, metavar="N"),
            Option("image", str, None, "Write the input that was found as a picture.", metavar="FILE"),
        ),
        without=("arithmetic", "device"),
    ),
    Command(
        "nn batch",
        "Run a benchmark folder as VNN-COMP does; decided instances of an earlier run are kept.",
        "vouch.cli.nn:batch",
        "nn",
        (Positional("instances", "instances.csv"),),
        (Option("output", str, None, "Where the results go.", ("-o", "--output"), metavar="FILE"),),
        reports=_ALL,
    ),
    Command(
        "nn cover",
        "Measure how well inputs exercise a network, and find one that does more.",
        "vouch.cli.cover:cover",
        "nn",
        (Positional("network", "NET"),),
        (
            Option("inputs", str, None, "The data set: .csv, .npy or an image.", metavar="DATA"),
            Option(
                "method",
                str,
                "all",
                "Covering method: changes of sign or distance in a layer, of sign or value in the next.",
                choices=("ss", "sv", "ds", "dv", "all"),
                metavar="NAME",
            ),
            Option("at-least", str, None, "Share of neurons that every method has to cover.", metavar="80%"),
            Option("ratio", float, 1.0, "A value change: larger by this factor.", minimum=1, metavar="D"),
            Option("distance", float, 0.1, "A distance change: further than this.", minimum=0, metavar="V"),
            Option(
                "distance-norm",
                str,
                "l2",
                "Distance of a whole layer, or each neuron by itself.",
                choices=("l2", "each"),
                metavar="NAME",
            ),
            Option("compare", bool, False, "Neuron, multisection, boundary and top-k coverage beside it."),
            Option("profile", str, None, "Data whose ranges those take (default: the same).", metavar="DATA"),
            Option("threshold", float, 0.0, "An active neuron's potential is above it.", metavar="T"),
            Option("sections", int, 100, "Sections of a neuron's range.", minimum=1, metavar="K"),
            Option("top", int, 1, "Neurons of a layer that count as its top.", minimum=1, metavar="K"),
            Option("raise", bool, False, "Find an input near a given one that reaches the share."),
            Option("input", str, None, "Where to start (default: --index of the data).", metavar="X"),
            Option("index", int, None, "Which point of a data set.", minimum=0, metavar="N"),
            Option("radius", float, None, "How far the new input may be from it.", minimum=0, metavar="R"),
            Option("norm", str, "linf", "Of the distance.", choices=("linf", "l1", "l2"), metavar="NAME"),
            Option("lower", str, None, "Smallest valid inputs: one number or one for each.", metavar="V"),
            Option("upper", str, None, "Largest valid inputs.", metavar="V"),
            Option("output", str, None, "Folder for the inputs found.", ("-o", "--output"), metavar="DIR"),
        ),
        without=("engine", "arithmetic", "device", "step"),
        reports=_ALL,
    ),
    Command(
        "equiv compare",
        "Decide whether TEST is equivalent to REF over a region of inputs.",
        "vouch.cli.equiv:compare",
        "equiv",
        (_REFERENCE, Positional("test", "TEST", "The network under test.")),
        reports=_ALL,
    ),
    Command(
        "equiv radius",
        "Largest proved and smallest refuted radius around --centre.",
        "vouch.cli.equiv:radius",
        "equiv",
        (_REFERENCE, Positional("test", "TEST", "The network under test.")),
        without=("box", "radius", "clusters", "densest", "property", *_COMPARING),
        reports=_ALL,
    ),
    Command(
        "equiv code",
        "Decide whether shipped C code computes what a model computes, and look for its run-time errors.",
        "vouch.cli.equiv:code",
        "equiv",
        (_REFERENCE, Positional("files", "FILE.c…", "The code.", many=True)),
        (
            Option("function", str, None, "The function that runs the model.", metavar="F"),
            Option("format", str, None, "What integers in the code mean: n / 2^L.", metavar="K.L"),
            Option("map", str, None, "How the code is called, where no signature says it.", metavar="M.toml"),
            Option("include", list, (), "Folder to search for headers.", ("-I", "--include"), metavar="DIR"),
            Option("define", list, (), "Define a macro.", ("-D", "--define"), metavar="NAME[=VALUE]"),
            Option("target", str, None, "Target triple (default: host).", metavar="TRIPLE"),
            Option("libm", str, None, "Accuracy assumed of the math library, as for check.", metavar="NAME"),
        ),
        without=("clusters", "densest", "property", "arithmetic"),
        reports=_ALL,
    ),
    Command(
        "equiv sweep",
        "Table of radii and verdicts per cluster for every network in FOLDER.",
        "vouch.cli.equiv:sweep",
        "equiv",
        (_REFERENCE, Positional("folder", "FOLDER", "Compressed networks.")),
        (Option("plot", str, None, "Draw the radii.", metavar="FILE"),),
        without=("box", "centre", "radius", "property", *_COMPARING),
        reports=_ALL,
    ),
    Command(
        "init",
        "Write a vouch.toml with every option, commented out, and make a workspace in ROOT.",
        "vouch.cli.init:init",
        None,
        (Positional("folder", "ROOT", "Where it goes (default: the working folder).", required=False),),
    ),
    Command(
        "sources",
        "List, find or add the sources of the workspace.",
        "vouch.cli.workspace:sources",
        None,
        (Positional("files", "FILE…", "With --add.", many=True),),
        (
            Option("find", bool, False, "Take all C and C++ files below the root."),
            Option("add", bool, False, "Take these files."),
            _JSON,
        ),
    ),
    Command(
        "config",
        "Show or set options of vouch check for the workspace.",
        "vouch.cli.workspace:config",
        None,
        (Positional("pairs", "KEY=VALUE…", many=True),),
        (_JSON,),
    ),
    Command(
        "compile",
        "Compile the sources of the workspace, and count what there is to be checked.",
        "vouch.cli.workspace:compile",
        "check",
        without=(*_REPORTED, "rungs", "full_trace", "baseline", "fail_on"),
    ),
    Command(
        "analyze",
        "Decide what is open or changed in the workspace.",
        "vouch.cli.workspace:analyze",
        "check",
        (
            Positional(
                "mode", "MODE", "global, local, calls or combined; without, the ladder.", required=False
            ),
        ),
        without=(*_REPORTED, "rungs"),
    ),
    Command(
        "refine",
        "Look at what is open in the workspace from its callers, or with preconditions.",
        "vouch.cli.workspace:refine",
        "check",
        (Positional("mode", "MODE", "callers, preconditions or learned."),),
        (
            Option("depth", int, 3, "How many calls up.", minimum=1, maximum=16, metavar="N"),
            Option("check", str, None, "Only this check.", metavar="ID"),
        ),
        without=(*_REPORTED, "rungs", "caller_depth"),
    ),
    Command("status", "Count the results of the workspace.", "vouch.cli.workspace:status", extra=(_JSON,)),
    Command(
        "checks",
        "List the results of the workspace.",
        "vouch.cli.workspace:checks",
        None,
        (),
        (
            Option("verdict", str, None, "Only those with this verdict.", metavar="V"),
            Option("function", str, None, "Only those of this function.", metavar="F"),
            _JSON,
        ),
    ),
    Command(
        "trace",
        "Show the execution that violates a check of the workspace.",
        "vouch.cli.workspace:trace",
        None,
        (Positional("check", "ID", "As vouch checks lists them."),),
        (_JSON,),
    ),
    Command(
        "completion",
        "Print a script that completes commands and flags in a shell.",
        "vouch.cli.completion:completion",
        None,
        (Positional("shell", "SHELL", "bash, zsh or fish."),),
    ),
)


def by_name(name: str) -> Command | None:
    return next((command for command in COMMANDS if command.name == name), None)


def values_of(command: Command, given: dict[str, Any]) -> dict[str, Any]:
    """Flags of the command alone, checked; the others are for `resolve`."""
    from vouch.option import checked

    return {option.key: checked(option, given.pop(option.key, None)) for option in command.extra}
