"""Trains a network on scikit-learn's 8x8 digits (64 inputs, 0 to 16) and writes it with a digit to try."""

from __future__ import annotations

import numpy as np
from save import point, same_class, save
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

digits = load_digits()
train, test, train_labels, test_labels = train_test_split(digits.data, digits.target, random_state=0)
model = MLPClassifier((32, 32), alpha=1.0, learning_rate_init=0.005, max_iter=60, random_state=0)
# A little noise makes the network, and so the proofs, more robust.
rng = np.random.default_rng(0)
noisy = np.concatenate([train, np.clip(train + rng.uniform(-2, 2, train.shape), 0, 16)])
model.fit(noisy, np.concatenate([train_labels, train_labels]))
print(f"digits: {model.score(test, test_labels):.1%} of the test data right")
save(model, "digits")
chosen = int(np.flatnonzero((model.predict(test) == test_labels) & (test_labels == 0))[0])
point("digits_zero", test[chosen])
low, high = np.maximum(test[chosen] - 1, 0), np.minimum(test[chosen] + 1, 16)
same_class("digits_zero", "a zero stays a zero when every pixel moves by up to 1 of 16", low, high, 0, 10)
