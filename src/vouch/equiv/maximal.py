"""The largest ball around a centre on which two networks are equivalent (Kleine Büning 2022, 11.3.3).

From above: inputs that violate the property, as close to the centre as the falsifier and HiGHS (which
minimises the radius of a violation) find them. From below: proofs for fixed radii, ever closer to that.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from vouch.equiv.api import (
    ball_norm,
    domain_of,
    input_shape,
    loaded,
    property_of,
    settings_of,
    team_of,
)
from vouch.equiv.canonical import same_function
from vouch.equiv.confirm import certainly_violated, confirmer
from vouch.equiv.data import read_point
from vouch.equiv.decide import EnginePlan, described, differential, fits
from vouch.equiv.falsify import falsify, glance
from vouch.equiv.joint import violations
from vouch.equiv.outcome import Array, Witness
from vouch.equiv.pair import NetworkPair, pair_of
from vouch.equiv.property import Property, Top
from vouch.equiv.region import Region, ball
from vouch.equiv.team import ALONE_ONLY, INTERRUPTED, Team, why_ended
from vouch.errors import Unsupported, VouchError
from vouch.nn.float_state import usual_numbers
from vouch.nn.search.milp import nearest_violation
from vouch.nn.search.task import Clock
from vouch.parallel import Pool
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict

# The search ends when proved and refuted radius are this close (relative to the refuted one).
CLOSE = 0.01
# Seconds for the first attempt at a proof, and a radius not worth one.
SHORTEST, NOTHING = 0.1, 1e-9
# Searches for a violation at each radius: there are many radii.
ATTEMPTS = 4
DEFAULT_SECONDS = 60.0
# What a violation that HiGHS looks for has to spare, so that it survives a replay.
MARGIN = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Radius:
    """`proved`: equivalent up to here (None: not even shown at the centre). `refuted`: the counterexample's
    distance from the centre (None: no violation found). `verdict` is EQUIVALENT when the two are within 1 %
    or the whole domain is proved, DIFFERENT when the networks differ at the centre, else UNKNOWN."""

    verdict: Verdict
    proved: float | None
    refuted: float | None
    norm: str
    asked: str
    seconds: float
    counterexample: Witness | None = None
    reason: str | None = None
    interrupted: bool = False

    @property
    def exit_code(self) -> Exit:
        if self.interrupted:
            return Exit.INTERRUPTED
        return {Verdict.EQUIVALENT: Exit.PROVED, Verdict.DIFFERENT: Exit.VIOLATED}.get(
            self.verdict, Exit.UNDECIDED
        )

    def to_json(self) -> dict[str, Any]:
        point = self.counterexample
        return {
            "verdict": self.verdict.value,
            "proved": self.proved,
            "refuted": self.refuted,
            "norm": self.norm,
            "property": self.asked,
            "counterexample": None
            if point is None
            else {
                "input": point.input.tolist(),
                "reference": point.reference.tolist(),
                "test": point.test.tolist(),
            },
            "replayed": None if point is None else point.replayed,
            "reason": self.reason,
            "seconds": round(self.seconds, 4),
        }

    def text(self) -> str:
        proved = "nothing" if self.proved is None else f"{self.proved:.6g}"
        refuted = "nothing" if self.refuted is None else f"{self.refuted:.6g}"
        line = f"{self.asked}, {self.norm} ball: proved up to {proved}, refuted from {refuted}"
        return line + f" ({self.seconds:.1f} s)" + (f"\n  {self.reason}" if self.reason else "")

    def __str__(self) -> str:
        return self.text()


@usual_numbers
def radius(reference: Any, test: Any, *, pool: Pool | None = None, **options: Any) -> Radius:
    """Largest proved and smallest refuted radius around `centre` (in `timeout` seconds, 60 by default), with
    the options of the command line. `pool` (`vouch.run.pool.run_jobs`) lends `jobs` processes."""
    return radius_of(reference, test, settings_of(options), pool)


def radius_of(reference: Any, test: Any, settings: Settings, pool: Pool | None = None) -> Radius:
    """`radius` with options already resolved."""
    prop = property_of(settings)
    reference, test = loaded(reference), loaded(test)
    if settings.centre is None:
        raise VouchError("give the --centre")
    point = read_point(settings.centre, input_shape(reference))
    limits = domain_of(settings.domain, len(point))
    started, measure = time.monotonic(), ball_norm(settings)
    try:
        pair = pair_of(reference, test)
        clock = Clock(DEFAULT_SECONDS if settings.timeout is None else settings.timeout)
        team = team_of(settings, pool)
        search = RadiusSearch(pair, prop, point, measure, limits, settings.seed, team)
        try:
            return search.run(clock, started)
        except KeyboardInterrupt as end:
            return search.so_far(started, why_ended(end))
    except Unsupported as problem:
        seconds = time.monotonic() - started
        return Radius(Verdict.UNKNOWN, None, None, measure, described(prop), seconds, reason=str(problem))


class RadiusSearch:
    """Closes in on the radius from both sides."""

    def __init__(
        self,
        pair: NetworkPair,
        prop: Property,
        centre: Array,
        norm: str,
        domain: tuple[Array, Array] | None,
        seed: int = 0,
        team: Team = ALONE_ONLY,
    ) -> None:
        self.pair, self.prop, self.centre, self.norm = pair, prop, centre, norm
        self.domain, self.seed, self.team = domain, seed, team
        self.proved: float | None = None
        self.refuted: float | None = None
        self.witness: Witness | None = None

    def run(self, clock: Clock, started: float) -> Radius:
        fits(self.pair, self.region(0.0), self.prop)
        if same_function(self.pair, ranking=isinstance(self.prop, Top)):
            self.proved = self._whole() if self.domain is not None else float(np.finfo(np.float64).max)
            return self._answer(Verdict.EQUIVALENT, started, "both are the same function")
        if certainly_violated(self.pair, self.prop, self.centre):
            self._accept(confirmer(self.pair, self.region(0.0), self.prop)(self.centre))
            return self._answer(Verdict.DIFFERENT, started, "the networks differ at the centre")
        self._from_above(clock.share(0.2))
        if self.refuted is None and self.domain is not None:
            # Nothing found anywhere in the domain: try to prove all of it.
            self._prove(self._whole(), clock.share(0.3))
            if self.proved is not None:
                return self._answer(Verdict.EQUIVALENT, started, "the whole domain is proved")
        self._nearest(clock.share(0.25))
        self._from_below(clock)
        return self._answer(Verdict.EQUIVALENT if self._closed() else Verdict.UNKNOWN, started)

    def so_far(self, started: float, why: str) -> Radius:
        """What is known when the user interrupts or the time is up."""
        return replace(self._answer(Verdict.UNKNOWN, started, why), interrupted=why == INTERRUPTED)

    def _closed(self) -> bool:
        if self.proved is None or self.refuted is None:
            return False
        return self.refuted - self.proved <= CLOSE * self.refuted

    def region(self, size: float) -> Region:
        return ball(self.centre, size, self.norm, self.domain)

    def _whole(self) -> float:
        """A radius whose ball holds the whole domain."""
        assert self.domain is not None
        far = np.maximum(self.domain[1] - self.centre, self.centre - self.domain[0])
        return float(far.sum() if self.norm == "l1" else far.max())

    def _answer(self, verdict: Verdict, started: float, reason: str | None = None) -> Radius:
        seconds = time.monotonic() - started
        if verdict is Verdict.UNKNOWN and reason is None:
            reason = "the time did not suffice to close the gap"
        return Radius(
            verdict,
            self.proved,
            self.refuted,
            self.norm,
            described(self.prop),
            seconds,
            self.witness,
            reason,
        )

    def _accept(self, witness: Witness | None) -> bool:
        """Keep a witness that is nearer than what was known."""
        if witness is None:
            return False
        gap = np.abs(witness.input - self.centre)
        far = float(gap.sum() if self.norm == "l1" else gap.max(initial=0.0))
        if self.refuted is None or far < self.refuted:
            self.refuted, self.witness = far, witness
            return True
        return False

    def _from_above(self, clock: Clock) -> None:
        """Double the radius until the falsifier succeeds, then shrink it as long as it still does."""
        size = self._first_radius()
        while self.refuted is None and not clock.over:
            region = self.region(size)
            confirm = confirmer(self.pair, region, self.prop)
            self._accept(glance(self.pair, region, self.prop, confirm, seed=self.seed))
            if self.domain is not None and size >= self._whole():
                break
            size *= 2.0
        factor = 0.7
        while self.refuted is not None and factor < 0.995 and not clock.over:
            region = self.region(self.refuted * factor)
            confirm = confirmer(self.pair, region, self.prop)
            found = falsify(
                self.pair, region, self.prop, confirm, clock.within(3.0), seed=self.seed, attempts=ATTEMPTS
            )
            if not self._accept(found):
                factor = (1.0 + factor) / 2

    def _first_radius(self) -> float:
        spread = float(np.abs(self.centre).mean()) or 1.0
        return spread * (0.25 * len(self.centre) ** 0.5 if self.norm == "l1" else 0.02)

    def _nearest(self, clock: Clock) -> None:
        """HiGHS minimises the radius of a violation, where the networks have a big-M encoding."""
        if self.refuted is None or not self.pair.chains():
            return
        region = self.region(self.refuted)
        model, root = violations(self.pair, region, self.prop, follow=False)
        found = nearest_violation(model, root.case, self.centre, self.norm, MARGIN, clock)
        if found is not None:
            self._accept(confirmer(self.pair, region, self.prop)(found))

    def _from_below(self, clock: Clock) -> None:
        """Prove fixed radii by bisection, first with little time for each, then with ever more. Proofs take
        the longer the larger the ball: what fails with little time shows where more is well spent."""
        budget = max(SHORTEST, clock.left / 32)
        goal = self._ceiling() or self._first_radius()
        while not clock.over and not self._closed():
            failed: float | None = None
            while failed is None or failed - (self.proved or 0.0) > 2 * CLOSE * failed:
                if not self._prove(goal, clock.within(budget)):
                    failed = goal
                if clock.over or self._closed():
                    return
                ceilings = [end for end in (failed, self._ceiling()) if end is not None]
                low, failed = self.proved or 0.0, min(ceilings, default=None)
                goal = 2 * low if failed is None else (low + failed) / 2
                if failed is not None and failed < NOTHING:
                    return
            budget *= 2

    def _ceiling(self) -> float | None:
        """The largest radius that is worth proving."""
        return None if self.refuted is None else self.refuted * (1 - CLOSE / 2)

    def _prove(self, size: float, clock: Clock) -> bool:
        region = self.region(size)
        plan = EnginePlan(timeout=clock.left, seed=self.seed, team=self.team)
        # Violations were looked for already.
        with threadpool_limits(1):
            outcome = differential(self.pair, region, self.prop, plan, clock, probing=False)
        if outcome.verdict is Verdict.EQUIVALENT:
            self.proved = max(size, self.proved or 0.0)
            return True
        self._accept(outcome.witness)
        return False
