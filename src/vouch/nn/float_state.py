"""What numpy does at the edges of its numbers is the caller's to choose; here it says nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def usual_numbers(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """A function of the library that is not disturbed by `np.seterr(all="raise")` of its caller: bounds pass
    through infinities and through numbers near zero on purpose."""

    @wraps(function)
    def undisturbed(*given: _Given.args, **named: _Given.kwargs) -> _Result:
        with np.errstate(all="ignore"):
            return function(*given, **named)

    return undisturbed
