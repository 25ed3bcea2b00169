"""Code for single steps of a straight run: what each of them does, with what is known already left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vouch.bmc import arithmetic, decoded, intrinsics
from vouch.bmc.decoded import Fast, operand_of
from vouch.bmc.execution import Execution, Phase
from vouch.bmc.value import Pointer
from vouch.c import ir
from vouch.c.checks.base import Check, Trigger
from vouch.c.flow.order import Flow
from vouch.smt import term as T
from vouch.smt.term import Term

DONE = -1  # the block has ended


Opened = tuple[str, str, str]  # variables with the condition, the object and the offset of a pointer


class StepWriter:
    """`_put` collects lines; `private` are registers that only the function's own variables need to hold."""

    def __init__(self, ex: Execution, flow: Flow) -> None:
        self.ex, self.flow = ex, flow
        self.lines: list[str] = []
        self.given: dict[str, Any] = dict(_GIVEN)
        self.given |= {"ex": self.ex, "mem": self.ex.memory, "held": self.ex.held}
        self.given |= {"violated": self.ex.last_violation, "holds": self.ex.holds}
        self.given["write"] = self.ex.memory.write
        self.private: set[str] = set()
        self.variables: dict[str, str] = {}  # registers that are in variables of the function
        self.made = 0
        self.kinds: dict[str, type] = {}
        self.pairs: dict[str, tuple[str, str]] = {}  # registers with a number and whether it overflowed
        self.addresses: set[str] = set()  # of the private ones: pointers that only lead to loads and stores
        self.open: dict[str, Opened] = {}  # registers of these, which are in their parts only
        self.parts: dict[str, Opened] = {}  # variables with pointers that were looked into
        self.places: dict[tuple[str, str], int] = {}  # objects and offsets: how many bytes are known there
        self.extended: dict[tuple[str, str, int], str] = {}  # numbers in more bits
        self.loaded: dict[tuple[str, ir.Type], str] = {}
        self.kept: list[str] = []  # registers that are in variables only
        self.now = 0  # the step that is written
        entry = next(iter(self.flow.function.blocks.values()))
        self.own = {i.result for i in entry.instructions if isinstance(i, ir.Alloca)}

    def _put(self, *lines: str) -> None:
        self.lines += lines

    def _unless(self, condition: str) -> None:
        """Write back what is in variables only and leave the rest to the steps, where it does not hold."""
        self._put(f"if not ({condition}): back(locals(), {len(self.kept)}); return {self.now}")

    def _bits(self, operand: ir.Operand) -> int:
        """Of a number; 0 for anything else."""
        type_ = self.ex.context.type_of(operand)
        return type_.bits if isinstance(type_, ir.IntType) else 0

    def _variable(self, register: str) -> str:
        self.made += 1
        self.variables[register] = f"v{self.made}"
        return self.variables[register]

    def _name(self, value: Any) -> str:
        name = f"c{len(self.given)}"
        self.given[name] = value
        return name

    def _operand(self, operand: ir.Operand, kind: type | None) -> str:
        """The variable that holds an operand, which is of a kind then."""
        found = operand_of(self.ex, operand)
        assert found is not None
        name, value = found
        if not name:
            constant = self._name(value)
            if kind is not None and type(value) is not kind:
                self._unless("False")
            return constant
        variable = self.variables.get(name)
        if variable is None and name in self.open:
            variable, (condition, target, place) = self._variable(name), self.open[name]
            offset = f"bv({place}, {self.ex.context.pointer_bits})"
            self._put(f"{variable} = Pointer((({condition}, {target}, {offset}),))")
            self.kinds[name] = Pointer
        elif variable is None:
            variable = self._variable(name)
            own = self._name(name)
            fixed = f"fixed.get({own})"
            plain = f"registers.get({own}) or {fixed}"
            self._put(f"{variable} = {fixed if name in self.flow.fixed else plain}")
        if kind is not None and self.kinds.get(name) is not kind:
            self._unless(f"type({variable}) is {kind.__name__}")
            self.kinds[name] = kind
        return variable

    def _result(self, i: ir.Instruction, kind: type | None) -> str:
        """The variable for a result; `_written` after it was assigned."""
        assert i.result is not None
        self.kinds.pop(i.result, None)
        if kind is not None:
            self.kinds[i.result] = kind
        return self._variable(i.result)

    def _written(self, i: ir.Instruction) -> None:
        assert i.result is not None
        if i.result in self.private:
            self.kept.append(i.result)
        else:
            self._put(f"registers[{self._name(i.result)}] = {self.variables[i.result]}")

    def _hold(self, checks: Sequence[Check]) -> None:
        for check in checks:
            own, name = self._name(check), self._name(check.id)
            self._put(f"if held.get({name}) is reached: violated[{name}] = FALSE")
            self._put(f"else: holds({own}, state)")

    def _plainly(self, i: ir.Instruction, fast: Fast) -> None:
        """By the step itself."""
        own = self._name(fast)
        self._put(f"done = {own}(frame, state)", "if done is None: return DONE")
        self._unless("done")
        if i.result is not None:
            self.variables.pop(i.result, None)
            self.kinds.pop(i.result, None)
        for name in self.variables.keys() & self.flow.fixed:  # whose lives may begin in another place
            del self.variables[name]
            self.kinds.pop(name, None)
        self.loaded.clear()
        self.places.clear()

    # ------------------------------------------------------------ memory

    def _opened(self, operand: ir.Operand) -> Opened:
        """A pointer to one known place, in its parts."""
        name = operand.name if isinstance(operand, ir.Register) else ""
        if name in self.open:
            return self.open[name]
        pointer = self._operand(operand, Pointer)
        known = self.parts.get(pointer)
        if known is None:
            self.made += 1
            known = self.parts[pointer] = f"g{self.made}", f"t{self.made}", f"a{self.made}"
            self._unless(f"len({pointer}.targets) == 1")
            self._put(f"{known[0]}, {known[1]}, o = {pointer}.targets[0]", f"{known[2]} = o.value")
            self._unless(f"{known[2]} is not None")
        return known

    def _place(self, operand: ir.Operand, size: int, *, written: bool) -> tuple[str, str]:
        """Variables with the object and the place in it that a pointer leads to: an object of the program's
        own, alive, and large enough."""
        _, target, place = self._opened(operand)
        known = self.places.get((target, place))
        if known is None:
            self._put(f"n = {target}.size")
            self._unless(f"not {target}.dead and {target}.kind in PLAIN")
            self._unless(f"type(n) is int and {place} <= n - {size}")
        elif size > known:
            self._unless(f"{place} <= {target}.size - {size}")
        self.places[target, place] = max(size, known or 0)
        if written:
            self._unless(f"not {target}.constant")
        return target, place

    def _load(self, i: ir.Load) -> None:
        checks = decoded.claimed(self.ex, i) or ()
        size, sort = self.ex.context.layouts.store_size(i.type), decoded.sort_of(self.ex, i.type)
        known = self.loaded.get((self._source(i.pointer), i.type))
        written = any(check.trigger is Trigger.UNINITIALISED for check in checks)
        if known is not None and not written:
            self._result(i, Pointer if sort is None else Term)
            self.variables[i.result or ""] = known
        else:
            target, place = self._place(i.pointer, size, written=any(check.written for check in checks))
            result, type_ = self._result(i, Pointer if sort is None else Term), self._name(i.type)
            self._put(f"c = memory.get({target})", "if c is None:")
            self._put(f"    {result} = initially(mem, {target}, {place}, {size}, {type_})", "else:")
            self._put(f"    e = c.cells.get({place})")
            sure = " and e[2] is FALSE" if written else ""
            sure = f"e is not None and e[0] == {size} and c.alive is TRUE{sure}"
            self._put(f"    {result} = e[1] if {sure} else None")
            if sort is None:
                self._unless(f"type({result}) is Pointer")
            else:
                self._unless(f"type({result}) is Term and {result}.sort is {self._name(sort)}")
            if self._source(i.pointer):
                self.loaded[self._source(i.pointer), i.type] = result
        if checks:
            self._put(f"equation.visited.add({self._name(i.number)})")
            self._hold(checks)
        self._written(i)

    def _source(self, pointer: ir.Operand) -> str:
        """The variable of the function under test that is read or written, or nothing."""
        return pointer.name if isinstance(pointer, ir.Register) and pointer.name in self.own else ""

    def _store(self, i: ir.Store) -> None:
        checks, type_ = decoded.claimed(self.ex, i) or (), self.ex.context.type_of(i.value)
        size = self.ex.context.layouts.store_size(type_)
        value = self._operand(i.value, Term)
        target, place = self._place(i.pointer, size, written=True)
        kind = self._name(type_)
        self._put(f"c = memory.get({target})")
        self._unless("c is None or c.alive is TRUE")
        if checks:
            self._put(f"equation.visited.add({self._name(i.number)})")
            self._hold(checks)
        written = f"write({target}, c, {place}, {kind}, {value}, FALSE, state.token)"
        self._put("if c is not None and c.token is state.token:")
        self._put(f"    e = c.cells.get({place})")
        self._put(f"    if e is not None and e[0] == {size}: c.cells[{place}] = ({size}, {value}, FALSE)")
        self._put(f"    else: {written}", f"else: memory[{target}] = {written}")
        after = self._name(decoded.after_store(self.ex, i, type_))
        self._put(f"{after}(frame, state, {target}, {place}, {value})")
        own = self._source(i.pointer)
        self.loaded = {key: v for key, v in self.loaded.items() if own and key[0] != own}

    def _address(self, i: ir.GetElementPtr) -> None:
        opened = self._opened(i.base) if i.result in self.addresses else None
        base = "" if opened is not None else self._operand(i.base, Pointer)
        total, bits = self._offset(i), self.ex.context.pointer_bits
        if opened is not None:
            assert i.result is not None
            self.made += 1
            self._put(f"a{self.made} = ({opened[2]} + {total}) & {(1 << bits) - 1}")
            self.open[i.result] = opened[0], opened[1], f"a{self.made}"
            self.kept.append(i.result)
            return
        result = self._result(i, Pointer)
        self._put(f"n = {total}", f"s = {base}.targets")
        self._put(f"if n == 0: {result} = {base}")
        self._put("elif len(s) == 1 and s[0][2].value is not None:")
        self._put(f"    {result} = Pointer(((s[0][0], s[0][1], bv(s[0][2].value + n, {bits})),))")
        self._put(f"else: {result} = {base}.shifted(bv(n, {bits}))")
        self._written(i)

    def _offset(self, i: ir.GetElementPtr) -> str:
        """How far an address is from its base, as an expression of known numbers."""
        fixed, scaled = decoded.offsets(self.ex, i)
        registers = {o.name: o for o in i.indices if isinstance(o, ir.Register)}
        total = [str(fixed)] if fixed or not scaled else []
        for name, size in scaled:
            index, width = self._operand(registers[name], Term), self._bits(registers[name])
            number = f"m{len(total)}"
            self._put(f"{number} = {index}.value")
            self._unless(f"{number} is not None")
            total.append(f"({number} - {1 << width} if {number} >> {width - 1} else {number}) * {size}")
        return " + ".join(total)

    # ------------------------------------------------------------ arithmetic

    # ------------------------------------------------------------ arithmetic

    def _binary(self, i: ir.Binary) -> None:
        p, q = self._operand(i.left, Term), self._operand(i.right, Term)
        if isinstance(i.type, ir.IntType) and i.type.bits == 1:
            self._on_bits(i, p, q)
            return
        operation = self._name(arithmetic.FLOAT.get(i.op) or arithmetic.INTEGER.get(i.op))
        result = self._result(i, Term)
        sign = _SIGNS.get(i.op)
        if sign is not None and isinstance(i.type, ir.IntType):
            self._put(f"m = {p}.value", f"n = {q}.value")
            self._put(f"if m is not None and n is not None: {result} = bv(m {sign} n, {i.type.bits})")
            if i.op != "mul" and i.type.bits == self.ex.context.pointer_bits:
                self._put(f"else: {result} = None")  # sums of addresses are kept track of
                self._unless(f"{result} is not None")
            else:
                self._put(f"else: {result} = {operation}({p}, {q})")
        else:
            self._put(f"{result} = {operation}({p}, {q})")
        self._written(i)

    def _on_bits(self, i: ir.Binary, p: str, q: str) -> None:
        operation = arithmetic.BOOLEAN.get(i.op)
        if operation is None:
            self._unless("False")
        result, own = self._result(i, Term), self._name(operation)
        negated = i.op == "xor" and self.given.get(q) is T.TRUE
        if negated:
            self._put(f"{result} = TRUE if {p} is FALSE else {own}({p}, {q})")
        else:
            self._put(f"{result} = {own}({p}, {q})")
        self._written(i)

    def _compare(self, i: ir.Compare) -> None:
        p, q = self._operand(i.left, Term), self._operand(i.right, Term)
        width, (sign, signed) = self._bits(i.left), _COMPARED[i.predicate]
        half = f" ^ {1 << (width - 1)}" if signed else ""
        self._put(f"m = {p}.value", f"n = {q}.value")
        result, own = self._result(i, Term), self._name(arithmetic.INT_COMPARE[i.predicate])
        self._put("if m is not None and n is not None:")
        self._put(f"    {result} = TRUE if (m{half}) {sign} (n{half}) else FALSE")
        if width == self.ex.context.pointer_bits:
            self._put(f"else: {result} = None")
            self._unless(f"{result} is not None")
        else:
            self._put(f"else: {result} = {own}({p}, {q})")
        self._written(i)

    def _extended(self, i: ir.Cast) -> None:
        assert isinstance(i.type, ir.IntType)
        p, width, bits = self._operand(i.value, Term), self._bits(i.value), i.type.bits
        known = self.extended.get((i.op, p, bits))
        if known is not None:
            self._result(i, Term)
            self.variables[i.result or ""] = known
            self._written(i)
            return
        result, own = self._result(i, Term), self._name(T.sext if i.op == "sext" else T.zext)
        number = f"m - {1 << width} if m >> {width - 1} else m" if i.op == "sext" else "m"
        self._put(f"m = {p}.value", f"if m is None: {result} = {own}({p}, {bits})")
        self._put(f"else: {result} = bv({number}, {bits})")
        self.extended[i.op, p, bits] = result
        self._written(i)

    def _overflowing(self, i: ir.Call) -> None:
        """Signed arithmetic with a bit that tells whether it overflows."""
        word = operation(i)
        value, overflow = (self._name(made) for made in intrinsics.OVERFLOW[word])
        p, q = (self._operand(argument, Term) for argument in i.arguments)
        width = self._bits(i.arguments[0])
        top, sign = 1 << (width - 1), _SIGNS[word[1:]]
        number, bit = f"n{self.now}", f"b{self.now}"
        self._put(f"m = {p}.value", f"n = {q}.value", "if m is not None and n is not None:")
        self._put(f"    m = (m - {2 * top} if m >= {top} else m) {sign} (n - {2 * top} if n >= {top} else n)")
        self._put(f"    {number} = bv(m, {width})", f"    {bit} = FALSE if {-top} <= m < {top} else TRUE")
        self._put(f"else: {number} = {value}({p}, {q}); {bit} = {overflow}({p}, {q})")
        assert i.result is not None
        self.pairs[i.result] = number, bit
        self.variables[i.result], self.kinds[i.result] = f"({number}, {bit})", tuple
        self._written(i)

    def _extract(self, i: ir.Extract) -> None:
        assert isinstance(i.aggregate, ir.Register)
        pair = self.pairs.get(i.aggregate.name)
        if pair is None:
            aggregate = self._operand(i.aggregate, tuple)
            self._put(f"{self._result(i, None)} = {aggregate}[{i.indices[0]}]")
        else:
            assert i.result is not None
            self.variables[i.result], self.kinds[i.result] = pair[i.indices[0]], Term
        self._written(i)


_SIGNS = {"add": "+", "sub": "-", "mul": "*"}
_COMPARED = {
    "eq": ("==", False),
    "ne": ("!=", False),
    "slt": ("<", True),
    "sle": ("<=", True),
    "sgt": (">", True),
    "sge": (">=", True),
    "ult": ("<", False),
    "ule": ("<=", False),
    "ugt": (">", False),
    "uge": (">=", False),
}


def operation(i: ir.Call) -> str:
    """sadd and the like, of a call that tells whether it overflows."""
    words = i.callee.name.split(".") if isinstance(i.callee, ir.GlobalConstant) else []
    return words[1] if words[2:4] == ["with", "overflow"] else ""


_GIVEN: dict[str, Any] = {
    "CLAIM": Phase.CLAIM,
    "DONE": DONE,
    "FALSE": T.FALSE,
    "PLAIN": decoded.PLAIN,
    "Pointer": Pointer,
    "TRUE": T.TRUE,
    "Term": Term,
    "bv": T.bv,
    "initially": decoded.initially,
}
