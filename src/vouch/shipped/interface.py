"""How a function of shipped C takes inputs and gives outputs, read off its signature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vouch.errors import VouchError

if TYPE_CHECKING:
    from vouch.c.ir import CType, Function, Program


@dataclass(frozen=True, slots=True)
class Interface:
    """How the function takes inputs and gives outputs. `kind` is the C type of all numbers; `arguments` says
    for each parameter whether it is the "inputs" pointer, the "outputs" pointer or one "input". An integer n
    stands for n / `unit`, which is 1 for floats."""

    function: str
    kind: str
    arguments: tuple[str, ...]
    returns: bool
    unit: int = 1

    @property
    def nondet(self) -> str:
        return f"__VERIFIER_nondet_{_NONDET[self.kind]}"

    @property
    def integers(self) -> bool:
        return self.kind not in ("float", "double")


# The types of numbers, and how a program gets any of them.
_NONDET = {
    "float": "float",
    "double": "double",
    "signed char": "char",
    "short": "short",
    "int": "int",
}
_INTEGERS = {1: "signed char", 2: "short", 4: "int"}


def interface_of(program: Program, name: str, fraction: int | None = None) -> Interface:
    """Read off the signature: pointers (also to arrays) to const numbers are inputs, others outputs; numbers
    are single inputs; the result is the output where no pointer is."""
    function = program.functions.get(name) or _by_source_name(program, name)
    if function is None or not function.defined:
        raise VouchError(f"option --function: there is no function {name!r} with a body")
    kinds: set[str] = set()
    arguments = []
    for key in function.parameter_types:
        kind, role = _role(program, key)
        if kind is None:
            raise VouchError(f"{name}: a parameter is neither a number nor a pointer to numbers")
        kinds.add(kind)
        arguments.append(role)
    result = _number(program, function.result_type)
    arguments = _with_outputs(arguments, result is not None)
    if result is not None and "outputs" not in arguments:
        kinds.add(result)
    if len(kinds) != 1 or not kinds <= _NONDET.keys():
        known = ", ".join(sorted(kinds))
        raise VouchError(f"{name}: one type of float, double or signed integers expected, not {known}")
    integers = not kinds <= {"float", "double"}
    if integers != (fraction is not None):
        why = "has integers: --format says what they mean" if integers else "has no integers for --format"
        raise VouchError(f"{name} {why}")
    if "inputs" not in arguments and "input" not in arguments:
        raise VouchError(f"{name}: no parameter takes inputs")
    if "outputs" not in arguments and result is None:
        raise VouchError(f"{name}: neither a parameter nor the result takes outputs")
    unit = 1 << (fraction or 0)
    return Interface(function.name, kinds.pop(), tuple(arguments), "outputs" not in arguments, unit)


def _by_source_name(program: Program, name: str) -> Function | None:
    return next((f for f in program.functions.values() if f.source_name == name and f.defined), None)


def _with_outputs(arguments: list[str], returns: bool) -> list[str]:
    """Where no pointer is to const, the last one is for outputs, unless the function returns its output."""
    pointers = [n for n, role in enumerate(arguments) if role in ("inputs", "outputs")]
    if len(pointers) > 1 and len({arguments[n] for n in pointers}) == 1:
        roles = dict.fromkeys(pointers[:-1], "inputs") | {pointers[-1]: "outputs"}
        return [roles.get(n, role) for n, role in enumerate(arguments)]
    if len(pointers) == 1 and returns:
        return ["inputs" if n in pointers else role for n, role in enumerate(arguments)]
    return arguments


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


def _spelled(ctype: CType) -> str | None:
    if ctype.kind == "float":
        return {4: "float", 8: "double"}.get(ctype.size)
    if ctype.kind not in ("int", "char"):
        return None
    return _INTEGERS.get(ctype.size, ctype.name) if ctype.signed else ctype.name
