"""Products of computed values: Mul, MatMul and Einsum of two of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.operators.arithmetic import aligned, broadcast, spread
from vouch.nn.operators.base import Operator, Value

if TYPE_CHECKING:
    from vouch.nn.lowering import Builder

# Single products that a matrix product may be written out in.
_MOST_PRODUCTS = 1 << 22


@dataclass(frozen=True, slots=True)
class Product(Operator):
    """x y, element by element; the shapes broadcast."""

    def shape(self, *inputs: Shape) -> Shape:
        return broadcast(*inputs)

    def evaluate(self, *inputs: Array) -> Array:
        x, y = inputs
        rank = max(x.ndim, y.ndim) - 1
        product: Array = aligned(x, rank) * aligned(y, rank)
        return product

    def lower(self, builder: Builder, *inputs: Value) -> int:
        result = self.shape(*(x.shape for x in inputs))
        x, y = (_picked(builder, x, spread(x.shape, result)) for x in inputs)
        return builder.multiply(x, y)


@dataclass(frozen=True, slots=True)
class MatMulValues(Operator):
    """x y as numpy.matmul has it."""

    def shape(self, *inputs: Shape) -> Shape:
        try:
            return tuple(np.matmul(*(np.broadcast_to(np.zeros(()), s) for s in inputs)).shape)
        except ValueError:
            raise VouchError(f"shapes {inputs[0]} and {inputs[1]} do not multiply") from None

    def evaluate(self, *inputs: Array) -> Array:
        x, y = inputs
        shape = self.shape(x.shape[1:], y.shape[1:])
        product: Array = np.matmul(*_matrices(x, y)).reshape(len(x), *shape)
        return product

    def lower(self, builder: Builder, *inputs: Value) -> int:
        left, right = _matrices(*(np.arange(math.prod(x.shape)).reshape(1, *x.shape) for x in inputs))
        places = left[..., :, None, :], np.swapaxes(right, -1, -2)[..., None, :, :]
        return _contracted(builder, (inputs[0].node, inputs[1].node), places)


def _matrices(x: Array, y: Array) -> tuple[Array, Array]:
    """Both with a batch axis, equally many leading axes, and two axes for the matrix."""
    x = x[:, None, :] if x.ndim == 2 else x
    y = y[:, :, None] if y.ndim == 2 else y
    rank = max(x.ndim, y.ndim) - 1
    return aligned(x, rank), aligned(y, rank)


@dataclass(frozen=True, slots=True, eq=False)
class Einsum(Operator):
    """Of one or two operands, letters of the explicit form `ij,jk->ik`; no ellipsis, no letter twice in one
    operand. `constants` has None where a computed value stands."""

    operands: tuple[str, ...]
    result: str
    constants: tuple[Array | None, ...]

    def __post_init__(self) -> None:
        letters = set("".join(self.operands))
        if any(len(set(o)) != len(o) for o in (*self.operands, self.result)) or set(self.result) - letters:
            raise VouchError(f"the equation {self.equation} is not supported")

    @property
    def equation(self) -> str:
        return f"{','.join(self.operands)}->{self.result}"

    def _sizes(self, shapes: tuple[Shape, ...]) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for letters, shape in zip(self.operands, shapes, strict=True):
            if len(letters) != len(shape):
                raise VouchError(f"{letters!r} for an input of shape {shape}")
            for letter, size in zip(letters, shape, strict=True):
                if sizes.setdefault(letter, size) != size:
                    raise VouchError(f"{letter!r} stands for both {sizes[letter]} and {size}")
        return sizes

    def _shapes(self, inputs: tuple[Shape, ...]) -> tuple[Shape, ...]:
        given = iter(inputs)
        return tuple(next(given) if c is None else tuple(c.shape) for c in self.constants)

    def shape(self, *inputs: Shape) -> Shape:
        sizes = self._sizes(self._shapes(inputs))
        return tuple(sizes[letter] for letter in self.result)

    def evaluate(self, *inputs: Array) -> Array:
        free = next(c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in self.equation)
        given, parts, letters = iter(inputs), [], []
        for own, constant in zip(self.operands, self.constants, strict=True):
            parts.append(next(given) if constant is None else constant.astype(inputs[0].dtype))
            letters.append(free + own if constant is None else own)
        value: Array = np.einsum(f"{','.join(letters)}->{free}{self.result}", *parts)
        return value

    def lower(self, builder: Builder, *inputs: Value) -> int:
        if any(constant is not None for constant in self.constants):
            from vouch.nn.linear import probe

            linear = probe(self.evaluate, inputs[0].shape)
            return builder.affine((inputs[0].node,), (linear,), np.zeros(linear.rows))
        sizes = self._sizes(tuple(x.shape for x in inputs))
        summed = [letter for letter in sizes if letter not in self.result]
        every = [*self.result, *summed]
        shape = tuple(sizes[letter] for letter in self.result)
        if math.prod(sizes.values()) > _MOST_PRODUCTS:
            raise Unsupported(f"a product of {math.prod(sizes.values())} terms")
        places = []
        for letters, x in zip(self.operands, inputs, strict=True):
            grid = np.arange(math.prod(x.shape)).reshape(x.shape)
            grid = grid.transpose(np.argsort([every.index(letter) for letter in letters]))
            wide = tuple(sizes[letter] if letter in letters else 1 for letter in every)
            whole = np.broadcast_to(grid.reshape(wide), tuple(sizes[letter] for letter in every))
            places.append(whole.reshape(*shape, -1))
        return _contracted(builder, tuple(x.node for x in inputs), tuple(places))


def _contracted(builder: Builder, nodes: tuple[int, ...], places: tuple[Array, ...]) -> int:
    """The sum over the last axis of products of the values at `places`, which broadcast."""
    from vouch.nn.linear import Sparse

    whole = np.broadcast_arrays(*places)
    rows, terms = math.prod(whole[0].shape[:-1]), whole[0].shape[-1]
    if rows * terms > _MOST_PRODUCTS:
        raise Unsupported(f"a product of {rows * terms} terms")
    picked = [builder.select(n, p.ravel(), np.zeros(p.size)) for n, p in zip(nodes, whole, strict=True)]
    product = builder.multiply(*picked) if len(picked) == 2 else picked[0]
    if terms == 1:
        return product
    from scipy.sparse import csr_array

    every = np.arange(rows * terms)
    matrix = csr_array((np.ones(rows * terms), (every // terms, every)), shape=(rows, rows * terms))
    return builder.affine((product,), (Sparse(matrix),), np.zeros(rows))


def _picked(builder: Builder, x: Value, indices: Array) -> int:
    return builder.select(x.node, indices, np.zeros(len(indices)))
