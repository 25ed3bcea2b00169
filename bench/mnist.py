"""MNIST for benchmarks: the test images, and networks trained on a part of them. Not a benchmark itself."""

from __future__ import annotations

import gzip
from itertools import pairwise
from typing import Any

import numpy as np

from bench.nn_instances import data_folder


def images() -> tuple[Any, Any]:
    """Rows of 784 grey values from 0 to 1, and labels."""
    folder = data_folder() / "mnist"
    with gzip.open(folder / "t10k-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784) / 255.0
    with gzip.open(folder / "t10k-labels-idx1-ubyte.gz") as file:
        return pixels, np.frombuffer(file.read(), np.uint8, offset=8).astype(np.int64)


def trained(sizes: tuple[int, ...], rows: Any, labels: Any, epochs: int = 8) -> list[tuple[Any, Any]]:
    """Layers (W, b) of a ReLU network, trained with a fixed seed."""
    import torch

    torch.manual_seed(0)
    parts: list[Any] = []
    for before, size in pairwise(sizes):
        parts += [torch.nn.Linear(before, size), torch.nn.ReLU()]
    network = torch.nn.Sequential(*parts[:-1])
    x, y = torch.tensor(rows, dtype=torch.float32), torch.tensor(labels)
    optimiser = torch.optim.Adam(network.parameters(), 1e-3)
    for _ in range(epochs):
        for chosen in torch.randperm(len(x)).split(64):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(network(x[chosen]), y[chosen]).backward()
            optimiser.step()
    linear = [part for part in network if isinstance(part, torch.nn.Linear)]
    return [(p.weight.detach().numpy(), p.bias.detach().numpy()) for p in linear]
