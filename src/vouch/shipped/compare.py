"""The comparison itself: execute the harness, lift it to a network, compare, show a difference."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.result import RunResult
from vouch.settings import Settings, resolve
from vouch.shipped.harness import harness_of
from vouch.shipped.interface import Interface, interface_of
from vouch.verdict import Exit, Verdict

if TYPE_CHECKING:
    from vouch.c.ir import Program
    from vouch.equiv.property import Epsilon, Top
    from vouch.equiv.region import Region
    from vouch.equiv.result import Comparison
    from vouch.numeric.layers import Layers
    from vouch.smt.node import Term

_HARNESS = "vouch_harness.c"


@dataclass(frozen=True, slots=True, eq=False)
class CodeComparison:
    """`comparison` of the model with what the code computes, and the `run` of `vouch check` over the harness.
    `rounding`: how far the code can be from the network it stands for, in exact reals."""

    comparison: Comparison
    run: RunResult
    rounding: float | None = None

    @property
    def exit_code(self) -> Exit:
        codes = (self.comparison.exit_code, self.run.exit_code())
        for worst in (Exit.INTERRUPTED, Exit.VIOLATED, Exit.UNDECIDED):
            if worst in codes:
                return worst
        return Exit.PROVED

    def to_json(self) -> dict[str, Any]:
        document = self.comparison.to_json()
        document["rounding"] = self.rounding
        counts: dict[str, int] = {}
        for result in self.run.checks:
            counts[str(result.verdict)] = counts.get(str(result.verdict), 0) + 1
        document["run_time_errors"] = {
            "summary": counts,
            "violations": [r.to_json() for r in self.run.checks if r.verdict is Verdict.UNSAFE],
        }
        return document

    def text(self) -> str:
        said = self.comparison.text().rstrip("\n")
        lines = [said.replace("replayed in onnxruntime", "replayed in the compiled code and in onnxruntime")]
        if self.rounding is not None:
            lines.append(f"rounding of the code: at most {self.rounding:.3g}")
        counts: dict[str, int] = {}
        for result in self.run.checks:
            counts[str(result.verdict)] = counts.get(str(result.verdict), 0) + 1
        listed = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
        lines.append(f"run-time errors: {listed or 'nothing to check'}")
        for result in self.run.checks:
            if result.verdict is Verdict.UNSAFE:
                place = result.check.location
                lines.append(f"{place.file}:{place.line}: {result.check.category}: {result.check.message}")
        return "\n".join(lines) + "\n"


def compare_code(reference: Any, files: Sequence[str], settings: Settings, **given: Any) -> CodeComparison:
    """`given`: function, and include, define, target as `vouch check` takes them."""
    from vouch.equiv.api import loaded, property_of, region_of
    from vouch.equiv.property import Avoid

    network = loaded(reference)
    prop = property_of(settings)
    assert not isinstance(prop, Avoid)
    if isinstance(settings.top, int) and settings.top >= network.outputs:
        raise VouchError(f"option --top: the model has {network.outputs} outputs")
    region = region_of(network.input_shape, settings)
    check = _check_settings(settings, given)
    program = _program(files, check)
    interface = interface_of(program, given["function"], _fraction(given.get("format")))
    with _folder() as folder:
        harness = folder / _HARNESS
        harness.write_text(harness_of(interface, region, network.outputs), encoding="utf-8")
        paths = [str(harness), *files]
        subject = _Subject(paths, harness, interface, region, check)
        comparison, rounding = _compared(network, subject, settings, prop)
        from vouch.api import run

        harness.write_text(harness_of(interface, region, network.outputs, expected=()), encoding="utf-8")
        result = run(paths, check)
        kept = [r for r in result.checks if Path(r.check.location.file).name != _HARNESS]
    return CodeComparison(comparison, replace(result, checks=kept), rounding)


def _check_settings(settings: Settings, given: dict[str, Any]) -> Settings:
    names = ("include", "define", "target")
    flags = {name: given[name] for name in names if given.get(name)}
    chosen = resolve("check", flags)
    return chosen.replace(timeout=settings.timeout, jobs=settings.jobs, quiet=True)


@contextmanager
def _folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="vouch-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _program(files: Sequence[str], settings: Settings) -> Program:
    from vouch.api import front_options
    from vouch.c import checks, frontend

    return frontend.load(list(files), front_options(settings, checks.chosen(settings.checks))).program


def _fraction(format_: str | None) -> int | None:
    """L of K.L."""
    if format_ is None:
        return None
    from vouch.nn.fixed.format import formats_of

    formats = formats_of(format_)
    if len(formats) != 1:
        raise VouchError(f"option --format: one format of inputs and outputs expected, not {format_!r}")
    return formats[0].fraction


@dataclass(slots=True)
class _Executed:
    """The harness as terms: inputs and outputs in their order, and the conditions for getting there."""

    inputs: list[Term] = field(default_factory=list)
    outputs: list[Term] = field(default_factory=list)
    asked: list[Term] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class _Subject:
    """The code: its files with the harness first, and how it is called and read."""

    paths: list[str]
    harness: Path
    interface: Interface
    region: Region
    check: Settings


def _compared(
    network: Any, subject: _Subject, settings: Settings, prop: Epsilon | Top
) -> tuple[Comparison, float | None]:
    from vouch.equiv.api import compared
    from vouch.equiv.property import Epsilon
    from vouch.equiv.result import Comparison
    from vouch.equiv.rounded import rounding_of, with_errors
    from vouch.smt.term import Session

    began = time.monotonic()
    asked = f"the model's class among the first {settings.top}"
    if isinstance(prop, Epsilon):
        asked = f"|difference| <= {prop.epsilon:g} ({prop.norm})"

    def undecided(reason: str, rounding: float | None = None) -> tuple[Comparison, float | None]:
        seconds = time.monotonic() - began
        return Comparison(Verdict.UNKNOWN, "code", seconds, asked, reason=reason), rounding

    with Session():
        try:
            executed = _execute(subject, network.outputs)
            lifted = _lifted(network, executed, subject.interface.unit)
        except Unsupported as error:
            return undecided(str(error))
        rounding = rounding_of(prop, lifted.errors)
        try:
            stronger = with_errors(prop, lifted.errors)
        except Unsupported as error:
            return undecided(str(error), rounding)
        found = compared(network, lifted.layers, settings, region=subject.region, prop=stronger)
        seconds = time.monotonic() - began
        if found.verdict is Verdict.EQUIVALENT:
            bound = None if found.bound is None else found.bound + rounding
            return replace(found, seconds=seconds, asked=asked, bound=bound), rounding
        if found.verdict is not Verdict.DIFFERENT or found.counterexample is None:
            return replace(found, seconds=seconds, asked=asked), rounding
        shown = _shown(network, executed, found, subject, prop)
        if shown is None and not isinstance(prop, Epsilon):
            # That is where classes come near each other. Do they change?
            found = compared(network, lifted.layers, settings, region=subject.region, prop=prop)
            if found.counterexample is not None:
                shown = _shown(network, executed, found, subject, prop)
    if shown is None:
        return undecided("the models differ by less than rounding can make up for", rounding)
    return replace(shown, seconds=time.monotonic() - began, asked=asked), rounding


def _execute(subject: _Subject, outputs: int) -> _Executed:
    """Follow the harness to its end. Every output is compared with a symbol of its own there."""
    from vouch.api import front_options
    from vouch.bmc.problem import pose
    from vouch.bmc.rounds import Log, Rounds
    from vouch.c import checks, frontend
    from vouch.c.checks.base import Category
    from vouch.c.entries import entries
    from vouch.numeric.narrow import conjuncts
    from vouch.smt.walk import order

    check, interface, wanted = subject.check, subject.interface, checks.chosen(("assertion",))
    program = frontend.load(subject.paths, front_options(check, wanted)).program
    listed = checks.find(program, wanted, program.sources)
    starts = entries(program, ["main"], None)
    deadline = None if check.timeout is None else time.monotonic() + float(check.timeout)
    problem = pose(program, listed, (), check, deadline, entries=starts, bounds={})
    equation = Rounds(problem, Log()).equation(problem.starts[0], _BOUND)
    if equation.cuts:
        raise Unsupported(f"the code was not followed to its end: {equation.cuts[0].reason}")
    claims = [c for c in equation.claims if Path(c.check.location.file).name == subject.harness.name]
    claims = [c for c in claims if c.check.category is Category.ASSERTION]
    claims.sort(key=lambda claim: claim.check.location.line)
    found = _Executed()
    symbols: list[Term] = []
    for _, same in groupby(claims, key=lambda claim: claim.check.id):
        # An assertion may have several claims; the one that compares is the one that is asked for.
        parts = {p: c for c in same for p in conjuncts([c.violated]) if p.op in ("fp_eq", "eq")}
        if len(parts) != 1:
            raise Unsupported("an output of the code is reached by several ways, or is no number")
        ((part, claim),) = parts.items()
        value, own = sorted(part.args, key=lambda term: _bare(term).id)
        found.outputs.append(value)
        found.asked = [claim.violated]  # the last one is reached when no other failed, so it has them all
        symbols.append(_bare(own))
    if len(found.outputs) != outputs:
        raise Unsupported("an output of the code is not reached")
    named = [t for t in order(found.asked) if t.op == "symbol" and t.name.startswith(interface.nondet)]
    floats = {t.args[0]: t for t in order(found.asked) if t.op == "fp_from_bits"}
    found.inputs = [floats.get(t, t) for t in sorted(named, key=lambda t: t.id) if t not in symbols]
    if len(found.inputs) != subject.region.size:
        raise Unsupported("the inputs of the code are not the model's")
    return found


def _bare(term: Term) -> Term:
    """The symbol that a number was made from, if it was made from one."""
    while term.op in ("fp_from_bits", "sext", "zext"):
        term = term.args[0]
    return term


_BOUND = 4096  # iterations of a loop; those of networks have constant counts


def _lifted(network: Any, executed: _Executed, unit: int) -> Layers:
    from vouch.numeric.layers import aligned, layers_of
    from vouch.numeric.narrow import Contradiction

    try:
        found = layers_of(executed.asked, executed.inputs, executed.outputs)
    except Contradiction:
        raise Unsupported("no input of the region gets to the end of the code") from None
    # Integers count units on both sides of every layer, so only what is added has to be divided.
    found = replace(found, layers=[(w, b / unit) for w, b in found.layers], errors=found.errors / unit)
    chain = _chain(network)
    return found if chain is None else replace(found, layers=aligned(found.layers, chain))


def _chain(network: Any) -> list[tuple[Any, Any]] | None:
    from vouch.nn.lowered import lower

    try:
        chain = lower(network).as_chain()
    except Unsupported:
        return None
    return None if chain is None else [(node.maps[0].dense(), node.bias) for node in chain]


def _shown(
    network: Any, executed: _Executed, found: Comparison, subject: _Subject, prop: Epsilon | Top
) -> Comparison | None:
    """The difference at the input that was found, by exact evaluation of the code, and by running it."""
    from vouch.equiv.outcome import Witness
    from vouch.nn.replay import replay

    assert found.counterexample is not None
    unit = subject.interface.unit
    if subject.interface.integers:
        point = np.round(found.counterexample.input * unit) / unit
    else:
        single = subject.interface.kind == "float"
        point = found.counterexample.input.astype(np.float32 if single else np.float64).astype(np.float64)
    if not subject.region.contains(point):
        return None
    code = _evaluated(executed, point * unit) / unit
    model = np.asarray(replay(network, point[None, :])[0], dtype=np.float64)
    if not prop.violated(model[None, :], code[None, :])[0]:
        return None
    ran = _ran(subject, point, code)
    return replace(found, counterexample=Witness(point, model, code, ran), bound=None)


def _evaluated(executed: _Executed, point: Any) -> Any:
    """The outputs of the code, exactly, in its own numbers."""
    from vouch.numeric.tape import bits_of, float_of
    from vouch.smt.operators import signed
    from vouch.smt.walk import evaluate

    values: dict[Term, Any] = {}
    for term, x in zip(executed.inputs, point, strict=True):
        mask = (1 << term.width) - 1
        values[_bare(term)] = int(x) & mask if term.sort.kind == "bv" else bits_of(term.sort, x)
    memo: dict[Term, Any] = {}
    found = []
    for term in executed.outputs:
        bits = evaluate(term, values, lambda symbol: 0, memo)
        number = signed(bits, term.width) if term.sort.kind == "bv" else float_of(term.sort, bits)
        found.append(float(number))
    return np.array(found)


def _ran(subject: _Subject, point: Any, code: Any) -> bool:
    """Whether the compiled code gives those outputs: a harness that claims the first one to be smaller fails
    when it is run, and every other output is what it should be."""
    from vouch.api import run

    own = code * subject.interface.unit
    dtype = np.float32 if subject.interface.kind == "float" else np.float64
    smaller = own[0] - 1 if subject.interface.integers else np.nextafter(dtype(own[0]), dtype(-np.inf))
    least = -(2**31) if subject.interface.integers else -float(np.finfo(dtype).max)
    limits = [(least, float(smaller)), *((float(c), float(c)) for c in own[1:])]
    second = subject.harness.with_name("vouch_shown.c")
    text = harness_of(subject.interface, subject.region, len(code), point, limits)
    second.write_text(text, encoding="utf-8")
    result = run([str(second), *subject.paths[1:]], subject.check.replace(checks=["assertion"]))
    claims = [r for r in result.checks if Path(r.check.location.file).name == second.name]
    first, *others = sorted(claims, key=lambda r: r.check.location.line)
    return bool(first.replayed) and all(r.verdict is Verdict.SAFE for r in others)
