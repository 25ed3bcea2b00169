"""Runs a TensorFlow Lite model in the interpreter of TensorFlow Lite for Microcontrollers."""

from __future__ import annotations

from typing import Any

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.arrays import Array, Shape
from vouch.nn.int8.network import Inputs, Outputs


class MicroRuntime:
    """`given` and `made` translate where the model's own inputs and outputs are 8-bit numbers."""

    name = "tflite-micro"

    def __init__(self, model: bytes, shape: Shape, given: Inputs | None, made: Outputs | None) -> None:
        self.model, self.shape, self.given, self.made = model, shape, given, made
        self._interpreter: Any = None

    @property
    def interpreter(self) -> Any:
        if self._interpreter is None:
            try:
                from tflite_micro.python.tflite_micro import runtime
            except ImportError:
                raise Unsupported("tflite-micro is not installed (pip install 'vouch[tflite]')") from None
            size = 20 * len(self.model) + (1 << 20)
            try:
                self._interpreter = runtime.Interpreter.from_bytes(self.model, arena_size=size)
            except Exception as error:  # the binding raises what it likes
                raise Unsupported(f"tflite-micro does not take the model: {error}") from None
        return self._interpreter

    def run(self, rows: Array) -> Array:
        numbers: Any = np.asarray(rows).astype(np.float32)
        if self.given is not None:
            numbers = self.given.convert(rows).astype(np.int8)
        found = []
        for row in numbers:
            self.interpreter.set_input(row.reshape(self.shape), 0)
            self.interpreter.invoke()
            found.append(np.array(self.interpreter.get_output(0)).ravel())
        outputs = np.array(found)
        return outputs.astype(np.float64) if self.made is None else self.made.reals(outputs.astype(np.int64))
