"""Decide whether code computes what a model computes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.folder import Folder
from vouch.settings import Settings, resolve
from vouch.shipped.execute import BOUND, execute
from vouch.shipped.harness import NAME, harness
from vouch.shipped.interface import ArraySizes, Interface, fraction_of, interface_of, mapped
from vouch.shipped.result import CodeComparison
from vouch.shipped.trial import Trial
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.c.ir import Program
    from vouch.equiv.outcome import Witness
    from vouch.equiv.pair import NetworkPair
    from vouch.equiv.property import Epsilon, Top
    from vouch.equiv.region import Region
    from vouch.equiv.result import Comparison
    from vouch.numeric.layers import Computed, Layers

# Seconds for samples before anything is proved, and for a search after nothing was.
_FIRST_LOOK, _LAST_LOOK = 2.0, 15.0


def compare_code(reference: Any, files: Sequence[str], settings: Settings, **given: Any) -> CodeComparison:
    """`given`: function or map, and include, define, target, libm as `vouch check` takes them. Headers among
    the files are included by the harness instead of being compiled."""
    from vouch.equiv.api import loaded, property_of, region_of
    from vouch.equiv.property import Avoid

    began = time.monotonic()
    network = loaded(reference)
    prop = property_of(settings)
    assert not isinstance(prop, Avoid)
    if isinstance(settings.top, int) and settings.top >= network.outputs:
        raise VouchError(f"option --top: the model has {network.outputs} outputs")
    region = region_of(network.input_shape, settings)
    check = _check_settings(settings, given)
    headers = [file for file in files if Path(file).suffix in _HEADERS]
    sources = [file for file in files if file not in headers]
    sizes = ArraySizes(region.size, network.outputs)
    with Folder("vouch-") as folder:
        interface = _interface(folder, sources, headers, sizes, check, given)
        program = folder / NAME
        subject = _Subject([str(program), *sources], headers, program, interface, sizes, region, check)
        program.write_text(harness(interface, sizes, headers, region=region), encoding="utf-8")
        comparison, rounding, assumed = _compared(network, subject, settings, prop)
        from vouch.api import run

        program.write_text(harness(interface, sizes, headers, region=region, expected=()), encoding="utf-8")
        # All calls are there, with what is known of their arguments: functions alone need not be looked at.
        left = _left(settings, began)
        result = run(subject.paths, check.replace(strategy="global", unwind=BOUND, timeout=left))
        kept = [r for r in result.checks if Path(r.check.location.file).name != NAME]
    return CodeComparison(comparison, replace(result, checks=kept), rounding, assumed)


_HEADERS = (".h", ".hpp", ".inc")


def _interface(
    folder: Path,
    sources: list[str],
    headers: list[str],
    sizes: ArraySizes,
    check: Settings,
    given: dict[str, Any],
) -> Interface:
    fraction = fraction_of(given.get("format"))
    if given.get("map"):
        return mapped(given["map"], sizes, fraction)
    if headers:
        stub = folder / "vouch_headers.c"
        text = "".join(f'#include "{Path(header).resolve()}"\n' for header in headers)
        stub.write_text(text, encoding="utf-8")
        sources = [str(stub), *sources]
    found = interface_of(_program(sources, check), given["function"], sizes, fraction)
    # Included headers declare the function already.
    return replace(found, declared="") if headers else found


def _check_settings(settings: Settings, given: dict[str, Any]) -> Settings:
    names = ("include", "define", "target", "libm")
    flags = {name: given[name] for name in names if given.get(name)}
    chosen = resolve("check", flags)
    return chosen.replace(timeout=settings.timeout, jobs=settings.jobs, quiet=True)


def _left(settings: Settings, began: float) -> float | None:
    """Seconds of the command's limit."""
    return None if settings.timeout is None else max(0.0, settings.timeout - (time.monotonic() - began))


def _program(files: Sequence[str], settings: Settings) -> Program:
    from vouch.api import front_options
    from vouch.c import checks, frontend

    return frontend.load(list(files), front_options(settings, checks.chosen(settings.checks))).program


@dataclass(frozen=True, slots=True, eq=False)
class _Subject:
    """The code: its files with the harness first, and how it is called and read."""

    paths: list[str]
    headers: list[str]
    harness: Path
    interface: Interface
    sizes: ArraySizes
    region: Region
    check: Settings


def _compared(
    network: Any, subject: _Subject, settings: Settings, prop: Epsilon | Top
) -> tuple[Comparison, float | None, tuple[str, ...]]:
    """With the rounding of the code, and what the comparison rests on."""
    from vouch.equiv.pair import subject as model_subject
    from vouch.equiv.property import Epsilon
    from vouch.equiv.result import Comparison
    from vouch.smt.term import Session

    began = time.monotonic()
    asked = f"the model's class among the first {settings.top}"
    if isinstance(prop, Epsilon):
        asked = f"|difference| <= {prop.epsilon:g} ({prop.norm})"
    rounding: float | None = None
    assumed: tuple[str, ...] = ()
    with Session():
        try:
            computed = execute(subject.paths, subject.interface, subject.sizes, subject.check)
            library = computed.library
            assumed = (library.accuracy.assumption(library.calls),) if library.calls else ()
            trial = Trial(model_subject(network, "model"), computed, subject.interface, subject.region, prop)
            witness = trial.hunt(began + _FIRST_LOOK)
            if witness is None:
                rounding, found = _decided(trial, settings, began)
            else:
                found = Comparison(Verdict.DIFFERENT, "falsifier", 0.0, asked, counterexample=witness)
        except Unsupported as error:
            found = Comparison(Verdict.UNKNOWN, "code", 0.0, asked, reason=str(error))
        if found.counterexample is not None:
            found = replace(found, counterexample=_ran(subject, found.counterexample), bound=None)
    return replace(found, seconds=time.monotonic() - began, asked=asked), rounding, assumed


def _decided(trial: Trial, settings: Settings, began: float) -> tuple[float, Comparison]:
    """The rounding of the code, and the comparison of the model with the code as a network with noise."""
    from vouch.equiv.api import team_of
    from vouch.equiv.decide import EnginePlan, decide
    from vouch.equiv.pair import NetworkPair, Subject
    from vouch.equiv.rounded import noise_bound, rounding_of, with_errors
    from vouch.nn.bounds.model import model_from

    lifted = _lifted(trial.model.source, trial.code, trial.interface.unit)
    exact, noisy = (
        Subject("code", lifted.network, model_from(lowered, "real"))
        for lowered in (lifted.exact, lifted.lowered)
    )
    last = rounding_of(trial.prop, lifted.errors)
    rounding = last + noise_bound(NetworkPair(exact, noisy), trial.region, trial.prop)
    stronger = with_errors(trial.prop, lifted.errors)
    left = None if settings.timeout is None else max(0.1, settings.timeout - (time.monotonic() - began))
    plan = EnginePlan.of(settings.replace(timeout=left), team_of(settings, None))
    plan = replace(plan, confirm=trial.confirm)
    found = decide(trial.model, noisy, stronger, trial.region, plan)
    if found.verdict is Verdict.EQUIVALENT and found.bound is not None:
        found = replace(found, bound=found.bound + last)
    if found.verdict is not Verdict.UNKNOWN:
        return rounding, found
    witness = _longer(trial, NetworkPair(trial.model, noisy), began, settings.timeout)
    if witness is None:
        reason = f"{found.reason}; the rounding of the code may come to {rounding:.3g}"
        return rounding, replace(found, reason=reason)
    return rounding, replace(found, verdict=Verdict.DIFFERENT, counterexample=witness, reason=None)


def _longer(trial: Trial, pair: NetworkPair, began: float, timeout: float | None) -> Witness | None:
    """A thorough search, from where gradients lead and among the code's own numbers."""
    from vouch.equiv.falsify import falsify
    from vouch.nn.search.task import Clock

    end = time.monotonic() + _LAST_LOOK
    end = end if timeout is None else min(end, began + timeout)
    clock = Clock(max(0.1, (end - time.monotonic()) / 2))
    found = falsify(pair, trial.region, trial.prop, trial.confirm, clock)
    seed = 1
    while found is None and time.monotonic() < end:
        found = trial.hunt(end, seed)
        seed += 1
    return found


def _lifted(network: Any, computed: Computed, unit: int) -> Layers:
    from vouch.nn.lowering import lower
    from vouch.numeric.layers import chain_of, layers_of
    from vouch.numeric.narrow import Contradiction

    try:
        return layers_of(computed, chain_of(lower(network)), unit)
    except Contradiction:
        raise Unsupported("no input of the region gets to the end of the code") from None


def _ran(subject: _Subject, witness: Witness) -> Witness:
    """With whether the compiled code gives those outputs: a harness that claims the first one to be smaller
    fails when it is run, and every other output is what it should be."""
    from vouch.api import run

    own = witness.test * subject.interface.unit
    dtype = np.float32 if subject.interface.kind == "float" else np.float64
    smaller = own[0] - 1 if subject.interface.integers else np.nextafter(dtype(own[0]), dtype(-np.inf))
    least = -(2**31) if subject.interface.integers else -float(np.finfo(dtype).max)
    limits = [(least, float(smaller)), *((float(c), float(c)) for c in own[1:])]
    second = subject.harness.with_name("vouch_shown.c")
    text = harness(subject.interface, subject.sizes, subject.headers, at=witness.input, expected=limits)
    second.write_text(text, encoding="utf-8")
    result = run([str(second), *subject.paths[1:]], subject.check.replace(checks=["assertion"]))
    claims = [r for r in result.checks if Path(r.check.location.file).name == second.name]
    if not claims:  # no time was left to compile it
        return replace(witness, replayed=False)
    first, *others = sorted(claims, key=lambda r: r.check.location.line)
    ran = bool(first.replayed) and all(r.verdict is Verdict.SAFE for r in others)
    return replace(witness, replayed=ran)
