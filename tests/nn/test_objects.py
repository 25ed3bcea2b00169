"""Torch modules, torch files and scikit-learn perceptrons, taken as they are."""

from __future__ import annotations

import os

import numpy as np
import pytest

import vouch
from vouch.errors import VouchError
from vouch.nn.api import as_network
from vouch.verdict import Verdict

X = np.random.default_rng(0).normal(size=(6, 4))


def perceptrons():
    pytest.importorskip("sklearn")
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    rng = np.random.default_rng(1)
    data = rng.normal(size=(60, 4)) * 3 + 1
    options = {"hidden_layer_sizes": (5, 4), "max_iter": 5, "random_state": 0}
    three, two = rng.integers(0, 3, 60), rng.integers(0, 2, 60)
    yield MLPClassifier(**options).fit(data, three), "predict_proba"
    yield MLPClassifier(activation="tanh", **options).fit(data, two), "predict_proba"
    yield MLPRegressor(activation="logistic", **options).fit(data, data[:, :2]), "predict"
    yield make_pipeline(StandardScaler(), MLPRegressor(**options)).fit(data, data[:, 0]), "predict"
    yield make_pipeline(MinMaxScaler(), MLPClassifier(**options)).fit(data, three), "predict_proba"


@pytest.mark.filterwarnings("ignore")
def test_perceptrons_compute_what_scikit_learn_computes():
    for fitted, method in perceptrons():
        network = as_network(fitted)
        expected = np.asarray(getattr(fitted, method)(X)).reshape(len(X), -1)
        if network.outputs == 1 and expected.shape[1] == 2:  # of two classes, the share of the second
            expected = expected[:, 1:]
        np.testing.assert_allclose(network.evaluate(X), expected, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_what_is_no_fitted_perceptron_is_refused():
    sklearn = pytest.importorskip("sklearn.neural_network")
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline

    with pytest.raises(VouchError, match="not fitted"):
        as_network(sklearn.MLPRegressor())
    fitted = make_pipeline(PCA(2), sklearn.MLPRegressor(max_iter=2)).fit(X, X[:, 0])
    with pytest.raises(VouchError, match="PCA in a pipeline"):
        as_network(fitted)


def module():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    layers = [torch.nn.Linear(4, 6), torch.nn.GELU(), torch.nn.Dropout(), torch.nn.Linear(6, 3)]
    return torch.nn.Sequential(*layers)


def test_a_module_and_its_files(tmp_path):
    torch = pytest.importorskip("torch")
    own = module()
    expected = own.eval()(torch.tensor(X, dtype=torch.float32)).detach().numpy()
    own.train()
    torch.save(own, tmp_path / "module.pt")
    torch.jit.script(own.eval()).save(str(tmp_path / "script.pt"))
    own.train()
    for source in (own, tmp_path / "module.pt", tmp_path / "script.pt"):
        np.testing.assert_allclose(as_network(source).evaluate(X), expected, atol=1e-5)
    assert own.training
    result = vouch.nn.robust(own, X[0], 1e-4, timeout=20)
    assert result.verdict is Verdict.SAFE
    with pytest.raises(VouchError, match="shape of its input"):
        as_network(torch.nn.Conv2d(1, 2, 3))
    image = vouch.nn.from_torch(torch.nn.Conv2d(1, 2, 3), (1, 1, 5, 5))
    assert (image.inputs, image.outputs) == (25, 18)
    torch.save(own.state_dict(), tmp_path / "weights.pt")
    with pytest.raises(VouchError, match="holds weights"):
        as_network(tmp_path / "weights.pt")


class Harm:
    def __reduce__(self):
        return os.mkdir, ("harm",)


def test_a_file_runs_nothing(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    torch.save(Harm(), tmp_path / "harm.pt")
    with pytest.raises(VouchError, match=r"without running code: it calls \S*mkdir$"):
        as_network(tmp_path / "harm.pt")
    assert not (tmp_path / "harm").exists()
    (tmp_path / "text.pt").write_text("no archive")
    with pytest.raises(VouchError):
        as_network(tmp_path / "text.pt")


def test_what_the_caller_does_about_small_numbers_does_not_matter():
    """Bounds pass through infinities and numbers near zero on purpose; a caller may have forbidden them."""
    tiny = [(np.full((2, 2), 1e-200), np.zeros(2)), (np.full((1, 2), 1e-200), np.zeros(1))]
    with np.errstate(all="raise"):
        result = vouch.nn.robust(tiny, np.zeros(2), 0.5, distance=1.0, arithmetic="real")
        assert np.geterr()["under"] == "raise"
    assert result.verdict is Verdict.SAFE
