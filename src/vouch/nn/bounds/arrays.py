"""The array library that bounds are computed with: numpy, or torch on a CPU or GPU.

Code written against `Arrays` uses only what both libraries spell alike (`where`, `maximum`, `einsum`,
`concatenate`, `amax`, ...), reached through `xp`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import VouchError


@dataclass(frozen=True, slots=True)
class Arrays:
    """`xp` is the module; `device` is None for numpy. What is `rough` is in float32: for guesses alone."""

    xp: Any
    device: str | None = None
    rough: bool = False

    @property
    def dtype(self) -> Any:
        return self.xp.float32 if self.rough else self.xp.float64

    def array(self, values: Any) -> Any:
        """An array of the own type in this library."""
        if self.device is None:
            return np.asarray(values, dtype=self.dtype)
        return self.xp.as_tensor(np.asarray(values, dtype=np.float64), device=self.device).to(self.dtype)

    def cast(self, values: Any) -> Any:
        """What is an array of this library already, in the own type."""
        return values.astype(self.dtype) if self.device is None else values.to(self.dtype)

    def indices(self, values: Any) -> Any:
        if self.device is None:
            return np.asarray(values, dtype=np.int64)
        return self.xp.as_tensor(np.asarray(values, dtype=np.int64), device=self.device)

    def numpy(self, values: Any) -> Any:
        return values if self.device is None else values.cpu().numpy()

    def single(self, values: Any) -> Any:
        """In float32, for what is kept in large numbers."""
        return values.astype(np.float32) if self.device is None else values.float()

    def double(self, values: Any) -> Any:
        return values.astype(np.float64) if self.device is None else values.double()

    def full(self, shape: tuple[int, ...], value: float) -> Any:
        if self.device is None:
            return np.full(shape, value, dtype=self.dtype)
        return self.xp.full(shape, value, dtype=self.dtype, device=self.device)

    def zeros(self, shape: tuple[int, ...]) -> Any:
        return self.full(shape, 0.0)

    def copy(self, values: Any) -> Any:
        return values.copy() if self.device is None else values.clone()

    def dot(self, left: Any, right: Any) -> Any:
        """Row-wise inner products."""
        return np.vecdot(left, right) if self.device is None else self.xp.einsum("ij,ij->i", left, right)


NUMPY = Arrays(np)


def arrays_for(device: str, *, torch: bool = False) -> Arrays:
    """numpy for "cpu" (torch if asked for), torch for "cuda"; an error where there is none."""
    if device == "cpu" and not torch:
        return NUMPY
    try:
        import torch as library
    except ImportError:
        raise VouchError("torch is not installed: pip install 'vouch[torch]'") from None
    if device == "cuda" and not library.cuda.is_available():
        raise VouchError("torch finds no CUDA device")
    return Arrays(library, device)
