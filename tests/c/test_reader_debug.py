"""Debug information, attributes and the other things that instructions do not show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from vouch.c import ir
from vouch.c.clang import Clang, Unit
from vouch.c.options import FrontOptions
from vouch.c.reader import read

Make = Callable[..., ir.Program]
Optimise = Callable[[str], str]


def instructions(function: ir.Function) -> list[ir.Instruction]:
    return [i for block in function.blocks.values() for i in block.instructions]


def variables(program: ir.Program, function: str) -> dict[str, ir.CType]:
    return {
        i.variable.name: program.ctypes[i.variable.type]
        for i in instructions(program.functions[function])
        if isinstance(i, ir.Alloca) and i.variable is not None
    }


def test_locations_name_file_line_column_and_function(program: Make) -> None:
    p = program("int f(int a) {\n  if (a)\n    return a / 3;\n  return 0;\n}\n")
    divisions = [i for i in instructions(p.functions["f"]) if isinstance(i, ir.Binary) and i.op == "sdiv"]
    assert len(divisions) == 1
    place = divisions[0].location
    assert place is not None
    assert (place.line, place.column, place.scope) == (3, 14, "f")
    assert place.file.endswith("/a.c")
    assert p.functions["f"].location == ir.Location(place.file, 1, 0, "f")


def test_instrumentation_is_marked(program: Make) -> None:
    p = program("int f(int a, int b) { return a + b; }")
    handlers = [
        i
        for i in instructions(p.functions["f"])
        if isinstance(i, ir.Call)
        and i.callee == ir.GlobalConstant(ir.PointerType(), "__ubsan_handle_add_overflow")
    ]
    assert len(handlers) == 1
    assert handlers[0].nosanitize
    assert not any(i.nosanitize for i in instructions(p.functions["f"]) if isinstance(i, (ir.Load, ir.Store)))


def test_variables_and_their_types(program: Make) -> None:
    p = program(
        """
        #include <stdint.h>
        typedef struct { uint8_t bytes[4]; } packet;
        struct list { struct list *next; int value : 5; unsigned flag : 1; };
        enum mode { OFF = -1, ON };
        int f(const char *text, packet p, struct list *l) {
            int grid[2][3]; enum mode m = ON; union { float f; int i; } u; int (*call)(long) = 0;
            volatile unsigned long counter = 0; _Bool b = 0; double d;
            return 0;
        }
        """
    )
    found = variables(p, "f")
    names = {name: kind.name for name, kind in found.items()}
    assert names["text"] == "const char *"
    assert names["p"] == "packet"
    assert names["l"] == "struct list *"
    assert names["grid"] == "int[2][3]"
    assert names["m"] == "enum mode"
    assert names["call"] == "int (*)(long)"
    assert names["counter"] == "volatile unsigned long"
    assert (found["b"].kind, found["d"].kind, found["u"].kind) == ("bool", "float", "union")
    assert (found["m"].kind, found["m"].signed) == ("enum", True)
    assert (found["grid"].count, found["grid"].size) == (2, 24)
    row = p.ctypes[found["grid"].target or 0]
    assert (row.name, row.count) == ("int[3]", 3)
    node = p.ctypes[found["l"].target or 0]
    assert [(m.name, m.offset, m.size, m.bitfield) for m in node.members] == [
        ("next", 0, 64, False),
        ("value", 64, 5, True),
        ("flag", 69, 1, True),
    ]
    # The recursive type leads back to itself.
    assert p.ctypes[p.ctypes[node.members[0].type].target or 0] is node


def test_parameters_know_their_variables(program: Make) -> None:
    p = program(
        """
        struct pair { long a; double b; };
        struct big { int a[20]; };
        struct big f(int n, struct pair q, struct big *x, struct big y) { y.a[0] = n + q.a; return y; }
        """
    )
    f = p.functions["f"]
    named = [(q.name, q.variable.name if q.variable else None) for q in f.parameters]
    assert named[0] == ("agg.result", None)
    assert [variable for _, variable in named[1:]] == ["n", "q", "q", "x", "y"]
    assert f.parameters[0].sret
    assert f.parameters[-1].byval is not None
    assert [p.ctypes[k].name for k in f.parameter_types if k is not None] == [
        "int",
        "struct pair",
        "struct big *",
        "struct big",
    ]
    assert f.result_type is not None
    assert p.ctypes[f.result_type].name == "struct big"


def test_variadic_and_void_functions(program: Make) -> None:
    p = program("void f(int n, ...) {} void g(void) {} int h() { return 0; }")
    assert p.functions["f"].signature.variadic
    assert len(p.functions["f"].parameter_types) == 1
    for name in ("f", "g"):
        key = p.functions[name].result_type
        assert key is not None
        assert p.ctypes[key].kind == "void"


def test_globals(program: Make) -> None:
    p = program(
        """
        static int hidden = 3; int seen; const int fixed = 4; extern int other; _Thread_local int own;
        int *use(void) { static int count; count++; return hidden + &other + own + fixed; }
        """
    )
    g = p.globals
    assert (g["hidden"].linkage, g["seen"].linkage) == ("internal", "external")
    assert g["fixed"].constant
    assert not g["seen"].constant
    assert g["other"].initializer is None
    assert g["seen"].initializer == ir.IntConstant(ir.IntType(32), 0)
    assert g["own"].initializer == ir.IntConstant(ir.IntType(32), 0)
    assert g["use.count"].variable is not None
    assert g["use.count"].variable.name == "count"
    assert g["use.count"].variable.location is not None
    assert g["use.count"].variable.location.scope == "use"


def test_address_taken(program: Make) -> None:
    p = program(
        """
        static void a(void) {} static void b(void) {} static void c(void) {}
        void (*table[])(void) = {a};
        void (*get(void))(void) { c(); return b; }
        __attribute__((constructor)) void start(void) {}
        """
    )
    assert {n for n, f in p.functions.items() if f.address_taken} == {"a", "b"}


def test_an_alias_takes_no_address(program: Make) -> None:
    text = 'void f(void) {} void g(void) __attribute__((alias("f")));'
    assert program(text).aliases == {"g": ir.GlobalConstant(ir.PointerType(), "f")}
    assert not program(text).functions["f"].address_taken
    assert program(text + "void (*p)(void) = g;").functions["f"].address_taken


def test_constructors_in_order_of_priority(program: Make) -> None:
    p = program(
        """
        __attribute__((constructor(500))) void later(void) {}
        __attribute__((constructor(200))) void sooner(void) {}
        __attribute__((destructor)) void last(void) {}
        """
    )
    assert p.constructors == ("sooner", "later")
    assert p.destructors == ("last",)


def test_calls_that_do_not_return(program: Make) -> None:
    p = program("_Noreturn void stop(void); void go(void); int f(int x) { if (x) stop(); go(); return 1; }")
    calls = {
        i.callee.name: i.attributes
        for i in instructions(p.functions["f"])
        if isinstance(i, ir.Call) and isinstance(i.callee, ir.GlobalConstant)
    }
    assert "noreturn" in calls["stop"]
    assert "noreturn" not in calls["go"]


def test_attribute_groups() -> None:
    text = (
        'define void @f() #0 {\n  call void @g() #1\n  ret void\n}\ndeclare void @g() nounwind "a"="b"\n'
        'attributes #0 = { noinline memory(none) "frame-pointer"="all" }\nattributes #1 = { cold }\n'
    )
    p = read(text)
    assert p.functions["f"].attributes == {"noinline", "memory(none)", "frame-pointer=all"}
    assert p.functions["g"].attributes == {"nounwind", "a=b"}
    call = p.functions["f"].blocks["0"].instructions[0]
    assert isinstance(call, ir.Call)
    assert call.attributes == {"cold"}


def test_loops_are_marked_on_their_back_edge(program: Make) -> None:
    p = program(
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s ^= i; while (s) s >>= 1; return s; }"
    )
    loops = [i.loop for i in instructions(p.functions["f"]) if isinstance(i, ir.Branch) and i.loop]
    assert len(set(loops)) == 2


def test_labels_as_values(program: Make) -> None:
    p = program("int f(int i) { void *t[] = {&&a, &&b}; goto *t[i]; a: return 1; b: return 2; }")
    held = p.globals["__const.f.t"].initializer
    assert isinstance(held, ir.AggregateConstant)
    assert [e.extra for e in held.elements if isinstance(e, ir.ExpressionConstant)] == ["a", "b"]
    jumps = [i for i in instructions(p.functions["f"]) if isinstance(i, ir.IndirectBranch)]
    assert jumps[0].targets == ("a", "b")


def test_inline_assembly_is_an_operand(program: Make) -> None:
    p = program('int f(int x) { int y; __asm__("mov %1, %0" : "=r"(y) : "r"(x)); return y; }')
    callees = [i.callee for i in instructions(p.functions["f"]) if isinstance(i, ir.Call)]
    assert [c.text for c in callees if isinstance(c, ir.AsmOperand)] == ["mov $1, $0"]


def test_names_of_cpp(program: Make) -> None:
    p = program(
        "namespace n { struct S { int m(int x) { return x; } }; } int use() { n::S s; return s.m(2); }",
        "a.cpp",
    )
    assert p.functions["_ZN1n1S1mEi"].source_name == "m"
    this = p.functions["_ZN1n1S1mEi"].parameters[0]
    assert this.variable is not None
    assert this.variable.name == "this"


def test_unknown_instructions_are_kept() -> None:
    text = """
target datalayout = "e-m:e-i64:64"

define i32 @f(ptr %p) personality ptr @g {
entry:
  %x = frobnicate i32 4, wild ptr %p
  %y = add i32 %x, 1
  callbr void asm "", "!i"() to label %a [label %b]

a:
  ret i32 %y

b:
  resume { ptr, i32 } poison
}

declare i32 @g(...)
"""
    blocks = read(text).functions["f"].blocks
    first, add, jump = blocks["entry"].instructions
    assert isinstance(first, ir.Opaque)
    assert (first.result, first.text, first.terminator) == ("x", "%x = frobnicate i32 4, wild ptr %p", False)
    assert isinstance(add, ir.Binary)
    assert isinstance(jump, ir.Opaque)
    assert jump.terminator
    assert isinstance(blocks["b"].terminator, ir.Opaque)


def test_quoted_names_and_strings() -> None:
    text = """
%"struct.a b" = type { i32, i8 }

@"odd, name" = global %"struct.a b" { i32 -1, i8 7 }
@text = constant [6 x i8] c"a\\22, \\5C\\00"

define void @"f, g"(ptr %"p, q") {
"first, block":
  %"r, 1" = getelementptr inbounds nuw %"struct.a b", ptr %"p, q", i32 0, i32 1
  store i8 3, ptr %"r, 1", align 1
  br label %"next, one"

"next, one":
  ret void
}
"""
    p = read(text)
    assert p.globals["odd, name"].type == ir.StructType("struct.a b", (ir.IntType(32), ir.IntType(8)))
    assert p.globals["odd, name"].initializer == ir.AggregateConstant(
        p.globals["odd, name"].type,
        (ir.IntConstant(ir.IntType(32), 2**32 - 1), ir.IntConstant(ir.IntType(8), 7)),
    )
    held = p.globals["text"].initializer
    assert isinstance(held, ir.StringConstant)
    assert held.data == b'a", \\\0'
    f = p.functions["f, g"]
    assert list(f.blocks) == ["first, block", "next, one"]
    store = f.blocks["first, block"].instructions[1]
    assert isinstance(store, ir.Store)
    assert store.pointer == ir.Register("r, 1", ir.PointerType())
    jump = f.blocks["first, block"].terminator
    assert isinstance(jump, ir.Branch)
    assert jump.then == "next, one"


def test_entry_without_a_label_has_a_number() -> None:
    text = (
        "define i32 @f(i32 %0, i32 %1) {\n  br label %3\n\n3:\n  %4 = phi i32 [ %0, %2 ]\n  ret i32 %4\n}\n"
    )
    f = read(text).functions["f"]
    assert list(f.blocks) == ["2", "3"]
    phi = f.blocks["3"].instructions[0]
    assert isinstance(phi, ir.Phi)
    assert phi.incoming == ((ir.Register("0", ir.IntType(32)), "2"),)


def test_debug_values_after_mem2reg(tmp_path: Path, optimised: Optimise) -> None:
    source = tmp_path / "a.c"
    source.write_text("int f(int n) { int k = n + 1; return k * 2; }")
    p = read(optimised(Clang(FrontOptions()).compile(Unit(str(source)))))
    records = [i for i in instructions(p.functions["f"]) if isinstance(i, ir.DebugValue)]
    assert {record.variable.name for record in records} == {"n", "k"}
    assert p.functions["f"].parameters[0].variable is not None


def test_names_that_the_headers_change(program: Make) -> None:
    p = program('#include <stdio.h>\nint f(int *x) { return scanf("%d", x); }', target="x86_64")
    assert p.functions["__isoc99_scanf"].source_name == "scanf"
