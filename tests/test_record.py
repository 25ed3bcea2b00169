"""Records behave as slotted dataclasses do."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from typing import Any

import pytest

from vouch.record import frozen_record, record


@frozen_record
class Point:
    """A place."""

    x: int
    y: int = 2

    def shifted(self, by: int) -> Point:
        return Point(self.x + by, self.y)


@record
class Node:
    label: str
    below: list[int] = field(default_factory=list)
    number: int = field(default=-1, kw_only=True, compare=False, repr=False)


@record
class Leaf(Node):
    point: Point = Point(0)


@dataclass(slots=True)
class DataNode:
    label: str
    below: list[int] = field(default_factory=list)
    number: int = field(default=-1, kw_only=True, compare=False, repr=False)


def test_they_compare_and_hash_by_their_fields() -> None:
    assert Point(1) == Point(x=1, y=2) != Point(1, 3)
    assert hash(Point(1)) == hash(Point(1))
    assert len({Point(1), Point(1, 2), Point(2)}) == 2
    assert Point(1) != (1, 2)
    assert Node("a", number=1) == Node("a", number=2) != Node("b")
    assert Leaf("a") != Node("a")
    assert Point(1).shifted(2) == Point(3)
    with pytest.raises(TypeError):
        hash(Node("a"))


def test_frozen_ones_stay_as_they_are() -> None:
    with pytest.raises(FrozenInstanceError):
        Point(1).x = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del Point(1).x
    changed = Node("a")
    changed.label = "b"
    assert changed.label == "b"


def test_nothing_else_can_be_set() -> None:
    with pytest.raises(AttributeError):
        Node("a").other = 1  # type: ignore[attr-defined]
    assert not hasattr(Point(1), "__dict__")


@pytest.mark.parametrize("given", [{}, {"label": "a", "wrong": 1}])
def test_wrong_arguments_are_errors(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Node(**given)
    with pytest.raises(TypeError):
        Node("a", [], 3)  # type: ignore[misc]


def test_like_dataclasses() -> None:
    mine, theirs = Node("a", number=4), DataNode("a", number=4)
    assert repr(mine) == repr(theirs).replace("DataNode", "Node")
    assert [f.name for f in fields(mine)] == [f.name for f in fields(theirs)]  # type: ignore[arg-type]
    assert replace(mine, label="b") == Node("b")  # type: ignore[type-var]
    assert is_dataclass(mine)
    assert Node.__match_args__ == DataNode.__match_args__
    assert mine.below is not Node("b").below
    assert Point.__doc__ == "A place."


def test_patterns_and_pickles() -> None:
    match Leaf("a", [1], Point(4)):
        case Leaf(label, below, Point(x)):
            assert (label, below, x) == ("a", [1], 4)
        case _:
            pytest.fail("no match")
    for one in (Point(1, 5), Leaf("a", [1], Point(4), number=9)):
        again = pickle.loads(pickle.dumps(one))
        assert again == one
        assert repr(again) == repr(one)
    assert pickle.loads(pickle.dumps(Leaf("a", number=9))).number == 9
