"""VNN-LIB 1.0: what is understood, and errors that name the line."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from vouch.errors import VouchError
from vouch.nn.loaders.files import read, resolved
from vouch.nn.vnnlib1 import parse

DATA = Path(os.environ.get("VOUCH_DATA", Path(__file__).parents[3] / "shared" / "data"))

DECLARED = "".join(f"(declare-const {v} Real)\n" for v in ("X_0", "X_1", "Y_0", "Y_1"))
BOX = "(assert (and (<= X_0 1) (>= X_0 -1) (<= X_1 2.5) (>= X_1 0.5)))\n"


def given(text):
    return parse(DECLARED + BOX + text, "p.vnnlib")


def violated(prop, x, y):
    return prop.violated(np.array(x, dtype=float), np.array(y, dtype=float))


def test_box_and_one_constraint():
    prop = given("(assert (>= Y_0 Y_1))")
    (case,) = prop.cases
    assert (prop.inputs, prop.outputs) == (2, 2)
    assert case.lower.tolist() == [-1.0, 0.5]
    assert case.upper.tolist() == [1.0, 2.5]
    assert case.inputs is None
    assert violated(prop, [0, 1], [2, 1])
    assert violated(prop, [0, 1], [1, 1])
    assert not violated(prop, [0, 1], [1, 2])
    assert not violated(prop, [0, 3], [2, 1])


def test_strict_and_nested_disjunctions():
    prop = given("(assert (or (and (< Y_0 1) (or (> Y_1 5) (= Y_1 0))) (not (<= (+ Y_0 (* 2 Y_1)) (- 3)))))")
    # The right part holds whenever Y_0 + 2 Y_1 > -3.
    assert violated(prop, [0, 1], [0, 0])
    assert violated(prop, [0, 1], [-100, 5.5])
    assert not violated(prop, [0, 1], [-100, 5])
    assert violated(prop, [0, 1], [-100, 0])
    assert not violated(prop, [0, 1], [1, -2])
    assert violated(prop, [0, 1], [1.5, -2])


def test_implication_and_division():
    prop = given("(assert (=> (<= X_0 0) (>= (/ Y_0 4) 1)))")
    assert violated(prop, [-1, 1], [4, 0])
    assert not violated(prop, [-1, 1], [3.9, 0])
    assert violated(prop, [0.5, 1], [0, 0])


def test_inputs_in_outputs_constraints_and_between_inputs():
    prop = given("(assert (<= X_0 X_1))(assert (>= Y_0 (+ X_0 (* 2.0 X_1) 1.0)))")
    assert violated(prop, [0.5, 1], [3.5, 0])
    assert not violated(prop, [0.5, 1], [3.4, 0])
    assert not violated(prop, [1, 0.75], [10, 0])


def test_disjunctive_inputs_make_cases():
    prop = given(
        "(assert (or (and (<= X_0 0) (>= Y_0 1)) (and (>= X_0 0.5) (>= Y_0 1)) (and (<= X_0 0) (<= Y_1 0))))"
    )
    assert [len(case.regions) for case in prop.cases] == [2, 1]
    assert prop.cases[0].upper[0] == 0.0
    assert prop.cases[1].lower[0] == 0.5


def test_scaled_bounds_bound_the_input():
    text = (
        "(assert (<= (* 2 X_0) 1))(assert (>= (* -1 X_0) -4))(assert (>= (* 4 X_0) -2))(assert (= X_1 X_0))"
    )
    prop = parse(DECLARED + text + "(assert (<= Y_0 0))", "p.vnnlib")
    (case,) = prop.cases
    assert case.lower[0] == pytest.approx(-0.5)
    assert case.upper[0] == pytest.approx(0.5)
    assert case.lower[1] == pytest.approx(-0.5)
    assert case.lower[1] <= -0.5
    assert violated(prop, [0.25, 0.25], [0, 0])
    assert not violated(prop, [0.25, 0.2500001], [0, 0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(assert (<= Y_0 0)", "p.vnnlib:6: this bracket is never closed"),
        (")", "p.vnnlib:6: a closing bracket without an opening one"),
        ("\n(assert (<= Y_7 0))", "p.vnnlib:7: 'Y_7' is neither a number nor a declared variable"),
        ("(assert (<= (* Y_0 Y_1) 0))", "p.vnnlib:6: (* Y_0 Y_1) is not linear"),
        ("(assert (<= (/ 1 Y_1) 0))", "p.vnnlib:6: (/ 1 Y_1): division by something other than a number"),
        ("(assert (Y_0 < Y_1))", "p.vnnlib:6: (Y_0 < Y_1) is not a condition that vouch understands"),
        ("(assert (<= Y_0 1e999))", "p.vnnlib:6: '1e999' is beyond the range of float64"),
        (
            "(declare-const Z_0 Real)",
            "p.vnnlib:6: (declare-const Z_0 Real): expected X_i or Y_j of sort Real",
        ),
        ("(declare-const X_0 Real)", "p.vnnlib:6: X_0 is declared twice"),
        ("(declare-const X_5 Real)", "p.vnnlib: X_2 is not declared"),
        ("(push 1)", "p.vnnlib:6: (push 1) is not a declaration or an assert"),
        ("loose", "p.vnnlib:6: 'loose' stands outside of any bracket"),
    ],
)
def test_errors_name_the_line(text, message):
    with pytest.raises(VouchError) as caught:
        given(text)
    assert str(caught.value) == message


def test_unbounded_input():
    with pytest.raises(VouchError, match="input 1 is not bounded from both sides"):
        parse(DECLARED + "(assert (<= X_0 1))(assert (>= X_0 0))(assert (<= X_1 0))(assert (<= Y_0 0))", "p")


def test_too_many_cases():
    choice = "(assert (or (<= Y_0 0) (>= Y_0 1) (<= Y_1 0)))\n"
    with pytest.raises(VouchError, match="more than 100000 cases"):
        given(choice * 12)


def test_large_files_are_fast():
    count = 5_000
    lines = [f"(declare-const X_{i} Real)" for i in range(count)]
    lines += ["(declare-const Y_0 Real)", "(assert (<= Y_0 0))"]
    lines += [f"(assert (<= X_{i} 0.5))\n(assert (>= X_{i} -0.5))" for i in range(count)]
    start = time.process_time()
    prop = parse("\n".join(lines), "p")
    assert prop.inputs == count
    assert time.process_time() - start < 5


@pytest.mark.skipif(not (DATA / "acasxu").is_dir(), reason="benchmark data is not here")
def test_benchmark_files():
    regions = {1: [1], 2: [1], 5: [4], 6: [4, 4], 7: [2], 8: [3], 10: [4]}
    for number, expected in regions.items():
        name = f"prop_{number}.vnnlib"
        prop = parse(read(resolved(DATA / "acasxu" / "vnnlib" / name)).decode(), name)
        assert [len(case.regions) for case in prop.cases] == expected


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("(+ 1e17 12 (- 1e17) (- 9))", 3.0),
        ("(- (+ 0.1 0.2) 0.3)", 0.0),
        ("(* 3 (/ 1 3))", 1.0),
        ("(- (* 1e300 1e10) (* 1e300 1e10) -0.125)", 0.125),
        ("(+ 1e400 -1e400 1)", None),
        ("(/ 1e-300 1e-300)", 1.0),
    ],
)
def test_numbers_are_added_up_exactly(term, value):
    """What is left of a constant is rounded to float64 once, at the end."""
    text = f"(assert (and (>= X_0 0) (<= X_0 1) (>= X_1 0) (<= X_1 1) (<= Y_0 {term})))"
    if value is None:
        with pytest.raises(VouchError, match="range of float64"):
            given(text)
        return
    (region,) = given(text).cases[0].regions
    assert (region.rhs.tolist(), region.y_rows[0, 0]) == ([value], 1.0)


def test_coefficients_are_added_up_exactly():
    text = "(assert (and (>= X_0 0) (<= X_0 1) (>= X_1 0) (<= X_1 1)))"
    prop = given(text + "(assert (<= (+ (* 1e17 Y_0) (* 12 Y_0) (* -1e17 Y_0) (* -9 Y_0)) 6))")
    (region,) = prop.cases[0].regions
    assert region.y_rows[0, 0] == 3.0
    # A product with 0 leaves a constant, which may be multiplied by a variable.
    (region,) = given(text + "(assert (<= (* (+ (* 0 Y_0) 2) Y_0) 6))").cases[0].regions
    assert region.y_rows[0, 0] == 2.0
    # Coefficients far from 1 are scaled together; 1e-320 alone would have lost its digits.
    (region,) = given(text + "(assert (<= (* 3e-320 Y_0) (* 6e-320 X_0)))").cases[0].regions
    assert region.x_rows[0, 0] == -2 * region.y_rows[0, 0]
    with pytest.raises(VouchError, match="too far apart"):
        given(text + "(assert (<= (+ (* 1e300 Y_0) (* 1e-300 X_0)) 1))")


def test_bounds_are_the_numbers_of_the_text():
    text = "(assert (and (>= (* 2 X_0) -1) (<= X_0 0.1) (>= X_1 0) (<= (* 3 X_1) 1) (<= Y_0 0)))"
    (case,) = given(text).cases
    assert (case.lower[0], case.upper[0]) == (-0.5, 0.1)
    assert case.upper[1] >= 1 / 3  # a third is no float64: the row says it exactly
    assert case.inputs is not None
