"""NNet files: the normalisation header, and what is wrong with broken ones."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from vouch.errors import VouchError
from vouch.nn.loaders import load
from vouch.nn.lowering import lower
from vouch.nn.replay import replay

# One hidden layer; two inputs in use and numbers for a third that was split off, as in ACAS Xu.
TEXT = """// a comment
2,2,1,2,
2,2,1,
0,
-1.0,0.0,0.0,
1.0,10.0,5.0,
0.5,5.0,0.0,7.0,
2.0,4.0,1.0,10.0,
1.0,-1.0,
0.5,2.0,
0.25,
-0.5,
1.0,-2.0,
3.0,
"""


def reference(x, y):
    """The format's own rule, by hand: clip, shift, scale, run, scale back."""
    a, b = (min(max(x, -1), 1) - 0.5) / 2, (min(max(y, 0), 10) - 5) / 4
    h1, h2 = max(0, a - b + 0.25), max(0, 0.5 * a + 2 * b - 0.5)
    return (h1 - 2 * h2 + 3) * 10 + 7


@pytest.fixture
def write(tmp_path):
    def write(text, name="net.nnet"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_header_is_part_of_the_network(write):
    network = load(write(TEXT))
    points = np.array([[0.0, 0.0], [1.0, 10.0], [-5.0, 3.0], [0.3, 99.0], [0.5, 5.0]])
    expected = [[reference(*p)] for p in points]
    np.testing.assert_allclose(network.evaluate(points), expected, rtol=1e-12)
    np.testing.assert_allclose(replay(network, points), expected, rtol=1e-6)
    np.testing.assert_allclose(lower(network).evaluate(points), expected, rtol=1e-12)


def test_gzipped(tmp_path):
    (tmp_path / "net.nnet.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert load(tmp_path / "net.nnet").inputs == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2,2,1,2,", "x,2,1,2,", "the header: numbers expected"),
        ("2,2,1,2,", "2,3,1,2,", "do not fit the header"),
        ("2,2,1,2,", "0,2,1,2,", "no number of layers"),
        ("2,2,1,2,", "2.5,2,1,2,", "no number of layers"),
        ("2,2,1,2,", "1e9,2,1,2,", "no number of layers"),
        ("0.5,2.0,", "0.5,2.0,3.0,", "weights of layer 0"),
        ("0.5,2.0,", "0.5,nan,", "weights of layer 0"),
        ("3.0,\n", "", "ends where biases of layer 1"),
        ("2.0,4.0,1.0,10.0,", "2.0,0.0,1.0,10.0,", "a range of zero"),
        ("1.0,10.0,5.0,", "-9.0,10.0,5.0,", "minimum above"),
    ],
)
def test_broken(write, old, new, message):
    assert old in TEXT
    with pytest.raises(VouchError, match=message):
        load(write(TEXT.replace(old, new, 1)))


def test_binary(tmp_path):
    (tmp_path / "net.nnet").write_bytes(bytes(range(256)))
    with pytest.raises(VouchError, match="not a text file"):
        load(tmp_path / "net.nnet")
