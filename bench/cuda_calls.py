"""Random calls of cuBLAS and cuDNN, the same for every library that offers the interface.

A call is made from a seed alone. It allocates, copies, calls and reads back through the library it is given:
the real libraries and the models of vouch, natively compiled, are driven by the same code
(`cuda_conformance.py`), and recorded answers of the real ones are test data.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from ctypes import byref, c_double, c_float, c_int, c_longlong, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np

TO_DEVICE, TO_HOST = 1, 2
NCHW, NHWC = 0, 1
_INT = c_int


class Failed(Exception):
    """A call that had to succeed did not."""


@dataclass
class Answer:
    """What a call gave: its status, the arrays it wrote, and how many roundings lead to a number at most (0
    where the answer is exact, negative for functions of the math library)."""

    status: int
    arrays: list[np.ndarray]
    depth: int


class Library:
    """One implementation of the three interfaces. With `magnitude` all data is made positive: what a sum then
    gives bounds the size of its terms."""

    def __init__(self, runtime: Any, blas: Any, dnn: Any, *, magnitude: bool = False) -> None:
        self.runtime, self.blas, self.dnn, self.magnitude = runtime, blas, dnn, magnitude
        for library in (runtime, blas, dnn):
            if library is not None and hasattr(library, "cudaMalloc"):
                library.cudaMalloc.argtypes = [c_void_p, c_size_t]
        self.blas_handle, self.dnn_handle = c_void_p(), c_void_p()
        self.must(blas.cublasCreate_v2(byref(self.blas_handle)))
        if dnn is not None:
            self.must(dnn.cudnnCreate(byref(self.dnn_handle)))
        self._held: list[c_void_p] = []

    def must(self, status: int) -> None:
        if status:
            raise Failed(f"status {status}")

    def device(self, data: np.ndarray) -> c_void_p:
        pointer = c_void_p()
        size = max(data.nbytes, 16)
        self.must(self.runtime.cudaMalloc(byref(pointer), c_size_t(size)))
        self._held.append(pointer)
        source = data.ctypes.data_as(c_void_p)
        self.must(self.runtime.cudaMemcpy(pointer, source, c_size_t(data.nbytes), TO_DEVICE))
        return pointer

    def host(self, pointer: c_void_p, like: np.ndarray) -> np.ndarray:
        data = np.empty_like(like)
        self.must(self.runtime.cudaDeviceSynchronize())
        target = data.ctypes.data_as(c_void_p)
        self.must(self.runtime.cudaMemcpy(target, pointer, c_size_t(data.nbytes), TO_HOST))
        return data

    def release(self) -> None:
        for pointer in self._held:
            self.runtime.cudaFree(pointer)
        self._held.clear()


_SPECIAL = 0.1  # of the numbers, where there are special ones


class Draw:
    """The random choices of one call, by Python's generator, whose numbers stay the same. With `special` some
    of the numbers are none, or infinite."""

    def __init__(self, seed: int, magnitude: bool, special: bool = False) -> None:
        self.random = random.Random(seed)
        self._spoil = random.Random(~seed) if special and not magnitude else None
        self._magnitude = magnitude
        self.propagate = 1 if self._spoil is None else self._spoil.choice((0, 1))  # what is not a number
        self.double = self.random.random() < 0.3
        self.type: Any = np.float64 if self.double else np.float32
        self.letter = "D" if self.double else "S"

    def size(self, low: int = 1, high: int = 6) -> int:
        return self.random.randint(low, high)

    def numbers(self, count: int) -> np.ndarray:
        data = np.array([self.random.uniform(-1, 1) for _ in range(count)], dtype=self.type)
        for i in range(count) if self._spoil is not None else ():
            if self._spoil is not None and self._spoil.random() < _SPECIAL:
                data[i] = self._spoil.choice((np.nan, np.inf, -np.inf))
        return np.abs(data) if self._magnitude else data

    def factor(self) -> Any:
        value = self.random.choice((0.0, 1.0, -1.0, 0.5, self.random.uniform(-2, 2)))
        value = abs(value) if self._magnitude else value
        return c_double(value) if self.double else c_float(value)

    def step(self, *, negative: bool = True) -> int:
        return self.random.choice((1, 1, 2, 3, -1, -2) if negative else (1, 1, 2, 3))

    def operation(self) -> int:
        return self.random.choice((0, 1, 2))

    def chance(self, p: float) -> bool:
        return self.random.random() < p


def _span(n: int, step: int) -> int:
    return (n - 1) * abs(step) + 1 if n > 0 else 1


# ---------------------------------------------------------------- cuBLAS


def _axpy(lib: Library, d: Draw) -> Answer:
    n, incx, incy = d.size(0, 9), d.step(), d.step()
    alpha, x, y = d.factor(), d.numbers(_span(n, incx)), d.numbers(_span(n, incy))
    px, py = lib.device(x), lib.device(y)
    call = getattr(lib.blas, f"cublas{d.letter}axpy_v2")
    status = call(lib.blas_handle, n, byref(alpha), px, incx, py, incy)
    return Answer(status, [lib.host(py, y)], 2)


def _scal(lib: Library, d: Draw) -> Answer:
    n, incx = d.size(0, 9), d.step(negative=False)
    alpha, x = d.factor(), d.numbers(_span(n, incx))
    px = lib.device(x)
    status = getattr(lib.blas, f"cublas{d.letter}scal_v2")(lib.blas_handle, n, byref(alpha), px, incx)
    return Answer(status, [lib.host(px, x)], 1)


def _copy(lib: Library, d: Draw) -> Answer:
    n, incx, incy, swap = d.size(0, 9), d.step(), d.step(), d.chance(0.5)
    x, y = d.numbers(_span(n, incx)), d.numbers(_span(n, incy))
    px, py = lib.device(x), lib.device(y)
    call = getattr(lib.blas, f"cublas{d.letter}{'swap' if swap else 'copy'}_v2")
    status = call(lib.blas_handle, n, px, incx, py, incy)
    return Answer(status, [lib.host(px, x), lib.host(py, y)], 0)


def _reduction(lib: Library, d: Draw) -> Answer:
    """dot, nrm2, asum: one number, to the host or to the device."""
    name = d.random.choice(("dot", "nrm2", "asum"))
    n, incx, incy = d.size(0, 40), d.step(negative=name == "dot"), d.step()
    x, y, on_device = d.numbers(_span(n, incx)), d.numbers(_span(n, incy)), d.chance(0.4)
    result = np.full(1, -7, dtype=d.type)
    px, py = lib.device(x), lib.device(y)
    place = lib.device(result) if on_device else result.ctypes.data_as(c_void_p)
    lib.must(lib.blas.cublasSetPointerMode_v2(lib.blas_handle, int(on_device)))
    call = getattr(lib.blas, f"cublas{d.letter}{name}_v2")
    more = (py, incy) if name == "dot" else ()
    status = call(lib.blas_handle, n, px, incx, *more, place)
    lib.must(lib.blas.cublasSetPointerMode_v2(lib.blas_handle, 0))
    found = lib.host(place, result) if on_device else result
    return Answer(status, [found], n + 3)


def _extreme(lib: Library, d: Draw) -> Answer:
    n, incx = d.size(0, 20), d.step(negative=False)
    name = f"cublasI{d.letter.lower()}{d.random.choice(('amax', 'amin'))}_v2"
    x, result = d.numbers(_span(n, incx)), c_int(-7)
    px = lib.device(x)
    status = getattr(lib.blas, name)(lib.blas_handle, n, px, incx, byref(result))
    return Answer(status, [np.array([result.value], dtype=np.int32)], 0)


def _ger(lib: Library, d: Draw) -> Answer:
    m, n, incx, incy = d.size(0, 6), d.size(0, 6), d.step(), d.step()
    lda, alpha = max(m, 1) + d.size(0, 2), d.factor()
    x, y, a = d.numbers(_span(m, incx)), d.numbers(_span(n, incy)), d.numbers(lda * max(n, 1))
    px, py, pa = lib.device(x), lib.device(y), lib.device(a)
    call = getattr(lib.blas, f"cublas{d.letter}ger_v2")
    status = call(lib.blas_handle, m, n, byref(alpha), px, incx, py, incy, pa, lda)
    return Answer(status, [lib.host(pa, a)], 3)


def _gemv(lib: Library, d: Draw) -> Answer:
    m, n, op, incx, incy = d.size(0, 7), d.size(0, 7), d.operation(), d.step(), d.step()
    lda, alpha, beta = max(m, 1) + d.size(0, 2), d.factor(), d.factor()
    rows, columns = (m, n) if op == 0 else (n, m)
    a, x, y = d.numbers(lda * max(n, 1)), d.numbers(_span(columns, incx)), d.numbers(_span(rows, incy))
    pa, px, py = lib.device(a), lib.device(x), lib.device(y)
    call = getattr(lib.blas, f"cublas{d.letter}gemv_v2")
    status = call(lib.blas_handle, op, m, n, byref(alpha), pa, lda, px, incx, byref(beta), py, incy)
    return Answer(status, [lib.host(py, y)], columns + 3)


@dataclass
class _Product:
    """The shape of a matrix product."""

    m: int
    n: int
    k: int
    opa: int
    opb: int
    lda: int
    ldb: int
    ldc: int

    @classmethod
    def of(cls, d: Draw) -> _Product:
        m, n, k, opa, opb = d.size(0, 7), d.size(0, 7), d.size(0, 9), d.operation(), d.operation()
        lda = max(1, m if opa == 0 else k) + d.size(0, 2)
        ldb = max(1, k if opb == 0 else n) + d.size(0, 2)
        return cls(m, n, k, opa, opb, lda, ldb, max(1, m) + d.size(0, 2))

    def sizes(self) -> tuple[int, int, int]:
        columns_a, columns_b = (self.k if self.opa == 0 else self.m), (self.n if self.opb == 0 else self.k)
        return self.lda * max(columns_a, 1), self.ldb * max(columns_b, 1), self.ldc * max(self.n, 1)


def _gemm(lib: Library, d: Draw) -> Answer:
    p, alpha, beta = _Product.of(d), d.factor(), d.factor()
    a, b, c = (d.numbers(size) for size in p.sizes())
    pa, pb, pc = lib.device(a), lib.device(b), lib.device(c)
    call = getattr(lib.blas, f"cublas{d.letter}gemm_v2")
    shape = (p.opa, p.opb, p.m, p.n, p.k)
    status = call(lib.blas_handle, *shape, byref(alpha), pa, p.lda, pb, p.ldb, byref(beta), pc, p.ldc)
    return Answer(status, [lib.host(pc, c)], p.k + 3)


def _gemm_batched(lib: Library, d: Draw) -> Answer:
    p, alpha, beta, count = _Product.of(d), d.factor(), d.factor(), d.size(0, 3)
    groups = [[d.numbers(size) for size in p.sizes()] for _ in range(count)]
    places = [[lib.device(array) for array in group] for group in groups]
    tables = []
    for which in range(3):
        pointers = np.array([group[which].value or 0 for group in places] or [0], dtype=np.uint64)
        tables.append(lib.device(pointers))
    call = getattr(lib.blas, f"cublas{d.letter}gemmBatched")
    ta, tb, tc = tables
    shape = (p.opa, p.opb, p.m, p.n, p.k)
    status = call(lib.blas_handle, *shape, byref(alpha), ta, p.lda, tb, p.ldb, byref(beta), tc, p.ldc, count)
    found = [lib.host(place[2], group[2]) for place, group in zip(places, groups, strict=True)]
    return Answer(status, found, p.k + 3)


def _gemm_strided(lib: Library, d: Draw) -> Answer:
    p, alpha, beta, count = _Product.of(d), d.factor(), d.factor(), d.size(1, 3)
    strides = [size + d.size(0, 3) for size in p.sizes()]
    a, b, c = (d.numbers(stride * count) for stride in strides)
    pa, pb, pc = lib.device(a), lib.device(b), lib.device(c)
    call = getattr(lib.blas, f"cublas{d.letter}gemmStridedBatched")
    sa, sb, sc = (c_longlong(stride) for stride in strides)
    shape = (p.opa, p.opb, p.m, p.n, p.k)
    status = call(
        lib.blas_handle, *shape, byref(alpha), pa, p.lda, sa, pb, p.ldb, sb, byref(beta), pc, p.ldc, sc, count
    )
    return Answer(status, [lib.host(pc, c)], p.k + 3)


def _geam(lib: Library, d: Draw) -> Answer:
    m, n, opa, opb, alpha, beta = (
        d.size(0, 6),
        d.size(0, 6),
        d.operation(),
        d.operation(),
        d.factor(),
        d.factor(),
    )
    lda = max(1, m if opa == 0 else n) + d.size(0, 2)
    ldb = max(1, m if opb == 0 else n) + d.size(0, 2)
    ldc = max(1, m) + d.size(0, 2)
    a = d.numbers(lda * max(1, n if opa == 0 else m))
    b = d.numbers(ldb * max(1, n if opb == 0 else m))
    c = d.numbers(ldc * max(1, n))
    pa, pb, pc = lib.device(a), lib.device(b), lib.device(c)
    call = getattr(lib.blas, f"cublas{d.letter}geam")
    status = call(lib.blas_handle, opa, opb, m, n, byref(alpha), pa, lda, byref(beta), pb, ldb, pc, ldc)
    return Answer(status, [lib.host(pc, c)], 3)


def _wrong(lib: Library, d: Draw) -> Answer:
    """Products whose sizes or leading dimensions are wrong in one place: refused, and nothing is written."""
    p, alpha, beta = _Product.of(d), d.factor(), d.factor()
    p.m, p.n, p.k = p.m + 2, p.n + 2, p.k + 2
    p.lda, p.ldb, p.ldc = p.lda + 2, p.ldb + 2, p.ldc + 2
    a, b, c = (d.numbers(size) for size in p.sizes())
    spoiled = d.random.choice(("m", "n", "k", "lda", "ldb", "ldc"))
    if spoiled in ("m", "n", "k"):
        setattr(p, spoiled, -1)
    else:
        least = {"lda": p.m if p.opa == 0 else p.k, "ldb": p.k if p.opb == 0 else p.n, "ldc": p.m}
        setattr(p, spoiled, least[spoiled] - 1)
    pa, pb, pc = lib.device(a), lib.device(b), lib.device(c)
    call = getattr(lib.blas, f"cublas{d.letter}gemm_v2")
    shape = (p.opa, p.opb, p.m, p.n, p.k)
    status = call(lib.blas_handle, *shape, byref(alpha), pa, p.lda, pb, p.ldb, byref(beta), pc, p.ldc)
    return Answer(status, [lib.host(pc, c)], 0)


BLAS: dict[str, Callable[[Library, Draw], Answer]] = {
    "axpy": _axpy,
    "scal": _scal,
    "copy, swap": _copy,
    "dot, nrm2, asum": _reduction,
    "amax, amin": _extreme,
    "ger": _ger,
    "gemv": _gemv,
    "gemm": _gemm,
    "gemmBatched": _gemm_batched,
    "gemmStridedBatched": _gemm_strided,
    "geam": _geam,
    "gemm, refused": _wrong,
}
