"""The reader against LLVM itself: llvmlite parses the same text, and both must see the same program."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from vouch.c import ir
from vouch.c.clang import Clang, Unit
from vouch.c.options import FrontOptions
from vouch.c.reader import read

SNIPPETS = Path(__file__).parent / "snippets"
FILES = sorted(path for path in SNIPPETS.iterdir() if path.suffix in (".c", ".cpp"))


SYMBOLS = (
    llvm.ValueKind.function,
    llvm.ValueKind.global_variable,
    llvm.ValueKind.global_alias,
    llvm.ValueKind.global_ifunc,
)


def compiled(path: Path, target: str | None = None, **more: object) -> str:
    return Clang(FrontOptions(target=target, **more)).compile(Unit(str(path)))  # type: ignore[arg-type]


def source(tmp_path: Path, text: str, name: str = "a.c") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def program(tmp_path: Path, text: str, name: str = "a.c") -> ir.Program:
    return read(compiled(source(tmp_path, text, name)))


def opcode(instruction: ir.Instruction) -> str:
    """LLVM's name of an instruction record."""
    match instruction:
        case ir.Binary() | ir.Unary() | ir.Compare() | ir.Cast():
            return instruction.op
        case ir.Opaque():
            return instruction.text.split(" = ")[-1].split(" ")[0]
    return {
        "Invoke": "invoke",
        "Call": "call",
        "Return": "ret",
        "Branch": "br",
        "GetElementPtr": "getelementptr",
        "Extract": "extractvalue",
        "Insert": "insertvalue",
        "Shuffle": "shufflevector",
        "VaArg": "va_arg",
        "AtomicUpdate": "atomicrmw",
        "CompareExchange": "cmpxchg",
        "IndirectBranch": "indirectbr",
    }.get(type(instruction).__name__, type(instruction).__name__.lower())


def spelled(kind: ir.Type) -> str:
    """A type as LLVM prints it."""
    match kind:
        case ir.VoidType():
            return "void"
        case ir.IntType(bits):
            return f"i{bits}"
        case ir.FloatType(name):
            return name
        case ir.PointerType(space):
            return f"ptr addrspace({space})" if space else "ptr"
        case ir.ArrayType(count, element):
            return f"[{count} x {spelled(element)}]"
        case ir.VectorType(count, element):
            return f"<{count} x {spelled(element)}>"
        case ir.StructType(name, _) if name:
            return f"%{name}" if re.fullmatch(r"[\w.$-]+", name) else f'%"{name}"'
        case ir.StructType("", fields, packed):
            inside = "{ " + ", ".join(spelled(f) for f in fields or ()) + " }" if fields else "{}"
            return f"<{inside}>" if packed else inside
    return kind.text  # type: ignore[attr-defined]


def values(instruction: ir.Instruction) -> list[ir.Operand]:
    """Operands in LLVM's order, without labels; a call's callee comes last."""
    match instruction:
        case ir.Alloca(count=count):
            return [count]
        case ir.Load(pointer=p):
            return [p]
        case ir.Store(value=v, pointer=p):
            return [v, p]
        case ir.GetElementPtr(base=b, indices=i):
            return [b, *i]
        case ir.Binary(left=a, right=b) | ir.Compare(left=a, right=b) | ir.Shuffle(left=a, right=b):
            return [a, b]
        case ir.Unary(value=v) | ir.Cast(value=v) | ir.Switch(value=v):
            return [v]
        case ir.Select(condition=c, then=t, otherwise=o):
            return [c, t, o]
        case ir.Phi(incoming=incoming):
            return [v for v, _ in incoming]
        case ir.Call(callee=c, arguments=a):
            return [*a, c]
        case ir.Extract(aggregate=a):
            return [a]
        case ir.Insert(aggregate=a, value=v):
            return [a, v]
        case ir.ExtractElement(vector=v, index=i):
            return [v, i]
        case ir.InsertElement(vector=v, value=x, index=i):
            return [v, x, i]
        case ir.AtomicUpdate(pointer=p, value=v):
            return [p, v]
        case ir.CompareExchange(pointer=p, expected=e, replacement=r):
            return [p, e, r]
        case ir.Return(value=v):
            return [] if v is None else [v]
        case ir.Branch(condition=c):
            return [] if c is None else [c]
    return []


def shape(operand: ir.Operand) -> str:
    """What of an operand both sides can tell: a name, a number, or its type."""
    match operand:
        case ir.Register(name, kind):
            return f"{spelled(kind)} %{'' if name.isdecimal() else name}"
        case ir.IntConstant(kind, value):
            signed = value - (1 << kind.bits) if kind.bits > 1 and value >> (kind.bits - 1) else value
            return f"{spelled(kind)} {('false', 'true')[signed] if kind.bits == 1 else signed}"
        case ir.GlobalConstant(_, name):
            return f"ptr @{name}"
        case ir.AsmOperand():
            return "asm"
        case ir.MetadataOperand():
            return "metadata"
    return spelled(operand.type)  # type: ignore[attr-defined]


def llvm_shape(value: llvm.ValueRef) -> str | None:
    kind, text = str(value.type), str(value)
    if value.value_kind == llvm.ValueKind.basic_block:
        return None
    if value.value_kind in SYMBOLS:
        return f"ptr @{value.name}"
    if value.value_kind == llvm.ValueKind.metadata_as_value:
        return "metadata"
    if value.value_kind == llvm.ValueKind.constant_int:
        return text
    if value.value_kind == llvm.ValueKind.inline_asm:
        return "asm"
    if value.is_constant:
        return kind
    return f"{kind} %{value.name}"


def compare(text: str) -> int:
    """Every function, block and instruction of `text` in both readings; the number of instructions."""
    mine, theirs, count = read(text), llvm.parse_assembly(text), 0
    functions = {f.name: f for f in theirs.functions}
    assert functions.keys() == mine.functions.keys()
    for name, function in functions.items():
        own = mine.functions[name]
        assert own.defined is not function.is_declaration
        assert [spelled(p.type) for p in own.parameters] == [str(a.type) for a in function.arguments]
        blocks = list(function.blocks)
        assert [b for b in own.blocks if not b.isdecimal()] == [b.name for b in blocks if b.name]
        assert len(own.blocks) == len(blocks)
        for block, other in zip(own.blocks.values(), blocks, strict=True):
            real = [i for i in block.instructions if not isinstance(i, ir.DebugValue)]
            reference = list(other.instructions)
            assert [opcode(i) for i in real] == [i.opcode for i in reference], (name, block.label)
            for a, b in zip(real, reference, strict=True):
                same(a, b)
            count += len(real)
    variables = {g.name for g in theirs.global_variables if not g.name.startswith("llvm.")}
    assert variables - {""} == {g for g in mine.globals if not g.isdecimal()}
    return count


def same(mine: ir.Instruction, theirs: llvm.ValueRef) -> None:
    if isinstance(mine, (ir.Opaque, ir.LandingPad)):
        return
    assert spelled(mine.type) == str(theirs.type), theirs
    expected = [known for value in theirs.operands if (known := llvm_shape(value)) is not None]
    if isinstance(mine, ir.IndirectBranch):
        return
    if isinstance(mine, ir.Switch):
        expected = expected[:1]
    if isinstance(mine, ir.Call) and ' [ "' in str(
        theirs
    ):  # operand bundles only tell the optimiser something
        expected = [*expected[: len(mine.arguments)], expected[-1]]
    own = [shape(operand) for operand in values(mine)]
    # Register numbers are not in llvmlite's names, nor the names of anonymous globals.
    assert own == expected or [re.sub(r"@\d+$", "@", o) for o in own] == expected, str(theirs)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("target", [None, "i386", "thumbv7m-none-eabi", "avr"])
def test_same_program_as_llvm(path: Path, target: str | None, tmp_path: Path) -> None:
    if target == "avr" and path.name == "mixed.c":
        pytest.skip("no 128-bit integers there")
    text = path.read_text()
    if target in ("i386", "thumbv7m-none-eabi"):
        text = text.replace("__int128", "long long").replace("_Thread_local", "")
    assert compare(compiled(source(tmp_path, text, path.name), target)) > 100


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_same_program_after_optimisation(path: Path, optimised: Callable[[str], str]) -> None:
    assert compare(optimised(compiled(path))) > 50


def test_templates_of_the_library(tmp_path: Path) -> None:
    text = "#include <vector>\nint f(std::vector<int> &v, int x) { v.push_back(x); return int(v.size()); }\n"
    assert compare(compiled(source(tmp_path, text, "a.cpp"))) > 500
