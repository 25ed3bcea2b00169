"""Reads Keras models without Keras: `.h5` (Keras 2) and `.keras` (Keras 3, a zip of config and weights).

Nothing in the file is executed; Lambda and custom layers are refused by name.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.loaders import files
from vouch.nn.loaders.files import read, stem, suffix
from vouch.nn.loaders.hdf5 import contents
from vouch.nn.loaders.keras_layers import CONVERTERS, KerasLayer
from vouch.nn.network import GraphBuilder, Network

Weights: TypeAlias = Callable[["_Entry"], list[Array]]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A layer as the configuration lists it; `inputs` are names of layers."""

    name: str
    kind: str
    config: dict[str, Any]
    inputs: tuple[str, ...]
    path: str
    """The name that Keras 3 gives the layer's weights: its class, counted."""


# Whatever a broken configuration or archive raises.
_MALFORMED = (
    *(KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError),
    *(OSError, EOFError, RuntimeError, zlib.error),
)


def load_keras(path: Path) -> Network:
    """The network in a Keras file: Sequential or functional, one input, one output."""
    data = read(path)
    try:
        config, weights = _archive(data) if suffix(path) == ".keras" else _h5(data)
        entries, output = _entries(config)
        return _network(stem(path), entries, output, weights)
    except VouchError as error:
        raise VouchError(f"{path}: {error}") from None
    except _MALFORMED as error:
        raise VouchError(f"{path}: malformed Keras model: {' '.join(str(error).split())}") from None


def _h5(data: bytes) -> tuple[dict[str, Any], Weights]:
    read = contents(data)
    if read.config is None:
        raise VouchError("holds weights only; a whole saved model is needed")
    return json.loads(read.config), lambda entry: read.weights.get(entry.name, [])


def _archive(data: bytes) -> tuple[dict[str, Any], Weights]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > files.LARGEST:
                raise VouchError("unpacks to more than memory holds")
            config = json.loads(archive.read("config.json"))
            stored = archive.read("model.weights.h5")
    except (zipfile.BadZipFile, KeyError, NotImplementedError) as error:
        raise VouchError(f"not a .keras archive: {error}") from None
    read = contents(stored)
    return config, lambda entry: read.weights.get(entry.path, [])


def _entries(config: dict[str, Any]) -> tuple[list[_Entry], str]:
    """The layers in an order in which each comes after its inputs, and the name of the last."""
    kind, inner = config["class_name"], config["config"]
    listed = inner["layers"] if isinstance(inner, dict) else inner
    counts: dict[str, int] = {}
    entries: list[_Entry] = []
    for layer in listed:
        own = layer["config"]
        name = str(layer.get("name") or own["name"])
        if kind == "Sequential":
            inputs: tuple[str, ...] = (entries[-1].name,) if entries else ()
        else:
            inputs = tuple(_inbound(layer.get("inbound_nodes", [])))
        entries.append(
            _Entry(name, str(layer["class_name"]), own, inputs, _path(layer["class_name"], counts))
        )
    if kind == "Sequential":
        return entries, entries[-1].name
    outputs = inner["output_layers"]
    outputs = outputs if isinstance(outputs[0], list) else [outputs]
    if len(outputs) != 1:
        raise VouchError(f"has {len(outputs)} outputs, one expected")
    return _ordered(entries), str(outputs[0][0])


def _path(kind: str, counts: dict[str, int]) -> str:
    spaced = re.sub("([a-z])([A-Z])", r"\1_\2", re.sub("(.)([A-Z][a-z]+)", r"\1_\2", kind)).lower()
    number = counts.get(spaced, 0)
    counts[spaced] = number + 1
    return f"{spaced}_{number}" if number else spaced


def _inbound(nodes: Sequence[Any]) -> Iterator[str]:
    """Names of the layers that a layer reads, in either way of writing them."""
    if len(nodes) > 1:
        raise VouchError("layers that are used more than once are not supported")
    for node in nodes:
        pending = [node["args"]] if isinstance(node, dict) else [node]
        while pending:
            item = pending.pop(0)
            if isinstance(item, dict) and "keras_history" in item.get("config", {}):
                yield str(item["config"]["keras_history"][0])
            elif isinstance(item, list) and item and isinstance(item[0], str):
                yield item[0]
            elif isinstance(item, list):
                pending[:0] = item


def _ordered(entries: Sequence[_Entry]) -> list[_Entry]:
    ready: dict[str, _Entry] = {}
    waiting = list(entries)
    while waiting:
        possible = [e for e in waiting if all(i in ready for i in e.inputs)]
        if not possible:
            raise VouchError(f"layer {waiting[0].name!r} reads something that nothing computes")
        ready.update((e.name, e) for e in possible)
        waiting = [e for e in waiting if e.name not in ready]
    return list(ready.values())


def _network(name: str, entries: Sequence[_Entry], output: str, weights: Weights) -> Network:
    sources = [e for e in entries if not e.inputs]
    if len(sources) != 1:
        raise VouchError(f"has {len(sources)} inputs, one expected")
    shape = _input_shape(sources[0])
    builder = GraphBuilder(name, "input", shape)
    values: dict[str, str] = {}
    for entry in entries:
        inputs = [values[i] for i in entry.inputs] or ["input"]
        if entry.kind == "InputLayer":
            values[entry.name] = inputs[0]
            continue
        if entry.kind not in CONVERTERS:
            raise VouchError(f"layer {entry.name!r}: {entry.kind} is not supported")
        layer = KerasLayer(entry.name, entry.config, weights(entry), inputs, builder)
        try:
            values[entry.name] = CONVERTERS[entry.kind](layer)
        except VouchError as error:
            raise VouchError(f"layer {entry.name!r} ({entry.kind}): {error}") from None
    return builder.build(values[output])


def _input_shape(entry: _Entry) -> Shape:
    config = entry.config
    shape = config.get("batch_input_shape") or config.get("batch_shape")
    if shape is None:
        raise VouchError(f"layer {entry.name!r} does not say the shape of the input")
    if any(n is None for n in shape[1:]):
        raise VouchError(f"the input's shape {shape} is not fixed")
    return (1, *(int(n) for n in shape[1:]))
