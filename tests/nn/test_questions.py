"""Questions from Python that are none: an error in words, never a verdict or a traceback."""

from __future__ import annotations

import numpy as np
import pytest

import vouch
from vouch.errors import VouchError
from vouch.nn.network import Network
from vouch.nn.property import Case, Property, Rows
from vouch.verdict import Verdict

NET = Network.from_layers([(np.eye(2), np.zeros(2)), (np.eye(2), np.zeros(2))])
POINT = [0.2, 0.4]


def above(limit, lower=(0.0, 0.0), factor=1.0):
    """Violated where the first output is at least the limit."""
    region = Rows.of(np.zeros((1, 2)), [[-factor, 0.0]], [-limit])
    return Property((Case(np.array(lower), np.ones(2), (region,)),), 2, 2)


@pytest.mark.parametrize(
    "question",
    [above(np.nan), above(np.inf), above(-np.inf), above(0.5, (0.0, np.nan)), above(0.5, factor=np.inf)],
)
def test_constraints_that_are_no_numbers(question):
    with pytest.raises(VouchError, match="NaN or infinite"):
        vouch.nn.verify(NET, question)


def test_the_same_constraints_with_numbers():
    assert vouch.nn.verify(NET, above(0.5)).verdict is Verdict.UNSAFE
    assert vouch.nn.verify(NET, above(1.5)).verdict is Verdict.SAFE


@pytest.mark.parametrize(
    ("point", "asked", "message"),
    [
        (["a", 1], {}, "numbers expected"),
        (POINT, {"scale": [1, 2, 3]}, "3 numbers"),
        (POINT, {"lower": [0, 0, 0]}, "3 numbers"),
        (POINT, {"scale": np.nan}, "no number"),
        (POINT, {"norm": "l3"}, "no norm is called 'l3'"),
        (POINT, {"distance": np.inf}, "NaN or infinite"),
    ],
)
def test_neighbourhoods_that_are_none(point, asked, message):
    with pytest.raises(VouchError, match=message):
        vouch.nn.robust(NET, point, 0.1, **asked)


def test_numbers_for_each_input_come_in_any_shape():
    asked = {"scale": [[1.0], [0.0]], "lower": [[0.0, 0.0]], "upper": 1.0}
    assert vouch.nn.robust(NET, POINT, 0.15, **asked).verdict is Verdict.SAFE
    assert vouch.nn.robust(NET, POINT, 0.25, **asked).verdict is Verdict.UNSAFE
