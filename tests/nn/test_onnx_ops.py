"""Every ONNX operator: evaluation, lowering and export against onnxruntime on random inputs."""

from __future__ import annotations

import dataclasses

import numpy as np
import onnx
import pytest
from onnx_models import floats, ints, model, node

from vouch.nn.loaders.onnx import from_bytes
from vouch.nn.loaders.onnx_ops import CONVERTERS
from vouch.nn.lowered import Activation, Affine, Input, Maximum, Multiply, NodeKind
from vouch.nn.lowering import lower
from vouch.nn.replay import replay

R = np.random.default_rng(7)
FAR = np.iinfo(np.int64).max


def one(kind, shape, inputs="x", constants=None, opset=17, **attributes):
    return model([node(kind, inputs, **attributes)], shape, constants, opset=opset)


def conv(shape, weights, bias=True, **attributes):
    constants = {"w": floats(R, *weights)} | ({"b": floats(R, weights[0])} if bias else {})
    return one("Conv", shape, "x w b" if bias else "x w", constants, **attributes)


F = lambda *shape: floats(R, *shape)  # noqa: E731 - a table below

CASES = {
    "gemm": lambda: one("Gemm", [1, 4], "x w b", {"w": F(4, 3), "b": F(3)}),
    "gemm-transposed": lambda: one(
        "Gemm", [1, 4], "x w b", {"w": F(3, 4), "b": F(1, 3)}, transB=1, alpha=0.5, beta=2.0
    ),
    "gemm-no-bias": lambda: one("Gemm", [2, 4], "x w", {"w": F(4, 3)}),
    "gemm-trans-a": lambda: one("Gemm", [4, 2], "x w b", {"w": F(4, 3), "b": F(2, 3)}, transA=1),
    "gemm-scalar-bias": lambda: one("Gemm", [2, 4], "x w b", {"w": F(4, 3), "b": F(1)}),
    "gemm-value-as-bias": lambda: model(
        [node("Relu", "x", "r"), node("Gemm", "x w r", beta=0.5)], [1, 3], {"w": F(3, 3)}
    ),
    "matmul": lambda: one("MatMul", [1, 4], "x w", {"w": F(4, 3)}),
    "matmul-vector": lambda: one("MatMul", [4], "x w", {"w": F(4, 3)}),
    "matmul-left": lambda: one("MatMul", [4], "w x", {"w": F(3, 4)}),
    "matmul-left-matrix": lambda: one("MatMul", [2, 4, 3], "w x", {"w": F(5, 4)}),
    "matmul-batched": lambda: one("MatMul", [2, 3, 4], "x w", {"w": F(2, 4, 5)}),
    "matmul-more-axes": lambda: one("MatMul", [3, 4], "x w", {"w": F(2, 4, 5)}),
    "matmul-by-vector": lambda: one("MatMul", [2, 4], "x w", {"w": F(4)}),
    "matmul-rows": lambda: one("MatMul", [1, 6, 4], "x w", {"w": F(4, 3)}),
    "add-constant": lambda: one("Add", [1, 3, 2], "x c", {"c": F(3, 1)}),
    "add-constant-wider": lambda: one("Add", [3], "c x", {"c": F(2, 3)}),
    "add-values": lambda: model([node("Relu", "x", "r"), node("Add", "x r")], [1, 5]),
    "add-broadcast": lambda: model(
        [node("ReduceSum", "x a", "s", keepdims=0), node("Relu", "x", "r"), node("Add", "r s")],
        [2, 3],
        {"a": ints(0)},
    ),
    "add-twice-same": lambda: one("Add", [1, 4], "x x"),
    "sub-constant": lambda: one("Sub", [1, 4], "x c", {"c": F(4)}),
    "sub-from-constant": lambda: one("Sub", [1, 4], "c x", {"c": F(1, 4)}),
    "sub-values": lambda: model([node("Tanh", "x", "t"), node("Sub", "x t")], [1, 5]),
    "mul-constant": lambda: one("Mul", [1, 2, 3], "x c", {"c": F(2, 1)}),
    "mul-scalar": lambda: one("Mul", [1, 4], "c x", {"c": np.float32(-2.5)}),
    "div-constant": lambda: one("Div", [1, 4], "x c", {"c": F(4) + 3}),
    "sum": lambda: model([node("Relu", "x", "r"), node("Sum", "x c r")], [1, 3], {"c": F(3)}),
    "neg": lambda: one("Neg", [1, 3]),
    "conv": lambda: conv([1, 2, 5, 6], (3, 2, 3, 3)),
    "conv-strided": lambda: conv([1, 2, 7, 6], (4, 2, 3, 2), strides=[2, 3], pads=[1, 0, 2, 1]),
    "conv-dilated": lambda: conv([1, 1, 7, 8], (2, 1, 2, 3), dilations=[3, 2], bias=False),
    "conv-grouped": lambda: conv([1, 4, 4, 4], (6, 2, 2, 2), group=2, pads=[1, 1, 1, 1]),
    "conv-depthwise": lambda: conv([1, 3, 4, 4], (3, 1, 3, 3), group=3),
    "conv-1d": lambda: conv([1, 2, 9], (3, 2, 4), strides=[2], pads=[1, 2], dilations=[2]),
    "conv-3d": lambda: conv([1, 1, 3, 4, 3], (2, 1, 2, 2, 2)),
    "conv-same-upper": lambda: conv([1, 1, 5, 6], (2, 1, 2, 3), auto_pad="SAME_UPPER", strides=[2, 2]),
    "conv-same-lower": lambda: conv([1, 1, 5, 6], (2, 1, 2, 4), auto_pad="SAME_LOWER"),
    "conv-valid": lambda: conv([1, 1, 5, 6], (2, 1, 2, 3), auto_pad="VALID"),
    "conv-two-images": lambda: conv([2, 2, 4, 4], (3, 2, 3, 3), pads=[1, 1, 1, 1]),
    "batchnorm": lambda: one(
        "BatchNormalization",
        [1, 3, 2, 2],
        "x s b m v",
        {"s": F(3), "b": F(3), "m": F(3), "v": np.abs(F(3)) + np.float32(0.1)},
    ),
    "batchnorm-flat": lambda: one(
        "BatchNormalization",
        [1, 4],
        "x s b m v",
        {"s": F(4), "b": F(4), "m": F(4), "v": np.abs(F(4))},
        epsilon=0.01,
    ),
    "averagepool": lambda: one("AveragePool", [1, 2, 4, 6], kernel_shape=[2, 3], strides=[2, 1]),
    "averagepool-padded": lambda: one("AveragePool", [1, 2, 5, 5], kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    "averagepool-counted": lambda: one(
        "AveragePool", [1, 2, 5, 5], kernel_shape=[3, 2], pads=[1, 0, 2, 1], count_include_pad=1
    ),
    "averagepool-1d": lambda: one("AveragePool", [1, 2, 7], kernel_shape=[3], strides=[2]),
    "averagepool-dilated": lambda: one(
        "AveragePool", [1, 1, 6, 6], kernel_shape=[2, 2], dilations=[2, 3], opset=19
    ),
    "global-averagepool": lambda: one("GlobalAveragePool", [1, 3, 4, 2]),
    "reduce-sum": lambda: one("ReduceSum", [1, 3, 4], "x a", {"a": ints(-1)}, keepdims=0),
    "reduce-mean": lambda: one("ReduceMean", [1, 3, 4], axes=[1, 2], keepdims=1),
    "reduce-mean-all": lambda: one("ReduceMean", [2, 3], keepdims=0),
    "relu": lambda: one("Relu", [1, 6]),
    "leakyrelu": lambda: one("LeakyRelu", [1, 6], alpha=0.3),
    "leakyrelu-default": lambda: one("LeakyRelu", [1, 6]),
    "leakyrelu-steep": lambda: one("LeakyRelu", [1, 6], alpha=1.5),
    "leakyrelu-negative": lambda: one("LeakyRelu", [1, 6], alpha=-0.5),
    "prelu": lambda: one("PRelu", [1, 6], "x s", {"s": np.float32([0.25])}),
    "clip": lambda: one("Clip", [1, 6], "x lo hi", {"lo": np.float32(-0.5), "hi": np.float32(0.75)}),
    "clip-below": lambda: one("Clip", [1, 6], "x lo", {"lo": np.float32(-0.25)}),
    "clip-above": lambda: one("Clip", [1, 6], "x - hi", {"hi": np.float32(0.25)}),
    "clip-attributes": lambda: one("Clip", [1, 6], opset=6, min=0.0, max=0.5),
    "clip-nothing": lambda: one("Clip", [1, 6]),
    "hardsigmoid": lambda: one("HardSigmoid", [1, 6], alpha=0.3, beta=0.4),
    "sigmoid": lambda: one("Sigmoid", [1, 6]),
    "tanh": lambda: one("Tanh", [1, 6]),
    "softmax": lambda: one("Softmax", [1, 6]),
    "softmax-axis": lambda: one("Softmax", [3, 2], axis=0),
    "softmax-old": lambda: one("Softmax", [1, 3, 2], opset=11),
    "maxpool": lambda: one("MaxPool", [1, 2, 5, 6], kernel_shape=[2, 3], strides=[2, 2]),
    "maxpool-padded": lambda: one(
        "MaxPool", [1, 1, 5, 5], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]
    ),
    "maxpool-ceil": lambda: one("MaxPool", [1, 1, 6, 5], kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1),
    "maxpool-dilated": lambda: one("MaxPool", [1, 1, 7, 7], kernel_shape=[2, 3], dilations=[3, 2]),
    "maxpool-1d": lambda: one("MaxPool", [1, 2, 6], kernel_shape=[2], strides=[2]),
    "maxpool-same": lambda: one(
        "MaxPool", [1, 1, 5, 5], kernel_shape=[2, 2], strides=[2, 2], auto_pad="SAME_UPPER"
    ),
    "global-maxpool": lambda: one("GlobalMaxPool", [1, 2, 3, 3]),
    "max": lambda: model([node("Neg", "x", "n"), node("Max", "x n c")], [1, 4], {"c": np.float32([0.5])}),
    "min": lambda: model([node("Neg", "x", "n"), node("Min", "c x n")], [1, 2, 3], {"c": F(2, 1)}),
    "flatten": lambda: one("Flatten", [1, 2, 3]),
    "flatten-axis": lambda: one("Flatten", [2, 2, 3], axis=-1),
    "flatten-zero": lambda: one("Flatten", [2, 3], axis=0),
    "reshape": lambda: one("Reshape", [1, 2, 6], "x s", {"s": ints(0, -1, 3)}),
    "squeeze": lambda: one("Squeeze", [1, 3, 1], "x a", {"a": ints(-1)}),
    "squeeze-all": lambda: one("Squeeze", [1, 3, 1]),
    "squeeze-attribute": lambda: one("Squeeze", [1, 3, 1], axes=[0, 2], opset=11),
    "unsqueeze": lambda: one("Unsqueeze", [1, 3], "x a", {"a": ints(1, -1)}),
    "unsqueeze-attribute": lambda: one("Unsqueeze", [1, 3], axes=[0], opset=11),
    "transpose": lambda: one("Transpose", [1, 2, 3], perm=[2, 0, 1]),
    "transpose-default": lambda: one("Transpose", [1, 2, 3]),
    "slice": lambda: one(
        "Slice",
        [1, 5, 6],
        "x s e a t",
        {"s": ints(1, -2), "e": ints(FAR, -6), "a": ints(1, 2), "t": ints(2, -1)},
    ),
    "slice-attributes": lambda: one("Slice", [1, 5], starts=[1], ends=[-1], axes=[1], opset=9),
    "slice-no-axes": lambda: one("Slice", [3, 5], "x s e", {"s": ints(1), "e": ints(3)}),
    "split": lambda: model(
        [node("Split", "x s", "a b", axis=1), node("Concat", "b a", axis=1)], [1, 5], {"s": ints(2, 3)}
    ),
    "split-even": lambda: model([node("Split", "x", "a b", axis=-1), node("Sub", "a b")], [1, 6]),
    "gather": lambda: one("Gather", [1, 4, 2], "x i", {"i": np.int64([[2, 0], [-1, 2]])}, axis=1),
    "gather-scalar": lambda: one("Gather", [1, 4], "x i", {"i": np.int64(3)}, axis=1),
    "expand": lambda: one("Expand", [1, 3], "x s", {"s": ints(2, 1)}),
    "pad": lambda: one("Pad", [1, 2, 3], "x p v", {"p": ints(0, 1, 0, 0, 0, 2), "v": np.float32(1.5)}),
    "pad-reflect": lambda: one("Pad", [1, 4], "x p", {"p": ints(0, 2, 0, 1)}, mode="reflect"),
    "pad-edge": lambda: one("Pad", [1, 4], "x p", {"p": ints(0, 2, 0, 1)}, mode="edge"),
    "pad-negative": lambda: one("Pad", [1, 4], "x p", {"p": ints(0, -1, 0, 1)}),
    "pad-attributes": lambda: one("Pad", [1, 4], pads=[0, 1, 0, 1], value=2.0, opset=10),
    "pad-axes": lambda: one("Pad", [1, 4, 2], "x p - a", {"p": ints(1, 2), "a": ints(-2)}, opset=18),
    "concat": lambda: model(
        [node("Relu", "x", "r"), node("Concat", "x c r", axis=1)], [1, 3], {"c": F(1, 2)}
    ),
    "concat-negative": lambda: model([node("Neg", "x", "n"), node("Concat", "n x", axis=-1)], [2, 3]),
    "dropout": lambda: model([node("Dropout", "x", "d mask"), node("Relu", "d")], [1, 3]),
    "identity": lambda: model([node("Identity", "x", "i"), node("Relu", "i")], [1, 3]),
    "constant": lambda: model(
        [node("Constant", "", "c", value_floats=[1.0, 2.0, 3.0]), node("Add", "x c")], [1, 3]
    ),
    "cast": lambda: model([node("Cast", "x", "c", to=1), node("Relu", "c")], [1, 3]),
    "cast-up-and-down": lambda: model(
        [node("Cast", "x", "d", to=11), node("Sqrt", "d", "s"), node("Cast", "s", to=1)], [1, 3]
    ),
    "conv-transpose": lambda: one("ConvTranspose", [1, 2, 3, 4], "x w b", {"w": F(2, 3, 2, 3), "b": F(3)}),
    "conv-transpose-strided": lambda: one(
        "ConvTranspose",
        [1, 4, 3, 2],
        "x w",
        {"w": F(4, 2, 3, 3)},
        strides=[2, 3],
        pads=[1, 0, 0, 2],
        output_padding=[1, 2],
        group=2,
    ),
    "conv-transpose-1d": lambda: one(
        "ConvTranspose", [1, 2, 5], "x w b", {"w": F(2, 1, 3), "b": F(1)}, dilations=[2], strides=[2]
    ),
    "resize-nearest": lambda: one(
        "Resize", [1, 2, 3, 2], "x - s", {"s": np.float32([1, 1, 2, 3])}, mode="nearest"
    ),
    "resize-nearest-asymmetric": lambda: one(
        "Resize",
        [1, 1, 3, 4],
        "x - s",
        {"s": np.float32([1, 1, 2, 0.5])},
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    ),
    "resize-linear": lambda: one(
        "Resize", [1, 2, 3, 4], "x - s", {"s": np.float32([1, 1, 2, 1.5])}, mode="linear"
    ),
    "resize-sizes": lambda: one(
        "Resize",
        [1, 1, 3, 4],
        "x - - s",
        {"s": ints(1, 1, 5, 7)},
        mode="linear",
        coordinate_transformation_mode="align_corners",
    ),
    "resize-smaller": lambda: one(
        "Resize",
        [1, 1, 6, 5],
        "x - - s",
        {"s": ints(1, 1, 4, 3)},
        mode="linear",
        coordinate_transformation_mode="pytorch_half_pixel",
    ),
    "resize-old": lambda: one("Resize", [1, 1, 2, 3], "x s", {"s": np.float32([1, 1, 2, 2])}, opset=10),
    "upsample": lambda: one("Upsample", [1, 2, 2, 3], "x s", {"s": np.float32([1, 1, 2, 2])}, opset=9),
    "upsample-linear": lambda: one(
        "Upsample", [1, 2, 2, 3], "x s", {"s": np.float32([1, 1, 3, 2])}, opset=9, mode="linear"
    ),
    "tile": lambda: one("Tile", [1, 2, 3], "x r", {"r": ints(2, 1, 3)}),
    "depth-to-space": lambda: one("DepthToSpace", [1, 8, 2, 3], blocksize=2),
    "depth-to-space-crd": lambda: one("DepthToSpace", [1, 8, 2, 3], blocksize=2, mode="CRD"),
    "space-to-depth": lambda: one("SpaceToDepth", [1, 2, 4, 6], blocksize=2),
    "reduce-max": lambda: one("ReduceMax", [1, 3, 4], axes=[1], keepdims=0),
    "reduce-min": lambda: one("ReduceMin", [1, 3, 4], axes=[-1, 1]),
    "reduce-max-axes": lambda: one("ReduceMax", [2, 3, 2], "x a", {"a": ints(0, 2)}, opset=18),
    "reduce-l1": lambda: one("ReduceL1", [1, 3, 4], axes=[2]),
    "reduce-l2": lambda: one("ReduceL2", [1, 3, 4], axes=[2]),
    "reduce-sum-square": lambda: one("ReduceSumSquare", [1, 3, 4], axes=[2], keepdims=0),
    "mean": lambda: model([node("Neg", "x", "n"), node("Mean", "x c n")], [1, 3], {"c": F(3)}),
    "mean-two": lambda: model([node("Relu", "x", "r"), node("Mean", "x r")], [1, 3]),
    "abs": lambda: one("Abs", [1, 6]),
    "sign": lambda: one("Sign", [1, 6]),
    "prelu-channels": lambda: one("PRelu", [1, 3, 2], "x s", {"s": F(3, 1)}),
    "elu": lambda: one("Elu", [1, 6]),
    "elu-alpha": lambda: one("Elu", [1, 6], alpha=1.75),
    "selu": lambda: one("Selu", [1, 6]),
    "celu": lambda: one("Celu", [1, 6], alpha=0.5),
    "gelu": lambda: one("Gelu", [1, 6], opset=20),
    "gelu-tanh": lambda: one("Gelu", [1, 6], opset=20, approximate="tanh"),
    "gelu-written-out": lambda: model(
        [
            node("Div", "x root", "a"),
            node("Erf", "a", "b"),
            node("Add", "b one", "c"),
            node("Mul", "x c", "d"),
            node("Mul", "d half"),
        ],
        [1, 6],
        {"root": np.float32(np.sqrt(2)), "one": np.float32(1), "half": np.float32(0.5)},
    ),
    "silu": lambda: model([node("Sigmoid", "x", "s"), node("Mul", "s x")], [1, 6]),
    "silu-scaled": lambda: model(
        [node("Mul", "x c", "a"), node("Sigmoid", "a", "s"), node("Mul", "x s")],
        [1, 6],
        {"c": np.float32(1.7)},
    ),
    "hardswish": lambda: model(
        [node("Mul", "x c", "s"), node("HardSwish", "s")], [1, 6], {"c": np.float32(3)}
    ),
    "softplus": lambda: one("Softplus", [1, 6]),
    "softsign": lambda: one("Softsign", [1, 6]),
    "erf": lambda: one("Erf", [1, 6]),
    "exp": lambda: one("Exp", [1, 6]),
    "log": lambda: model([node("Exp", "x", "e"), node("Log", "e")], [1, 6]),
    "sqrt": lambda: model([node("Abs", "x", "a"), node("Sqrt", "a")], [1, 6]),
    "reciprocal": lambda: one("Reciprocal", [1, 6]),
    "pow": lambda: one("Pow", [1, 6], "x p", {"p": np.float32(2)}),
    "pow-cube": lambda: one("Pow", [1, 6], "x p", {"p": np.float32([3])}),
    "pow-negative": lambda: one("Pow", [1, 6], "x p", {"p": np.float32([-2])}),
    "pow-broken": lambda: model(
        [node("Abs", "x", "a"), node("Pow", "a p")], [1, 6], {"p": np.float32([1.5])}
    ),
    "pow-one": lambda: model([node("Pow", "x p", "q"), node("Relu", "q")], [1, 6], {"p": np.float32([1])}),
    "mul-values": lambda: model([node("Tanh", "x", "t"), node("Mul", "x t")], [1, 5]),
    "mul-same": lambda: one("Mul", [1, 5], "x x"),
    "mul-broadcast": lambda: model(
        [node("ReduceSum", "x a", "s"), node("Mul", "s x")], [2, 3], {"a": ints(1)}
    ),
    "div-values": lambda: model([node("Exp", "x", "e"), node("Div", "x e")], [1, 5]),
    "div-by-value": lambda: model([node("Exp", "x", "e"), node("Div", "c e")], [1, 5], {"c": F(5)}),
    "matmul-values": lambda: model(
        [node("Transpose", "x", "t", perm=[0, 2, 1]), node("MatMul", "x t")], [2, 3, 4]
    ),
    "matmul-values-vector": lambda: model(
        [node("ReduceSum", "x a", "s", keepdims=0), node("MatMul", "x s")], [3, 4], {"a": ints(0)}
    ),
    "einsum": lambda: one("Einsum", [2, 3], "x w", {"w": F(3, 4)}, equation="ij,jk->ik"),
    "einsum-left": lambda: one("Einsum", [2, 3, 4], "w x", {"w": F(5, 3)}, equation="ij,bjk -> bik"),
    "einsum-values": lambda: model(
        [node("Tanh", "x", "t"), node("Einsum", "x t", equation="bhid,bhjd->bhij")], [1, 2, 3, 2]
    ),
    "einsum-one": lambda: one("Einsum", [2, 3], equation="ij->j"),
    "einsum-implicit": lambda: one("Einsum", [2, 3], equation="ba"),
    "layer-norm": lambda: one("LayerNormalization", [1, 3, 4], "x s b", {"s": F(4), "b": F(4)}, epsilon=1e-3),
    "layer-norm-axes": lambda: one("LayerNormalization", [1, 3, 4], "x s", {"s": F(3, 4)}, axis=1),
    "instance-norm": lambda: one("InstanceNormalization", [1, 2, 5], "x s b", {"s": F(2), "b": F(2)}),
    "softmax-inside": lambda: model(
        [node("Softmax", "x", "s"), node("MatMul", "s w")], [2, 3], {"w": F(3, 2)}
    ),
    "log-softmax": lambda: one("LogSoftmax", [1, 5]),
    "log-softmax-part": lambda: one("LogSoftmax", [3, 2], axis=0),
    "where-mask": lambda: model(
        [node("Neg", "x", "n"), node("Where", "m x n")], [1, 4], {"m": np.array([True, False, True, False])}
    ),
    "where-constant": lambda: one(
        "Where", [1, 4], "m x c", {"m": np.array([True, False, True, False]), "c": np.float32(7)}
    ),
    "where-constant-first": lambda: one("Where", [3], "m c x", {"m": np.array([[True], [False]]), "c": F(3)}),
    "where-computed": lambda: model(
        [node("Greater", "x c", "g"), node("Neg", "x", "n"), node("Where", "g n d")],
        [1, 4],
        {"c": np.float32(0.25), "d": F(4)},
    ),
    "compare": lambda: model(
        [
            node("Less", "x c", "a"),
            node("Cast", "a", "p", to=1),
            node("LessOrEqual", "c x", "b"),
            node("Cast", "b", "q", to=1),
            node("GreaterOrEqual", "c x", "d"),
            node("Not", "d", "e"),
            node("Cast", "e", "r", to=1),
            node("Sum", "p q r"),
        ],
        [1, 4],
        {"c": np.float32(0.25)},
    ),
    "shape-arithmetic": lambda: model(
        [
            node("Shape", "x", "s"),
            node("Gather", "s zero", "n"),
            node("Unsqueeze", "n axis", "rows"),
            node("Concat", "rows minus", "target", axis=0),
            node("Reshape", "x target"),
        ],
        ["batch", 2, 3],
        {"zero": np.int64(0), "axis": ints(0), "minus": ints(-1)},
    ),
    "size": lambda: model(
        [
            node("Size", "x", "n"),
            node("Unsqueeze", "n axis", "target"),
            node("Reshape", "x target"),
        ],
        [1, 2, 3],
        {"axis": ints(0)},
    ),
    # A single number with more axes than the value gives its axes to the result, and later nodes count them.
    **{
        f"more-axes-{kind}-{number:g}": lambda kind=kind, number=number: model(
            [node(kind, "x c", "t"), node("ReduceSum", "t a", keepdims=0)],
            [2, 3],
            {"c": np.full((1, 1, 1), number, dtype=np.float32), "a": ints(1)},
        )
        for kind, number in (("Pow", 2), ("Pow", 1), ("Mul", 2), ("Max", 0.2), ("Mean", 1), ("Sub", 1))
    },
}


@pytest.mark.parametrize("name", CASES)
def test_operator_agrees_with_onnxruntime(name):
    network = from_bytes(CASES[name](), name)
    x = np.random.default_rng(1).normal(size=(5, network.inputs)).astype(np.float32).astype(np.float64)
    expected = replay(network, x)
    assert expected.shape == (5, network.outputs)
    np.testing.assert_allclose(network.evaluate(x), expected, rtol=1e-5, atol=2e-6)
    np.testing.assert_allclose(network.evaluate32(x), expected, rtol=1e-5, atol=2e-6)
    assert network.evaluate32(x).dtype == np.float32
    exported = dataclasses.replace(network, model=None)
    np.testing.assert_allclose(replay(exported, x), expected, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("fold", [True, False])
@pytest.mark.parametrize("relu_only", [True, False])
def test_lowering_computes_the_same(name, fold, relu_only):
    network = from_bytes(CASES[name](), name)
    lowered = lower(network, fold=fold, relu_only=relu_only)
    x = np.random.default_rng(2).normal(size=(5, network.inputs))
    values = lowered.evaluate(x)
    if lowered.softmax:
        powers = np.exp(values)
        values = powers / powers.sum(axis=1, keepdims=True)
        values = np.log(values) if "log" in name else values
    np.testing.assert_allclose(values, network.evaluate(x), rtol=1e-11, atol=1e-12)
    assert isinstance(lowered.nodes[0], Input)
    for place, inner in enumerate(lowered.nodes[1:], 1):
        match inner:
            case Affine():
                assert all(i < place for i in inner.inputs)
                assert len(set(inner.inputs)) == len(inner.inputs)
            case Activation():
                assert inner.input < place
                assert not relu_only or inner.kind not in (NodeKind.LEAKY_RELU, NodeKind.CLIP)
            case Maximum():
                assert inner.input < place
                assert not relu_only
            case Multiply():
                assert max(inner.left, inner.right) < place


def test_every_converter_has_a_case():
    used = {n.op_type for make in CASES.values() for n in onnx.load_from_string(make()).graph.node}
    assert set(CONVERTERS) <= used
