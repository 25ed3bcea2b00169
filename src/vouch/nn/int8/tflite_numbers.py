"""How TensorFlow Lite prepares its numbers: multipliers in fixed point, rounding, limits of activations."""

from __future__ import annotations

import math

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.loaders.tflite_file import TfOperator, TfTensor

LOW, HIGH = -128, 127
# Where a multiplication by 2^shift may leave 32 bits.
WORD = 1 << 31


def multiplier(real: float) -> tuple[int, int]:
    """(m, e): the factor as m / 2^31 * 2^e, m of 31 bits."""
    if real == 0:
        return 0, 0
    share, exponent = math.frexp(real)
    fixed = math.floor(share * WORD + 0.5)
    if fixed == WORD:
        fixed, exponent = fixed // 2, exponent + 1
    return (0, 0) if exponent < -31 else (fixed, exponent)


def rounded(value: float) -> int:
    """The nearest integer, ties away from zero."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def activation_limits(kind: int, tensor: TfTensor) -> tuple[int, int]:
    """The numbers that a fused activation leaves: none, ReLU, ReLU1 (-1..1), ReLU6."""
    scale, zero = np.float32(tensor.scale[0]), int(tensor.zero[0])

    def number(value: float) -> int:
        return zero + rounded(float(np.float32(value) / scale))

    match kind:
        case 0:
            return LOW, HIGH
        case 1:
            return max(LOW, number(0)), HIGH
        case 2:
            return max(LOW, number(-1)), min(HIGH, number(1))
        case 3:
            return max(LOW, number(0)), min(HIGH, number(6))
        case _:
            raise Unsupported("a fused activation other than ReLU, ReLU1 and ReLU6")


def fused(operator: TfOperator) -> int:
    """The number of the fused activation."""
    return 0 if operator.options is None else int(operator.options.FusedActivationFunction())
