"""Word lengths: how properties fare in each, integer bits that exclude overflow, the smallest that holds.

For a word of B bits the integer part gets as many bits as it takes to prove that nothing overflows over the
inputs of all properties; the rest is the fraction. Where even B integer bits are too few, all of them are
integer bits, and the table says that overflow is not excluded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.fixed.cases import int_cases
from vouch.nn.fixed.decide import verify_integers
from vouch.nn.fixed.format import WIDEST, Format, Overflow, Rounding
from vouch.nn.fixed.model import Rules, model_of
from vouch.nn.fixed.network import IntegerNetwork
from vouch.nn.fixed.quantise import WEIGHTED, layers_of, quantise
from vouch.nn.fixed.table import activation_of
from vouch.nn.network import Network
from vouch.nn.property import Property
from vouch.nn.search.task import Clock
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict, exit_code

LETTERS = {Verdict.SAFE: "S", Verdict.UNSAFE: "F", Verdict.TIMEOUT: "TO", Verdict.UNKNOWN: "?"}
# Share of the time that one question may take, of what is left for all, and how often the even share.
_PATIENCE = 8.0


@dataclass(frozen=True, slots=True)
class WordLength:
    """One word length: its format, whether overflow is excluded, and a verdict for each property."""

    bits: int
    format: Format
    fits: bool
    verdicts: Mapping[str, Verdict]
    seconds: float

    @property
    def holds(self) -> bool:
        return all(verdict is Verdict.SAFE for verdict in self.verdicts.values())


@dataclass(frozen=True, slots=True)
class WidthTable:
    """The outcome by word length. `smallest` is the first for which all properties are proved, `stable` the
    first from which on that holds for all longer ones too, `layers` the formats that a search found for the
    layers one by one."""

    properties: tuple[str, ...]
    widths: tuple[WordLength, ...]
    layers: tuple[Format, ...] | None = None
    seconds: float = 0.0

    @property
    def smallest(self) -> WordLength | None:
        return next((width for width in self.widths if width.holds), None)

    @property
    def stable(self) -> WordLength | None:
        found = None
        for width in reversed(self.widths):
            if not width.holds:
                break
            found = width
        return found

    @property
    def exit_code(self) -> Exit:
        """Proved where some word length holds; else a violation in all of them, or undecided."""
        if self.smallest is not None:
            return Exit.PROVED
        every = [exit_code(width.verdicts.values()) for width in self.widths]
        return Exit.VIOLATED if set(every) == {Exit.VIOLATED} else Exit.UNDECIDED

    def to_json(self) -> dict[str, Any]:
        def named(width: WordLength | None) -> dict[str, Any] | None:
            return None if width is None else {"bits": width.bits, "format": str(width.format)}

        return {
            "properties": list(self.properties),
            "widths": [
                {
                    "bits": width.bits,
                    "format": str(width.format),
                    "overflow_excluded": width.fits,
                    "verdicts": {name: verdict.value for name, verdict in width.verdicts.items()},
                    "seconds": round(width.seconds, 3),
                }
                for width in self.widths
            ],
            "smallest": named(self.smallest),
            "stable": named(self.stable),
            "layers": None if self.layers is None else [str(form) for form in self.layers],
            "seconds": round(self.seconds, 3),
        }

    def text(self) -> str:
        """A table as in the QNN paper: S safe, F violated, TO time-out, ? undecided."""
        names = max((len(name) for name in self.properties), default=8)
        lines = [f"{'bits':{names}} " + " ".join(f"{width.bits:>2}" for width in self.widths)]
        lines.append(f"{'integer':{names}} " + " ".join(f"{w.format.integer:>2}" for w in self.widths))
        for name in self.properties:
            marks = (LETTERS.get(width.verdicts[name], "?") for width in self.widths)
            lines.append(f"{name:{names}} " + " ".join(f"{mark:>2}" for mark in marks))
        tight = [str(width.bits) for width in self.widths if not width.fits]
        if tight:
            lines.append(f"overflow is not excluded with {', '.join(tight)} bits")
        for word, width in (("smallest that holds", self.smallest), ("and all from there", self.stable)):
            said = "none" if width is None else f"{width.bits} bits, format {width.format}"
            lines.append(f"{word}: {said}")
        if self.layers is not None:
            lines.append(f"layer by layer: {','.join(map(str, self.layers))}")
        return "\n".join(lines) + "\n"

    def plot(self, path: str) -> None:
        """A picture of the table."""
        try:
            from matplotlib import pyplot
            from matplotlib.colors import ListedColormap
        except ImportError:
            raise VouchError("plotting needs matplotlib (pip install 'vouch[plot]')") from None
        order = {Verdict.SAFE: 0, Verdict.UNSAFE: 1}
        values = [[order.get(w.verdicts[name], 2) for w in self.widths] for name in self.properties]
        size = (2 + 0.3 * len(self.widths), 1.2 + 0.3 * len(self.properties))
        figure, axes = pyplot.subplots(figsize=size)
        axes.imshow(
            values, cmap=ListedColormap(["#1a7f37", "#cf222e", "#9a6700"]), vmin=0, vmax=2, aspect="auto"
        )
        axes.set_xticks(range(len(self.widths)), [str(w.bits) for w in self.widths], fontsize=7)
        axes.set_yticks(range(len(self.properties)), self.properties, fontsize=7)
        axes.set_xlabel("bits (green: proved, red: violated, brown: undecided)")
        figure.tight_layout()
        try:
            figure.savefig(path)
        except (OSError, ValueError) as error:
            raise VouchError(f"{path}: {error}") from None
        finally:
            pyplot.close(figure)


def range_of(text: str) -> range:
    """`6..32` as word lengths."""
    low, dots, high = text.partition("..")
    high = high if dots else low
    if not (low.isdecimal() and high.isdecimal() and len(text) < 16):
        raise VouchError(f"option --range: {text!r} is not LOW..HIGH")
    first, last = int(low), int(high)
    if not 1 <= first <= last <= WIDEST:
        raise VouchError(f"option --range: word lengths from 1 to {WIDEST}, not {text}")
    return range(first, last + 1)


def sweep(
    network: Network,
    properties: Mapping[str, Property],
    settings: Settings,
    widths: range,
    *,
    per_layer: bool = False,
    report: Callable[[WordLength], None] = lambda width: None,
) -> WidthTable:
    """The table for all word lengths. `report` gets each as it is decided."""
    for name, prop in properties.items():
        prop.check(network.inputs, network.outputs, name)
    return _Sweep(network, properties, settings, report).run(widths, per_layer)


def so_far(
    properties: Iterable[str], found: Sequence[WordLength], widths: range, seconds: float
) -> WidthTable:
    """What is known when the time is up: nothing of the word lengths that are left."""
    names = tuple(properties)
    left = (
        WordLength(bits, Format(bits, 0), False, dict.fromkeys(names, Verdict.TIMEOUT), 0.0)
        for bits in widths[len(found) :]
    )
    return WidthTable(names, (*found, *left), None, seconds)


class _Sweep:
    def __init__(
        self,
        network: Network,
        properties: Mapping[str, Property],
        settings: Settings,
        report: Callable[[WordLength], None],
    ) -> None:
        self.network, self.properties, self.settings, self.report = network, properties, settings, report
        self.clock = Clock(settings.timeout)
        self.activation = activation_of(settings.activation)
        self.rules = Rounding(settings.rounding), Overflow(settings.overflow)
        self.left = 1

    def run(self, widths: range, per_layer: bool) -> WidthTable:
        found: list[WordLength] = []
        self.left = len(widths) * len(self.properties)
        integer = 1
        for bits in widths:
            if self.clock.over:
                break
            form, fits = self._format(bits, integer)
            integer = form.integer if fits else 1
            began = self.clock.spent
            verdicts = self._verdicts((form,))
            found.append(WordLength(bits, form, fits, verdicts, self.clock.spent - began))
            self.report(found[-1])
        table = so_far(self.properties, found, widths, self.clock.spent)
        layers = None
        if per_layer and table.smallest is not None and layers_of(self.network) > 1:
            layers = self._layers(table.smallest.format)
        return WidthTable(table.properties, table.widths, layers, self.clock.spent)

    def _format(self, bits: int, start: int) -> tuple[Format, bool]:
        """The format of a word with the fewest integer bits for which overflow is excluded."""
        for integer in range(max(1, start - 1), bits + 1):
            form = Format(integer, bits - integer, *self.rules)
            if self.clock.over:
                break
            if self._fits(form):
                return form, True
        return Format(bits, 0, *self.rules), False

    def _fits(self, form: Format) -> bool:
        try:
            return all(fits(self.network, form, prop, self.activation) for prop in self.properties.values())
        except Unsupported:
            return False

    def _verdicts(self, formats: Sequence[Format]) -> dict[str, Verdict]:
        integers = quantise(self.network, formats, self.activation)
        return {name: self._verdict(integers, prop) for name, prop in self.properties.items()}

    def _verdict(self, integers: IntegerNetwork, prop: Property) -> Verdict:
        if self.clock.over:
            return Verdict.TIMEOUT
        settings = self.settings
        if not self.clock.endless:
            share = self.clock.left * min(0.5, _PATIENCE / max(1, self.left))
            settings = settings.replace(timeout=max(0.1, share))
        self.left -= 1
        try:
            return verify_integers(integers, prop, settings).verdict
        except Unsupported:
            return Verdict.UNKNOWN

    def _layers(self, form: Format) -> tuple[Format, ...]:
        """Formats for each layer: fraction, then integer bits are taken away while everything still holds,
        from the layers with most weights on."""
        formats = [form] * layers_of(self.network)
        nodes = [node for node in self.network.nodes if isinstance(node.op, WEIGHTED)]
        sizes = [
            getattr(node.op, "weights", getattr(node.op, "constant", np.zeros(0))).size for node in nodes
        ]
        for less in ((0, 1), (1, 0)):
            for layer in sorted(range(len(formats)), key=lambda i: -sizes[i]):
                while not self.clock.over:
                    have = formats[layer]
                    if have.integer - less[0] < 1 or have.fraction - less[1] < 0:
                        break
                    smaller = Format(have.integer - less[0], have.fraction - less[1], *self.rules)
                    tried = [*formats[:layer], smaller, *formats[layer + 1 :]]
                    if any(v is not Verdict.SAFE for v in self._verdicts(tried).values()):
                        break
                    formats = tried
        return tuple(formats)


def fits(network: Network, form: Format, prop: Property, activation: Any = None) -> bool:
    """Whether it is proved that no conversion, product or sum overflows over the inputs of a property."""
    wide = Format(WIDEST - form.fraction, form.fraction, form.rounding, Overflow.SATURATE)
    exact, tight = quantise(network, wide, activation), quantise(network, form, activation)
    if not _same_constants(exact, tight):
        return False
    model = model_of(tight)
    assert isinstance(model.integers, Rules)
    for case in int_cases(prop, wide, wide):
        low, high = (np.array([[getattr(axis, end) for axis in case.axes]]) for end in ("low", "high"))
        if low.min() < form.word.low or high.max() > form.word.high:
            return False
        model.integers.open.clear()
        analyse(model, form.reals(low), form.reals(high), fresh(model, 1))
        if any(mask.any() for mask in model.integers.open.values()):
            return False
    return True


def _same_constants(exact: IntegerNetwork, tight: IntegerNetwork) -> bool:
    """Whether weights, biases and table entries are those of a word that holds them all."""
    for one, other, form in zip(exact.nodes, tight.nodes, tight.formats, strict=True):
        for name in ("weights", "bias", "constants", "divisors", "slope", "low", "high"):
            if hasattr(one, name) and not np.array_equal(getattr(one, name), getattr(other, name)):
                return False
        if hasattr(one, "table") and hasattr(other, "table"):
            # Tables increase: if what the ends give is representable, everything is.
            word = form.word
            ends = np.array([word.low, word.high, *(segment.first for segment in other.table.segments)])
            if not np.array_equal(one.table.look(ends), other.table.look(ends)):
                return False
    return True
