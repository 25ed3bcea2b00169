"""The graph, its lowered form, and the linear maps: against dense matrices, torch and exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from onnx_models import floats, ints, model, node

from vouch.errors import VouchError
from vouch.nn.compose import product, total
from vouch.nn.linear import Convolution, Dense, Sparse, probe
from vouch.nn.loaders.onnx import from_bytes
from vouch.nn.lowered import Affine, NodeKind
from vouch.nn.lowering import lower
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import BatchNormalization, Gemm, MatMul, Relu, Scale, Shift
from vouch.nn.replay import replay

R = np.random.default_rng(11)


def convolution(groups=1, images=1):
    weights = R.normal(size=(4, 4 // groups, 3, 2))
    return Convolution(weights, (images, 4, 5, 6), (2, 1), ((1, 0), (2, 1)), (1, 2), groups)


MAPS = {
    "dense": lambda: Dense(R.normal(size=(4, 7))),
    "select": lambda: Sparse.select(np.array([3, -1, 0, 3]), 5),
    "scale": lambda: Sparse.scale(R.normal(size=6)),
    "convolution": lambda: convolution(),
    "grouped": lambda: convolution(2),
    "images": lambda: convolution(4, 3),
    "probe": lambda: probe(MatMul(R.normal(size=(2, 4, 5))).evaluate, (2, 3, 4)),
}


@pytest.mark.parametrize("name", MAPS)
def test_a_map_is_its_matrix(name):
    linear = MAPS[name]()
    matrix = linear.dense()
    assert matrix.shape == linear.shape
    x, y = R.normal(size=(3, linear.columns)), R.normal(size=(3, linear.rows))
    np.testing.assert_allclose(linear.apply(x), x @ matrix.T, atol=1e-12)
    np.testing.assert_allclose(linear.transpose(y), y @ matrix, atol=1e-12)
    np.testing.assert_array_equal(linear.absolute().dense(), np.abs(matrix))
    assert linear.terms >= np.count_nonzero(matrix, axis=1).max()
    assert linear.largest >= np.abs(matrix).max()
    assert linear.apply(x.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("name", MAPS)
def test_a_map_takes_torch(name):
    torch = pytest.importorskip("torch")
    linear = MAPS[name]()
    x, y = R.normal(size=(3, linear.columns)), R.normal(size=(3, linear.rows))
    for dtype, close in ((torch.float64, 1e-12), (torch.float32, 1e-4)):
        tensor = torch.tensor(x, dtype=dtype)
        assert linear.apply(tensor).dtype == dtype
        np.testing.assert_allclose(linear.apply(tensor).numpy(), linear.apply(x), atol=close)
        np.testing.assert_allclose(
            linear.transpose(torch.tensor(y, dtype=dtype)).numpy(), linear.transpose(y), atol=close
        )


@pytest.mark.parametrize("outer", ["dense", "select", "scale", "convolution"])
@pytest.mark.parametrize("inner", ["dense", "select", "scale", "convolution"])
def test_products_and_sums(outer, inner):
    second = {
        "dense": lambda n: Dense(R.normal(size=(3, n))),
        "select": lambda n: Sparse.select(R.integers(-1, n, 6), n),
        "scale": lambda n: Sparse.scale(R.normal(size=n)),
        "convolution": lambda n: Convolution(R.normal(size=(2, 1, 3)), (1, 1, n), (1,), ((1, 1),), (1,), 1),
    }
    first = MAPS[inner]()
    last = second[outer](first.rows)
    both = product(last, first)
    assert both is not None
    np.testing.assert_allclose(both.dense(), last.dense() @ first.dense(), atol=1e-12)
    doubled = total(both, both)
    assert doubled is not None
    np.testing.assert_allclose(doubled.dense(), 2 * both.dense(), atol=1e-12)


def test_scaling_of_channels_stays_a_convolution():
    big = Convolution(R.normal(size=(8, 4, 3, 3)), (1, 4, 40, 40), (1, 1), ((1, 1), (1, 1)), (1, 1), 1)
    after = Sparse.scale(np.repeat(R.normal(size=8), 1600))
    before = Sparse.scale(np.repeat(R.normal(size=4), 1600))
    x = R.normal(size=(2, big.columns))
    for both, expected in (
        (product(after, big), after.apply(big.apply(x))),
        (product(big, before), big.apply(before.apply(x))),
    ):
        assert isinstance(both, Convolution)
        np.testing.assert_allclose(both.apply(x), expected, atol=1e-12)
    uneven = Sparse.scale(R.normal(size=big.rows))
    assert product(uneven, big) is None


def test_layers():
    layers = [(R.normal(size=(5, 3)), R.normal(size=5)), (R.normal(size=(2, 5)), R.normal(size=2))]
    network = Network.from_layers(layers)
    x = R.normal(size=(6, 3))
    (w1, b1), (w2, b2) = layers
    np.testing.assert_allclose(network.evaluate(x), np.maximum(x @ w1.T + b1, 0) @ w2.T + b2, rtol=1e-12)
    assert (network.inputs, network.outputs) == (3, 2)
    chain = lower(network).as_chain()
    assert chain is not None
    for affine, (v, c) in zip(chain, layers, strict=True):
        np.testing.assert_array_equal(affine.maps[0].dense(), v)
        np.testing.assert_array_equal(affine.bias, c)


def test_layers_with_other_activations():
    layers = [(np.eye(2), np.zeros(2)), (np.ones((1, 2)), np.zeros(1))]
    x = np.array([[0.3, -2.0]])
    assert Network.from_layers(layers, "tanh").evaluate(x)[0, 0] == pytest.approx(np.tanh(0.3) - np.tanh(2))
    assert lower(Network.from_layers(layers, "tanh")).as_chain() is None
    with pytest.raises(VouchError, match="unknown activation 'swish'"):
        Network.from_layers(layers, "swish")


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], "at least one layer"),
        ([(np.eye(2), np.zeros(3))], "do not fit"),
        ([(np.eye(2), np.zeros(2)), (np.eye(3), np.zeros(3))], "node 'layer1'"),
        ([(np.full((1, 2), np.inf), np.zeros(1))], "NaN or infinity"),
    ],
)
def test_layers_that_do_not_fit(layers, message):
    with pytest.raises(VouchError, match=message):
        Network.from_layers(layers)


def test_rows_that_do_not_fit():
    with pytest.raises(VouchError, match="takes rows of 2 numbers"):
        Network.from_layers([(np.eye(2), np.zeros(2))]).evaluate(np.zeros((3, 5)))


def test_relu_at_the_ends_gets_identity_layers():
    builder = GraphBuilder("n", "x", (1, 2))
    value = builder.add("r0", Relu(), "x")
    value = builder.add("g", Gemm.of(np.array([[1.0, -1.0]]), np.zeros(1)), value)
    network = builder.build(builder.add("r1", Relu(), value))
    chain = lower(network).as_chain()
    assert chain is not None
    layers = [(affine.maps[0].dense(), affine.bias) for affine in chain]
    x = R.normal(size=(9, 2))
    value = x
    for number, (w, b) in enumerate(layers):
        value = (np.maximum(value, 0) if number else value) @ w.T + b
    np.testing.assert_allclose(value, network.evaluate(x), atol=1e-15)


def test_unused_nodes_are_left_out():
    builder = GraphBuilder("n", "x", (1, 2))
    builder.add("unused", Relu(), "x")
    network = builder.build(builder.add("y", Scale(np.array(2.0)), "x"))
    assert [n.name for n in network.nodes] == ["y"]


def residual(depth=3):
    nodes, constants, value = [], {}, "x"
    for i in range(depth):
        constants |= {f"w{i}": floats(R, 4, 4), f"b{i}": floats(R, 4)}
        nodes += [
            node("Gemm", f"{value} w{i} b{i}", f"g{i}"),
            node("Relu", f"g{i}", f"r{i}"),
            node("Add", f"r{i} {value}", f"s{i}"),
        ]
        value = f"s{i}"
    return model(nodes, [1, 4], constants, output=value)


def test_residual_network():
    network = from_bytes(residual(), "residual")
    x = R.normal(size=(6, 4))
    for fold in (True, False):
        np.testing.assert_allclose(lower(network, fold=fold).evaluate(x), network.evaluate(x), atol=1e-12)
    torch = pytest.importorskip("torch")
    points = torch.tensor(x, requires_grad=True)
    lower(network).evaluate(points).sum().backward()
    step = 1e-6 * np.eye(4)
    slope = [(network.evaluate(x + s) - network.evaluate(x - s)).sum(1) / 2e-6 for s in step]
    np.testing.assert_allclose(points.grad.numpy(), np.array(slope).T, atol=1e-5)


def test_softmax_is_recorded_not_lowered():
    data = model([node("MatMul", "x w", "z"), node("Softmax", "z")], [1, 3], {"w": floats(R, 3, 3)})
    lowered = lower(from_bytes(data, "n"))
    assert lowered.softmax
    assert not lower(from_bytes(data, "n"), logits=False).softmax
    inside = model([node("Softmax", "x", "s"), node("MatMul", "s w")], [1, 3], {"w": floats(R, 3, 3)})
    assert not lower(from_bytes(inside, "n")).softmax
    partial = model([node("Softmax", "x")], [2, 3])
    assert not lower(from_bytes(partial, "n")).softmax


def test_reshaped_softmax_is_still_the_end():
    data = model([node("Softmax", "x", "s"), node("Reshape", "s t")], [1, 4], {"t": ints(2, 2)})
    assert lower(from_bytes(data, "n")).softmax


def exact(network):
    """Matrix and bias of a network of linear operators, in fractions."""
    size = network.inputs
    matrix = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    bias = [Fraction(0)] * size
    for item in network.nodes:
        op = item.op
        if isinstance(op, Gemm):
            w = [[Fraction(v) for v in row] for row in op.weights]
            matrix = [
                [sum(a * m[j] for a, m in zip(row, matrix, strict=True)) for j in range(size)] for row in w
            ]
            bias = [
                sum(a * b for a, b in zip(row, bias, strict=True)) + Fraction(c)
                for row, c in zip(w, op.bias, strict=True)
            ]
        elif isinstance(op, Shift):
            bias = [b + Fraction(c) for b, c in zip(bias, op.constant, strict=True)]
        else:
            assert isinstance(op, Scale)
            factors = [1 / Fraction(c) if op.divide else Fraction(c) for c in op.constant]
            matrix = [[f * m for m in row] for f, row in zip(factors, matrix, strict=True)]
            bias = [f * b for f, b in zip(factors, bias, strict=True)]
    return matrix, bias


@pytest.mark.parametrize("seed", range(20))
def test_errors_of_folding_are_bounded(seed):
    """The exact map differs from the folded one by no more than the node says."""
    rng = np.random.default_rng(seed)
    builder, value, width = GraphBuilder("n", "x", (1, 3)), "x", 3
    for number in range(int(rng.integers(2, 6))):
        match rng.integers(4):
            case 0:
                out = int(rng.integers(1, 5))
                op = Gemm.of(rng.normal(size=(out, width)) * 10, rng.normal(size=out))
                width = out
            case 1:
                op = Shift(rng.normal(size=width))
            case 2:
                op = Scale(rng.normal(size=width))
            case _:
                op = Scale(rng.normal(size=width), divide=True)
        value = builder.add(f"n{number}", op, value)
    network = builder.build(value)
    lowered = lower(network)
    assert len(lowered.nodes) == 2
    node_ = lowered.nodes[1]
    assert isinstance(node_, Affine)
    matrix, bias = exact(network)
    found = node_.maps[0].dense()
    for i, row in enumerate(matrix):
        assert abs(Fraction(node_.bias[i]) - bias[i]) <= Fraction(node_.bias_error)
        for j, entry in enumerate(row):
            assert abs(Fraction(found[i, j]) - entry) <= Fraction(node_.weight_error)
    assert node_.weight_error < 1e-6 * (1 + np.abs(found).max())


def test_batch_normalization_error_is_bounded():
    decimal = pytest.importorskip("decimal")
    decimal.getcontext().prec = 50
    number = decimal.Decimal
    for _ in range(50):
        s, b, m, v = R.normal(size=4) * [1, 1, 100, 1]
        v, e = abs(v), 1e-5
        builder = GraphBuilder("n", "x", (1, 1))
        op = BatchNormalization(*(np.array([c]) for c in (s, b, m, v)), e)
        node_ = lower(builder.build(builder.add("y", op, "x"))).nodes[1]
        assert isinstance(node_, Affine)
        scale = number(float(s)) / (number(float(v)) + number(e)).sqrt()
        shift = number(float(b)) - number(float(m)) * scale
        assert abs(number(node_.maps[0].dense()[0, 0]) - scale) <= number(node_.weight_error)
        assert abs(number(node_.bias[0]) - shift) <= number(node_.bias_error)


def test_batch_normalization_without_folding_shows_what_cancels():
    """float32 rounds mean * scale and shift, however small their difference is."""
    one = np.ones(1)
    builder = GraphBuilder("n", "x", (1, 1))
    op = BatchNormalization(one, 1e6 * one, 1e6 * one, one, 0.0)
    nodes = lower(builder.build(builder.add("y", op, "x")), fold=False).nodes
    biases = [abs(float(n.bias[0])) for n in nodes if isinstance(n, Affine)]
    assert biases == [1e6, 1e6]


def test_without_folding_every_affine_is_one_operation():
    data = model(
        [node("Mul", "x c", "a"), node("MatMul", "a w", "b"), node("Add", "b d", "e"), node("Relu", "e")],
        [1, 3],
        {"c": floats(R, 3), "w": floats(R, 3, 3), "d": floats(R, 3)},
    )
    network = from_bytes(data, "n")
    assert len(lower(network, fold=True).nodes) == 3
    apart = lower(network, fold=False)
    assert len(apart.nodes) == 4
    assert all(n.weight_error == 0 for n in apart.nodes if isinstance(n, Affine))


def test_large_convolution_is_not_materialised():
    weights = {"w": floats(R, 16, 8, 3, 3), "b": floats(R, 16)}
    data = model([node("Conv", "x w b", "c", pads=[1, 1, 1, 1]), node("Relu", "c")], [1, 8, 48, 48], weights)
    node_ = lower(from_bytes(data, "n")).nodes[1]
    assert isinstance(node_, Affine)
    assert isinstance(node_.maps[0], Convolution)
    assert node_.maps[0].stored == 16 * 8 * 9


def test_kinds_are_those_of_the_engines():
    assert {k.value for k in NodeKind} == {
        "relu",
        "leaky-relu",
        "clip",
        "sigmoid",
        "tanh",
        "curve",
        "difference",
    }


def test_replay_of_a_model_that_the_runtime_refuses():
    nodes = [node("Relu", "x", "a"), node("Relu", "a", "y")]
    assert nodes[0].name == nodes[1].name
    network = from_bytes(model(nodes, [1, 3]), "n")
    x = R.normal(size=(4, 3))
    np.testing.assert_allclose(replay(network, x), np.maximum(x, 0), rtol=1e-6)


def test_several_inputs_and_outputs_stand_one_after_the_other():
    from onnx import TensorProto, helper

    def value(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    nodes = [node("Add", "a b", "s"), node("Relu", "s", "r"), node("Mul", "a b", "p")]
    graph = helper.make_graph(
        nodes, "g", [value("a", [1, 2]), value("b", ["batch", 2])], [value("r", None), value("p", None)]
    )
    opsets = [helper.make_opsetid("", 17)]
    data = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    network = from_bytes(data, "two")
    assert (network.inputs, network.outputs) == (4, 4)
    x = np.array([[1.0, 2.0, 3.0, -4.0]])
    np.testing.assert_array_equal(network.evaluate(x), [[4.0, 0.0, 3.0, -8.0]])
    np.testing.assert_array_equal(replay(network, x), [[4.0, 0.0, 3.0, -8.0]])
