"""Fixed-point networks: the contract's arithmetic, written down once more in fractions, as the opponent."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_graphs import random_graph

import vouch
from vouch.errors import Unsupported, VouchError
from vouch.nn.fixed.codegen import Style, header, source
from vouch.nn.fixed.cproperty import harness
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.format import Format, Overflow, Rounding, divided, formats_of
from vouch.nn.fixed.native import Native, compiled
from vouch.nn.fixed.network import Lookup
from vouch.nn.fixed.quantise import quantise
from vouch.nn.fixed.ranges import ranges
from vouch.nn.fixed.table import Exact, Lut, TablePiece, activation_of, curve, tabulated
from vouch.nn.loaders.onnx import from_bytes as read_onnx
from vouch.nn.network import Network
from vouch.nn.property import output_union
from vouch.verdict import Verdict

RULES = [(r, o) for r in Rounding for o in Overflow]


def motivating() -> Network:
    return Network.from_layers([([[2, -3], [1, 4]], [0, 0]), ([[1, 1]], [0])])


class Reference:
    """The contract, sentence by sentence, for dense ReLU layers."""

    def __init__(self, k: int, length: int, rounding: str, overflow: str) -> None:
        self.k, self.length, self.rounding, self.overflow = k, length, rounding, overflow

    def whole(self, value: Fraction) -> int:
        if self.rounding == "floor":
            return math.floor(value)
        return math.floor(value + Fraction(1, 2)) if value >= 0 else math.ceil(value - Fraction(1, 2))

    def fit(self, n: int) -> int:
        half = 2 ** (self.k + self.length - 1)
        if self.overflow == "saturate":
            return max(-half, min(half - 1, n))
        return (n + half) % (2 * half) - half

    def convert(self, value: float) -> int:
        return self.fit(self.whole(Fraction(value) * 2**self.length))

    def run(self, layers: Any, x: list[int]) -> list[int]:
        for number, (weights, bias) in enumerate(layers):
            made = []
            for row, shift in zip(weights, bias, strict=True):
                total = 0
                for w, v in zip(row, x, strict=True):
                    product = self.fit(self.whole(Fraction(self.convert(w) * v, 2**self.length)))
                    total = self.fit(total + product)
                made.append(self.fit(total + self.convert(shift)))
            x = made if number == len(layers) - 1 else [max(0, v) for v in made]
        return x


def random_layers(rng: np.random.Generator, sizes: list[int], scale: float) -> list[tuple[Any, Any]]:
    pairs = pairwise(sizes)
    return [(rng.normal(size=(b, a)) * scale, rng.normal(size=b) * scale) for a, b in pairs]


@lru_cache(maxsize=1)
def graphs() -> tuple[Network, ...]:
    """Random graphs over all operators that have an integer form."""
    found: list[Network] = []
    for seed in count():
        try:
            network = read_onnx(random_graph(seed, steps=5), f"graph{seed}")
            quantise(network, Format(4, 7))
        except (VouchError, Unsupported):
            continue
        found.append(network)
        if len(found) == 10:
            return tuple(found)
    raise AssertionError


def test_motivating_example() -> None:
    form = Format(4, 6)
    numbers = form.convert([[0.749, 0.498]])
    assert form.reals(evaluate(quantise(motivating(), form), numbers)) == 2.6875


def test_motivating_example_holds_in_reals_and_fails_in_fixed_point() -> None:
    """f >= 2.7 at one point: 2.745 in reals, 2.6875 in the compiled C code."""
    point = np.array([0.749, 0.498])
    prop = output_union(point, point, [(np.array([[1.0]]), np.array([2.7]))])
    assert vouch.nn.verify(motivating(), prop).verdict is Verdict.SAFE
    for engine in ("auto", "enumerate", "bounds", "smt", "milp"):
        result = vouch.nn.verify(motivating(), prop, format="4.6", engine=engine)
        assert result.verdict is Verdict.UNSAFE
        assert result.replayed
        assert result.runtime == "the compiled C code"
        assert result.counterexample is not None
        assert result.counterexample.output.tolist() == [2.6875]
    assert vouch.nn.verify(motivating(), prop, format="4.12").verdict is Verdict.SAFE


@pytest.mark.parametrize(("rounding", "overflow"), RULES)
def test_numpy_and_c_follow_the_contract(rounding: Rounding, overflow: Overflow) -> None:
    rng = np.random.default_rng(7)
    for k, length, scale in ((2, 2, 1.0), (4, 6, 2.0), (3, 0, 1.5), (1, 5, 0.4), (8, 24, 3.0), (1, 31, 0.2)):
        layers = random_layers(rng, [3, 4, 2], scale)
        form = Format(k, length, rounding, overflow)
        network = quantise(Network.from_layers(layers), form)
        rows = rng.integers(form.word.low, form.word.high + 1, size=(40, 3))
        rows[0], rows[1] = form.word.low, form.word.high
        reference = Reference(k, length, str(rounding), str(overflow))
        expected = [reference.run(layers, row.tolist()) for row in rows]
        assert evaluate(network, rows).tolist() == expected
        assert Native(network).run(rows).tolist() == expected


@pytest.mark.parametrize(("rounding", "overflow"), RULES)
def test_conversion_of_reals(rounding: Rounding, overflow: Overflow) -> None:
    values = [
        0.0,
        0.25,
        -0.25,
        0.75,
        -0.75,
        1.49,
        -1.51,
        7.9,
        -8.1,
        100.3,
        -1e30,
        1e18 + 128,
        0.49999999999999994,
    ]
    form = Format(4, 1, rounding, overflow)
    reference = Reference(4, 1, str(rounding), str(overflow))
    expected = [reference.convert(value) for value in values]
    assert form.convert(values).tolist() == expected
    assert [form.convert_exact(Fraction(value)) for value in values] == expected
    library = Native(quantise(motivating(), form)).library
    import ctypes

    library.net_from_double.argtypes, library.net_from_double.restype = [ctypes.c_double], ctypes.c_int8
    library.net_to_double.argtypes, library.net_to_double.restype = [ctypes.c_int8], ctypes.c_double
    assert [library.net_from_double(value) for value in values] == expected
    assert library.net_to_double(-3) == -1.5


def test_division_rounds_by_the_rule() -> None:
    values, by = np.arange(-40, 41), np.array([3])
    floor = [math.floor(Fraction(int(v), 3)) for v in values]
    nearest = [Reference(4, 1, "nearest", "wrap").whole(Fraction(int(v), 4)) for v in values]
    assert divided(values, by, Rounding.FLOOR).tolist() == floor
    assert divided(values, np.array([4]), Rounding.NEAREST).tolist() == nearest


@pytest.mark.parametrize("seed", range(8))
def test_every_operator_in_numpy_and_c(seed: int) -> None:
    """A wide format is near the reals; and C code in either style computes what numpy computes."""
    rng = np.random.default_rng(seed)
    rounding, overflow = RULES[seed % 4]
    network = graphs()[seed]
    x = rng.uniform(-1, 1, size=(20, network.inputs))
    wide = quantise(network, Format(14, 18, rounding, Overflow.SATURATE), Lut(Fraction(1, 1 << 12)))
    narrow = quantise(network, Format(4, 7, rounding, overflow))
    reals = wide.output_format.reals(evaluate(wide, wide.input_format.convert(x)))
    if not wide.softmax:
        assert np.allclose(reals, network.evaluate(x), atol=0.02, rtol=0.01)
    rows = rng.integers(narrow.input_format.word.low, narrow.input_format.word.high + 1, (20, network.inputs))
    expected = evaluate(narrow, rows)
    assert np.array_equal(Native(narrow).run(rows), expected)
    assert np.array_equal(_run_styled(narrow, Style("straight"), rows), expected)
    if overflow is Overflow.WRAP:
        assert np.array_equal(_run_styled(narrow, Style("straight", "balanced"), rows), expected)
    else:
        with pytest.raises(VouchError, match="balanced"):
            source(narrow, Style("straight", "balanced"))


def _run_styled(network: Any, style: Style, rows: Any) -> Any:
    import ctypes

    from vouch.folder import Folder
    from vouch.nn.fixed.native import _DRIVER, _pointer

    with Folder("vouch-test-") as folder:
        texts = {"net.h": header(network), "net.c": source(network, style), "driver.c": _DRIVER}
        library = ctypes.CDLL(str(compiled(folder, texts)))
    dtype = {1: np.int8, 2: np.int16, 4: np.int32}[ctypes.c_int.in_dll(library, "net_numbers").value]
    given = np.ascontiguousarray(rows, dtype=dtype)
    made = np.zeros((len(rows), network.outputs), dtype=dtype)
    library.net_rows(_pointer(given), _pointer(made), ctypes.c_int64(len(rows)))
    return made.astype(np.int64)


def test_a_format_for_each_layer() -> None:
    layers = random_layers(np.random.default_rng(3), [2, 3, 2], 1.0)
    network = Network.from_layers(layers)
    mixed = quantise(network, formats_of("4.8,6.3"))
    rows = np.random.default_rng(4).integers(-2000, 2000, size=(30, 2))
    first, second = Reference(4, 8, "floor", "wrap"), Reference(6, 3, "floor", "wrap")
    expected = []
    for row in rows:
        hidden = [max(0, v) for v in first.run(layers[:1], row.tolist())]
        hidden = [second.fit(math.floor(Fraction(v, 2**5))) for v in hidden]
        expected.append(second.run(layers[1:], hidden))
    assert evaluate(mixed, rows).tolist() == expected
    assert Native(mixed).run(rows).tolist() == expected
    with pytest.raises(VouchError, match="3 formats"):
        quantise(network, formats_of("4.4,4.4,4.4"))


@pytest.mark.parametrize("text", ["8", "0.8", "8.x", "20.20", "8.8,"])
def test_formats_that_are_none(text: str) -> None:
    with pytest.raises(VouchError):
        formats_of(text)


@pytest.mark.parametrize("kind", ["sigmoid", "tanh"])
@pytest.mark.parametrize("wanted", [Exact(), Lut(Fraction(1, 50))])
@pytest.mark.parametrize("rounding", list(Rounding))
def test_tables(kind: str, wanted: Any, rounding: Rounding) -> None:
    """Every number of the format: within the proved error, which is about what was asked for."""
    form = Format(5, 6, rounding)
    table = curve(kind, form, wanted)
    numbers = np.arange(form.word.low, form.word.high + 1)
    x = form.reals(numbers)
    true = np.tanh(x) if kind == "tanh" else 1 / (1 + np.exp(-x))
    off = np.abs(form.reals(table.look(numbers)) - true).max()
    assert off - 1e-12 <= table.error <= off + 1e-6
    allowed = form.unit * (1 if rounding is Rounding.FLOOR else 0.5)
    assert table.error <= allowed + (0 if isinstance(wanted, Exact) else 0.02) + 1e-9
    assert table.increasing
    if isinstance(wanted, Exact):
        assert np.array_equal(table.look(numbers), form.convert(true))
    else:
        # The theorem: 1 + length * constant / eps samples, here with a spacing that is a power of two.
        spacing = 2.0 ** table.segments[1].shift * form.unit
        assert spacing * (1 if kind == "tanh" else 0.25) <= 1 / 50


def test_a_given_function_with_a_jump() -> None:
    """|x| below 1 with a step at 1, as three pieces."""
    from flint import arb

    pieces = (
        TablePiece(None, Fraction(-1), Fraction(0), lambda x: arb(1)),
        TablePiece(Fraction(-1), Fraction(1), Fraction(1), abs),
        TablePiece(Fraction(1), None, Fraction(0), lambda x: arb(3)),
    )
    form = Format(4, 5)
    table = tabulated(pieces, form, Lut(Fraction(1, 10)))
    numbers = np.arange(form.word.low, form.word.high + 1)
    x = form.reals(numbers)
    true = np.where(x < -1, 1.0, np.where(x < 1, np.abs(x), 3.0))
    off = np.abs(form.reals(table.look(numbers)) - true).max()
    assert off <= table.error <= 0.1 + form.unit
    with pytest.raises(VouchError, match="follow each other"):
        tabulated(pieces[1:], form, Exact())


@pytest.mark.parametrize("text", ["lut:0", "lut:-1", "lut:x", "lut:2", "table"])
def test_activations_that_are_none(text: str) -> None:
    with pytest.raises(VouchError):
        activation_of(text)


@pytest.mark.parametrize(("rounding", "overflow"), RULES)
def test_ranges_hold(rounding: Rounding, overflow: Overflow) -> None:
    rng = np.random.default_rng(11)
    for network in graphs()[:6]:
        integers = quantise(network, Format(4, 4, rounding, overflow))
        low = rng.integers(-20, 20, size=(1, network.inputs))
        high = low + rng.integers(0, 6, size=low.shape)
        rows = rng.integers(low, high + 1, size=(200, network.inputs))
        from vouch.nn.fixed.evaluate import values

        for found, value in zip(ranges(integers, low, high), values(integers, rows), strict=True):
            assert (found.low <= value).all()
            assert (value <= found.high).all()


def test_enumeration_is_exact() -> None:
    """Small networks, all points by hand; thresholds at and beside the extreme output."""
    rng = np.random.default_rng(5)
    for rounding, overflow in RULES:
        layers = random_layers(rng, [2, 3, 1], 1.5)
        reference = Reference(3, 3, str(rounding), str(overflow))
        options = {
            "format": "3.3",
            "rounding": str(rounding),
            "overflow": str(overflow),
            "engine": "enumerate",
        }
        lower, upper = np.array([-1.0, 0.3]), np.array([0.55, 1.2])
        ends = [[reference.convert(v) for v in end] for end in (lower, upper)]
        points = [
            (a, b) for a in range(ends[0][0], ends[1][0] + 1) for b in range(ends[0][1], ends[1][1] + 1)
        ]
        most = max(reference.run(layers, list(p))[0] for p in points) / 8
        for limit, verdict in ((most, Verdict.UNSAFE), (most + 1 / 16, Verdict.SAFE)):
            prop = output_union(lower, upper, [(np.array([[-1.0]]), np.array([-limit]))])
            result = vouch.nn.verify(layers, prop, **options)
            assert result.verdict is verdict
            if verdict is Verdict.UNSAFE:
                assert result.replayed
                assert result.counterexample.output.tolist() == [most]


def test_code_generation(tmp_path: Path) -> None:
    from vouch.cli.main import run
    from vouch.nn.export import to_onnx

    (tmp_path / "net.onnx").write_bytes(to_onnx(motivating(), double=False))
    (tmp_path / "p.vnnlib").write_text(
        "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)"
        "(assert (= X_0 0.749))(assert (= X_1 0.498))(assert (< Y_0 2.7))"
    )
    net, prop = str(tmp_path / "net.onnx"), str(tmp_path / "p.vnnlib")
    assert run(["nn", "verify", net, prop, "--arithmetic", "real"]) == 0
    assert run(["nn", "verify", net, prop, "--format", "4.6"]) == 1
    for target in ("avr", "msp430", "cortex-m"):
        out = str(tmp_path / target)
        assert (
            run(["nn", "codegen", net, "-o", out, "--format", "4.6", "--property", prop, "--target", target])
            == 0
        )
    made = {path.name for path in (tmp_path / "avr").iterdir()}
    assert made == {"net.h", "net.c", "harness.c", "Makefile"}
    assert run(["nn", "codegen", net, "-o", str(tmp_path / "float"), "--property", prop]) == 0
    assert run(["nn", "codegen", net, "-o", str(tmp_path / "x"), "--format", "40.40"]) == 2
    assert run(["nn", "codegen", net, "-o", str(tmp_path / "float")]) == 0  # its own files are replaced
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "Makefile").write_text("all:\n")
    assert run(["nn", "codegen", net, "-o", str(tmp_path / "others")]) == 2
    assert [path.name for path in (tmp_path / "others").iterdir()] == ["Makefile"]
    assert (tmp_path / "others" / "Makefile").read_text() == "all:\n"
    assert not (tmp_path / "x").exists()


def test_no_warnings(tmp_path: Path) -> None:
    import subprocess

    from vouch.c.wheel import wheel

    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror", "-c", "-o", "/dev/null"]
    for network in graphs()[2:6]:
        for form in (Format(4, 4), Format(6, 10, Rounding.NEAREST, Overflow.SATURATE), Format(8, 20)):
            integers = quantise(network, form, None if form.fraction < 12 else Lut(Fraction(1, 100)))
            (tmp_path / "net.h").write_text(header(integers))
            (tmp_path / "net.c").write_text(source(integers))
            (tmp_path / "harness.c").write_text(harness(integers, None))
            command = [str(wheel() / "zig"), "clang", "-isystem", str(wheel() / "lib" / "include"), *flags]
            for name in ("net.c", "harness.c"):
                subprocess.run([*command, str(tmp_path / name)], check=True)


def test_float_code_is_the_network_in_float32(tmp_path: Path) -> None:
    import ctypes

    from vouch.nn.fixed.cfloat import float_header, float_source
    from vouch.nn.fixed.native import _DRIVER, _pointer

    for seed, network in enumerate(graphs()[:6]):
        texts = {"net.h": float_header(network), "net.c": float_source(network), "driver.c": _DRIVER}
        (tmp_path / str(seed)).mkdir()
        library = ctypes.CDLL(str(compiled(tmp_path / str(seed), texts)))
        x = np.random.default_rng(seed).uniform(-1, 1, size=(20, network.inputs)).astype(np.float32)
        made = np.zeros((20, network.outputs), dtype=np.float32)
        library.net_rows(_pointer(x), _pointer(made), ctypes.c_int64(20))
        assert np.allclose(made, network.evaluate(x), rtol=1e-4, atol=1e-4)


def test_lookups_are_shared() -> None:
    network = Network.from_layers(random_layers(np.random.default_rng(0), [2, 2, 2, 1], 1.0), "sigmoid")
    integers = quantise(network, Format(4, 4))
    tables = {id(node.table) for node in integers.nodes if isinstance(node, Lookup)}
    assert len(tables) == 1
    assert source(integers).count("static net_t net_sigmoid") == 1
