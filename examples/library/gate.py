"""A release gate in Python: the driver has no run-time error, the network is robust, its small form agrees.

    python examples/library/gate.py

Everything that `vouch` prints is in the objects that its functions return.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import vouch
from vouch import Verdict

HERE = Path(__file__).resolve().parent.parent


def driver(folder: str) -> Iterator[str]:
    """What keeps the C code from being released: violations, and what could not be decided."""
    result = vouch.check(
        HERE / "sensor" / folder, include=[str(HERE / "sensor" / "include")], timeout=60, checks=["-cast"]
    )
    for item in result.checks:
        if item.verdict is Verdict.SAFE:
            continue
        place = item.check.location
        line = f"{Path(place.file).name}:{place.line}: {item.check.message} [{item.verdict}]"
        if item.inputs:
            line += " with " + ", ".join(f"{name} = {value}" for name, value in item.inputs.items())
        yield line


def network(radius: float) -> Iterator[str]:
    """The digit classifier must not change its mind while pixels move by `radius`."""
    folder = HERE / "nn"
    zero = [float(pixel) for pixel in (folder / "digits_zero.csv").read_text().split(",")]
    answer = vouch.nn.robust(folder / "digits.onnx", zero, radius, lower=0.0, upper=16.0, timeout=60)
    if answer.verdict is not Verdict.SAFE:
        yield f"digits.onnx, radius {radius}: {answer.verdict}"
        if answer.counterexample is not None:
            yield f"  outputs {answer.counterexample.output.round(2).tolist()}"


def compressed(name: str) -> Iterator[str]:
    """The pruned network must decide like the original near a picture."""
    folder = HERE / "equiv"
    answer = vouch.equiv.compare(
        str(folder / "reference.onnx"),
        str(folder / "compressed" / name),
        top=1,
        centre=str(folder / "zero.csv"),
        radius=0.02,
        domain="0..16",
        timeout=60,
    )
    if answer.verdict is not Verdict.EQUIVALENT:
        yield f"{name}: {answer.verdict} ({answer.reason or 'see the counterexample'})"


def main() -> int:
    try:
        problems = [*driver("corrected"), *network(0.5), *compressed("pruned_30.onnx")]
    except vouch.VouchError as error:  # input that cannot be read or compiled
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join(problems) or "everything asked is proved")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
