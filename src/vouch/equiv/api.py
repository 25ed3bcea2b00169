"""`vouch.equiv.compare` and its relatives: options in, comparisons out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from vouch.equiv.clusters import Cluster, find_clusters
from vouch.equiv.data import read_labelled, read_point
from vouch.equiv.decide import VACUOUS, EnginePlan, decide, described, region_text
from vouch.equiv.outcome import Array
from vouch.equiv.property import Epsilon, Property, Top
from vouch.equiv.region import Region, ball, box
from vouch.equiv.result import Comparison
from vouch.equiv.team import ALONE_ONLY, INTERRUPTED, Team
from vouch.errors import VouchError
from vouch.nn.float_state import usual_numbers
from vouch.nn.search.task import Clock
from vouch.parallel import Pool
from vouch.settings import Settings, resolve
from vouch.verdict import Exit, Verdict, exit_code

_SUM = {Exit.PROVED: Verdict.EQUIVALENT, Exit.VIOLATED: Verdict.DIFFERENT, Exit.UNDECIDED: Verdict.UNKNOWN}


@usual_numbers
def compare(
    reference: Any,
    test: Any,
    *,
    region: Region | None = None,
    pool: Pool | None = None,
    report: Callable[[str], None] | None = None,
    **options: Any,
) -> Comparison:
    """Decide whether two networks are equivalent, in one of the senses of `vouch.equiv.property`.

    Networks are file names, `Network`s or lists of (weights, bias). Options are those of the command line
    with underscores: exactly one property (`epsilon` with `norm`, or `top`) and one set of inputs: `box` (a
    VNN-LIB file, or a pair of numbers or arrays), `centre` and `radius`, `clusters` (labelled data), or a
    ready `region`. Or, instead of both, `property`: a VNN-LIB 2.0 file about two networks, in its order of
    declaration.
    `pool` (`vouch.run.pool.run_jobs`) lends processes, as many as `jobs` says. `report` gets a line for each
    of several parts when it is decided.
    """
    return compared(reference, test, settings_of(options), region=region, pool=pool, report=report)


def compared(
    reference: Any,
    test: Any,
    settings: Settings,
    *,
    region: Region | None = None,
    prop: Property | None = None,
    pool: Pool | None = None,
    report: Callable[[str], None] | None = None,
) -> Comparison:
    """`compare` with options already resolved; `prop` instead of what they ask."""
    plan = EnginePlan.of(settings, team_of(settings, pool, report))
    if settings.property is not None:
        asked = (settings.epsilon, settings.top)
        where = (settings.box, region, settings.centre, settings.radius, settings.clusters)
        if any(value is not None for value in (*asked, *where)):
            raise VouchError("--property stands alone: it says what is asked and where")
        return _by_property(loaded(reference), loaded(test), settings.property, plan)
    prop = property_of(settings) if prop is None else prop
    reference, test = loaded(reference), loaded(test)
    if settings.clusters is not None:
        if not (settings.box is None and region is None and settings.centre is None):
            raise VouchError("--clusters stands alone: no --box, no --centre")
        return over_clusters(reference, test, prop, settings, plan)
    return decide(reference, test, prop, region or region_of(input_shape(reference), settings), plan)


# Options that a library may also give as arrays or paths.
_RAW = ("box", "centre", "clusters", "domain", "property")


def settings_of(options: Mapping[str, Any]) -> Settings:
    """The options as the command line would resolve them."""
    raw = {key: options[key] for key in _RAW if options.get(key) is not None}
    plain = {key: _plain(value) for key, value in options.items() if key not in raw}
    return resolve("equiv", plain).replace(**raw)


def _plain(value: Any) -> Any:
    """A number of numpy as Python's own."""
    return value.item() if isinstance(value, np.generic) else value


def team_of(settings: Settings, pool: Pool | None, report: Callable[[str], None] | None = None) -> Team:
    return Team(settings.jobs or os.cpu_count() or 1, pool, report)


def ball_norm(settings: Settings) -> str:
    """The norm of balls: that of the difference, unless another is given."""
    return str(settings.ball_norm or settings.norm)


def _by_property(reference: Any, test: Any, path: Any, plan: EnginePlan) -> Comparison:
    """Every input set of a VNN-LIB property by itself."""
    from vouch.equiv.vnnlib import read_questions

    started = time.monotonic()
    inputs = int(np.prod(input_shape(reference)))
    questions = [
        (region, prop, f"input set {number}")
        for number, (region, prop) in enumerate(read_questions(path, inputs, output_size(reference)))
    ]
    parts = _each(reference, test, questions, plan, check_vacuity=True)
    if len(parts) == 1:
        return replace(parts[0], name=None)
    reason = None if parts else VACUOUS
    return _summed(parts, Path(path).name, f"{len(parts)} input sets", reason, plan, started)


def loaded(network: Any) -> Any:
    """A file is read once, so that a mistake is reported before any work; anything else is left as it is."""
    from vouch.nn.loaders import load

    return load(network) if isinstance(network, str) or hasattr(network, "__fspath__") else network


def input_shape(network: Any) -> tuple[int, ...]:
    from vouch.nn.network import Network

    if isinstance(network, Network):
        return network.input_shape
    return (int(np.asarray(network[0][0]).shape[1]),)


def output_size(network: Any) -> int:
    from vouch.nn.network import Network

    return network.outputs if isinstance(network, Network) else len(network[-1][1])


def property_of(settings: Settings) -> Property:
    if (settings.epsilon is None) == (settings.top is None):
        raise VouchError("give either --epsilon or --top")
    if settings.top is not None:
        return Top(settings.top)
    assert settings.epsilon is not None
    return Epsilon(settings.epsilon, "l1" if settings.norm == "l1" else "linf")


def region_of(shape: tuple[int, ...], settings: Settings) -> Region:
    """The one region that the options describe."""
    given, centre, radius = settings.box, settings.centre, settings.radius
    if given is not None:
        if centre is not None or radius is not None:
            raise VouchError("give either --box or --centre with --radius")
        if settings.domain is not None:
            raise VouchError("option --domain: --box says already where inputs lie")
        if isinstance(given, (str, bytes)) or hasattr(given, "__fspath__"):
            from vouch.equiv.vnnlib import read_region

            return read_region(given, int(np.prod(shape)))
        return box(*_ends(given, int(np.prod(shape))))
    if centre is None or radius is None:
        raise VouchError("give a region: --box, --centre with --radius, or --clusters")
    point = read_point(centre, shape)
    return ball(point, radius, ball_norm(settings), domain_of(settings.domain, len(point)))


def _ends(given: Any, size: int) -> tuple[Array, Array]:
    """The two ends of a box: a pair of numbers for every input, or of arrays with one for each."""
    try:
        lower, upper = (np.asarray(end, dtype=np.float64).ravel() for end in given)
        return np.broadcast_to(lower, (size,)), np.broadcast_to(upper, (size,))
    except (TypeError, ValueError):
        raise VouchError(
            f"box: give lower and upper ends, numbers or arrays of {size} numbers, or a VNN-LIB file"
        ) from None


def domain_of(given: Any, size: int) -> tuple[Array, Array] | None:
    """Limits of every input: a text "0..16", or a pair of numbers or arrays."""
    if given is None:
        return None
    if isinstance(given, str):
        low, _, high = given.partition("..")
        try:
            given = (float(low), float(high))
        except ValueError:
            raise VouchError(f"domain {given!r} is not of the form LOW..HIGH") from None
    lower, upper = (np.broadcast_to(np.asarray(end, dtype=np.float64), (size,)) for end in given)
    if not (lower <= upper).all():
        raise VouchError("the domain is empty, or one of its ends is no number")
    return lower, upper


def clusters_of(inputs: int, settings: Settings) -> tuple[list[Cluster], tuple[Array, Array]]:
    """The densest clusters, and the limits of the inputs (of the data, unless given)."""
    points, labels = read_labelled(settings.clusters, inputs)
    limits = domain_of(settings.domain, points.shape[1]) or (points.min(axis=0), points.max(axis=0))
    found = [cluster for cluster in find_clusters(points, labels, ball_norm(settings)) if cluster.size > 1]
    if not found:
        raise VouchError("the data set has no cluster of more than one point")
    return found[: settings.densest], limits


def over_clusters(
    reference: Any, test: Any, prop: Property, settings: Settings, plan: EnginePlan
) -> Comparison:
    """Every cluster by itself; the whole is equivalent if all are, different if one is."""
    started = time.monotonic()
    found, limits = clusters_of(int(np.prod(input_shape(reference))), settings)
    norm = ball_norm(settings)
    questions = [
        (
            ball(cluster.centre, cluster.radius, norm, limits),
            prop,
            f"cluster {number} (label {cluster.label}, {cluster.size} points, radius {cluster.radius:g})",
        )
        for number, cluster in enumerate(found)
    ]
    parts = _each(reference, test, questions, plan)
    return _summed(parts, described(prop), f"{len(parts)} clusters", None, plan, started)


def _each(
    reference: Any,
    test: Any,
    questions: Sequence[tuple[Region, Property, str]],
    plan: EnginePlan,
    *,
    check_vacuity: bool = False,
) -> list[Comparison]:
    """Every named question by itself; the time is shared among those that are left."""
    clock = Clock(plan.timeout)
    # One process for each of several questions; all of them for a single one.
    team = plan.team if len(questions) == 1 else ALONE_ONLY

    def answer(number: int) -> Comparison:
        region, prop, name = questions[number]
        own = replace(plan, timeout=plan.team.share(clock, len(questions) - number), team=team)
        return replace(decide(reference, test, prop, region, own, check_vacuity=check_vacuity), name=name)

    def missing(number: int, why: str) -> Comparison:
        region, prop, name = questions[number]
        return Comparison(
            Verdict.UNKNOWN,
            plan.engine,
            0.0,
            described(prop),
            reason=why,
            arithmetic=plan.arithmetic,
            name=name,
            region=region_text(region),
            interrupted=why == INTERRUPTED,
        )

    return plan.team.each(answer, range(len(questions)), missing, Comparison.headline)


def _summed(
    parts: list[Comparison], asked: str, where: str, reason: str | None, plan: EnginePlan, started: float
) -> Comparison:
    """Equivalent if all parts are, different if one is."""
    verdict = _SUM[exit_code(part.verdict for part in parts)]
    worst = next((part for part in parts if part.verdict is Verdict.DIFFERENT), None)
    bounds = [part.bound for part in parts if part.bound is not None]
    if verdict is Verdict.UNKNOWN:
        reason = "not every part was decided"
    return Comparison(
        verdict,
        plan.engine,
        time.monotonic() - started,
        asked,
        counterexample=worst.counterexample if worst else None,
        bound=max(bounds) if parts and len(bounds) == len(parts) else None,
        reason=reason,
        arithmetic=plan.arithmetic,
        parts=tuple(parts),
        region=where,
        interrupted=any(part.interrupted for part in parts),
    )
