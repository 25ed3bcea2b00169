"""Random calls of cuDNN's forward functions, for `cuda_conformance.py`; see `cuda_calls.py`."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_double, c_int, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.cuda_calls import NCHW, NHWC, Answer, Draw, Library

_FMA_MATH = 3
_MATH = -1  # as a depth: the answer goes through the math library


@dataclass
class Shape:
    """A tensor: dimensions, strides, and the numbers its memory holds."""

    n: int
    c: int
    h: int
    w: int
    strides: tuple[int, int, int, int]

    @property
    def memory(self) -> int:
        return 1 + sum(
            (size - 1) * s for size, s in zip((self.n, self.c, self.h, self.w), self.strides, strict=True)
        )


def _packed(n: int, c: int, h: int, w: int, layout: int = NCHW) -> Shape:
    strides = (c * h * w, h * w, w, 1) if layout == NCHW else (c * h * w, 1, w * c, c)
    return Shape(n, c, h, w, strides)


def _descriptor(lib: Library, kind: str) -> c_void_p:
    made = c_void_p()
    lib.must(getattr(lib.dnn, f"cudnnCreate{kind}Descriptor")(byref(made)))
    return made


def _tensor(lib: Library, d: Draw, shape: Shape) -> c_void_p:
    made = _descriptor(lib, "Tensor")
    sizes = (shape.n, shape.c, shape.h, shape.w)
    lib.must(lib.dnn.cudnnSetTensor4dDescriptorEx(made, int(d.double), *sizes, *shape.strides))
    return made


def _free(lib: Library, kind: str, *descriptors: c_void_p) -> None:
    for descriptor in descriptors:
        lib.must(getattr(lib.dnn, f"cudnnDestroy{kind}Descriptor")(descriptor))


def _some(d: Draw, high: int = 4) -> Shape:
    """A tensor by channels or by pixels, packed or with gaps between its images."""
    shape = _packed(d.size(1, 2), d.size(1, high), d.size(1, 5), d.size(1, 5), d.random.choice((NCHW, NHWC)))
    gap = d.random.choice((0, 0, 3))
    return Shape(shape.n, shape.c, shape.h, shape.w, (shape.strides[0] + gap, *shape.strides[1:]))


def _apply(
    lib: Library,
    d: Draw,
    shape: Shape,
    out: Shape,
    depth: int,
    call: Callable[..., int],
    *,
    exact: bool = False,
) -> Answer:
    """Run `call(alpha, xDesc, x, beta, yDesc, y)` on fresh data."""
    alpha, beta = d.factor(), d.factor()
    x, y = d.numbers(shape.memory), d.numbers(out.memory)
    xd, yd = _tensor(lib, d, shape), _tensor(lib, d, out)
    px, py = lib.device(x), lib.device(y)
    status = call(byref(alpha), xd, px, byref(beta), yd, py)
    found = lib.host(py, y)
    _free(lib, "Tensor", xd, yd)
    return Answer(status, [found], depth)


def _activation(lib: Library, d: Draw) -> Answer:
    mode = d.random.choice((0, 1, 2, 3, 4))
    coefficient = d.random.choice((0.5, 1.0, 2.0))
    made = _descriptor(lib, "Activation")
    lib.must(lib.dnn.cudnnSetActivationDescriptor(made, mode, d.propagate, c_double(coefficient)))

    def call(alpha: Any, xd: Any, x: Any, beta: Any, yd: Any, y: Any) -> int:
        return lib.dnn.cudnnActivationForward(lib.dnn_handle, made, alpha, xd, x, beta, yd, y)

    shape = _some(d)
    answer = _apply(lib, d, shape, shape, 3 if mode in (1, 3) else _MATH, call)
    _free(lib, "Activation", made)
    return answer


def _add_tensor(lib: Library, d: Draw) -> Answer:
    c = _packed(d.size(1, 2), d.size(1, 4), d.size(1, 4), d.size(1, 4))
    kind = d.random.choice(("channel", "all", "image", "one"))
    sizes = {
        "channel": (1, c.c, 1, 1),
        "all": (c.n, c.c, c.h, c.w),
        "image": (1, c.c, c.h, c.w),
        "one": (1, 1, 1, 1),
    }
    a = _packed(*sizes[kind])

    def call(alpha: Any, xd: Any, x: Any, beta: Any, yd: Any, y: Any) -> int:
        return lib.dnn.cudnnAddTensor(lib.dnn_handle, alpha, xd, x, beta, yd, y)

    return _apply(lib, d, a, c, 3, call)


def _pooling(lib: Library, d: Draw) -> Answer:
    mode, high, wide = d.random.choice((0, 1, 2, 3)), d.size(1, 3), d.size(1, 3)
    shape = _packed(d.size(1, 2), d.size(1, 3), d.size(3, 7), d.size(3, 7), d.random.choice((NCHW, NHWC)))
    pads = (d.size(0, high - 1) if high > 1 else 0, d.size(0, wide - 1) if wide > 1 else 0)
    steps = (d.size(1, 3), d.size(1, 3))
    made = _descriptor(lib, "Pooling")
    lib.must(lib.dnn.cudnnSetPooling2dDescriptor(made, mode, d.propagate, high, wide, *pads, *steps))
    xd, sizes = _tensor(lib, d, shape), [c_int() for _ in range(4)]
    lib.must(lib.dnn.cudnnGetPooling2dForwardOutputDim(made, xd, *map(byref, sizes)))
    _free(lib, "Tensor", xd)
    out = _packed(*(size.value for size in sizes), NCHW if shape.strides[3] == 1 else NHWC)

    def call(alpha: Any, xd: Any, x: Any, beta: Any, yd: Any, y: Any) -> int:
        return lib.dnn.cudnnPoolingForward(lib.dnn_handle, made, alpha, xd, x, beta, yd, y)

    answer = _apply(lib, d, shape, out, high * wide + 4, call)
    answer.arrays.append(np.array([size.value for size in sizes], dtype=np.int32))
    _free(lib, "Pooling", made)
    return answer


def _softmax(lib: Library, d: Draw) -> Answer:
    algorithm, mode, shape = d.random.choice((0, 1, 2)), d.random.choice((0, 1)), _some(d, 6)
    if mode == 0:  # cuDNN 9.19 overlooks gaps between images here, and the model does not cover them
        shape = _packed(shape.n, shape.c, shape.h, shape.w, NHWC if shape.strides[1] == 1 else NCHW)

    def call(alpha: Any, xd: Any, x: Any, beta: Any, yd: Any, y: Any) -> int:
        return lib.dnn.cudnnSoftmaxForward(lib.dnn_handle, algorithm, mode, alpha, xd, x, beta, yd, y)

    return _apply(lib, d, shape, shape, _MATH, call)


def _normalisation(lib: Library, d: Draw) -> Answer:
    mode = d.random.choice((0, 1))
    shape = _packed(d.size(1, 3), d.size(1, 4), d.size(1, 4), d.size(1, 4))
    derived = _packed(1, shape.c, *((shape.h, shape.w) if mode == 0 else (1, 1)))
    epsilon = c_double(d.random.choice((1e-5, 1e-3, 0.1)))
    scale, bias, mean = (d.numbers(derived.memory) for _ in range(3))
    variance = np.abs(d.numbers(derived.memory)) + d.type(0.1)
    places = [lib.device(array) for array in (scale, bias, mean, variance)]
    bd = _tensor(lib, d, derived)

    def call(alpha: Any, xd: Any, x: Any, beta: Any, yd: Any, y: Any) -> int:
        run = lib.dnn.cudnnBatchNormalizationForwardInference
        return run(lib.dnn_handle, mode, alpha, beta, xd, x, yd, y, bd, *places, epsilon)

    answer = _apply(lib, d, shape, shape, _MATH, call)
    _free(lib, "Tensor", bd)
    return answer


def _convolution(lib: Library, d: Draw) -> Answer:
    layout, groups = NCHW, d.random.choice((1, 1, 1, 2))
    per_group, filters, high, wide = d.size(1, 3), d.size(1, 3) * groups, d.size(1, 3), d.size(1, 3)
    shape = _packed(d.size(1, 2), per_group * groups, d.size(5, 7), d.size(5, 7), layout)
    steps, pads = (d.size(1, 2), d.size(1, 2)), (d.size(0, 2), d.size(0, 2))
    dilations, mode = (d.size(1, 2), d.size(1, 2)), d.random.choice((0, 1))
    algorithm, alpha, beta = d.random.choice((0, 0, 1, 2)), d.factor(), d.factor()
    made, fd, xd = _descriptor(lib, "Convolution"), _descriptor(lib, "Filter"), _tensor(lib, d, shape)
    lib.must(lib.dnn.cudnnSetConvolution2dDescriptor(made, *pads, *steps, *dilations, mode, int(d.double)))
    lib.must(lib.dnn.cudnnSetConvolutionGroupCount(made, groups))
    lib.must(lib.dnn.cudnnSetConvolutionMathType(made, _FMA_MATH))
    lib.must(lib.dnn.cudnnSetFilter4dDescriptor(fd, int(d.double), layout, filters, per_group, high, wide))
    sizes = [c_int() for _ in range(4)]
    lib.must(lib.dnn.cudnnGetConvolution2dForwardOutputDim(made, xd, fd, *map(byref, sizes)))
    out = _packed(*(size.value for size in sizes), layout)
    yd, needed = _tensor(lib, d, out), c_size_t()
    query = lib.dnn.cudnnGetConvolutionForwardWorkspaceSize
    if query(lib.dnn_handle, xd, fd, made, yd, algorithm, byref(needed)):
        algorithm = 0  # this algorithm does not do such convolutions
        query(lib.dnn_handle, xd, fd, made, yd, algorithm, byref(needed))
    x, weights, y = (
        d.numbers(shape.memory),
        d.numbers(filters * per_group * high * wide),
        d.numbers(out.memory),
    )
    px, pw, py = lib.device(x), lib.device(weights), lib.device(y)
    space = lib.device(np.zeros(needed.value + 16, dtype=np.uint8))

    def run(algorithm: int) -> int:
        ends = (byref(beta), yd, py)
        return lib.dnn.cudnnConvolutionForward(
            lib.dnn_handle, byref(alpha), xd, px, fd, pw, made, algorithm, space, needed, *ends
        )

    status = run(algorithm) and run(0)
    found = lib.host(py, y)
    _free(lib, "Tensor", xd, yd)
    _free(lib, "Filter", fd)
    _free(lib, "Convolution", made)
    shape_found = np.array([size.value for size in sizes], dtype=np.int32)
    return Answer(status, [found, shape_found], per_group * high * wide + 3)


DNN: dict[str, Callable[[Library, Draw], Answer]] = {
    "ActivationForward": _activation,
    "AddTensor": _add_tensor,
    "PoolingForward": _pooling,
    "SoftmaxForward": _softmax,
    "BatchNormalizationForwardInference": _normalisation,
    "ConvolutionForward": _convolution,
}
