"""Trains a network on the five vowels, drawn by hand on 5x5 pixels, and writes it with each of them.

Ink is 1, paper is 0. The training data are these five pictures with noise.
"""

from __future__ import annotations

import numpy as np
from save import point, same_class, save
from sklearn.neural_network import MLPClassifier

DRAWN = {
    "a": " ### #   #######   ##   #",
    "e": "######    #### #    #####",
    "i": "#####  #    #    #  #####",
    "o": " ### #   ##   ##   # ### ",
    "u": "#   ##   ##   ##   # ### ",
}
pictures = np.array([[float(c == "#") for c in text] for text in DRAWN.values()])
assert pictures.shape == (5, 25)

rng = np.random.default_rng(0)
labels = rng.integers(0, 5, 2000)
noisy = np.clip(pictures[labels] + rng.normal(0, 0.3, (2000, 25)), 0, 1)
model = MLPClassifier((16,), activation="tanh", alpha=0.01, max_iter=100, random_state=0)
model.fit(noisy, labels)
print(f"vowels: {model.score(noisy, labels):.1%} of the training data right")
save(model, "vowels")
for label, name in enumerate(DRAWN):
    if name in "ao":
        point(f"vowel_{name}", pictures[label])
        low, high = np.maximum(pictures[label] - 0.1, 0), np.minimum(pictures[label] + 0.1, 1)
        title = f"the vowel {name} with every pixel off by up to 0.1 is read as {name}"
        same_class(f"vowel_{name}", title, low, high, label, 5)
