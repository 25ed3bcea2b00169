"""Decide whether code computes what a model computes."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.settings import Settings, resolve
from vouch.shipped.execute import BOUND, evaluated, execute
from vouch.shipped.harness import NAME, harness
from vouch.shipped.interface import Interface, Sizes, fraction_of, interface_of, mapped
from vouch.shipped.result import CodeComparison
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.c.ir import Program
    from vouch.equiv.property import Epsilon, Top
    from vouch.equiv.region import Region
    from vouch.equiv.result import Comparison
    from vouch.numeric.layers import Computed, Layers


def compare_code(reference: Any, files: Sequence[str], settings: Settings, **given: Any) -> CodeComparison:
    """`given`: function or map, and include, define, target, libm as `vouch check` takes them. Headers among
    the files are included by the harness instead of being compiled."""
    from vouch.equiv.api import loaded, property_of, region_of
    from vouch.equiv.property import Avoid

    network = loaded(reference)
    prop = property_of(settings)
    assert not isinstance(prop, Avoid)
    if isinstance(settings.top, int) and settings.top >= network.outputs:
        raise VouchError(f"option --top: the model has {network.outputs} outputs")
    region = region_of(network.input_shape, settings)
    check = _check_settings(settings, given)
    headers = [file for file in files if Path(file).suffix in _HEADERS]
    sources = [file for file in files if file not in headers]
    sizes = Sizes(region.size, network.outputs)
    with _folder() as folder:
        interface = _interface(folder, sources, headers, sizes, check, given)
        program = folder / NAME
        subject = _Subject([str(program), *sources], headers, program, interface, sizes, region, check)
        program.write_text(harness(interface, sizes, headers, region=region), encoding="utf-8")
        comparison, rounding, assumed = _compared(network, subject, settings, prop)
        from vouch.api import run

        program.write_text(harness(interface, sizes, headers, region=region, expected=()), encoding="utf-8")
        # All calls are there, with what is known of their arguments: functions alone need not be looked at.
        result = run(subject.paths, check.replace(strategy="global", unwind=BOUND))
        kept = [r for r in result.checks if Path(r.check.location.file).name != NAME]
    return CodeComparison(comparison, replace(result, checks=kept), rounding, assumed)


_HEADERS = (".h", ".hpp", ".inc")


def _interface(
    folder: Path,
    sources: list[str],
    headers: list[str],
    sizes: Sizes,
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


@dataclass(frozen=True, slots=True, eq=False)
class _Subject:
    """The code: its files with the harness first, and how it is called and read."""

    paths: list[str]
    headers: list[str]
    harness: Path
    interface: Interface
    sizes: Sizes
    region: Region
    check: Settings


def _compared(
    network: Any, subject: _Subject, settings: Settings, prop: Epsilon | Top
) -> tuple[Comparison, float | None, tuple[str, ...]]:
    """With the rounding of the code, and what the comparison rests on."""
    from vouch.equiv.property import Epsilon
    from vouch.equiv.result import Comparison
    from vouch.equiv.rounded import rounding_of, with_errors
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
            lifted = _lifted(network, computed, subject.interface.unit)
            rounding = rounding_of(prop, lifted.errors)
            stronger = with_errors(prop, lifted.errors)
            library = computed.library
            assumed = (library.accuracy.assumption(library.calls),) if library.calls else ()
            found = _decided(network, _Code(computed, lifted, subject), settings, prop, stronger)
        except Unsupported as error:
            found = Comparison(Verdict.UNKNOWN, "code", 0.0, asked, reason=str(error))
    if found.bound is not None and found.verdict is Verdict.EQUIVALENT and rounding is not None:
        found = replace(found, bound=found.bound + rounding)
    return replace(found, seconds=time.monotonic() - began, asked=asked), rounding, assumed


@dataclass(frozen=True, slots=True, eq=False)
class _Code:
    computed: Computed
    lifted: Layers
    subject: _Subject


def _decided(
    network: Any, code: _Code, settings: Settings, prop: Epsilon | Top, stronger: Any
) -> Comparison:
    """`stronger`: the property with all that rounding may do."""
    from vouch.equiv.api import compared
    from vouch.equiv.property import Epsilon

    region = code.subject.region
    found = compared(network, code.lifted.network, settings, region=region, prop=stronger)
    if found.verdict is not Verdict.DIFFERENT or found.counterexample is None:
        return found
    shown = _shown(network, code, found, prop)
    if shown is None and not isinstance(prop, Epsilon):
        # That is where classes come near each other. Do they change?
        found = compared(network, code.lifted.network, settings, region=region, prop=prop)
        if found.counterexample is not None:
            shown = _shown(network, code, found, prop)
    if shown is None:
        raise Unsupported("the models differ by less than rounding can make up for")
    return shown


def _lifted(network: Any, computed: Computed, unit: int) -> Layers:
    from vouch.nn.lowered import lower
    from vouch.numeric.layers import chain_of, layers_of
    from vouch.numeric.narrow import Contradiction

    try:
        return layers_of(computed, chain_of(lower(network)), unit)
    except Contradiction:
        raise Unsupported("no input of the region gets to the end of the code") from None


def _shown(network: Any, code: _Code, found: Comparison, prop: Epsilon | Top) -> Comparison | None:
    """The difference at the input that was found, by exact evaluation of the code, and by running it."""
    from vouch.equiv.outcome import Witness
    from vouch.nn.replay import replay

    assert found.counterexample is not None
    subject, unit = code.subject, code.subject.interface.unit
    if subject.interface.integers:
        point = np.round(found.counterexample.input * unit) / unit
    else:
        single = subject.interface.kind == "float"
        point = found.counterexample.input.astype(np.float32 if single else np.float64).astype(np.float64)
    if not subject.region.contains(point):
        return None
    own = evaluated(code.computed, point * unit)
    if own is None:
        return None
    own = own / unit
    model = np.asarray(replay(network, point[None, :])[0], dtype=np.float64)
    if not prop.violated(model[None, :], own[None, :])[0]:
        return None
    ran = _ran(subject, point, own)
    return replace(found, counterexample=Witness(point, model, own, ran), bound=None)


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
    text = harness(subject.interface, subject.sizes, subject.headers, at=point, expected=limits)
    second.write_text(text, encoding="utf-8")
    result = run([str(second), *subject.paths[1:]], subject.check.replace(checks=["assertion"]))
    claims = [r for r in result.checks if Path(r.check.location.file).name == second.name]
    first, *others = sorted(claims, key=lambda r: r.check.location.line)
    return bool(first.replayed) and all(r.verdict is Verdict.SAFE for r in others)
