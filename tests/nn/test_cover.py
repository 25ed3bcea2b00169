"""Covering methods: published figures, a word-by-word opponent, and raised coverage against a grid."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from vouch.cli.main import run
from vouch.nn.cover.api import Asked, cover, needed
from vouch.nn.cover.classic import Classic, classic
from vouch.nn.cover.methods import METHODS, Metrics, coverage, covered_by
from vouch.nn.cover.potentials import fixed_potentials, potentials
from vouch.nn.cover.raising import Raised
from vouch.nn.export import to_onnx
from vouch.nn.fixed.format import formats_of
from vouch.nn.fixed.quantise import quantise
from vouch.nn.network import Network
from vouch.nn.property import ball_case

# f(x, y) = relu(2x - 3y) + relu(x + 4y): the network of figure 4.
FIGURE_4 = [(np.array([[2.0, -3.0], [1.0, 4.0]]), np.zeros(2)), (np.array([[1.0, 1.0]]), np.zeros(1))]

# Table 1: potentials of three, two and one neurons for four inputs.
TABLE_1 = [
    np.array([[-1.3, -1.80, -0.50], [-0.3, -0.40, 0.10], [-0.4, -0.54, 0.04], [-3.3, -4.60, -1.70]]),
    np.array([[-0.79, -1.370], [0.51, 0.090], [0.38, -0.056], [-3.39, -4.290]]),
    np.array([[-1.417], [0.353], [0.176], [-4.957]]),
]
# Table 4: "U" and a noisy "U".
TABLE_4 = [
    np.array(
        [
            [-1.885322, 8.775419, 2.959348, 10.424796, 8.172012],
            [4.619613, 9.796190, 5.743809, 4.046428, 14.466885],
        ]
    ),
    np.array([[-3.863095, 5.328067, -3.770385, 0.574238], [-9.308636, 5.263461, -5.705760, -2.029373]]),
    np.array(
        [
            [-6.707186, -15.815082, -10.060704, -9.688183, -0.555885],
            [-7.149290, -17.246468, -13.074245, -4.868999, 3.355738],
        ]
    ),
]
CHAIN = [(0, 1), (1, 2)]


def pairs(found):
    """Pairs of (layer, neuron), counted from 1."""
    return {
        (tuple(n + 1 for n in w.condition) if w.condition else None, tuple(n + 1 for n in w.decision))
        for w in found.witnesses
    }


def rows_of(table, *rows):
    return [layer[list(rows)] for layer in table]


def test_table_1_sign_sign():
    found = covered_by(rows_of(TABLE_1, 0, 1), CHAIN)["ss"]
    assert pairs(found) == {((1, 3), (2, 1)), ((1, 3), (2, 2))}
    assert found.covered == 3


def test_table_1_distance_sign_and_sign_value():
    found = covered_by(rows_of(TABLE_1, 1, 2), CHAIN)
    assert pairs(found["ds"]) == {(None, (2, 2))}
    assert pairs(found["sv"]) == {((2, 2), (3, 1))}


def test_table_1_distance_value():
    found = covered_by(rows_of(TABLE_1, 0, 3), CHAIN)["dv"]
    assert pairs(found) == {(None, (2, 1)), (None, (2, 2)), (None, (3, 1))}


def test_table_1_each_neuron_by_itself():
    """0.06 is the smallest move of the first layer from the second to the third input."""
    near, far = (Metrics(distance=v, norm="each") for v in (0.05, 0.07))
    assert pairs(covered_by(rows_of(TABLE_1, 1, 2), CHAIN, ("ds",), near)["ds"]) == {(None, (2, 2))}
    assert not pairs(covered_by(rows_of(TABLE_1, 1, 2), CHAIN, ("ds",), far)["ds"])


def test_table_4():
    found = covered_by(TABLE_4, CHAIN)["ss"]
    assert pairs(found) == {((1, 1), (2, 4)), ((2, 4), (3, 5))}
    assert (found.covered, found.total) == (3, 14)
    assert round(100 * found.share) == 21


@pytest.mark.parametrize(
    ("method", "answer"), [("ss", "impossible"), ("ds", "impossible"), ("sv", "raised"), ("dv", "impossible")]
)
def test_table_5(method, answer):
    network, base = Network.from_layers(FIGURE_4), np.array([[2.0, 2.0]])
    asked = Asked((method,), wanted=0.5, near=ball_case(base[0], 2.0))
    raised = cover(network, base, asked).raised[method]
    assert raised.answer == answer
    if answer == "raised":
        both = coverage(potentials(network), np.vstack([base, raised.input]), (method,))
        assert both[method].share >= 0.5


def literal(values, adjacent, method, metrics):
    """The definitions, word by word, for all ordered pairs of inputs: covered neurons."""

    def sc(layer, k, a, b):
        return (values[layer][a, k] >= 0) != (values[layer][b, k] >= 0)

    def vc(layer, k, a, b):
        if sc(layer, k, a, b):
            return False
        top, bottom = values[layer][a, k], values[layer][b, k]
        return bottom == 0 or top / bottom >= metrics.ratio

    def dc(layer, a, b):
        size = values[layer].shape[1]
        if any(sc(layer, k, a, b) for k in range(size)):
            return False
        gaps = [abs(values[layer][a, k] - values[layer][b, k]) for k in range(size)]
        far = [gap > metrics.distance for gap in gaps]
        return all(far) if metrics.norm == "each" else sum(g * g for g in gaps) ** 0.5 > metrics.distance

    covered = set()
    for a, b in itertools.permutations(range(len(values[0])), 2):
        for n, m in adjacent:
            decided = sc if method[1] == "s" else vc
            for k in range(values[m].shape[1]):
                if not decided(m, k, a, b):
                    continue
                if method[0] == "d":
                    covered |= {(m, k)} if dc(n, a, b) else set()
                    continue
                changed = [i for i in range(values[n].shape[1]) if sc(n, i, a, b)]
                covered |= {(n, changed[0]), (m, k)} if len(changed) == 1 else set()
    return covered


def random_values(rng):
    sizes = rng.integers(1, 5, 3)
    rows = int(rng.integers(2, 9))
    return [np.round(rng.normal(size=(rows, size)) + rng.normal(size=size), 1) for size in sizes]


@pytest.mark.parametrize("seed", range(40))
def test_against_the_definitions(seed):
    rng = np.random.default_rng(seed)
    values = random_values(rng)
    ratio, distance = rng.choice([1.0, 1.5, 3.0]), rng.choice([0.1, 0.55])
    metrics = Metrics(float(ratio), float(distance), rng.choice(["l2", "each"]))
    found = covered_by(values, CHAIN, METHODS, metrics)
    for method in METHODS:
        layers = enumerate(found[method].neurons)
        neurons = {(n, int(k)) for n, layer in layers for k in np.flatnonzero(layer)}
        assert neurons == literal(values, CHAIN, method, metrics), method


def test_many_rows_are_compared_in_portions(monkeypatch):
    """The same answer however the pairs are dealt out."""
    rng = np.random.default_rng(3)
    values = [rng.normal(size=(150, n)) for n in (6, 5, 4)]
    whole = covered_by(values, CHAIN)
    monkeypatch.setattr("vouch.nn.cover.methods._NUMBERS", 30)
    monkeypatch.setattr("vouch.nn.cover.methods._ROWS", 7)
    parts = covered_by(values, CHAIN)
    for method in METHODS:
        for all_at_once, dealt_out in zip(whole[method].neurons, parts[method].neurons, strict=True):
            assert list(all_at_once) == list(dealt_out)
        assert whole[method].pairs == parts[method].pairs


@pytest.mark.parametrize("seed", range(24))
def test_raising_against_a_grid(seed):
    """No input of a fine grid reaches what was proved impossible; what is raised is raised."""
    rng = np.random.default_rng(seed)
    activation = ["relu", "sigmoid", "tanh"][seed % 3]
    shapes = [2, int(rng.integers(1, 4)), int(rng.integers(1, 4)), 1]
    layers = [(rng.normal(size=(b, a)), rng.normal(size=b) * 0.5) for a, b in itertools.pairwise(shapes)]
    network, data = Network.from_layers(layers, activation), rng.normal(size=(3, 2))
    case = ball_case(data[0], float(rng.choice([0.1, 0.5, 1.5])), norm=("linf", "l1", "l2")[seed % 3])
    axes = [np.linspace(low, high, 41) for low, high in zip(case.lower, case.upper, strict=True)]
    grid = np.array([p for p in itertools.product(*axes) if case.contains(np.array(p))])
    metrics = Metrics(ratio=float(rng.choice([1.0, 2.0])))
    result = cover(network, data, Asked(metrics=metrics, near=case), timeout=3)
    subject = potentials(network)
    assert result.raised
    for method, raised in result.raised.items():
        before = result.coverages[method].covered
        if raised.answer is Raised.RAISED:
            assert case.contains(raised.input)
            after = coverage(subject, np.vstack([data, raised.input]), (method,), metrics)[method]
            assert after.covered > before
        elif raised.answer is Raised.IMPOSSIBLE:
            for point in grid[:: 1 + len(grid) // 200]:
                after = coverage(subject, np.vstack([data, point]), (method,), metrics)[method]
                assert after.covered <= before, (method, point)


def test_branches_of_a_graph_are_adjacent():
    """Two layers that read the same layer both have it as conditions."""
    from vouch.nn.network import GraphBuilder
    from vouch.nn.operators import Add, Gemm, activation_named

    builder = GraphBuilder("fork", "x", (1, 2))

    def layer(name, sign, shift, source):
        sums = builder.add(name, Gemm.of(sign * np.eye(2), np.full(2, shift)), source)
        return builder.add(f"relu-{name}", activation_named("relu"), sums)

    first = layer("a", 1.0, 0.0, "x")
    both = builder.add("sum", Add(), layer("b", 1.0, 1.0, first), layer("c", -1.0, 1.0, first))
    subject = potentials(builder.build(builder.add("d", Gemm.of(np.ones((1, 2)), np.zeros(1)), both)))
    assert [layer.size for layer in subject.layers] == [2, 2, 2, 1]
    assert set(subject.adjacent) == {(0, 1), (0, 2), (1, 3), (2, 3)}


def test_measures_of_single_inputs():
    network = potentials(Network.from_layers([(np.eye(2), np.zeros(2)), (np.eye(2), np.zeros(2))]))
    profile, rows = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.1, 0.6], [0.9, -1.0]])
    found = {m.name: (m.covered, m.total) for m in classic(network, rows, profile, Classic(sections=2))}
    # Both neurons of both layers are active for one row or the other.
    assert found["neuron"] == (4, 4)
    # Layer 1: 0.1 and 0.9 fall into both halves, 0.6 into the second, -1 outside; layer 2 has relu(-1) = 0.
    assert found["sections"] == (3 + 4, 8)
    assert found["boundary"] == (1, 8)
    assert found["top"] == (4, 4)


def test_needed_is_exact():
    asked = [(0.8, 5), (0.5, 3), (0.0, 7), (1.0, 7), (0.3, 10)]
    assert [needed(share, total) for share, total in asked] == [4, 2, 0, 7, 3]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.onnx").write_bytes(to_onnx(Network.from_layers(FIGURE_4, name="f")))
    (tmp_path / "data.csv").write_text("2,2\n4,1.3125\n")
    return tmp_path


def test_command(folder, capsys):
    """The two inputs of the publication: 2 of 3 neurons by SV."""
    command = ["nn", "cover", "f.onnx", "--inputs", "data.csv", "--method", "sv", "--at-least"]
    assert run([*command, "60%", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["methods"]["sv"]["covered"] == 2
    assert document["methods"]["sv"]["witnesses"] == [
        {"condition": {"layer": 1, "neuron": 1}, "decision": {"layer": 2, "neuron": 1}, "inputs": [0, 1]}
    ]
    assert run([*command, "0.7"]) == 1
    assert "66.7 %" in capsys.readouterr().out
    assert run([*command, "0.7", "--output-format", "junit", "--output-format", "sarif=a.sarif"]) == 1
    assert "<failure" in capsys.readouterr().out
    assert Path("a.sarif").stat().st_size


def test_command_raises(folder, capsys):
    command = ["nn", "cover", "f.onnx", "--inputs", "2,2", "--at-least", "50%", "--raise", "--radius", "2"]
    assert run([*command, "--method", "sv", "-o", "new"]) == 0
    assert "raised to 66.7 %" in capsys.readouterr().out
    assert run(["nn", "cover", "f.onnx", "--inputs", "new/raised-sv.csv", "--method", "sv", "-q"]) == 0
    assert run([*command, "--method", "ss"]) == 1
    assert "proved" in capsys.readouterr().out


def test_potentials_in_fixed_point():
    """Half units, rounded down: (0.9, 1.25) is (0.5, 1), and -0.2 is -0.5."""
    layers = [*FIGURE_4[:1], (np.array([[-0.2, 1.0]]), np.zeros(1))]
    network = fixed_potentials(quantise(Network.from_layers(layers), formats_of("8.1")))
    hidden, out = network.of(np.array([[0.9, 1.25], [2.0, 0.75]]))
    assert network.adjacent == [(0, 1)]
    assert hidden.tolist() == [[1.0 - 3.0, 0.5 + 4.0], [4.0 - 1.5, 2.0 + 2.0]]
    assert out.tolist() == [[0.0 + 4.5], [-0.5 * 2.5 - 0.25 + 4.0]]


@pytest.mark.parametrize(("format_", "covered"), [(None, 2), ("8.8", 2), ("8.0", 0)])
def test_coverage_in_fixed_point(folder, capsys, format_, covered):
    """2 * 4.9 - 3 * 3 is positive, and in whole numbers, rounded down, it is not."""
    (folder / "near.csv").write_text("2,2\n4.9,3\n")
    options = [] if format_ is None else ["--format", format_]
    run(["nn", "cover", "f.onnx", "--inputs", "near.csv", "--method", "sv", "--json", *options])
    assert json.loads(capsys.readouterr().out)["methods"]["sv"]["covered"] == covered


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "missing option --inputs"),
        (["--inputs", "data.csv", "--at-least", "120%"], "not a share"),
        (["--inputs", "data.csv", "--raise"], "--radius"),
        (["--inputs", "data.csv", "--raise", "--radius", "1"], "--index"),
        (["--inputs", "data.csv", "--engine", "milp"], "--engine"),
        (["--inputs", "data.csv", "--format", "8.8", "--raise", "--radius", "1"], "not with --format"),
    ],
)
def test_wrong_options(folder, capsys, options, said):
    assert run(["nn", "cover", "f.onnx", *options]) == 2
    assert said in capsys.readouterr().err
