"""The Iris and Vocalic networks of the QNN paper, as the data folder has them. Shared by the benchmarks."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from bench.nn_instances import data_folder
from vouch.nn.fixed.format import Format, rounded_exact
from vouch.nn.fixed.table import GivenTable, Table, stepped
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Gemm, activation_named

LETTERS = "AEIOU"


@lru_cache(maxsize=1)
def published() -> Any:
    return json.loads((data_folder() / "qnn" / "qnnverifier_iris_vocalic.json").read_text(encoding="utf-8"))


def iris(number: int) -> Network:
    return _network(published()["Iris"]["nets"][number], [range(7), range(20, 23)], "tanh", last=False)


def vocalic() -> Network:
    """25-5-4-5, sigmoid after every layer."""
    layers = [range(10, 15), range(20, 24), range(30, 35)]
    return _network(published()["vocalic"]["nets"][0], layers, "sigmoid", last=True)


def _network(net: Any, layers: list[range], kind: str, last: bool) -> Network:
    size = len(net["weights"][str(layers[0][0])])
    builder, value = GraphBuilder(kind, "x", (1, size)), "x"
    for number, names in enumerate(layers):
        weights = np.array([net["weights"][str(name)] for name in names])
        bias = np.array([net["biases"][str(name)] for name in names])
        value = builder.add(f"layer{number}", Gemm.of(weights, bias), value)
        if last or number < len(layers) - 1:
            value = builder.add(f"{kind}{number}", activation_named(kind), value)
    return builder.build(value)


def published_tables() -> GivenTable:
    """The tables of the paper's code: the sample at round(100 x), ties away from zero, ends clipped."""
    tables = published()["luts"]

    def maker(kind: str, values: list[float], reach: int) -> Any:
        def make(form: Format) -> Table:
            firsts = [form.word.low, *(_first(k, form) for k in range(-reach + 1, reach + 1))]
            return stepped(*_distinct(firsts, values), form, kind)

        return make

    return GivenTable(
        {
            "tanh": maker("tanh", tables["lookuptanh"], 400),
            "sigmoid": maker("sigmoid", tables["lookup"], 600),
        }
    )


def _first(k: int, form: Format) -> int:
    """The least number whose hundredfold is rounded to k."""
    near = int(Fraction(2 * k - 1, 200) * (1 << form.fraction)) - 2
    while rounded_exact(Fraction(100 * near, 1 << form.fraction), form.rounding.NEAREST) < k:
        near += 1
    return near


def _distinct(firsts: list[int], values: list[float]) -> tuple[list[int], list[float]]:
    """Steps that begin at the same number: the last one counts."""
    kept = dict(zip(firsts, values, strict=True))
    return list(kept), list(kept.values())
