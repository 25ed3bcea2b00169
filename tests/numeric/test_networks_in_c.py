"""The same network twice: `nn verify` on the model and `check` on the C code written for it agree."""

from __future__ import annotations

from bench.nn_against_c import questions

from vouch.api import run
from vouch.nn import verify
from vouch.settings import resolve
from vouch.verdict import Verdict


def test_model_and_code_agree(tmp_path):
    seen = set()
    for number, question in enumerate(questions(4, seed=5)):
        sources = question.written(tmp_path / str(number))
        result = run(sources, resolve("check", {"checks": ["assertion"], "jobs": 1, "strategy": "global"}))
        (check,) = result.checks
        model = verify(question.network, str(tmp_path / str(number) / "property.vnnlib")).verdict
        assert check.verdict is model
        seen.add(model)
    assert seen == {Verdict.SAFE, Verdict.UNSAFE}
