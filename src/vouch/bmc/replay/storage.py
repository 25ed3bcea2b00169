"""Global variables, moved into one large object with wide gaps, so that running out of one is noticed.

The variables' own names become aliases into it. What they hold at the start is kept as an image that the
runtime copies there.
"""

from __future__ import annotations

import re
from dataclasses import field

from vouch.bmc.replay.emit import allocated_size
from vouch.bmc.replay.text import ModuleText, Unreplayable, split, type_end
from vouch.c.reader.scan import unquoted
from vouch.record import record

_DEFINITION = re.compile(r"(?P<lead>.*?)\b(?P<kind>global|constant) (?P<rest>.*)$", re.DOTALL)
_OPAQUE = re.compile(r"(%\S+) = type opaque")
_DROPPED = ("llvm.global_ctors", "llvm.global_dtors", "llvm.used", "llvm.compiler.used")
# Data of the sanitizer's handlers, which have nothing to report here.
_DESCRIPTORS = ("{ { ptr, i32, i32 }", "{ i16, i16, [")
_PAGE = 4096
_OPEN_SIZE = 1 << 16  # for extern arrays without a size


@record
class Storage:
    """`order` gives each variable's number by name."""

    lines: list[str] = field(default_factory=list)
    order: dict[str, int] = field(default_factory=dict)


@record
class _Variable:
    spelled: str
    type: str
    size: str
    image: str | None
    constant: bool


def lay_out(module: ModuleText, pointer_bits: int) -> Storage:
    storage = Storage()
    opaque = {match[1] for line in module.preamble if (match := _OPAQUE.match(line))}
    variables = []
    for spelled, text in module.globals.items():
        if unquoted(spelled) in _DROPPED:
            continue
        made = _variable(spelled, text, opaque)
        if made is None:
            storage.lines.append(f"@{spelled} = {text}")
        else:
            variables.append(made)
    total = (256 << 20) if pointer_bits == 64 else (48 << 20)
    pages = max(1, min(255, total // _PAGE // (len(variables) + 1))) | 1
    _emit(storage, variables, pages * _PAGE)
    return storage


def _variable(spelled: str, text: str, opaque: set[str]) -> _Variable | None:
    """None for what stays as it is: aliases and the sanitizer's data."""
    match = _DEFINITION.match(text)
    words = match["lead"].split() if match else text.split()
    if "alias" in words:
        return None
    if match is None or "ifunc" in words:
        raise Unreplayable(f"the global {spelled} is of a kind that cannot be moved")
    rest = match["rest"]
    end = type_end(rest)
    kind, value = rest[:end], split(rest[end:].strip())
    initial = value[0] if value and not _is_property(value[0]) else None
    if kind.startswith(_DESCRIPTORS) and "private" in words:
        return None
    size = allocated_size(kind)
    if kind in opaque or (initial is None and re.match(r"\[0 x ", kind)):
        kind, size = f"[{_OPEN_SIZE} x i8]", str(_OPEN_SIZE)
    image = None if initial in (None, "zeroinitializer", "undef", "poison") else initial
    return _Variable(spelled, kind, size, image, match["kind"] == "constant" and initial is not None)


def _is_property(text: str) -> bool:
    return (
        text == ""
        or re.match(r"(align \d|section \"|comdat|partition|no_sanitize|code_model)", text) is not None
    )


def _emit(storage: Storage, variables: list[_Variable], gap: int) -> None:
    pad = f"[{gap} x i8]"
    fields, rows = [pad], []
    out = storage.lines
    for number, variable in enumerate(variables):
        storage.order[unquoted(variable.spelled)] = number
        fields += ["[0 x i128]", variable.type, pad]  # nothing of i128's alignment: starts well aligned
        image = "null"
        if variable.image is not None:
            image = f"@__replay_image.{number}"
            out.append(f"{image} = internal constant {variable.type} {variable.image}, align 16")
        rows.append(
            f"{{ ptr, i64, ptr, i64 }} {{ ptr @{variable.spelled}, i64 {variable.size}, ptr {image}, "
            f"i64 {int(variable.constant)} }}"
        )
    out.append(f"%__replay_storage = type {{ {', '.join(fields)} }}")
    out.append("@__replay_storage = internal global %__replay_storage zeroinitializer, align 4096")
    for number, variable in enumerate(variables):
        at = f"getelementptr (%__replay_storage, ptr @__replay_storage, i32 0, i32 {3 * number + 2})"
        out.append(f"@{variable.spelled} = internal alias {variable.type}, ptr {at}")
    count = len(variables)
    out.append(f"@__replay_globals = global [{count} x {{ ptr, i64, ptr, i64 }}] [{', '.join(rows)}]")
    out.append(f"@__replay_global_count = constant i32 {count}")
