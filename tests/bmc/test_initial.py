"""What objects hold at first, where paths meet again and again."""

from __future__ import annotations

from typing import Any, cast

import pytest

from vouch.bmc.initial import Initial, Merged, Unknown
from vouch.smt import term as T


@pytest.mark.parametrize("undefined", [False, True])
def test_meetings_of_meetings_are_not_followed_one_by_one(undefined: bool) -> None:
    with T.Session():
        held: Initial = Unknown(undefined=undefined)
        for number in range(200):  # 2^200 paths
            path = T.fresh(f"path{number}", T.BOOL)
            held = Merged(path, Merged(path, held, held), held)
        assert held.lacks is undefined
        assert held.unwritten(cast(Any, None), 0, 4) is (T.TRUE if undefined else T.FALSE)
