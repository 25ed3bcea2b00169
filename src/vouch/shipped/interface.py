"""How code takes inputs and gives outputs: read off a function's signature, or said by a map."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vouch.errors import VouchError
from vouch.files import read_text

if TYPE_CHECKING:
    from vouch.c.ir import CType, Function, Program

# The types of numbers, and how a program gets any of them.
NONDET = {
    "float": "float",
    "double": "double",
    "signed char": "char",
    "short": "short",
    "int": "int",
}
_INTEGERS = {1: "signed char", 2: "short", 4: "int"}
_SPELLINGS = {"int8_t": "signed char", "int16_t": "short", "int32_t": "int", "char": "signed char"}
IN, OUT = "in", "out"  # the arrays of a harness


@dataclass(frozen=True, slots=True)
class Interface:
    """`kind` is the C type of all numbers, in the arrays `in` and `out` of the harness. `call` are statements
    that read the one and write the other; `declared` is what they need before. An integer n stands for
    n / `unit`, which is 1 for floats."""

    name: str
    kind: str
    call: str
    declared: str
    unit: int = 1

    @property
    def nondet(self) -> str:
        return f"__VERIFIER_nondet_{NONDET[self.kind]}"

    @property
    def integers(self) -> bool:
        return self.kind not in ("float", "double")


@dataclass(frozen=True, slots=True)
class ArraySizes:
    inputs: int
    outputs: int


def fraction_of(format_: str | None) -> int | None:
    """L of K.L."""
    if format_ is None:
        return None
    from vouch.nn.fixed.format import formats_of

    formats = formats_of(format_)
    if len(formats) != 1:
        raise VouchError(f"option --format: one format of inputs and outputs expected, not {format_!r}")
    return formats[0].fraction


def _unit(name: str, kind: str, fraction: int | None) -> int:
    integers = kind not in ("float", "double")
    if integers != (fraction is not None):
        why = "has integers: --format says what they mean" if integers else "has no integers for --format"
        raise VouchError(f"{name} {why}")
    return 1 << (fraction or 0)


# ---------------------------------------------------------------- a map

_LARGEST = 1 << 20  # bytes
_KEYS = {"type": str, "declare": str, "call": str, "inputs": list, "outputs": list}


def mapped(path: str, sizes: ArraySizes, fraction: int | None) -> Interface:
    """A TOML file: `call` (C statements), and what is assigned before it (`inputs`) and read after it
    (`outputs`), as C expressions in the order of the model's; `declare` for variables, `type` of numbers."""
    try:
        given = tomllib.loads(read_text(path, _LARGEST))
    except tomllib.TOMLDecodeError as error:
        raise VouchError(f"option --map: {path}: {error}") from None
    except RecursionError:
        raise VouchError(f"option --map: {path}: nested too deeply") from None
    for key, value in given.items():
        if key not in _KEYS or not isinstance(value, _KEYS[key]):
            wanted = ", ".join(f"{name} ({kind.__name__})" for name, kind in _KEYS.items())
            raise VouchError(f"{path}: {key}: expected are {wanted}")
    if "call" not in given:
        raise VouchError(f"{path}: no call")
    before = _each(path, given, "inputs", sizes.inputs)
    after = _each(path, given, "outputs", sizes.outputs)
    spelled = str(given.get("type", "float"))
    kind = _SPELLINGS.get(spelled, spelled)
    if kind not in NONDET:
        raise VouchError(f"{path}: type: one of float, double and signed integers expected, not {spelled}")
    lines = [f"{target} = {IN}[{n}];" for n, target in enumerate(before)]
    lines.append(str(given["call"]).rstrip().rstrip(";") + ";")
    lines += [f"{OUT}[{n}] = {value};" for n, value in enumerate(after)]
    call = "\n    ".join(lines)
    return Interface(Path(path).name, kind, call, str(given.get("declare", "")), _unit(path, kind, fraction))


def _each(path: str, given: dict[str, Any], key: str, count: int) -> list[str]:
    values = given.get(key, [])
    if key in given and (len(values) != count or not all(isinstance(v, str) for v in values)):
        raise VouchError(f"{path}: {key}: {count} C expressions expected, as many as the model has")
    return list(values)


# ---------------------------------------------------------------- a signature


def interface_of(program: Program, name: str, sizes: ArraySizes, fraction: int | None = None) -> Interface:
    """Pointers (also to arrays) to const numbers are inputs, others outputs; numbers are single inputs, or
    lengths where they come after a pointer; the result is the output where no pointer is."""
    function = program.functions.get(name) or _by_source_name(program, name)
    if function is None or not function.defined:
        raise VouchError(f"option --function: there is no function {name!r} with a body")
    parameters = [_role(program, key) for key in function.parameter_types]
    if any(kind is None for kind, _ in parameters):
        raise VouchError(f"{name}: a parameter is neither a number nor a pointer to numbers; --map says more")
    result = _number(program, function.result_type)
    roles = _with_outputs([role for _, role in parameters], result is not None)
    kinds = {kind for (kind, _), role in zip(parameters, roles, strict=True) if role != "length"}
    if result is not None and "outputs" not in roles:
        kinds.add(result)
    if not kinds:
        raise VouchError(f"{name}: no parameter takes inputs; --map says more")
    if len(kinds) != 1 or not kinds <= NONDET.keys():
        known = ", ".join(sorted(str(kind) for kind in kinds))
        raise VouchError(f"{name}: one type of float, double or signed integers expected, not {known}")
    kind = str(kinds.pop())
    unit = _unit(name, kind, fraction)
    if "inputs" not in roles and "input" not in roles:
        raise VouchError(f"{name}: no parameter takes inputs; --map says more")
    if "outputs" not in roles and result is None:
        raise VouchError(f"{name}: neither a parameter nor the result takes outputs")
    lengths = [kind for (kind, _), role in zip(parameters, roles, strict=True) if role == "length"]
    if {"float", "double"} & set(lengths):
        raise VouchError(f"{name}: numbers beside a pointer to inputs; --map says what they are")
    single = roles.count("input")
    if single and single != sizes.inputs:
        raise VouchError(f"{name} takes {single} numbers, the model {sizes.inputs}")
    returned = result or _enumeration(program, function.result_type) or "void"
    types = [_parameter_type(kind_, role) for (kind_, _), role in zip(parameters, roles, strict=True)]
    call = f"{function.name}({', '.join(_arguments(roles, sizes))});"
    if "outputs" not in roles:
        call = f"{OUT}[0] = {call}"
    return Interface(function.name, kind, call, f"{returned} {function.name}({', '.join(types)});", unit)


def _by_source_name(program: Program, name: str) -> Function | None:
    return next((f for f in program.functions.values() if f.source_name == name and f.defined), None)


def _parameter_type(kind: str | None, role: str) -> str:
    return {"inputs": f"const {kind} *", "outputs": f"{kind} *"}.get(role, str(kind))


def _arguments(roles: list[str], sizes: ArraySizes) -> list[str]:
    found: list[str] = []
    singles = iter(range(sizes.inputs))
    last = "inputs"
    for role in roles:
        match role:
            case "inputs" | "outputs":
                found.append(IN if role == "inputs" else OUT)
                last = role
            case "length":
                found.append(str(sizes.inputs if last == "inputs" else sizes.outputs))
            case _:
                found.append(f"{IN}[{next(singles)}]")
    return found


def _with_outputs(roles: list[str], returns: bool) -> list[str]:
    """Where no pointer is to const, the last one is for outputs, unless the function returns its output.
    Numbers beside a pointer to inputs are lengths."""
    pointers = [n for n, role in enumerate(roles) if role in ("inputs", "outputs")]
    chosen: dict[int, str] = {}
    if len(pointers) > 1 and len({roles[n] for n in pointers}) == 1:
        chosen = dict.fromkeys(pointers[:-1], "inputs") | {pointers[-1]: "outputs"}
    elif len(pointers) == 1 and returns and "input" not in roles[: pointers[0]]:
        chosen = {pointers[0]: "inputs"}
    roles = [chosen.get(n, role) for n, role in enumerate(roles)]
    if "inputs" in roles:
        roles = ["length" if role == "input" else role for role in roles]
    return roles


def _role(program: Program, key: int | None) -> tuple[str | None, str]:
    kind = _number(program, key)
    if kind is not None:
        return kind, "input"
    ctype = _type(program, key)
    if ctype is None or ctype.kind != "pointer":
        return None, ""
    inner = _type(program, ctype.target)
    constant = False
    while inner is not None and inner.kind == "array":
        constant |= "const" in inner.qualifiers
        inner = _type(program, inner.target)
    if inner is None:
        return None, ""
    constant |= "const" in inner.qualifiers
    return _spelled(inner), "inputs" if constant else "outputs"


def _type(program: Program, key: int | None) -> CType | None:
    return None if key is None else program.ctypes.get(key)


def _number(program: Program, key: int | None) -> str | None:
    ctype = _type(program, key)
    return None if ctype is None else _spelled(ctype)


def _enumeration(program: Program, key: int | None) -> str | None:
    ctype = _type(program, key)
    return "int" if ctype is not None and ctype.kind == "enum" and ctype.size == 4 else None


def _spelled(ctype: CType) -> str | None:
    if ctype.kind == "float":
        return {4: "float", 8: "double"}.get(ctype.size)
    if ctype.kind not in ("int", "char"):
        return None
    return _INTEGERS.get(ctype.size, ctype.name) if ctype.signed else ctype.name
