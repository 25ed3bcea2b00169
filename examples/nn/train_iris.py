"""Trains a small network on Fisher's iris data and writes it with a property for each species.

Inputs are sepal length and width, petal length and width in centimetres.
"""

from __future__ import annotations

from save import point, same_class, save
from sklearn.datasets import load_iris
from sklearn.neural_network import MLPClassifier

data = load_iris()
model = MLPClassifier((10, 10), solver="lbfgs", alpha=1.0, max_iter=1000, random_state=1)
model.fit(data.data, data.target)
print(f"iris: {model.score(data.data, data.target):.1%} of the training data right")
save(model, "iris")
for label, species in enumerate(data.target_names):
    mine = data.data[data.target == label]
    centre, spread = mine.mean(axis=0), mine.std(axis=0)
    title = f"flowers within half a standard deviation of the mean {species} are called {species}"
    same_class(f"iris_{species}", title, centre - spread / 2, centre + spread / 2, label, 3)
point("iris_setosa", data.data[data.target == 0].mean(axis=0))
