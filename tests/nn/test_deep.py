"""Properties that nest without end are refused with one line, by each reader and by the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.patience import without_progress

from vouch.cli.main import run
from vouch.errors import VouchError
from vouch.nn import properties
from vouch.nn.vnnlib2 import parse_query

DEEP = 100_000
FIRST = "(declare-const X_0 Real)(declare-const Y_0 Real)(assert (and (>= X_0 0) (<= X_0 1)))"
SECOND = (
    "(vnnlib-version <2.0>)\n"
    "(declare-network f (declare-input X float32 [1]) (declare-output Y float32 [1]))\n"
    "(assert (>= X[0] 0.0))(assert (<= X[0] 1.0))\n"
)


@pytest.mark.parametrize(
    "text",
    [
        FIRST + "(assert " + "(and " * DEEP + "true" + ")" * DEEP + ")",
        FIRST + "(assert (>= Y_0 " + "(- " * DEEP + "1" + ")" * DEEP + "))",
    ],
)
def test_version_1(text: str) -> None:
    with pytest.raises(VouchError, match="p: nested too deeply"):
        properties.parse(text, "p")


def test_version_2() -> None:
    text = SECOND + "(assert " + "(and " * DEEP + "(>= Y[0] 0.0)" + ")" * DEEP + ")"
    with pytest.raises(VouchError, match="p: nested too deeply"):
        properties.parse(text, "p")
    with pytest.raises(VouchError, match="p: nested too deeply"):
        parse_query(text, "p")
    shallow = SECOND + "(assert " + "(and " * 50 + "(>= Y[0] 0.0)" + ")" * 50 + ")"
    assert len(properties.parse(shallow).cases) == 1


def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deep.vnnlib"
    path.write_text(FIRST + "(assert " + "(and " * DEEP + "true" + ")" * DEEP + ")")
    network = Path(__file__).parent.parent.parent / "examples" / "nn" / "iris.onnx"
    assert run(["nn", "verify", str(network), str(path)]) == 2
    assert without_progress(capfd.readouterr().err) == f"error: {path}: nested too deeply\n"
