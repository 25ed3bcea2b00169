"""Linear maps of flat vectors, kept in the form in which they are cheap: dense, sparse or convolution.

`apply` and `transpose` take numpy arrays or torch tensors [batch, size] and answer in kind, in the dtype and
on the device of the argument; so the same bound code runs on a CPU and on a GPU. Nothing is materialised
unless `dense()` is called.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from vouch.nn.arrays import Array, Shape

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Entries of a matrix that is kept dense without a second thought (32 MiB of float64).
DENSE_LIMIT = 1 << 22


def is_torch(x: Any) -> bool:
    return type(x).__module__.startswith("torch")


class LinearMap(ABC):
    """y = M x. `shape` is (rows, columns) of M, `terms` the largest number of products in one row."""

    @property
    @abstractmethod
    def rows(self) -> int: ...

    @property
    @abstractmethod
    def columns(self) -> int: ...

    @property
    @abstractmethod
    def terms(self) -> int: ...

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.columns

    @abstractmethod
    def apply(self, x: Any) -> Any:
        """M x for every row of x [batch, columns]: [batch, rows]."""

    @abstractmethod
    def transpose(self, y: Any) -> Any:
        """M^T y for every row of y [batch, rows]: [batch, columns]."""

    @abstractmethod
    def absolute(self) -> LinearMap:
        """The map whose entries are the absolute values."""

    @abstractmethod
    def dense(self) -> Array:
        """The matrix [rows, columns] in float64."""

    @property
    @abstractmethod
    def stored(self) -> int:
        """How many numbers it takes to hold the map."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """The largest absolute value of an entry."""


def _constant(cache: dict[Any, Any], name: str, value: Array, like: Any) -> Any:
    """`value` in the library, dtype and device of `like`, converted once."""
    if not is_torch(like) and value.dtype == like.dtype:
        return value
    key = (name, like.dtype, getattr(like, "device", None))
    if key not in cache:
        if is_torch(like):
            import torch

            cache[key] = torch.as_tensor(value, dtype=like.dtype, device=like.device)
        else:
            cache[key] = value.astype(like.dtype)
    return cache[key]


def _zeros(shape: Shape, like: Any) -> Any:
    return like.new_zeros(shape) if is_torch(like) else np.zeros(shape, like.dtype)


@dataclass(frozen=True, eq=False)
class Dense(LinearMap):
    """A matrix [rows, columns]."""

    matrix: Array
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def rows(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def columns(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def terms(self) -> int:
        return self.columns

    @property
    def stored(self) -> int:
        return self.matrix.size

    @property
    def largest(self) -> float:
        return float(np.abs(self.matrix).max(initial=0.0))

    def apply(self, x: Any) -> Any:
        return x @ _constant(self._cache, "matrix", self.matrix, x).T

    def transpose(self, y: Any) -> Any:
        return y @ _constant(self._cache, "matrix", self.matrix, y)

    def absolute(self) -> LinearMap:
        if "absolute" not in self._cache:
            self._cache["absolute"] = Dense(np.abs(self.matrix))
        return self._cache["absolute"]  # type: ignore[no-any-return]

    def dense(self) -> Array:
        return self.matrix


@dataclass(frozen=True, eq=False)
class Sparse(LinearMap):
    """A scipy CSR matrix: selections, scalings, padding, pooling sums."""

    matrix: csr_array
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def select(cls, indices: Array, columns: int) -> Sparse:
        """y[j] = x[indices[j]], or 0 where the index is negative."""
        from scipy.sparse import csr_array

        indices = np.asarray(indices).ravel()
        kept = np.flatnonzero(indices >= 0)
        entries = (np.ones(len(kept)), (kept, indices[kept]))
        return cls(csr_array(entries, shape=(len(indices), columns)))

    @classmethod
    def scale(cls, factors: Array) -> Sparse:
        """y[j] = factors[j] x[j]."""
        from scipy.sparse import csr_array

        factors = np.asarray(factors, dtype=np.float64).ravel()
        every = np.arange(len(factors))
        return cls(csr_array((factors, (every, every)), shape=(len(factors), len(factors))))

    @property
    def rows(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def columns(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def terms(self) -> int:
        return int(np.diff(self.matrix.indptr).max(initial=0))

    @property
    def stored(self) -> int:
        return int(self.matrix.nnz)

    @property
    def largest(self) -> float:
        return float(np.abs(self.matrix.data).max(initial=0.0))

    @property
    def selects(self) -> bool:
        """Every output is one input or zero, unchanged: folding it loses nothing."""
        return self.terms <= 1 and bool(np.all(self.matrix.data == 1.0))

    @property
    def is_identity(self) -> bool:
        return (
            self.rows == self.columns == self.stored
            and self.selects
            and bool(np.array_equal(self.matrix.indices, np.arange(self.rows)))
        )

    def apply(self, x: Any) -> Any:
        return self._multiply(x, "matrix", lambda: self.matrix)

    def transpose(self, y: Any) -> Any:
        return self._multiply(y, "transposed", lambda: self.matrix.T.tocsr())

    def _multiply(self, x: Any, name: str, make: Callable[[], Any]) -> Any:
        key = (name, x.dtype, x.device) if is_torch(x) else (name, x.dtype)
        if key not in self._cache:
            self._cache[key] = _torch_sparse(make(), x) if is_torch(x) else make().astype(x.dtype)
        return (self._cache[key] @ x.T).T

    def absolute(self) -> LinearMap:
        if "absolute" not in self._cache:
            self._cache["absolute"] = Sparse(abs(self.matrix))
        return self._cache["absolute"]  # type: ignore[no-any-return]

    def dense(self) -> Array:
        matrix: Array = self.matrix.toarray()
        return matrix


def _torch_sparse(matrix: Any, like: Any) -> Any:
    import torch

    entries = matrix.tocoo()
    return torch.sparse_coo_tensor(
        torch.as_tensor(np.array([entries.row, entries.col], dtype=np.int64)),
        torch.as_tensor(entries.data),
        size=matrix.shape,
        dtype=like.dtype,
        device=like.device,
        check_invariants=False,
    ).coalesce()


@dataclass(frozen=True, eq=False)
class Convolution(LinearMap):
    """A convolution over any number of spatial axes.

    `weights` is [out channels, in channels / groups, *kernel]; `input_shape` is the model's [batch, channels,
    *spatial]; `pads` holds the zeros before and after each spatial axis.
    """

    weights: Array
    input_shape: Shape
    strides: Shape
    pads: tuple[tuple[int, int], ...]
    dilations: Shape
    groups: int
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def _padded(self) -> Shape:
        return tuple(n + a + b for n, (a, b) in zip(self.input_shape[2:], self.pads, strict=True))

    @cached_property
    def _result(self) -> Shape:
        """The spatial part of the output's shape."""
        return tuple(
            (n - d * (k - 1) - 1) // s + 1
            for n, k, s, d in zip(
                self._padded, self.weights.shape[2:], self.strides, self.dilations, strict=True
            )
        )

    @property
    def output_shape(self) -> Shape:
        return (self.input_shape[0], int(self.weights.shape[0]), *self._result)

    @cached_property
    def rows(self) -> int:
        return math.prod(self.output_shape)

    @cached_property
    def columns(self) -> int:
        return math.prod(self.input_shape)

    @property
    def terms(self) -> int:
        return math.prod(self.weights.shape[1:])

    @property
    def stored(self) -> int:
        return self.weights.size

    @property
    def largest(self) -> float:
        return float(np.abs(self.weights).max(initial=0.0))

    def _taps(self) -> Iterator[tuple[tuple[slice, ...], Any]]:
        """For each kernel position: the strided part of the padded input it reads, and its index."""
        kernel = self.weights.shape[2:]
        for at in product(*(range(k) for k in kernel)):
            part = tuple(
                slice(i * d, i * d + (n - 1) * s + 1, s)
                for i, d, s, n in zip(at, self.dilations, self.strides, self._result, strict=True)
            )
            yield (slice(None), slice(None), slice(None), *part), (slice(None), slice(None), slice(None), *at)

    def _inner(self) -> tuple[slice, ...]:
        spatial = zip(self.input_shape[2:], self.pads, strict=True)
        return (slice(None), slice(None), slice(None), *(slice(a, a + n) for n, (a, _) in spatial))

    def _grouped(self, like: Any) -> Any:
        """Weights as [groups, out / groups, in / groups, *kernel]."""
        out, into, *kernel = self.weights.shape
        split = self.weights.reshape(self.groups, out // self.groups, into, *kernel)
        return _constant(self._cache, "weights", split, like)

    def apply(self, x: Any) -> Any:
        batch, (images, channels) = x.shape[0], self.input_shape[:2]
        lead = (batch * images, self.groups, channels // self.groups)
        padded = _zeros((*lead, *self._padded), x)
        padded[self._inner()] = x.reshape(*lead, *self.input_shape[2:])
        weights = self._grouped(x)
        area = math.prod(self._result)
        total = _zeros((batch * images, self.groups, weights.shape[1], area), x)
        for part, tap in self._taps():
            total = total + weights[tap] @ padded[part].reshape(*lead, area)
        return total.reshape(batch, self.rows)

    def transpose(self, y: Any) -> Any:
        batch, (images, channels) = y.shape[0], self.input_shape[:2]
        weights = self._grouped(y)
        area = math.prod(self._result)
        values = y.reshape(batch * images, self.groups, weights.shape[1], area)
        lead = (batch * images, self.groups, channels // self.groups)
        padded = _zeros((*lead, *self._padded), y)
        for part, tap in self._taps():
            flipped = weights[tap].transpose(1, 2) if is_torch(y) else weights[tap].transpose(0, 2, 1)
            padded[part] += (flipped @ values).reshape(*lead, *self._result)
        return padded[self._inner()].reshape(batch, self.columns)

    def absolute(self) -> LinearMap:
        if "absolute" not in self._cache:
            self._cache["absolute"] = self.with_weights(np.abs(self.weights))
        return self._cache["absolute"]  # type: ignore[no-any-return]

    def with_weights(self, weights: Array) -> Convolution:
        return Convolution(weights, self.input_shape, self.strides, self.pads, self.dilations, self.groups)

    def dense(self) -> Array:
        if self.columns <= self.rows:
            image: Array = self.apply(np.eye(self.columns))
            return np.ascontiguousarray(image.T)
        rows: Array = self.transpose(np.eye(self.rows))
        return rows


@dataclass(frozen=True, eq=False)
class Transposed(LinearMap):
    """The transpose of a convolution."""

    forward: Convolution
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def rows(self) -> int:
        return self.forward.columns

    @property
    def columns(self) -> int:
        return self.forward.rows

    @property
    def terms(self) -> int:
        """At most: every output channel of the convolution at every position of the kernel."""
        weights = self.forward.weights
        return int(math.prod(weights.shape[2:])) * (int(weights.shape[0]) // self.forward.groups)

    @property
    def stored(self) -> int:
        return self.forward.stored

    @property
    def largest(self) -> float:
        return self.forward.largest

    def apply(self, x: Any) -> Any:
        return self.forward.transpose(x)

    def transpose(self, y: Any) -> Any:
        return self.forward.apply(y)

    def absolute(self) -> LinearMap:
        if "absolute" not in self._cache:
            self._cache["absolute"] = Transposed(self.forward.with_weights(np.abs(self.forward.weights)))
        return self._cache["absolute"]  # type: ignore[no-any-return]

    def dense(self) -> Array:
        return np.ascontiguousarray(self.forward.dense().T)


def probe(function: Callable[[Array], Array], shape: Shape) -> LinearMap:
    """The map of a linear function of arrays [batch, *shape], found by its values on unit vectors."""
    from scipy.sparse import csr_array, hstack

    size = math.prod(shape)
    parts = []
    for start in range(0, size, 256):
        units = np.eye(min(256, size - start), size, start)
        image = function(units.reshape(-1, *shape))
        parts.append(csr_array(image.reshape(len(image), -1).T))
    matrix = csr_array(hstack(parts, format="csr"))
    rows, columns = matrix.shape
    if rows * columns <= DENSE_LIMIT and matrix.nnz * 4 >= rows * columns:
        return Dense(matrix.toarray())
    return Sparse(matrix)
