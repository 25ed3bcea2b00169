"""Convolution and pooling nodes: their common attributes for kernels, strides and padding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Shape
from vouch.nn.loaders.onnx_node import ImportContext, OnnxNode
from vouch.nn.operators import AveragePool, Conv, ConvTranspose, MaxPool, Reduce
from vouch.nn.operators.pooling import overhanging, same_padding


@dataclass(frozen=True, slots=True)
class _Window:
    kernel: Shape
    strides: Shape
    pads: tuple[tuple[int, int], ...]
    dilations: Shape


def _window(node: OnnxNode, kernel: Shape) -> _Window:
    spatial, rank = node.shape(0)[2:], len(kernel)
    if len(spatial) != rank:
        raise VouchError(f"a kernel of shape {kernel} on an input of shape {node.shape(0)}")
    strides = node.integer_list("strides", (1,) * rank)
    dilations = node.integer_list("dilations", (1,) * rank)
    flat = node.integer_list("pads", (0,) * (2 * rank))
    if len(strides) != rank or len(dilations) != rank or len(flat) != 2 * rank:
        raise VouchError(f"strides, dilations and pads do not fit a kernel of shape {kernel}")
    if min((*strides, *dilations, *kernel)) < 1 or min(flat) < 0:
        raise VouchError("strides, dilations and kernel have to be positive, pads not negative")
    pads = tuple(zip(flat[:rank], flat[rank:], strict=True))
    automatic = str(node.attribute("auto_pad", "NOTSET"))
    if automatic in ("SAME_UPPER", "SAME_LOWER"):
        _refuse_disputed(node, kernel, strides, dilations, automatic)
        pads = tuple(
            same_padding(n, k, s, d, lower=automatic == "SAME_LOWER")
            for n, k, s, d in zip(spatial, kernel, strides, dilations, strict=True)
        )
    elif automatic == "VALID":
        pads = ((0, 0),) * rank
    return _Window(kernel, strides, pads, dilations)


def _refuse_disputed(node: OnnxNode, kernel: Shape, strides: Shape, dilations: Shape, automatic: str) -> None:
    """What ONNX says about these paddings is not what onnxruntime computes, or it does not run them."""
    if max(dilations) > 1:
        raise VouchError(f"auto_pad {automatic} with dilations is not supported")
    if node.type != "Conv" and any(s > k for s, k in zip(strides, kernel, strict=True)):
        raise VouchError(f"auto_pad {automatic} with a stride above the kernel is not supported")


def conv(node: OnnxNode, context: ImportContext) -> None:
    weights = node.weights(1)
    if weights.ndim < 3:
        raise VouchError(f"weights of shape {weights.shape}")
    kernel = tuple(int(n) for n in weights.shape[2:])
    if node.integer_list("kernel_shape", kernel) != kernel:
        raise VouchError(f"kernel_shape differs from weights of shape {weights.shape}")
    bias = node.weights(2) if node.has(2) else np.zeros(weights.shape[0])
    groups = int(node.attribute("group", 1))
    if bias.shape != weights.shape[:1] or groups < 1:
        raise VouchError(f"bias of shape {bias.shape} and {groups} groups for weights of {weights.shape}")
    w = _window(node, kernel)
    node.emit(Conv(weights, bias, w.strides, w.pads, w.dilations, groups), node.value(0))


def conv_transpose(node: OnnxNode, context: ImportContext) -> None:
    weights = node.weights(1)
    if weights.ndim < 3:
        raise VouchError(f"weights of shape {weights.shape}")
    kernel = tuple(int(n) for n in weights.shape[2:])
    rank, spatial = len(kernel), node.shape(0)[2:]
    if node.integer_list("kernel_shape", kernel) != kernel or len(spatial) != rank:
        raise VouchError(f"weights of shape {weights.shape} on an input of shape {node.shape(0)}")
    groups = int(node.attribute("group", 1))
    bias = node.weights(2) if node.has(2) else np.zeros(weights.shape[1] * max(groups, 1))
    strides = node.integer_list("strides", (1,) * rank)
    dilations = node.integer_list("dilations", (1,) * rank)
    extra = node.integer_list("output_padding", (0,) * rank)
    flat = node.integer_list("pads", (0,) * (2 * rank))
    lists = len(strides), len(dilations), len(extra), len(flat)
    if lists != (rank, rank, rank, 2 * rank) or min((*strides, *dilations, groups)) < 1:
        raise VouchError("strides, dilations, pads or groups do not fit the kernel")
    if min((*flat, *extra)) < 0 or any(
        e >= max(s, d) for e, s, d in zip(extra, strides, dilations, strict=True)
    ):
        raise VouchError("negative pads, or output_padding that is not below the stride, are not supported")
    if node.attribute("output_shape") is not None or node.attribute("auto_pad", "NOTSET") not in (
        "NOTSET",
        "VALID",
    ):
        raise VouchError("output_shape and auto_pad SAME are not supported")
    if node.attribute("auto_pad", "NOTSET") == "VALID":
        flat = (0,) * (2 * rank)
    pads = tuple(zip(flat[:rank], flat[rank:], strict=True))
    node.emit(ConvTranspose(weights, bias, strides, pads, dilations, groups, extra), node.value(0))


def max_pool(node: OnnxNode, context: ImportContext) -> None:
    w = _window(node, node.integer_list("kernel_shape", ()))
    ceil = bool(node.attribute("ceil_mode", 0))
    node.emit(MaxPool(w.kernel, w.strides, w.pads, w.dilations, ceil), node.value(0))


def average_pool(node: OnnxNode, context: ImportContext) -> None:
    w = _window(node, node.integer_list("kernel_shape", ()))
    if node.attribute("ceil_mode", 0):
        wider = overhanging(node.shape(0)[2:], w.kernel, w.strides, w.pads, w.dilations)
        if wider != w.pads:
            raise VouchError("ceil_mode with windows that hang over is not supported")
    counted = bool(node.attribute("count_include_pad", 0))
    node.emit(AveragePool(w.kernel, w.strides, w.pads, w.dilations, counted), node.value(0))


def _whole(node: OnnxNode) -> Shape:
    spatial = node.shape(0)[2:]
    if not spatial:
        raise VouchError(f"no spatial axes in an input of shape {node.shape(0)}")
    return spatial


def global_average_pool(node: OnnxNode, context: ImportContext) -> None:
    rank = len(_whole(node))
    node.emit(Reduce(tuple(range(2, 2 + rank)), keep=True, mean=True), node.value(0))


def global_max_pool(node: OnnxNode, context: ImportContext) -> None:
    kernel = _whole(node)
    ones = (1,) * len(kernel)
    node.emit(MaxPool(kernel, ones, ((0, 0),) * len(kernel), ones), node.value(0))
