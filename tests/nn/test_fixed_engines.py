"""Every engine for fixed-point networks against all inputs, run one by one in the compiled C code."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from test_fixed import Reference

import vouch
from vouch.nn.fixed import search
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.format import Format, Overflow, Rounding
from vouch.nn.fixed.native import Native
from vouch.nn.fixed.quantise import quantise
from vouch.nn.network import Network
from vouch.nn.property import Property, output_union
from vouch.verdict import Verdict

FORMATS = [(2, 2), (3, 3), (2, 4), (4, 6), (3, 5)]


@dataclass
class Tiny:
    """A random network with at most a few thousand inputs, and a property of it."""

    network: Network
    prop: Property
    options: dict[str, Any]
    reference: Reference

    def truth(self) -> Verdict:
        case = self.prop.cases[0]
        axes = []
        for low, high in zip(case.lower, case.upper, strict=True):
            first, last = (self.reference.whole(Fraction(v) * 2**self.reference.length) for v in (low, high))
            axes.append(sorted({self.reference.fit(n) for n in range(first, last + 1)}))
        rows = np.array(list(itertools.product(*axes)), dtype=np.int64)
        form = Format(
            self.reference.k,
            self.reference.length,
            Rounding(self.reference.rounding),
            Overflow(self.reference.overflow),
        )
        outputs = Native(quantise(self.network, form)).run(rows)
        row, limit = case.regions[0].y_rows[0], Fraction(float(case.regions[0].rhs[0]))
        factors = [Fraction(float(v)) for v in row]
        for output in {tuple(output) for output in outputs.tolist()}:
            value = sum((f * v for f, v in zip(factors, output, strict=True)), Fraction(0))
            if value / 2**self.reference.length <= limit:
                return Verdict.UNSAFE
        return Verdict.SAFE


def tiny(seed: int) -> Tiny:
    rng = np.random.default_rng(seed)
    inputs, kind = int(rng.integers(1, 4)), ("relu", "sigmoid", "tanh")[seed % 3]
    k, length = FORMATS[int(rng.integers(5))]
    if inputs == 3 and k + length > 7:
        k, length = 3, 3
    rounding, overflow = str(rng.choice(["floor", "nearest"])), str(rng.choice(["wrap", "saturate"]))
    sizes = [inputs, *(int(n) for n in rng.integers(2, 5, int(rng.integers(1, 3)))), int(rng.integers(1, 3))]
    scale = float(rng.choice([0.5, 1.0, 2.0]))
    layers = [
        (rng.normal(size=(b, a)) * scale, rng.normal(size=b) * scale) for a, b in itertools.pairwise(sizes)
    ]
    limit = 2.0 ** (k - 1)
    centre = rng.uniform(-limit, limit, inputs) * 0.6
    width = rng.uniform(0, limit, inputs) * rng.choice([0.2, 0.5, 1.0])
    lower, upper = centre - width, centre + width
    if seed % 7:
        lower, upper = np.maximum(lower, -limit), np.minimum(upper, limit - 2.0**-length)
    row = (
        np.array([[1.0, -1.0]])
        if sizes[-1] == 2 and rng.random() < 0.4
        else rng.normal(size=(1, sizes[-1])).round(1)
    )
    threshold = 0.0 if rng.random() < 0.3 else float(rng.normal() * limit * 0.5)
    prop = output_union(lower, upper, [(row, np.array([threshold]))])
    options = {"format": f"{k}.{length}", "rounding": rounding, "overflow": overflow, "jobs": 1}
    return Tiny(Network.from_layers(layers, kind), prop, options, Reference(k, length, rounding, overflow))


def check(seed: int, engines: list[str]) -> None:
    case = tiny(seed)
    truth = case.truth()
    for engine in engines:
        result = vouch.nn.verify(case.network, case.prop, engine=engine, **case.options)
        assert result.verdict is truth, (seed, engine, result)
        assert (result.replayed is True) == (truth is Verdict.UNSAFE)


@pytest.mark.parametrize("seed", range(9))
def test_engines_on_tiny_networks(seed: int) -> None:
    check(seed, ["enumerate", "bounds", "smt", "milp", "auto"])


@pytest.mark.parametrize("seed", [1039, 1048, 1154, 1175, 1496])
def test_programs_where_sums_wrap_around(seed: int) -> None:
    """Ten thousands of inputs with sums that wrap, and tables: without the right order of branching, programs
    take thousands of nodes more."""
    check(seed, ["milp"])


@pytest.mark.parametrize("seed", [0, 4, 8, 1101])
def test_generated_code_on_tiny_networks(seed: int) -> None:
    """Of the last one, the property has factors that 64 bits do not hold."""
    check(seed, ["code"])


@pytest.mark.parametrize("seed", range(100, 109))
def test_bounds_without_help(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No box is finished by running its points before it is a single one."""
    monkeypatch.setattr(search, "_LEAF", 1)
    check(seed, ["bounds"])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_campaign(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(1000 + 50 * part, 1050 + 50 * part):
        monkeypatch.setattr(search, "_LEAF", 1 if seed % 2 else 1 << 19)
        check(seed, ["enumerate", "bounds", "smt", "milp", "auto"])
        if seed % 5 == 0:
            check(seed, ["code"])


def test_wrapped_inputs() -> None:
    """Inputs beyond the format come back at its other end, as the contract says, or stay at its limits."""
    network = Network.from_layers([(np.array([[1.0]]), np.array([0.0]))])
    for overflow, verdict in (("wrap", Verdict.UNSAFE), ("saturate", Verdict.SAFE)):
        prop = output_union(np.array([1.5]), np.array([2.5]), [(np.array([[1.0]]), np.array([0.0]))])
        options = {"format": "2.4", "overflow": overflow}
        for engine in ("enumerate", "bounds"):
            result = vouch.nn.verify(network, prop, engine=engine, **options)
            assert result.verdict is verdict
            if verdict is Verdict.UNSAFE:
                assert -2.0 <= result.counterexample.input[0] <= -1.5


@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("rounding", ["floor", "nearest"])
def test_balls(norm: str, rounding: str) -> None:
    """Numbers that some real of the ball becomes, found by trying a fine grid of reals."""
    rng = np.random.default_rng(3)
    for _ in range(6):
        layers = [
            (rng.normal(size=(3, 2)), rng.normal(size=3)),
            (rng.normal(size=(2, 3)), rng.normal(size=2)),
        ]
        centre, radius = rng.uniform(-1, 1, 2).round(2), round(float(rng.uniform(0.2, 0.8)), 2)
        reference = Reference(4, 3, rounding, "wrap")
        grid = np.stack(np.meshgrid(*(np.linspace(c - radius, c + radius, 161) for c in centre)), -1).reshape(
            -1, 2
        )
        steps = np.abs(grid - centre)
        far = steps.sum(1) if norm == "l1" else np.sqrt((steps**2).sum(1))
        numbers = {tuple(reference.convert(v) for v in x) for x in grid[far <= radius]}
        outputs = {n: reference.run(layers, list(n)) for n in numbers}
        label = int(np.argmax(reference.run(layers, [reference.convert(v) for v in centre])))
        safe = all(y[label] > y[1 - label] for y in outputs.values())
        for engine in ("enumerate", "bounds"):
            result = vouch.nn.robust(
                layers, centre, radius, label=label, norm=norm, format="4.3", rounding=rounding, engine=engine
            )
            # The grid may miss a cell that the ball only touches; what it shows to be violated is.
            assert result.verdict is Verdict.UNSAFE or safe
            if result.verdict is Verdict.UNSAFE and safe:
                at = result.counterexample.input
                assert tuple(int(v * 8) for v in at) not in numbers


def test_steps_of_inputs() -> None:
    """A violation at a number that no tenth becomes."""
    network = Network.from_layers(
        [(np.array([[4.0]]), np.array([0.0])), (np.array([[1.0]]), np.array([0.0]))]
    )
    # In <4,6> 0.3 is 19/64; no multiple of 0.1 between 0 and 1 becomes 20/64.
    prop = output_union(
        np.array([0.0]), np.array([1.0]), [(np.array([[1.0], [-1.0]]), np.array([20 * 4 / 64, -20 * 4 / 64]))]
    )
    for engine in ("enumerate", "bounds"):
        assert vouch.nn.verify(network, prop, format="4.6", engine=engine).verdict is Verdict.UNSAFE
        assert vouch.nn.verify(network, prop, format="4.6", engine=engine, step="0.1").verdict is Verdict.SAFE


def test_word_lengths(tmp_path: Any) -> None:
    """x1 - x2 of <K,L> numbers: the verdict of every word length by hand."""
    from vouch.nn.fixed.bits import fits, range_of, sweep
    from vouch.settings import resolve

    network = Network.from_layers([(np.array([[0.7, -0.6]]), np.array([0.0]))])
    # At (1, 1) the value is 0.1, but products are rounded down: below 0 while a unit is too coarse.
    prop = output_union(np.array([1.0, 1.0]), np.array([1.0, 1.0]), [(np.array([[1.0]]), np.array([0.0]))])
    table = sweep(network, {"positive": prop}, resolve("nn", {}), range_of("3..12"))
    for width in table.widths:
        assert width.fits
        assert width.format.bits == width.bits
        reference = Reference(width.format.integer, width.format.fraction, "floor", "wrap")
        one = reference.convert(1.0)
        value = reference.run([(np.array([[0.7, -0.6]]), np.array([0.0]))], [one, one])[0]
        assert width.verdicts["positive"] is (Verdict.SAFE if value > 0 else Verdict.UNSAFE)
    assert table.smallest is not None
    assert not fits(network, Format(1, 5), prop)  # 1.0 is no number of it
    assert fits(network, Format(2, 5), prop)
    table.plot(str(tmp_path / "table.png"))
    assert (tmp_path / "table.png").stat().st_size > 1000


def test_word_lengths_on_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    from vouch.cli.main import run
    from vouch.nn.export import to_onnx

    layers = [
        (np.array([[1.0, -1.0], [0.5, 0.25]]), np.array([0.0, 0.1])),
        (np.array([[1.0, 1.0]]), np.array([0.0])),
    ]
    (tmp_path / "net.onnx").write_bytes(to_onnx(Network.from_layers(layers), double=False))
    (tmp_path / "p.vnnlib").write_text(
        "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)"
        "(assert (>= X_0 0.5))(assert (<= X_0 1.0))(assert (>= X_1 0.25))"
        "(assert (<= X_1 0.5))(assert (<= Y_0 0.3))"
    )
    arguments = [str(tmp_path / "net.onnx"), str(tmp_path / "p.vnnlib"), "--range", "4..10", "--json"]
    assert run(["nn", "bits", *arguments, "--per-layer"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [width["bits"] for width in document["widths"]] == list(range(4, 11))
    assert document["smallest"]["bits"] <= 10
    assert len(document["layers"]) == 2
    formats = ",".join(document["layers"])
    assert run(["nn", "verify", *arguments[:2], "--format", formats]) == 0
    assert run(["nn", "bits", *arguments[:2], "--range", "9..4"]) == 2
    assert run(["nn", "bits", *arguments[:2], "--range", "4.."]) == 2


@pytest.mark.parametrize("norm", ["linf", "l1", "l2"])
def test_the_nearest_violation(norm: Any, tmp_path: Any) -> None:
    """Against the distances of all numbers in reach."""
    from vouch.nn.fixed.nearest import nearest, write_image
    from vouch.nn.nearest import distance
    from vouch.settings import resolve

    rng = np.random.default_rng(2)
    layers = [(rng.normal(size=(4, 2)), rng.normal(size=4)), (rng.normal(size=(2, 4)), rng.normal(size=2))]
    network, point = Network.from_layers(layers), np.array([0.25, -0.5])
    reference = Reference(4, 4, "floor", "wrap")
    label = int(np.argmax(reference.run(layers, [4, -8])))
    truth = []
    for n in itertools.product(range(-60, 61), repeat=2):
        y = reference.run(layers, list(n))
        if y[1 - label] >= y[label]:
            truth.append(distance(np.array(n) / 16 - point, norm))
    found = nearest(network, point, resolve("nn", {"format": "4.4"}), norm=norm, radius=2.0)
    assert found.exact
    assert found.result is not None
    assert found.result.replayed
    # The ball holds numbers that reals of it become, which may lie up to a unit outside.
    assert min(truth) - 1e-9 <= found.distance <= min(truth) + 1 / 16
    assert found.proved <= min(truth) + 1e-9
    write_image(tmp_path / "x.png", np.linspace(0, 1, 25), (1, 25))
    assert (tmp_path / "x.png").stat().st_size > 50


def test_generated_code_with_a_step() -> None:
    network = Network.from_layers([(np.array([[4.0]]), np.array([0.0]))])
    at = 20 * 4 / 64
    prop = output_union(np.array([0.0]), np.array([1.0]), [(np.array([[1.0], [-1.0]]), np.array([at, -at]))])
    options = {"format": "4.6", "engine": "code"}
    assert vouch.nn.verify(network, prop, **options).verdict is Verdict.UNSAFE
    assert vouch.nn.verify(network, prop, step="0.1", **options).verdict is Verdict.SAFE


@pytest.mark.parametrize("seed", range(3))
def test_many_inputs_are_decided_by_splitting_neurons(seed: int) -> None:
    """13 inputs with two numbers each: bounds split signs, enumeration runs all 8,192 points."""
    rng = np.random.default_rng(seed)
    sizes = (13, 4, 3, 1)
    layers = [(rng.normal(size=(b, a)) * 0.6, rng.normal(size=b) * 0.3) for a, b in itertools.pairwise(sizes)]
    network = Network.from_layers(layers)
    options: dict[str, Any] = {"format": "6.6", "rounding": str(rng.choice(["floor", "nearest"]))}
    options |= {"overflow": str(rng.choice(["wrap", "saturate"])), "jobs": 1}
    lower = rng.integers(-40, 40, 13) / 64
    upper = lower + 1 / 64
    form = Format(6, 6, Rounding(options["rounding"]), Overflow(options["overflow"]))
    corners = np.array(list(itertools.product((0, 1), repeat=13)))
    integers = quantise(network, form)
    values = form.reals(evaluate(integers, corners + np.rint(lower * 64).astype(np.int64))).ravel()
    for limit in (values.min() - 1 / 64, values.min(), np.median(values), values.min() - 0.2):
        prop = output_union(lower, upper, [(np.array([[1.0]]), np.array([limit]))])
        truth = Verdict.UNSAFE if values.min() <= limit else Verdict.SAFE
        for engine in ("bounds", "enumerate"):
            result = vouch.nn.verify(network, prop, engine=engine, **options)
            assert result.verdict is truth, (seed, engine, limit, result)


def test_integers_are_not_decided_on_another_device(capsys: pytest.CaptureFixture[str]) -> None:
    from pathlib import Path

    from vouch.cli.main import run

    folder = Path(__file__).parents[2] / "examples" / "nn"
    question = [str(folder / "iris.onnx"), str(folder / "iris_setosa.vnnlib"), "--device", "cuda"]
    for command in (["verify", *question, "--format", "8.8"], ["bits", *question]):
        assert run(["nn", *command]) == 2
        assert "error: option --device cuda is about networks of real numbers" in capsys.readouterr().err
