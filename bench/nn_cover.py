"""Coverage: the four methods over 1,000 MNIST images (784-64-32-10), and raising it near ten of them."""

from __future__ import annotations

import time

from bench.mnist import images, trained
from vouch.nn.cover.api import Asked, cover
from vouch.nn.network import Network
from vouch.nn.property import ball_case


def main(arguments: list[str]) -> int:
    rows, labels = images()
    network = Network.from_layers(trained((784, 64, 32, 10), rows[5000:], labels[5000:]))
    data = rows[:1000]
    began = time.process_time()
    result = cover(network, data)
    print(f"{len(data)} images: {time.process_time() - began:.2f} s of processor time")
    for method, each in result.coverages.items():
        pairs = f", {each.pairs} of {each.of_pairs} pairs" if each.of_pairs else ""
        print(f"  {method}: {each.covered} of {each.total} neurons{pairs}")
    decided = asked = 0
    for radius in (0.002, 0.1):
        for index in range(10):
            near = ball_case(data[index], radius, lower=0.0, upper=1.0)
            found = cover(network, data[index : index + 1], Asked(near=near), timeout=20.0)
            for method, raised in found.raised.items():
                asked += 1
                decided += raised.answer in ("raised", "impossible")
                print(f"  image {index}, radius {radius:g}, {method}: {raised.answer}, {raised.share:.3f}")
    print(f"one neuron more: {decided} of {asked} decided")
    return 0
