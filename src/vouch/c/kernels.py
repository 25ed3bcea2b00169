"""Kernels in the linked IR, made ready for running the threads of a launch one after the other.

Comes in: IR text in which the CUDA headers marked kernels, shared variables and their own functions by
sections. Goes out: the text without marks, and the names of the functions that are models because they come
from the headers. In a program that launches kernels,

- accesses to memory that threads may share are announced to `__vouch_cuda_access` (`models/kernel.c`);
- shared variables become objects that the model makes for each block;
- a kernel with barriers keeps its variables in a frame that the model gives it, returns at a barrier, and
  goes on behind it when it is called again. Where that cannot be done, the barrier stays a call, which is
  `unknown`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from vouch.c.device_names import guarded
from vouch.c.reader.scan import type_end

_NAME = r'(?:"[^"]*"|[\w.$-]+)'
_FUNCTION = re.compile(rf"^define [^\n]*?@({_NAME})\((?:.|\n)*?^\}}$", re.MULTILINE)
_MARK = re.compile(r' section "vouch_(?:kernel|header)"')
_SHARED = re.compile(
    rf'^@({_NAME}) = [^\n]*?global (.*?), section "vouch_shared"[^\n]*$',
    re.MULTILINE,
)
_CALLED = re.compile(rf"@({_NAME})")
_DEFINED = re.compile(rf"^  (%{_NAME}) = (.*)$")
_LABEL = re.compile(rf"^({_NAME}):")
_DEBUG = re.compile(r", !dbg !\d+")
_LOAD = re.compile(rf"^  %{_NAME} = load (?:volatile )?(.+?), ptr (.+?)(?:, align \d+|, !|$)")
_STORE = re.compile(r"^  store (?:volatile )?(.+), ptr (.+?)(?:, align \d+|, !|$)")
_COPY = re.compile(
    r"^  call void @llvm\.mem(?:cpy|move)\.[\w.]+\(ptr [^%@]*([%@][^,]+), ptr [^%@]*([%@][^,]+), i64 (\d+),"
)
_FILL = re.compile(r"^  call void @llvm\.memset\.[\w.]+\(ptr [^%@]*([%@][^,]+), i8 [^,]+, i64 (\d+),")
# Accesses that are not announced: atomic ones, and copies of as many bytes as the program works out.
_OTHER = re.compile(
    rf"^  (?:%{_NAME} = (?:load atomic|atomicrmw|cmpxchg)|store atomic|"
    r"call void @llvm\.mem(?:cpy|move|set)\.)"
)
_GEP = re.compile(rf"getelementptr (?:inbounds |nuw |nusw )*[^,]+, ptr (%{_NAME}),")
_BARRIER = re.compile(r"^  call void @__syncthreads\(\)")
_ACCESS = re.compile(
    r"(@__vouch_cuda_access\(ptr [^,]+, i64 (?:noundef )?)(\d+)(, i32 (?:noundef )?\d, i32 (?:noundef )?)"
    r"\d+\)"
)
_SIZES = {"float": 4, "double": 8, "ptr": 8, "half": 2}
_FRAME = "%vouch.frame"
_WHERE = "__vouch_cuda_frame"


@dataclass(slots=True)
class _Kernels:
    """What the whole text says: kernels, functions by name, shared variables with their types."""

    functions: dict[str, str]
    kernels: list[str]
    headers: list[str]
    shared: dict[str, str]
    declared: set[str] = field(default_factory=set)


def prepared(text: str) -> tuple[str, frozenset[str]]:
    """See the module's description."""
    if "vouch_" not in text:
        return text, frozenset()
    functions = {match[1]: match.group() for match in _FUNCTION.finditer(text)}
    heads = {name: body.partition("\n")[0] for name, body in functions.items()}
    headers = [name for name, head in heads.items() if 'section "vouch_header"' in head]
    kernels = [name for name, head in heads.items() if 'section "vouch_kernel"' in head]
    text, functions = guarded(text, functions, headers, kernels, _closure)
    shared = {match[1]: match[2][: type_end(match[2])] for match in _SHARED.finditer(text)}
    known = _Kernels(functions, kernels, headers, shared)
    if kernels and "@__vouch_cuda_begin(" in text:
        text = _made_ready(text, known)
    text = text.replace(', section "vouch_shared"', "")
    return _MARK.sub("", text), frozenset(name.strip('"') for name in headers)


def _made_ready(text: str, known: _Kernels) -> str:
    changed = {name: _function(name, known) for name in _reached(known)}
    text = _FUNCTION.sub(lambda match: changed.get(match[1], match.group()), text)
    for name in known.shared:
        text = re.sub(rf"^@{re.escape(name)} = .*\n", "", text, flags=re.MULTILINE)
    for line in sorted(known.declared):
        if line.partition("(")[0] + "(" not in _declarations(text):
            text += line + "\n"
    sizes = [int(match[2]) for match in _ACCESS.finditer(text)]
    grain = 4 if all(size % 4 == 0 for size in sizes) else 1
    return _ACCESS.sub(lambda match: f"{match[1]}{match[2]}{match[3]}{grain})", text)


def _declarations(text: str) -> set[str]:
    return {f"{line.partition('(')[0]}(" for line in re.findall(r"^declare [^\n]*$", text, re.MULTILINE)}


def _reached(known: _Kernels) -> list[str]:
    """Kernels and what they call, but for the functions of the headers."""
    return _closure(known.functions, known.headers, known.kernels)


def _closure(functions: Mapping[str, str], headers: Collection[str], start: list[str]) -> list[str]:
    """Functions and what they call, but for the functions of the headers."""
    seen, work = list(start), list(start)
    while work:
        for name in _CALLED.findall(functions[work.pop()]):
            if name in functions and name not in headers and name not in seen:
                seen.append(name)
                work.append(name)
    return seen


def _function(name: str, known: _Kernels) -> str:
    head, *lines = known.functions[name].split("\n")
    lines.pop()
    lines = _announced(lines, known)
    lines, places = _without_shared(lines, known)
    if name in known.kernels:
        head = re.sub(r"^define (?:dso_local )?(?=(?:noundef )?void)", "define internal ", head)
        if any(_BARRIER.match(line) for line in lines):
            lines = _resumable(lines, places, known) or [*_behind_label(lines, places)]
            return "\n".join((head, *lines, "}"))
    return "\n".join((head, *_behind_label(lines, places), "}"))


def _behind_label(lines: list[str], places: list[str]) -> list[str]:
    """Lines put at the start of the first block."""
    return [lines[0], *places, *lines[1:]] if _LABEL.match(lines[0]) else [*places, *lines]


# ---------------------------------------------------------------- accesses


def _announced(lines: list[str], known: _Kernels) -> list[str]:
    private = _private(lines)
    out: list[str] = []
    for line in lines:
        for pointer, size, kind in _accesses(line):
            if pointer in private:
                continue
            debug = _DEBUG.search(line)
            place = debug.group() if debug is not None else ""
            if size == 0:
                known.declared.add("declare void @__vouch_unsupported()")
                out.append(f"  call void @__vouch_unsupported(){place}")
                continue
            known.declared.add("declare void @__vouch_cuda_access(ptr, i64, i32, i32)")
            where = f"ptr {pointer}, i64 {size}, i32 {kind}, i32 1"
            out.append(f"  call void @__vouch_cuda_access({where}){place}")
        out.append(line)
    return out


def _private(lines: list[str]) -> set[str]:
    """Registers that point into variables of the function itself."""
    found: set[str] = set()
    for line in lines:
        match = _DEFINED.match(line)
        if match is None:
            continue
        base = _GEP.match(match[2])
        if match[2].startswith("alloca ") or (base is not None and base[1] in found):
            found.add(match[1])
    return found


def _accesses(line: str) -> list[tuple[str, int, int]]:
    """Pointer, bytes (0: not known) and kind (0 read, 1 write) of what an instruction accesses."""
    if match := _LOAD.match(line):
        return [(match[2], _size(match[1]), 0)]
    if match := _STORE.match(line):
        return [(match[2], _size(match[1][: type_end(match[1])]), 1)]
    if match := _COPY.match(line):
        return [(match[2], int(match[3]), 0), (match[1], int(match[3]), 1)]
    if match := _FILL.match(line):
        return [(match[1], int(match[2]), 1)]
    return [("", 0, 0)] if _OTHER.match(line) else []


def _size(kind: str) -> int:
    """Bytes of a scalar, or of a vector or array of them; 0 for others."""
    if kind in _SIZES:
        return _SIZES[kind]
    if kind[0] == "i" and kind[1:].isdecimal():
        return (int(kind[1:]) + 7) // 8
    many = re.fullmatch(r"[<\[](\d+) x (.+)[>\]]", kind)
    return int(many[1]) * _size(many[2]) if many is not None else 0


# ---------------------------------------------------------------- shared variables


def _without_shared(lines: list[str], known: _Kernels) -> tuple[list[str], list[str]]:
    """The lines with registers in place of shared variables, and the lines that define those."""
    used: dict[str, str] = {}
    out: list[str] = []
    for line in lines:
        for name in dict.fromkeys(_CALLED.findall(line)):
            if name not in known.shared or line.lstrip().startswith("#dbg"):
                continue
            number = list(known.shared).index(name)
            register = used.setdefault(name, f"%vouch.shared.{number}.{_own_name(name)}")
            line = _replaced(line, name, register, out)
        out.append(line)
    places = []
    for name, register in used.items():
        kind = known.shared[name]
        size = (
            "-1"
            if kind.startswith("[0 x ")
            else f"ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)"
        )
        number = list(known.shared).index(name)
        places.append(f"  {register} = call ptr @__vouch_cuda_shared(i32 {number}, i64 {size})")
        known.declared.add("declare ptr @__vouch_cuda_shared(i32, i64)")
    return out, places


def _own_name(name: str) -> str:
    """What the program calls a variable that is static in a function."""
    match = re.search(r"E(\d+)([A-Za-z_]\w*)$", name)
    while match and len(match[2]) != int(match[1]):  # one inside another: the last of them
        match = re.search(r"E(\d+)([A-Za-z_]\w*)$", match[2])
    return match[2] if match else name


def _replaced(line: str, name: str, register: str, out: list[str]) -> str:
    """Constant addresses inside the variable become instructions in front of the line."""
    pattern = re.compile(
        rf"getelementptr ((?:inbounds |nuw |nusw )*)\(([^()]*?ptr @{re.escape(name)}(?![\w.$-])[^()]*)\)"
    )
    while match := pattern.search(line):
        made = f"%vouch.at.{len(out)}"
        inner = match[2].replace(f"@{name}", register)
        out.append(f"  {made} = getelementptr {match[1]}{inner}")
        line = line[: match.start()] + made + line[match.end() :]
        out.append("")
    return re.sub(rf"@{re.escape(name)}(?![\w.$-])", register, line)


# ---------------------------------------------------------------- barriers


def _resumable(lines: list[str], places: list[str], known: _Kernels) -> list[str] | None:
    """The body of a kernel that goes on where it stopped, None where it cannot be made."""
    kinds: dict[str, str] = {}
    for line in lines:
        match = _DEFINED.match(line)
        if match is not None and match[2].startswith("alloca "):
            made = re.fullmatch(r"alloca ([^,]+|\[.*?\]|%[^,]+|\{.*?\}), align \d+(?:, !dbg !\d+)?", match[2])
            if made is None:
                return None
            kinds[match[1]] = made[1]
    if not _LABEL.match(lines[0]) or _crosses(lines):
        return None
    frame = "{ i32" + "".join(f", {kind}" for kind in kinds.values()) + " }"
    start = [lines[0]]
    size = f"ptrtoint (ptr getelementptr ({frame}, ptr null, i32 1) to i64)"
    start.append(f"  {_FRAME} = call ptr @{_WHERE}(i64 {size})")
    known.declared.add(f"declare ptr @{_WHERE}(i64)")
    for number, register in enumerate(kinds, 1):
        start.append(f"  {register} = getelementptr inbounds {frame}, ptr {_FRAME}, i32 0, i32 {number}")
    body, ends, count = _split_at_barriers(lines[1:], kinds, _LABEL.match(lines[0])[1])  # type: ignore[index]
    cases = [f"    i32 {n}, label %vouch.resume.{n}" for n in range(1, count + 1)]
    start += [*places, f"  %vouch.state = load i32, ptr {_FRAME}, align 4"]
    start += ["  switch i32 %vouch.state, label %vouch.begin [", *cases, "  ]", "vouch.begin:"]
    return [*start, *(_phi(line, ends) for line in body)]


def _split_at_barriers(
    lines: list[str], kinds: dict[str, str], first: str
) -> tuple[list[str], dict[str, str], int]:
    """The body with a way out at each barrier; the label in which each block now ends; how many barriers."""
    out: list[str] = []
    label, ends, count = first, {first: "vouch.begin"}, 0
    for line in lines:
        match = _LABEL.match(line)
        defined = _DEFINED.match(line)
        if match is not None:
            label = match[1]
        if defined is not None and defined[1] in kinds:
            continue
        if "@llvm.lifetime." in line and any(_mentions(line, register) for register in kinds):
            continue
        if _BARRIER.match(line):
            count += 1
            out += [f"  store i32 {count}, ptr {_FRAME}, align 4", "  ret void", f"vouch.resume.{count}:"]
            ends[label] = f"vouch.resume.{count}"
            continue
        if line.startswith("  ret void"):
            out.append(f"  store i32 -1, ptr {_FRAME}, align 4")
        out.append(line)
    return out, ends, count


def _mentions(line: str, register: str) -> bool:
    return re.search(rf"{re.escape(register)}(?![\w.$-])", line) is not None


def _phi(line: str, ends: dict[str, str]) -> str:
    if " = phi " not in line:
        return line
    return re.sub(rf"%({_NAME}) \]", lambda match: f"%{ends.get(match[1], match[1])} ]", line)


def _crosses(lines: list[str]) -> bool:
    """Whether a value that is no variable may be used behind a barrier that its definition lies before: a
    barrier stands, in the text, between the two."""
    made: dict[str, int] = {}
    passed = 0  # barriers
    for line in lines:
        passed += _BARRIER.match(line) is not None
        match = _DEFINED.match(line)
        for register in re.findall(rf"%{_NAME}", match[2] if match is not None else line):
            if made.get(register, passed) != passed:
                return True
        if match is not None and not match[2].startswith("alloca "):
            made[match[1]] = passed
    return False
