"""The two networks under comparison, each with its lowered form over the reals.

Everything that `vouch nn` reads can be compared. Networks that are plain chains of dense layers with ReLU
between them are told apart: path enumeration and MILP take nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from vouch.errors import Unsupported, VouchError
from vouch.nn.bounds.model import BoundModel, model_of
from vouch.nn.lowered import Activation, Affine, Lowered, NodeKind
from vouch.nn.lowering import lower
from vouch.nn.network import Network

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Subject:
    """One of the networks. A softmax at the end is left out of `model`, which may have noise that its
    `source` does not have."""

    name: str
    source: Network
    model: BoundModel

    @property
    def inputs(self) -> int:
        return self.source.inputs

    @property
    def outputs(self) -> int:
        return self.source.outputs

    @property
    def softmax(self) -> bool:
        return self.model.lowered.softmax

    @property
    def noisy(self) -> bool:
        """Whether it stands for functions that may differ from the network."""
        nodes = (node for node in self.model.lowered.nodes if isinstance(node, Affine))
        return any(node.noise is not None and bool(node.noise.any()) for node in nodes)

    def lowered(self, *, fold: bool) -> Lowered:
        """With ReLU as the only piecewise linear function; see `lower`."""
        return self.model.lowered if self.noisy else lower(self.source, fold=fold, relu_only=True)

    def evaluate(self, x: Array) -> Array:
        """Float64 outputs for rows x [batch, inputs]."""
        return np.asarray(self.model.run(x))

    def gradient(self, x: Array, direction: Array) -> Array:
        """Gradient of direction·output at each row of x; `direction` is [batch, outputs]."""
        from vouch.nn.search.falsify import gradient

        return gradient(self.model, self.model.lowered.values(x), direction)

    def bounds(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Sound bounds of the outputs over the reals for inputs lower..upper."""
        from vouch.nn.bounds.outputs import output_bounds

        return output_bounds(self.model, lower, upper)

    @property
    def layers(self) -> list[Affine] | None:
        """The affine layers of a chain with ReLU between them; None for any other network."""
        return _layers(self)

    def no_chain(self, *, as_computed: bool = False) -> str | None:
        """Why the network is not such a chain (in float32: of layers that are one product sum each)."""
        if self.layers is None:
            kinds = (node.kind for node in self.model.lowered.nodes if isinstance(node, Activation))
            odd = next((str(kind) for kind in kinds if kind is not NodeKind.RELU), "branches")
            return f"{self.source.name}: the engine takes only feed-forward ReLU networks ({odd})"
        if as_computed and self.lowered(fold=False).as_chain() is None:
            return f"{self.source.name}: several linear operations in a row"
        return None


@lru_cache(maxsize=8)
def _layers(subject: Subject) -> list[Affine] | None:
    return subject.model.lowered.as_chain()


@dataclass(frozen=True, slots=True, eq=False)
class NetworkPair:
    """Reference and test network over the same inputs, with outputs that correspond by index."""

    reference: Subject
    test: Subject

    def __post_init__(self) -> None:
        r, t = self.reference, self.test
        if r.inputs != t.inputs:
            raise VouchError(f"{r.name} takes {r.inputs} inputs, {t.name} takes {t.inputs}")
        if r.outputs != t.outputs:
            raise VouchError(f"{r.name} has {r.outputs} outputs, {t.name} has {t.outputs}")

    @property
    def both(self) -> tuple[Subject, Subject]:
        return self.reference, self.test

    @property
    def identical(self) -> bool:
        """Whether both are the very same function, operator by operator."""
        if any(net.noisy for net in self.both):
            return False
        return same_operators(self.reference.source, self.test.source)

    def chains(self, *, as_computed: bool = False) -> bool:
        return not any(net.no_chain(as_computed=as_computed) for net in self.both)

    def insist_on_chains(self) -> None:
        for net in self.both:
            if reason := net.no_chain():
                raise Unsupported(reason)


def pair_of(reference: Any, test: Any) -> NetworkPair:
    """The pair of two file names, `Network`s, lists of (weights, bias) or ready subjects."""
    return NetworkPair(subject(reference, "reference"), subject(test, "test"))


def subject(network: Any, name: str) -> Subject:
    """Raises Unsupported for what cannot be lowered."""
    from vouch.nn.api import as_network

    if isinstance(network, Subject):
        return replace(network, name=name)

    source = as_network(network)
    return Subject(name, source, model_of(source, "real"))


def same_operators(first: Network, second: Network) -> bool:
    """Whether the two differ in the names of their nodes at most."""
    if first.inputs != second.inputs or len(first.nodes) != len(second.nodes):
        return False
    names = {first.input: second.input}
    for one, two in zip(first.nodes, second.nodes, strict=True):
        if tuple(names[name] for name in one.inputs) != two.inputs or not _equal(one.op, two.op):
            return False
        names[one.name] = two.name
    return first.input_shape == second.input_shape and names[first.output] == second.output


def _equal(one: Any, two: Any) -> bool:
    """Equality of operators, field by field, down to the numbers of their arrays."""
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, two)
    if isinstance(one, (tuple, list)):
        return len(one) == len(two) and all(map(_equal, one, two))
    if is_dataclass(one):
        return all(_equal(getattr(one, f.name), getattr(two, f.name)) for f in fields(one))
    return bool(one == two)
