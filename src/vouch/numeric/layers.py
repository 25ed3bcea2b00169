"""A function that was executed symbolically, as a network.

Rounding of the code, and what its math library may lose, is noise of the neurons that read it; outputs differ
from those of such a network by at most `errors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from vouch.errors import Unsupported
from vouch.nn.linear import Dense
from vouch.nn.lowered import Activation, Affine, Input, Lowered, LoweredNode, NodeKind
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Add, Gemm, Relu, Sigmoid, Tanh
from vouch.numeric.accuracy import Library
from vouch.numeric.forms import Lifting, NotAffine
from vouch.numeric.narrow import Narrowing, conjuncts
from vouch.numeric.rules import lifting_of
from vouch.numeric.sums import Form
from vouch.numeric.tape import Tape
from vouch.record import frozen_record
from vouch.smt.node import Term

Matrix = npt.NDArray[np.float64]
Layer = tuple[Matrix, Matrix]
_OPERATORS = {NodeKind.RELU: Relu(), NodeKind.SIGMOID: Sigmoid(), NodeKind.TANH: Tanh()}


@dataclass(frozen=True, slots=True, eq=False)
class LayerChain:
    """(W, b) with an activation after each but the last, or after each where `kinds` are as many. `noises`:
    what may be added before activations."""

    layers: list[Layer]
    kinds: list[NodeKind]
    noises: list[Matrix]

    def network(self) -> Network:
        builder = GraphBuilder("code", "x", (1, self.layers[0][0].shape[1]))
        value = builder.input
        for number, (weights, bias) in enumerate(self.layers):
            value = builder.add(f"layer{number}", Gemm.of(weights, bias), value)
            if number < len(self.kinds):
                value = builder.add(f"activation{number}", _OPERATORS[self.kinds[number]], value)
        return builder.build(value)

    def lowered(self) -> Lowered:
        """With noise."""
        nodes: list[LoweredNode] = [Input(self.layers[0][0].shape[1])]
        for number, (weights, bias) in enumerate(self.layers):
            inner = number < len(self.kinds)
            noise = self.noises[number] if inner else None
            nodes.append(Affine((len(nodes) - 1,), (Dense(weights),), bias, noise=noise))
            if inner:
                nodes.append(Activation(len(nodes) - 1, len(bias), self.kinds[number]))
        return Lowered(tuple(nodes))


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """The network in exact reals, the same with its noise, and for each output how far the code may be from
    that."""

    network: Network
    lowered: Lowered
    errors: Matrix

    @property
    def exact(self) -> Lowered:
        """The network without noise, node by node as with it."""
        nodes = (replace(n, noise=None) if isinstance(n, Affine) else n for n in self.lowered.nodes)
        return Lowered(tuple(nodes))


@frozen_record
class Computed:
    """`asked` are the conditions under which the outputs are computed, the ranges of inputs among them."""

    asked: Sequence[Term]
    inputs: Sequence[Term]
    outputs: Sequence[Term]
    library: Library


def layers_of(code: Computed, like: LayerChain | None, unit: int = 1) -> Layers:
    """Neurons in the order of those of `like` that they resemble. Numbers of the code are divided by `unit`.
    Raises Unsupported for what has no such form, Contradiction where nothing satisfies `asked`."""
    tape = Tape([*conjuncts(code.asked)], code.library)
    box = Narrowing(tape).run()
    missing = [term for term in code.outputs if term.value is None and term not in tape.place]
    if missing:
        raise Unsupported("an output does not occur in the conditions")
    lifting = lifting_of(tape, tape.run(box, 1), keep=True)
    try:
        forms = [lifting.form(term) for term in code.outputs]
    except NotAffine:
        raise Unsupported("a number in the code may be infinite or no number at all") from None
    known = set(code.inputs)
    for term in lifting.inputs.values():
        if term not in known:
            raise Unsupported(f"the code computes what is not followed: {_operation(tape, term)}")
    if unit != 1 and any(neuron.kind is not NodeKind.RELU for neuron in lifting.neurons.values()):
        raise Unsupported("the code computes curves of numbers that stand for others")
    stack = _Stack(lifting, list(code.inputs), forms, unit)
    chain = stack.chain()
    errors = np.array([form.error for form in forms]) / unit
    if chain is None:
        return Layers(stack.graph(), stack.lowered(), errors)
    chain = _aligned(chain, like)
    return Layers(chain.network(), chain.lowered(), errors)


def _operation(tape: Tape, term: Term) -> str:
    call = tape.library.calls.get(term)
    return _OPERATIONS.get(term.op, term.op) if call is None else f"{call.name} of a computed number"


_OPERATIONS = {
    "fp_mul": "a product of computed numbers",
    "fp_div": "a quotient of computed numbers",
    "mul": "a product of computed numbers",
    "ite": "a jump",
    "symbol": "a number from elsewhere",
}


class _Stack:
    """Bases by level. A base that a later level needs is handed on by a neuron of its own, which changes
    nothing: rectifiers are not negative."""

    def __init__(self, lifting: Lifting, inputs: list[Term], outputs: list[Form], unit: int) -> None:
        self.lifting, self.inputs, self.outputs, self.unit = lifting, inputs, outputs, unit
        bases = {term: base for base, term in lifting.inputs.items()}
        self.columns = {bases[term]: n for n, term in enumerate(inputs) if term in bases}
        self.level = {base: neuron.level for base, neuron in lifting.neurons.items()}
        self.depth = max((self._level_of(form) for form in outputs), default=0)

    def _level_of(self, form: Form) -> int:
        return max((self.level.get(base, 0) for base in form.parts), default=0)

    def chain(self) -> LayerChain | None:
        """None where levels mix activations, or hand on what an activation would change."""
        needed = self._needed()
        before = dict(self.columns)
        width = len(self.inputs)
        layers: list[Layer] = []
        kinds: list[NodeKind] = []
        noises: list[Matrix] = []
        for level in range(1, self.depth + 1):
            own = [base for base in sorted(needed[level]) if self.level.get(base) == level]
            passed = [base for base in sorted(needed[level]) if self.level.get(base, 0) < level]
            found = {self.lifting.neurons[base].kind for base in own} | ({NodeKind.RELU} if passed else set())
            if len(found) != 1 or any(self.lifting.ranges[base][0] < 0 for base in passed):
                return None
            rows = [self.lifting.neurons[base].form for base in own]
            rows += [Form({base: 1.0}) for base in passed]
            layers.append(self._matrix(rows, before, width))
            noises.append(self._noise(rows))
            kinds += found
            before = {base: n for n, base in enumerate([*own, *passed])}
            width = len(rows)
        last = self._matrix(self.outputs, before, width)
        if layers and self._just_ordered(last):
            order = last[0].argmax(axis=1)
            layers[-1] = layers[-1][0][order], layers[-1][1][order]
            noises[-1] = noises[-1][order]
        else:
            layers.append(last)
        return LayerChain(layers, kinds, noises)

    def _noise(self, rows: list[Form]) -> Matrix:
        return np.array([form.error for form in rows]) / self.unit

    def _just_ordered(self, last: Layer) -> bool:
        """Whether outputs are the last neurons themselves, each once."""
        weights, bias = last
        square = weights.shape[0] == weights.shape[1] and not bias.any()
        return bool(square and np.array_equal(np.sort(weights.argmax(axis=1)), np.arange(len(weights)))
                    and np.array_equal(weights, np.eye(len(weights))[weights.argmax(axis=1)]))

    def _groups(self) -> list[tuple[tuple[int, NodeKind], list[int]]]:
        """Neurons that one activation can take together, lower levels first."""
        needed = set().union(*self._needed().values())
        groups: dict[tuple[int, NodeKind], list[int]] = {}
        for base in sorted(needed & self.lifting.neurons.keys()):
            neuron = self.lifting.neurons[base]
            groups.setdefault((neuron.level, neuron.kind), []).append(base)
        return sorted(groups.items())

    def lowered(self) -> Lowered:
        """Any structure, with its noise."""
        nodes: list[LoweredNode] = [Input(len(self.inputs))]
        at = {base: (0, n) for base, n in self.columns.items()}
        for (_, kind), bases in self._groups():
            rows = [self.lifting.neurons[base].form for base in bases]
            nodes.append(self._affine(nodes, at, rows, self._noise(rows)))
            nodes.append(Activation(len(nodes) - 1, len(bases), kind))
            at |= {base: (len(nodes) - 1, n) for n, base in enumerate(bases)}
        nodes.append(self._affine(nodes, at, self.outputs, None))
        return Lowered(tuple(nodes))

    def _affine(
        self,
        nodes: list[LoweredNode],
        at: dict[int, tuple[int, int]],
        rows: list[Form],
        noise: Matrix | None,
    ) -> Affine:
        used = sorted({at[base][0] for form in rows for base in form.parts}) or [0]
        maps = []
        for source in used:
            before = {base: n for base, (node, n) in at.items() if node == source}
            weights, bias = self._matrix(rows, before, nodes[source].size)
            maps.append(Dense(weights))
        return Affine(tuple(used), tuple(maps), bias, noise=noise)

    def graph(self) -> Network:
        """Any structure: a value for each level and activation, each read from all that come before."""
        builder = GraphBuilder("code", "x", (1, len(self.inputs)))
        places = {base: ("x", n) for base, n in self.columns.items()}
        widths = {"x": len(self.inputs)}
        for (level, kind), bases in self._groups():
            name = f"{kind}{level}"
            rows = [self.lifting.neurons[base].form for base in bases]
            inner = self._sums(builder, f"sum{level}{kind}", rows, places, widths)
            builder.add(name, _OPERATORS[kind], inner)
            places |= {base: (name, n) for n, base in enumerate(bases)}
            widths[name] = len(bases)
        return builder.build(self._sums(builder, "outputs", self.outputs, places, widths))

    def _sums(
        self,
        builder: GraphBuilder,
        name: str,
        rows: list[Form],
        places: dict[int, tuple[str, int]],
        widths: dict[str, int],
    ) -> str:
        used = sorted({places[base][0] for form in rows for base in form.parts}) or ["x"]
        parts = []
        for number, source in enumerate(used):
            before = {base: n for base, (value, n) in places.items() if value == source}
            weights, bias = self._matrix(rows, before, widths[source])
            gemm = Gemm.of(weights, bias if number == 0 else np.zeros_like(bias))
            parts.append(builder.add(f"{name}/{source}", gemm, source))
        return parts[0] if len(parts) == 1 else builder.add(name, Add((1,) * len(parts)), *parts)

    def _needed(self) -> dict[int, set[int]]:
        """The bases that neurons of each level stand for."""
        needed: dict[int, set[int]] = {level: set() for level in range(self.depth + 1)}
        wanted = {base for form in self.outputs for base in form.parts}
        for level in range(self.depth, 0, -1):
            needed[level] = wanted
            own = [self.lifting.neurons[base].form for base in wanted if self.level.get(base) == level]
            wanted = {base for form in own for base in form.parts}
            wanted |= {base for base in needed[level] if self.level.get(base, 0) < level}
        return needed

    def _matrix(self, rows: list[Form], before: dict[int, int], width: int) -> Layer:
        """Numbers count units on both sides of it, so only what is added has to be divided."""
        weights, bias = np.zeros((len(rows), width)), np.zeros(len(rows))
        for number, form in enumerate(rows):
            bias[number] = form.constant / self.unit
            for base, coefficient in form.parts.items():
                if base in before:
                    weights[number, before[base]] = coefficient
        return weights, bias


def chain_of(lowered: Lowered) -> LayerChain | None:
    """A network as a chain of dense layers with activations between them; None for any other."""
    layers: list[Layer] = []
    kinds: list[NodeKind] = []
    for index, node in enumerate(lowered.nodes[1:], 1):
        more = len(layers) - len(kinds)
        match node:
            case Affine(inputs=(source,), maps=(linear,)) if source == index - 1 and not more:
                layers.append((linear.dense(), node.bias))
            case Activation() if node.input == index - 1 and more:
                kinds.append(node.kind)
            case _:
                return None
    return LayerChain(layers, kinds, [np.zeros(len(bias)) for _, bias in layers[: len(kinds)]])


def _nearest(gaps: Matrix) -> npt.NDArray[np.intp]:
    """For each column a row of its own, the closest pairs first."""
    order = np.full(gaps.shape[1], -1)
    taken = np.zeros(len(gaps), dtype=bool)
    for place in np.argsort(gaps, axis=None, kind="stable"):
        row, column = divmod(int(place), gaps.shape[1])
        if order[column] < 0 and not taken[row]:
            order[column], taken[row] = row, True
    return order


def _aligned(chain: LayerChain, like: LayerChain | None) -> LayerChain:
    """The same function with its neurons in the order of those they resemble."""
    if like is None or chain.kinds != like.kinds:
        return chain
    if [w.shape for w, _ in chain.layers] != [w.shape for w, _ in like.layers]:
        return chain
    found, noises, order = [], list(chain.noises), np.arange(chain.layers[0][0].shape[1])
    for number, ((weights, bias), (other, shift)) in enumerate(zip(chain.layers, like.layers, strict=True)):
        weights = weights[:, order]
        if number < len(chain.layers) - 1:
            gaps = np.abs(weights[:, None, :] - np.asarray(other)[None]).sum(2)
            gaps += np.abs(bias[:, None] - shift)
            order = _nearest(gaps)
            weights, bias = weights[order], bias[order]
            noises[number] = noises[number][order]
        found.append((weights, bias))
    return replace(chain, layers=found, noises=noises)
