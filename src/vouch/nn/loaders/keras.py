"""Reads Keras models without Keras: `.h5` (Keras 2) and `.keras` (Keras 3, a zip of config and weights).

Nothing in the file is executed; Lambda and custom layers are refused by name.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from vouch.errors import VouchError
from vouch.nn.loaders import files
from vouch.nn.loaders.files import read, stem, suffix
from vouch.nn.loaders.keras_layers import CONVERTERS, Layer
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators.base import LARGEST, Array, Shape

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


def load_keras(path: Path) -> Network:
    """The network in a Keras file: Sequential or functional, one input, one output."""
    data = read(path)
    try:
        config, weights = _archive(data) if suffix(path) == ".keras" else _h5(data)
        entries, output = _entries(config)
        return _network(stem(path), entries, output, weights)
    except VouchError as error:
        raise VouchError(f"{path}: {error}") from None
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OSError) as error:
        raise VouchError(f"{path}: malformed Keras model: {error}") from None


def _opened(data: bytes) -> Any:
    try:
        import h5py
    except ImportError:
        raise VouchError("reading Keras models needs h5py (pip install 'vouch[keras]')") from None
    try:
        return h5py.File(io.BytesIO(data), "r")
    except OSError:
        raise VouchError("not an HDF5 file") from None


def _h5(data: bytes) -> tuple[dict[str, Any], Weights]:
    file = _opened(data)
    if "model_config" not in file.attrs:
        raise VouchError("holds weights only; a whole saved model is needed")
    groups = file["model_weights"]

    def weights(entry: _Entry) -> list[Array]:
        if entry.name not in groups:
            return []
        group = groups[entry.name]
        names = [n.decode() if isinstance(n, bytes) else str(n) for n in group.attrs.get("weight_names", ())]
        return [_numbers(group, name) for name in names]

    return json.loads(file.attrs["model_config"]), weights


def _archive(data: bytes) -> tuple[dict[str, Any], Weights]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > files.LARGEST:
                raise VouchError("unpacks to more than memory holds")
            config = json.loads(archive.read("config.json"))
            file = _opened(archive.read("model.weights.h5"))
    except (zipfile.BadZipFile, KeyError, NotImplementedError) as error:
        raise VouchError(f"not a .keras archive: {error}") from None
    groups = file.get("layers", {})

    def weights(entry: _Entry) -> list[Array]:
        if entry.path not in groups or "vars" not in groups[entry.path]:
            return []
        variables = groups[entry.path]["vars"]
        return [_numbers(variables, key) for key in sorted(variables, key=int)]

    return config, weights


def _numbers(group: Any, name: str) -> Array:
    """A dataset of the file itself: neither a link nor data stored elsewhere, nor more than memory holds."""
    import h5py

    parts = name.split("/")
    for depth in range(1, len(parts) + 1):
        link = group.get("/".join(parts[:depth]), getlink=True)
        if not isinstance(link, h5py.HardLink):
            raise VouchError(f"weights {name!r} are a link")
    dataset = group[name]
    if not isinstance(dataset, h5py.Dataset) or dataset.external or dataset.is_virtual:
        raise VouchError(f"weights {name!r} are stored outside of the file")
    if dataset.size > LARGEST:
        raise VouchError(f"weights {name!r} are too large")
    values = np.array(dataset, dtype=np.float64)
    if not np.isfinite(values).all():
        raise VouchError("weights contain NaN or infinity")
    return values


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
        layer = Layer(entry.name, entry.config, weights(entry), inputs, builder)
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
