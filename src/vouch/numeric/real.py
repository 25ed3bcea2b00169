"""The math library of this machine: what its functions really return.

The engine knows ranges and special cases of these functions; a native run wants the numbers. The program is
linked with no library, so vouch calls the functions for it: a run that comes to a call whose result it was
not given ends with the question, and is started again with the answer
(bmc/replay/replayer.py). Exhaustion calls them itself.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
import struct
from functools import cache

_ONE = frozenset(
    {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"}
    | {"exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "cbrt", "erf", "erfc", "tgamma"}
)
_TWO = frozenset({"pow", "atan2", "hypot", "remainder", "nextafter"})
_SCALING = frozenset({"ldexp", "scalbn"})
_KINDS = {"double": (ctypes.c_double, "<d"), "float": (ctypes.c_float, "<f"), "i32": (ctypes.c_int32, "<i")}

Shape = tuple[str, tuple[str, ...]]


def shape(name: str) -> Shape | None:
    """Result and parameters of a function that `call` knows, as IR spells their types."""
    single = name.endswith("f") and name not in ("erf",)
    base, kind = (name[:-1], "float") if single else (name, "double")
    if base in _ONE:
        parameters: tuple[str, ...] = (kind,)
    elif base in _TWO:
        parameters = (kind, kind)
    elif base in _SCALING:
        parameters = (kind, "i32")
    else:
        return None
    return (kind, parameters) if library() is not None and hasattr(library(), name) else None


def call(name: str, arguments: tuple[int, ...]) -> int | None:
    """The bits of the result for the bits of the arguments; None for a function that is not known."""
    known, loaded = shape(name), library()
    if known is None or loaded is None:
        return None
    function = getattr(loaded, name)
    result, parameters = known
    function.restype = _KINDS[result][0]
    function.argtypes = [_KINDS[kind][0] for kind in parameters]
    values = [_value(kind, bits) for kind, bits in zip(parameters, arguments, strict=False)]
    return int.from_bytes(struct.pack(_KINDS[result][1], function(*values)), "little")


def _value(kind: str, bits: int) -> float | int:
    code = _KINDS[kind][1]
    size = struct.calcsize(code)
    value: float | int = struct.unpack(code, (bits & ((1 << 8 * size) - 1)).to_bytes(size, "little"))[0]
    return value


@cache
def library(everywhere: bool = False) -> ctypes.CDLL | None:
    """The library; `everywhere` makes its functions known to what is loaded later."""
    name = ctypes.util.find_library("m")
    mode = ctypes.RTLD_GLOBAL if everywhere else ctypes.DEFAULT_MODE
    try:
        return ctypes.CDLL(name, mode) if name else None
    except OSError:
        return None


@cache
def described() -> str:
    """Which library that is, as an assumption."""
    name, version = platform.libc_ver()
    return f"the math library of this machine{f' ({name} {version})' if name else ''}"


def is_like(name: str) -> bool:
    """Is the library of this machine the one of that name?"""
    own = platform.libc_ver()[0] or ("musl" if ctypes.util.find_library("musl") else "")
    return own == name and library() is not None
