"""Path enumeration (Kleine Büning 2022, 12): star sets through both networks, one after the other.

A state is a star set: an affine form of the current layer over the input displacements, and a polytope of
displacements, kept as rows of one linear program. Neurons whose sign the box around the polytope does not
settle are asked of the program; a neuron that takes both signs splits the state. Having passed the
reference, the same polytope goes through the test network.

From any state, the rest of both networks can be over-approximated with noise symbols and the property
checked there. When to try is the strategy's choice:

- `exact`: never, only whole paths are checked;
- `first`: after every split, with all noise symbols as columns of the check's linear program;
- `approx`: after every split, noise symbols replaced by their extreme values (12.3.3);
- `max`: not before the greatest depth at which any earlier path was closed;
- `less`: not before the depth of the previous path minus one;
- `oracle`: only where a run with `approx` has shown that it succeeds (a lower bound for all strategies).

A side of a split is dropped only when exact rational arithmetic confirms that it is empty.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from vouch.equiv.difference import subtract
from vouch.equiv.forms import Array, Cells, Form, affine, apply, input_form, relax
from vouch.equiv.margins import Joint, assess
from vouch.equiv.neurons import Branch, Search
from vouch.equiv.outcome import Confirm, Finding, Witness
from vouch.equiv.pair import Pair
from vouch.equiv.property import Epsilon, Property
from vouch.equiv.questions import Asker
from vouch.equiv.region import Region, input_program
from vouch.equiv.star import StarProgram
from vouch.nn.lp import rational
from vouch.nn.search.task import Clock
from vouch.verdict import Verdict

# Up to this many inputs the box around a polytope is recomputed by linear programs after each split.
TIGHT_BOX = 10


@dataclass(frozen=True, slots=True, eq=False)
class StarSet:
    """A star set on its way. `phases` are the signs known in the current layer, `splits` the path taken,
    `rows` the half-spaces of the path (row·d ≤ limit)."""

    network: int
    layer: int
    form: Form
    phases: npt.NDArray[np.int8]
    low: Array
    high: Array
    rows: tuple[tuple[Array, float], ...] = ()
    splits: tuple[tuple[int, int, int, int], ...] = ()
    reference: Form | None = None

    @property
    def depth(self) -> int:
        return len(self.splits)


@dataclass(slots=True)
class Schedule:
    """Remembers at which depth paths were closed, and says when to try an over-approximation."""

    strategy: str
    deepest: int = 0
    previous: int = 0
    known: frozenset[tuple[tuple[int, int, int, int], ...]] = frozenset()
    closed: list[tuple[tuple[int, int, int, int], ...]] = field(default_factory=list)

    def due(self, state: StarSet) -> bool:
        match self.strategy:
            case "exact":
                return False
            case "max":
                return state.depth >= self.deepest
            case "less":
                return state.depth >= self.previous - 1
            case "oracle":
                return state.splits in self.known
            case _:
                return True

    def close(self, state: StarSet) -> None:
        self.deepest = max(self.deepest, state.depth)
        self.previous = state.depth
        self.closed.append(state.splits)


def prove(
    pair: Pair,
    region: Region,
    prop: Property,
    confirm: Confirm,
    clock: Clock,
    *,
    strategy: str = "less",
) -> Finding:
    """Decide the property by path enumeration. Complete up to round-off."""
    schedule = Schedule(strategy)
    if strategy == "oracle":
        scout = Enumeration(pair, region, prop, confirm, Schedule("approx"))
        outcome = scout.run(clock)
        if outcome.verdict is not Verdict.EQUIVALENT:
            return outcome
        schedule.known = frozenset(scout.schedule.closed)
    return Enumeration(pair, region, prop, confirm, schedule).run(clock)


class Enumeration:
    def __init__(
        self, pair: Pair, region: Region, prop: Property, confirm: Confirm, schedule: Schedule
    ) -> None:
        self.pair, self.region, self.prop, self.confirm = pair, region, prop, confirm
        self.schedule = schedule
        self.networks = (pair.reference, pair.test)
        self.anchor = region.anchor
        self.program = input_program(region, self.anchor)
        self.base = self.program.mark()
        self.loaded: tuple[tuple[Array, float], ...] = ()
        whole = Cells.of(region.lower[None, :], region.upper[None, :], region)
        low = np.nextafter(region.lower - self.anchor, -np.inf)[None, :]
        high = np.nextafter(region.upper - self.anchor, np.inf)[None, :]
        self.whole = replace(whole, anchor=self.anchor[None, :], low=low, high=high, even=False)
        self.search = Search(pair, region, prop, confirm, 0.0)
        self.asker = Asker(prop)
        self.statistics: dict[str, float] = {"paths": 0, "splits": 0, "checks": 0, "programs": 0}
        self.hint: int | None = None
        self.stuck: str | None = None
        self.witness: Witness | None = None

    def run(self, clock: Clock) -> Finding:
        stack = [self._start(0, None, self.whole.low, self.whole.high, (), ())]
        while stack:
            if clock.over:
                return Finding(Verdict.TIMEOUT, statistics=self.statistics)
            state = self._descended(stack.pop())
            self.hint = None
            done = state.network == 2
            if (done or self.schedule.due(state)) and self._holds(state, done):
                self.statistics["paths"] += 1
                self.schedule.close(state)
            elif self.witness is not None:
                return Finding(Verdict.DIFFERENT, witness=self.witness, statistics=self.statistics)
            elif done:
                self.stuck = "a path is within round-off of the limit"
            else:
                stack.extend(self._split(state))
        if self.stuck:
            return Finding(Verdict.UNKNOWN, reason=self.stuck, statistics=self.statistics)
        bound = self.asker.closed if isinstance(self.prop, Epsilon) else None
        return Finding(Verdict.EQUIVALENT, bound=bound, statistics=self.statistics)

    # --- propagation

    def _start(
        self,
        network: int,
        reference: Form | None,
        low: Array,
        high: Array,
        rows: tuple[tuple[Array, float], ...],
        splits: tuple[tuple[int, int, int, int], ...],
    ) -> StarSet:
        first = self.networks[network].layers[0]
        form = affine(input_form(self.whole, False), first, self.whole, 0.0)
        return StarSet(network, 0, form, np.zeros(first.size, np.int8), low, high, rows, splits, reference)

    def _cells(self, state: StarSet) -> Cells:
        return replace(self.whole, low=state.low, high=state.high)

    def _descended(self, state: StarSet) -> StarSet:
        """The state at its next split; with network = 2 if it has passed both networks (its form is then
        the test network's output)."""
        while True:
            layers = self.networks[state.network].layers
            if state.layer == len(layers) - 1:
                if state.network == 1:
                    return replace(state, network=2)
                state = self._start(1, state.form, state.low, state.high, state.rows, state.splits)
                continue
            state = self._signed(state)
            if (state.phases == 0).any():
                return state
            lower = np.where(state.phases > 0, 0.0, -1.0)[None, :]
            form = apply(
                state.form, relax(lower, lower + 1.0, state.phases[None, :]), state.layer, self.whole
            )
            following = layers[state.layer + 1]
            form = affine(form, following, self.whole, 0.0)
            state = replace(state, layer=state.layer + 1, form=form, phases=np.zeros(following.size, np.int8))

    def _signed(self, state: StarSet) -> StarSet:
        """Fill in the signs that the box, or else the linear program, settles; stop at a neuron that
        takes both."""
        lower, upper = (ends[0] for ends in state.form.bounds(self._cells(state)))
        phases = state.phases.copy()
        phases[(phases == 0) & (upper <= 0)] = -1
        phases[(phases == 0) & (lower >= 0)] = 1
        if (phases == 0).any() and state.rows:
            # The widest neuron is the next to be split: once it stands, the others can wait.
            self._load(state)
            for neuron in np.argsort(-np.where(phases == 0, np.minimum(upper, -lower), -np.inf)):
                sign = self._sign(state.form, int(neuron)) if phases[neuron] == 0 else 0
                if sign == 0:
                    break
                phases[neuron] = sign
        return replace(state, phases=phases)

    def _sign(self, form: Form, neuron: int) -> int:
        """+1 or −1 if the other side of the neuron is certainly empty, else 0."""
        row = np.pad(form.inputs[0, :, neuron], (0, self.program.columns - self.region.size))
        constant, error = float(form.centre[0, neuron]), float(form.error[0, neuron])
        for sign in (1, -1):
            answer = self.program.minimise(row * sign)
            self.statistics["programs"] += 1
            low = answer.value + sign * constant
            if not low > error:
                continue
            exact = self.program.exact_bound(row * sign, answer.multipliers)
            if exact + rational(sign * constant) > rational(error):
                return sign
        return 0

    def _load(self, state: StarSet) -> None:
        """Bring the linear program to the state's polytope, keeping the rows both have in common."""
        same = 0
        for mine, theirs in zip(self.loaded, state.rows, strict=False):
            if mine is not theirs:
                break
            same += 1
        self.program.cut(self.base + same)
        for row, limit in state.rows[same:]:
            self.program.add(row, np.array([limit]))
        self.loaded = state.rows

    # --- splitting

    def _split(self, state: StarSet) -> list[StarSet]:
        neuron = self.hint if self.hint is not None else self._widest(state)
        self.statistics["splits"] += 1
        row = np.pad(state.form.inputs[0, :, neuron], (0, self.program.columns - self.region.size))
        constant, error = float(state.form.centre[0, neuron]), float(state.form.error[0, neuron])
        error = error * (1 + 2.0**-20) + 2.0**-50 * abs(constant)
        children = []
        for sign in (1, -1):
            # sign = +1 keeps z ≥ 0, that is −row·d ≤ constant.
            half = (row * -sign, sign * constant + error)
            phases = state.phases.copy()
            phases[neuron] = sign
            child = replace(
                state,
                phases=phases,
                rows=(*state.rows, half),
                splits=(*state.splits, (state.network, state.layer, neuron, sign)),
            )
            tightened = self._tightened(child)
            if tightened is not None:
                children.append(tightened)
        return children

    def _widest(self, state: StarSet) -> int:
        """Of the neurons whose sign is open, the one whose relaxation would cost most."""
        lower, upper = (ends[0] for ends in state.form.bounds(self._cells(state)))
        return int(np.argmax(np.where(state.phases == 0, np.minimum(upper, -lower), -np.inf)))

    def _tightened(self, state: StarSet) -> StarSet | None:
        """The state with a smaller box around its polytope; None if the polytope is certainly empty."""
        low, high = state.low[0].copy(), state.high[0].copy()
        row, limit = state.rows[-1]
        row = row[: self.region.size]
        # What one coordinate may use is what the others, at their best, leave over.
        ends = np.minimum(row * low, row * high)
        room = limit - (ends.sum() - ends) + 1e-9 * (np.abs(ends).sum() + abs(limit))
        with np.errstate(divide="ignore", invalid="ignore"):
            cut = room / row
        high = np.where(row > 0, np.minimum(high, np.where(row > 0, cut, np.inf)), high)
        low = np.where(row < 0, np.maximum(low, np.where(row < 0, cut, -np.inf)), low)
        if (low > high).any():
            self._load(state)
            if self.program.certify_infeasible():
                return None
            low, high = state.low[0], state.high[0]
        if self.region.size <= TIGHT_BOX:
            self._load(state)
            # Only where the new half-space leans to can it have cut off much.
            lean = np.abs(row) * (high - low)
            for axis in np.flatnonzero(lean > 0.1 * lean.sum()):
                unit = np.zeros(self.program.columns)
                unit[axis] = 1.0
                answer = self.program.minimise(unit)
                self.statistics["programs"] += 2
                if answer.status == "infeasible" and self.program.certify_infeasible():
                    return None
                low[axis] = max(low[axis], answer.bound)
                high[axis] = min(high[axis], self.program.maximise(unit).bound)
            high = np.maximum(low, high)
        return replace(state, low=low[None, :], high=high[None, :])

    # --- checking

    def _holds(self, state: StarSet, done: bool) -> bool:
        """Whether the property is proved on the whole polytope of the state."""
        self.statistics["checks"] += 1
        cells = self._cells(state)
        if done:
            assert state.reference is not None
            reference, test = state.reference, state.form
        else:
            reference, test = self._over_approximated(state, cells)
        gap = subtract(reference, test)
        report = assess(self.prop, Joint(cells, reference, test, (gap,), ([], [])))
        if report.proved[0]:
            self.asker.closed = max(self.asker.closed, float(report.bound[0]))
            return True
        if self.schedule.strategy == "first" and not done:
            return self._settled(state)
        if not done:
            self.hint = _most_felt(state, gap, reference.noise.shape[1])
        self._load(state)
        star = StarProgram(self.program, cells, reference, test)
        left = self.asker.ask(star, set())
        self.statistics["programs"] += star.solved
        if left is None:
            return True
        for point in (left.point, self.asker.inner_point(star, left) if done else None):
            if point is not None and self.witness is None:
                self._try(point[: self.region.size])
        return False

    def _over_approximated(self, state: StarSet, cells: Cells) -> tuple[Form, Form]:
        """Output forms of both networks from here on, undecided neurons relaxed."""
        form, network, layer, reference = state.form, state.network, state.layer, state.reference
        phases: npt.NDArray[np.int8] | None = state.phases[None, :]
        while True:
            layers = self.networks[network].layers
            while layer < len(layers) - 1:
                form = apply(form, relax(*form.bounds(cells), phases), layer, cells)
                layer, phases = layer + 1, None
                form = affine(form, layers[layer], cells, 0.0)
            if network == 1:
                assert reference is not None
                return reference, form
            reference, network, layer = form, 1, 0
            form = affine(input_form(cells, False), self.networks[1].layers[0], cells, 0.0)

    def _settled(self, state: StarSet) -> bool:
        """The full-dimensional check: noise symbols are columns of the linear program."""
        lower = np.nextafter(state.low[0] + self.anchor, -np.inf)
        upper = np.nextafter(state.high[0] + self.anchor, np.inf)
        self.search.asker = self.asker
        _, left = self.search.settle(Branch(state.splits), lower, upper, set())
        self.statistics["programs"] += 1
        self.witness = self.search.witness
        return left is None

    def _try(self, displacement: Array) -> None:
        x = self.region.project((self.anchor + displacement)[None, :])
        r, t = self.pair.reference.evaluate(x), self.pair.test.evaluate(x)
        if self.prop.violated(r, t)[0] and self.region.inside(x)[0]:
            self.witness = self.confirm(x[0])


def _most_felt(state: StarSet, gap: Form, first: int) -> int | None:
    """Of the neurons of the state's layer that had to be relaxed, the one the outputs feel most."""
    own = np.arange(len(gap.origin)) >= first if state.network == 1 else np.arange(len(gap.origin)) < first
    own &= (gap.origin[:, 0] == state.layer) & (state.phases[gap.origin[:, 1] % len(state.phases)] == 0)
    if not own.any():
        return None
    felt = np.where(own, np.abs(gap.noise[0]).max(axis=1), -1.0)
    return int(gap.origin[int(felt.argmax()), 1])
