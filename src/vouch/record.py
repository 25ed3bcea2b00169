"""Classes with fields, as `dataclass(slots=True)` makes them, where there are many of them.

`dataclasses` compiles up to six functions for each class at every start, a millisecond in all; the records of
the IR would take longer than the check of a small file. Here only what is called often is compiled, and that
when it is called for the first time; the rest is shared.
Fields are declared in the same way, with `dataclasses.field` where a default is not enough.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

_METHODS = ("__init__",)
_FROZEN_METHODS = ("__init__", "__eq__", "__hash__")
_MADE_ANEW = ("__dict__", "__weakref__")
_Class = TypeVar("_Class", bound=type)


@dataclass_transform(field_specifiers=(field,))
def record(cls: _Class) -> _Class:
    """A class with slots, compared by its fields."""
    return _made(cls, frozen=False)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen_record(cls: _Class) -> _Class:
    """The same; its fields cannot be set, and it has a hash."""
    return _made(cls, frozen=True)


def _made(cls: _Class, frozen: bool) -> _Class:
    own = _own_fields(cls)
    fields = {**_inherited(cls), **own}
    space = {name: value for name, value in vars(cls).items() if name not in {*own, *_MADE_ANEW}}
    space["__slots__"] = tuple(own)
    space["__qualname__"] = cls.__qualname__
    space["__dataclass_fields__"] = fields
    space["__match_args__"] = tuple(name for name, item in fields.items() if not item.kw_only)
    shared: dict[str, Any] = {"__eq__": _equal, "__hash__": None, "__repr__": _repr, "__reduce__": _reduce}
    if frozen:
        shared |= {"__setattr__": _refuse, "__delattr__": _refuse}
    made: Any = type(cls)(cls.__name__, cls.__bases__, {**shared, **space})
    made.__record_values__ = _getter([name for name, item in fields.items() if item.compare])
    for name in _FROZEN_METHODS if frozen else _METHODS:
        if name not in space:
            setattr(made, name, _later(made, name, fields, frozen))
    return made  # type: ignore[no-any-return]


def _later(cls: type, name: str, fields: dict[str, Field[Any]], frozen: bool) -> Callable[..., Any]:
    """A method that is compiled when it is called for the first time; most never are in a small run."""

    def first(*given: Any, **named: Any) -> Any:
        function = _compiled(cls, name, fields, frozen)
        setattr(cls, name, function)
        return function(*given, **named)

    return first


def _own_fields(cls: type) -> dict[str, Field[Any]]:
    found: dict[str, Field[Any]] = {}
    for name in vars(cls).get("__annotations__", ()):
        default = cls.__dict__.get(name, MISSING)
        if not isinstance(default, Field):
            default = field(default=default)
        if default.kw_only is MISSING:
            default.kw_only = False
        default.name = name
        default._field_type = dataclasses._FIELD  # type: ignore[attr-defined]  # for `replace` and `fields`
        found[name] = default
    return found


def _inherited(cls: type) -> dict[str, Field[Any]]:
    bases = (vars(base) for base in cls.__mro__[1:])
    return next((base["__dataclass_fields__"] for base in bases if "__dataclass_fields__" in base), {})


def _getter(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else _nothing


def _nothing(self: Any) -> Any:
    return ()


def _compiled(cls: type, name: str, fields: dict[str, Field[Any]], frozen: bool) -> Callable[..., Any]:
    space: dict[str, Any] = {"__builtins__": {}, "hash": hash, "missing": NotImplemented}
    compared = [field for field, item in fields.items() if item.compare]
    if name == "__init__":
        text = _initialiser(cls, fields, frozen, space)
    elif name == "__eq__":
        same = " and ".join(f"self.{field} == other.{field}" for field in compared) or "True"
        text = f"def __eq__(self, other):\n return ({same}) if self.__class__ is other.__class__ else missing"
    else:
        values = "".join(f"self.{field}, " for field in compared)
        text = f"def __hash__(self):\n return hash((self.__class__, {values}))"
    exec(text, space)
    function: Callable[..., Any] = space[name]
    return function


def _initialiser(cls: type, fields: dict[str, Field[Any]], frozen: bool, space: dict[str, Any]) -> str:
    """The text of `__init__`; what it refers to goes into `space`."""
    plain: list[str] = []
    named: list[str] = []
    body: list[str] = []
    for name, item in fields.items():
        given, value = name, name
        if item.default is not MISSING:
            space[f"_d_{name}"], given = item.default, f"{name}=_d_{name}"
        elif item.default_factory is not MISSING:
            space[f"_f_{name}"], given = item.default_factory, f"{name}=None"
            value = f"_f_{name}() if {name} is None else {name}"
        (named if item.kw_only else plain).append(given)
        if frozen:
            space[f"_s_{name}"] = getattr(cls, name).__set__
            body.append(f"_s_{name}(self, {value})")
        else:
            body.append(f"self.{name} = {value}")
    parameters = ", ".join(["self", *plain, *(["*", *named] if named else [])])
    return f"def __init__({parameters}):\n " + ("\n ".join(body) or "pass")


# ---------------------------------------------------------------- shared by all records


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = self.__record_values__
    return values(self) == values(other)


def _repr(self: Any) -> str:
    fields = self.__dataclass_fields__.items()
    shown = (f"{name}={getattr(self, name)!r}" for name, item in fields if item.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _reduce(self: Any) -> tuple[Any, ...]:
    values = {name: getattr(self, name) for name in self.__dataclass_fields__}
    return _remade, (self.__class__, values)


def _remade(cls: type, values: dict[str, Any]) -> Any:
    return cls(**values)


def _refuse(self: Any, name: str, value: object = None) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")
