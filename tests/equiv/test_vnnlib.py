"""Regions from VNN-LIB files, that of inputs alone among them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import vouch.equiv
from vouch.errors import VouchError
from vouch.nn import properties
from vouch.verdict import Verdict

INPUTS = """(declare-const X_0 Real)
(declare-const X_1 Real)
(assert (and (>= X_0 -1) (<= X_0 1) (>= X_1 0) (<= X_1 0.5)))
"""


@pytest.mark.parametrize(
    ("epsilon", "more", "verdict"),
    [
        (0.51, "", Verdict.EQUIVALENT),  # they differ by X_1
        (0.49, "", Verdict.DIFFERENT),
        (0.49, "(assert (<= (+ X_1 (* 0 X_0)) 0.45))", Verdict.EQUIVALENT),
    ],
)
def test_a_file_of_inputs_only(epsilon: float, more: str, verdict: Verdict, tmp_path: Path) -> None:
    path = tmp_path / "box.vnnlib"
    path.write_text(INPUTS + more)
    reference = [(np.array([[1.0, 0.0]]), np.zeros(1))]
    test = [(np.array([[1.0, 1.0]]), np.zeros(1))]
    assert vouch.equiv.compare(reference, test, epsilon=epsilon, box=str(path)).verdict is verdict


def test_a_property_needs_outputs() -> None:
    with pytest.raises(VouchError, match="no Y_0 is declared"):
        properties.parse(INPUTS)


def test_outputs_that_are_not_declared_are_an_error_in_a_region() -> None:
    with pytest.raises(VouchError, match=r"region:4: 'Y_0' is neither"):
        properties.parse(INPUTS + "(assert (<= Y_0 1))", "region", region=True)
