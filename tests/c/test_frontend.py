"""From paths to a program: projects, databases, targets, errors, models."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from tests.c.projects import write

from vouch.c import ir
from vouch.c.frontend import FrontOptions, Loaded, load
from vouch.c.reader import read
from vouch.c.wheel import wheel
from vouch.errors import VouchError


def bodies(loaded: Loaded) -> set[str]:
    return {f.name for f in loaded.program.functions.values() if f.defined} - loaded.program.models


def files_of(loaded: Loaded) -> set[str]:
    return {f.location.file for f in loaded.program.functions.values() if f.location and f.defined}


def test_the_text_is_what_was_read(project: Path) -> None:
    write({"a.c": "#include <string.h>\nint f(const char *s) { return strlen(s); }"})
    loaded = load(["a.c"])
    again = replace(read(loaded.ir), models=loaded.program.models)
    assert repr(again) == repr(loaded.program)


# ---------------------------------------------------------------- projects


def test_folder_with_headers_elsewhere(project: Path) -> None:
    write(
        {
            "src/main.c": '#include "api.h"\n#include <util/list.h>\nint main(void) { return api() + LIST; }',
            "src/deep/api.c": '#include "api.h"\nint api(void) { return 1; }',
            "public/api.h": "int api(void);",
            "third_party/include/util/list.h": '#include "util/inner.h"\n',
            "third_party/include/util/inner.h": "#define LIST 3\n",
            ".hidden/bad.c": "this is no C",
        }
    )
    loaded = load(["."])
    assert bodies(loaded) == {"main", "api"}
    assert loaded.units == ["src/main.c", "src/deep/api.c"]
    assert files_of(loaded) == {"src/deep/api.c", "src/main.c"}


def test_the_nearest_header_of_a_name_is_taken(project: Path) -> None:
    write(
        {
            "a/inc/config.h": "#define NAME from_a\n",
            "a/src/x.c": '#include "config.h"\nvoid NAME(void) {}',
            "b/inc/config.h": "#define NAME from_b\n",
            "b/src/x.c": '#include "config.h"\nvoid NAME(void) {}',
        }
    )
    assert bodies(load(["."])) == {"from_a", "from_b"}


def test_a_header_of_the_project_does_not_shadow_the_library(project: Path) -> None:
    write(
        {
            "compat/string.h": "#error not this one\n",
            "a.c": "#include <string.h>\nsize_t n(void) { return 1; }",
        }
    )
    assert bodies(load(["."])) == {"n"}


def test_header_of_a_single_file_in_include_beside_it(project: Path) -> None:
    write({"src/a.c": '#include "a.h"\nint f(void) { return A; }', "include/a.h": "#define A 1\n"})
    assert bodies(load(["src/a.c"])) == {"f"}


@pytest.mark.parametrize("given", ["lib/src", "lib/src/a.c"])
@pytest.mark.parametrize("place", ["lib/include", "lib/inc", "include"])
def test_headers_beside_a_folder_and_those_above_it(project: Path, given: str, place: str) -> None:
    """Up to the root of the repository; outside of one, only beside what was given."""
    write({"lib/src/a.c": '#include "x/a.h"\nint f(void) { return A; }', f"{place}/x/a.h": "#define A 1\n"})
    if place == "include":
        with pytest.raises(VouchError, match=r"a\.c"):
            load([given])
    (project / ".git").mkdir()
    loaded = load([given])
    assert bodies(loaded) == {"f"}
    assert loaded.found == [f"headers from {place}"]


def test_headers_above_the_repository_are_not_looked_for(project: Path) -> None:
    write({"own/src/a.c": '#include "a.h"\nint f(void) { return A; }', "include/a.h": "#define A 1\n"})
    (project / "own" / ".git").mkdir()
    with pytest.raises(VouchError, match=r"a\.c"):
        load(["own/src"])


def test_header_folders_do_not_lead_out_of_the_repository(project: Path) -> None:
    write({"own/src/a.c": '#include "a.h"\nint f(void) { return A; }', "other/a.h": "#define A 1\n"})
    (project / "own" / ".git").mkdir()
    (project / "own" / "include").symlink_to(project / "other")
    with pytest.raises(VouchError, match=r"a\.c"):
        load(["own/src"])


def test_given_includes_and_defines(project: Path) -> None:
    write({"a.c": "#include <x.h>\nint VALUE(void) { return X + N; }", "far/x.h": "#define X 1\n"})
    loaded = load(["a.c"], FrontOptions(includes=("far",), defines=("VALUE=value", "N=3")))
    assert bodies(loaded) == {"value"}


def test_statics_of_the_same_name_stay_apart(project: Path) -> None:
    text = "static int helper(void) {{ return {0}; }}\nint f{0}(void) {{ return helper(); }}"
    write({"a.c": text.format(1), "b.c": text.format(2)})
    functions = load(["a.c", "b.c"]).program.functions
    assert sorted(f.source_name for f in functions.values()) == ["f1", "f2", "helper", "helper"]


# ---------------------------------------------------------------- compilation databases


def database(entries: list[dict[str, object]]) -> None:
    write({"build/compile_commands.json": json.dumps(entries)})


def test_database(project: Path) -> None:
    write(
        {
            "src/a.c": '#include "gen.h"\n#ifndef FORCED\n#error\n#endif\nint NAME(void) { return GEN; }',
            "src/b.c": "int b(int x) { return x; }",
            "src/unlisted.c": "int unlisted(void) { return 0; }",
            "gen/gen.h": "#define GEN 1\n",
            "force.h": "#define FORCED\n",
        }
    )
    database(
        [
            {
                "directory": str(project / "build"),
                "command": "/no/gcc -I../gen -DNAME=a -include ../force.h -O2 -Wall -c -o a.o ../src/a.c",
                "file": "../src/a.c",
            },
            {
                "directory": str(project / "build"),
                "arguments": [
                    "touch",
                    "executed",
                    "-funsigned-char",
                    "-std=c99",
                    "-c",
                    str(project / "src/b.c"),
                ],
                "file": str(project / "src/b.c"),
            },
            {"directory": str(project), "command": "as -c x.s", "file": "x.s"},
        ]
    )
    loaded = load([], FrontOptions(database="build"))
    assert bodies(loaded) == {"a", "b"}
    assert loaded.units == ["src/a.c", "src/b.c"]
    assert not (project / "executed").exists()
    assert not (project / "build" / "executed").exists()


def test_database_with_paths_is_limited_to_them(project: Path) -> None:
    write({"a.c": "int A(void) { return 0; }", "b.c": "int b(void) { return 0; }"})
    database(
        [
            {"directory": str(project), "command": "cc -DA=a -c a.c", "file": "a.c"},
            {"directory": str(project), "command": "cc -c b.c", "file": "b.c"},
        ]
    )
    assert bodies(load(["a.c"], FrontOptions(database="build"))) == {"a"}


@pytest.mark.parametrize("command", ["avr-gcc -mmcu=atmega328p", "cc --target=avr", "clang-18 -target avr"])
def test_database_names_the_target(project: Path, command: str) -> None:
    write({"a.c": "#include <stdlib.h>\nint size = sizeof(int) + sizeof(long);"})
    database([{"directory": str(project), "command": f"{command} -c a.c", "file": "a.c"}])
    assert load([], FrontOptions(database="build")).program.globals["size"].initializer == ir.IntConstant(
        ir.IntType(16), 6
    )
    # What the user says goes first.
    told = FrontOptions(database="build", target="x86_64")
    assert load([], told).program.globals["size"].initializer == ir.IntConstant(ir.IntType(32), 12)


def test_flags_that_are_not_followed_are_named(project: Path) -> None:
    """Numbers mean something else with them: a proof is one about another program."""
    write({"a.c": "float f(float x) { return x * x + x; }", "b.c": "int b;"})
    database(
        [
            {"directory": str(project), "command": "cc -O2 -ffast-math -c a.c", "file": "a.c"},
            {"directory": str(project), "command": "cc -O2 -c b.c", "file": "b.c"},
        ]
    )
    told = "-ffast-math is not followed: 1 of 2 files are built with it"
    assert load([], FrontOptions(database="build")).warnings == [told]
    assert load(["b.c"], FrontOptions(database="build")).warnings == []


@pytest.mark.parametrize("text", ["{}", "[1]", '[{"file": "a.c"}]', "nonsense", "[]"])
def test_bad_database(project: Path, text: str) -> None:
    write({"build/compile_commands.json": text})
    with pytest.raises(VouchError, match="build"):
        load([], FrontOptions(database="build"))


def test_missing_database(project: Path) -> None:
    with pytest.raises(VouchError, match="No such file"):
        load([], FrontOptions(database="nowhere"))


# ---------------------------------------------------------------- errors


def test_missing_header_is_named(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write({"a.c": '#include "gone.h"\n'})
    with pytest.raises(VouchError, match=r"^a\.c: header 'gone\.h' not found"):
        load(["a.c"])
    assert "a.c:1:10: fatal error: 'gone.h' file not found" in capfd.readouterr().err


def test_all_compile_errors_are_shown(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write({"a.c": "int f( {", "b.c": "int g(void) { return undeclared; }", "c.c": "int fine;"})
    with pytest.raises(VouchError, match=r"^a\.c: does not compile$"):
        load(["a.c", "b.c", "c.c"])
    shown = capfd.readouterr().err
    assert "a.c:1:" in shown
    assert "b.c:1:22: error: use of undeclared identifier 'undeclared'" in shown


def test_several_mains(project: Path) -> None:
    write({"one.c": "int main(void) { return 1; }", "two.c": "int main(void) { return 2; }"})
    with pytest.raises(VouchError, match=r"several files define main: one\.c, two\.c"):
        load(["."])


def test_several_mains_do_not_matter_with_another_entry(project: Path) -> None:
    write(
        {
            "one.c": "int f(void) { return 3; } int main(void) { return f(); }",
            "two.c": "int main(void) { return 2; }",
        }
    )
    loaded = load(["."], FrontOptions(entry="f"))
    assert "f" in bodies(loaded)


SHIPPED = {"src/a.c": "int a(int x) { return x; }", "src/b.c": "int b(int x) { return x; }"}
MAIN = "int main(void) { return 0; }"


@pytest.mark.parametrize(
    "name", ["tests/x.c", "t/x.c", "examples/deep/x.c", "test.c", "src/a_test.c", "src/test_a.c", "fuzz/x.c"]
)
def test_tests_and_examples_of_a_folder_are_left_out(project: Path, name: str) -> None:
    write({**SHIPPED, name: f"#include <stdio.h>\nint extra(void) {{ return 1; }} {MAIN}"})
    loaded = load(["."])
    assert sorted(bodies(loaded)) == ["a", "b"]
    assert loaded.warnings == [f"{name}: left out, tests and examples (give their folder to check them)"]
    assert loaded.left_out == []
    assert "main" in bodies(load([name])), "named, it is what is asked for"
    assert "main" in bodies(load([".", name]))


@pytest.mark.parametrize("name", ["contest/x.c", "src/attest.c", "latest.c", "testament/x.c", "teapot/x.c"])
def test_other_names_are_no_tests(project: Path, name: str) -> None:
    write({**SHIPPED, name: MAIN})
    assert sorted(bodies(load(["."]))) == ["a", "b", "main"]


def test_a_file_called_test_without_a_main_is_kept(project: Path) -> None:
    write({**SHIPPED, "src/self_test.c": "int self_test(void) { return 1; }"})
    assert sorted(bodies(load(["."]))) == ["a", "b", "self_test"]


def test_tests_alone_are_looked_at(project: Path) -> None:
    write({"tests/test_a.c": MAIN, "tests/helper.c": "int help(void) { return 1; }"})
    assert sorted(bodies(load(["tests"]))) == ["help"]
    Path("tests/helper.c").unlink()
    assert sorted(bodies(load(["."]))) == ["main"]


def test_several_programs_in_a_folder_leave_the_library(project: Path) -> None:
    write({**SHIPPED, "tools/one.c": MAIN, "tools/two.c": MAIN})
    loaded = load(["."])
    assert sorted(bodies(loaded)) == ["a", "b"]
    assert loaded.left_out == ["tools/one.c", "tools/two.c"]
    assert "tools/one.c, tools/two.c: left out, each has a main" in loaded.warnings[0]
    assert sorted(bodies(load([".", "tools/one.c"]))) == ["a", "b", "main"]
    with pytest.raises(VouchError, match="several files define main"):
        load(["tools/one.c", "tools/two.c"])


def test_a_program_and_its_library_are_one(project: Path) -> None:
    write({**SHIPPED, "tools/one.c": MAIN})
    loaded = load(["."])
    assert sorted(bodies(loaded)) == ["a", "b", "main"]
    assert not loaded.warnings


def test_what_does_not_compile_in_a_folder(project: Path) -> None:
    write({**SHIPPED, "src/broken.c": "int f( {", "src/test_broken.c": "int f( {"})
    loaded = load(["."])
    assert loaded.left_out == ["src/broken.c"]
    assert len(loaded.warnings) == 2


def test_defined_twice(project: Path) -> None:
    write({"a.c": "int x = 1;", "b.c": "int x = 2;"})
    with pytest.raises(VouchError, match=r"'x' is defined in several files: a\.c, b\.c"):
        load(["a.c", "b.c"])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gone.c", "no such file"),
        ("notes.txt", "not a C source"),
        ("empty", "no C source"),
        ("bad.ll", "not valid LLVM"),
    ],
)
def test_bad_paths(project: Path, path: str, message: str) -> None:
    write({"notes.txt": "", "empty/readme": "", "bad.ll": "define nonsense"})
    with pytest.raises(VouchError, match=message) as raised:
        load([path])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("change", [(482, 77), (624, 15), (1316, 247), (4, 0), (40, 255)])
def test_damaged_bitcode_is_an_error_and_no_crash(project: Path, change: tuple[int, int]) -> None:
    """LLVM's reader aborts its process for the first three, where it does so at all."""
    import llvmlite.binding as llvm

    text = "define i32 @g(i32 %a, i32 %b) {\n  %d = sdiv i32 %a, %b\n  ret i32 %d\n}\n"
    content = bytearray(llvm.parse_assembly(text).as_bitcode())
    Path("whole.bc").write_bytes(content)
    assert "g" in bodies(load(["whole.bc"]))
    content[change[0]] = change[1]
    Path("damaged.bc").write_bytes(content)
    with pytest.raises(VouchError, match="not valid LLVM") as raised:
        load(["damaged.bc"])
    assert "\n" not in str(raised.value)


def test_no_such_clang(project: Path) -> None:
    write({"a.c": "int x;"})
    with pytest.raises(VouchError, match="not found"):
        load(["a.c"], FrontOptions(clang="/no/such/clang"))


def test_another_clang(project: Path) -> None:
    """The wheel's clang in the role of an installed one, which has built-in headers of its own."""
    write({"a.c": "#include <stddef.h>\n#include <string.h>\nsize_t f(char *s) { return strlen(s) / 2; }"})
    program = Path("my-clang").absolute()
    headers = wheel() / "lib" / "include"
    program.write_text(f'#!/bin/sh\nexec "{wheel() / "zig"}" clang "$@" -idirafter "{headers}"\n')
    program.chmod(0o755)
    loaded = load(["a.c"], FrontOptions(clang=str(program)))
    assert bodies(loaded) == {"f"}
    assert loaded.program.models == {"strlen"}


# ---------------------------------------------------------------- languages and targets


WIDTHS = (
    "int w[] = {sizeof(short), sizeof(int), sizeof(long), sizeof(void *), sizeof(double), (char)-1 < 0};\n"
)
TARGETS = {
    "avr": [2, 2, 4, 2, 4, 1],
    "msp430": [2, 2, 4, 2, 8, 0],
    "thumbv7m-none-eabi": [2, 4, 4, 4, 8, 0],
    "arm-none-eabi": [2, 4, 4, 4, 8, 0],
    "riscv32": [2, 4, 4, 4, 8, 0],
    "i386": [2, 4, 4, 4, 8, 1],
    "x86_64-linux-gnu": [2, 4, 8, 8, 8, 1],
    "aarch64-linux-musl": [2, 4, 8, 8, 8, 0],
    "x86_64-windows-gnu": [2, 4, 4, 8, 8, 1],
}
# Headers that a driver may include, on every target.
HEADERS = """
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
_Static_assert(sizeof(uint32_t) == 4 && sizeof(size_t) == sizeof(sizeof 0), "sizes");
_Static_assert(INT_MAX == (int)(~0u >> 1), "limits");
int f(uint32_t x, char *s) {
    assert(x);
    errno = 0;
    printf("%" PRIu32, x);
    return isalpha(*s) + abs((int)x);
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_targets_have_their_widths_and_headers(project: Path, target: str) -> None:
    write({"a.c": HEADERS + WIDTHS})
    loaded = load(["a.c"], FrontOptions(target=target))
    held = loaded.program.globals["w"].initializer
    assert isinstance(held, ir.AggregateConstant)
    assert [e.value for e in held.elements if isinstance(e, ir.IntConstant)] == TARGETS[target]
    assert "printf" in loaded.program.models


def test_bare_headers_in_cpp(project: Path) -> None:
    write({"a.cpp": HEADERS.replace("_Static_assert", "static_assert")})
    assert load(["a.cpp"], FrontOptions(target="thumbv7m-none-eabi")).program.functions


def test_cpp_with_the_standard_library(project: Path) -> None:
    write(
        {"a.cpp": "#include <vector>\nint f(int n) { std::vector<int> v; v.push_back(n); return v.back(); }"}
    )
    program = load(["a.cpp"]).program
    assert any(f.source_name == "push_back" for f in program.functions.values())


def test_c_and_cpp_together(project: Path) -> None:
    write(
        {
            "a.c": "int twice(int x) { return 2 * x; }",
            "b.cpp": 'extern "C" int twice(int); int use() { return twice(4); }',
        }
    )
    assert bodies(load(["."])) == {"twice", "_Z3usev"}


KERNEL = """
__global__ void add(int n, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i]++;
}
"""


def test_cuda_kernels_are_functions(project: Path) -> None:
    write({"a.cu": "#include <cuda_runtime.h>\n" + KERNEL})
    assert bodies(load(["a.cu"])) == {"_Z3addiPf"}


def test_cuda_launches_call_a_model(project: Path) -> None:
    write({"a.cu": KERNEL + "int main() { float *y; cudaMalloc(&y, 40); add<<<1, 10>>>(10, y); }"})
    program = load(["a.cu"]).program
    assert {"main", "_Z3addiPf", "__vouch_cuda_begin", "__vouch_cuda_next"} <= set(program.functions)
    assert program.functions["_Z3addiPf"].linkage == "internal"


def test_launches_of_expressions_are_refused(project: Path) -> None:
    write({"a.cu": KERNEL + "int main() { float *y; (&add)<<<1, 10>>>(10, y); }"})
    with pytest.raises(VouchError, match="no plain name"):
        load(["a.cu"])


def test_preprocessed_files(project: Path) -> None:
    write({"a.i": '# 1 "orig.c"\nint f(int x) { return x; }\n'})
    assert load(["a.i"]).program.functions["f"].location == ir.Location("orig.c", 1, 0, "f")


def test_files_that_gcc_preprocessed(project: Path) -> None:
    rest = "extern _Float128 g(_Float64x); int unix(_Float32 x) { return x > 1; }\n"
    write(
        {
            "new.i": '# 1 "new.c"\n' + rest,
            "old.i": '# 1 "old.c"\ntypedef float _Float32;\nint f(_Float32 x);\n',
        }
    )
    assert load(["new.i"]).program.functions["unix"].location == ir.Location("new.c", 1, 0, "unix")
    assert load(["old.i"]).units == ["old.i"]


def test_ir_text_and_bitcode(project: Path) -> None:
    text = (
        "; a comment of another compiler\ndefine i32 @f(i32 %x) { ; here too\n"
        "  %y = add nsw i32 %x, 1 ; and here\n  ret i32 %y\n}\n"
    )
    write({"a.ll": text})
    Path("b.bc").write_bytes(llvm.parse_assembly(text).as_bitcode())
    for name in ("a.ll", "b.bc"):
        (block,) = load([name]).program.functions["f"].blocks.values()
        assert isinstance(block.instructions[0], ir.Binary)
        assert block.instructions[0].flags == {"nsw"}


def test_standard(project: Path) -> None:
    write({"a.c": "int f(void) { int typeof = 1; return typeof; }"})
    assert bodies(load(["a.c"], FrontOptions(std="c99"))) == {"f"}
    with pytest.raises(VouchError):
        load(["a.c"], FrontOptions(std="gnu99"))


def test_old_c_is_accepted(project: Path) -> None:
    write({"a.c": "f(a, b) int a; char *b; { int *p = a; g(p); return a; }"})
    assert bodies(load(["a.c"])) == {"f"}


# ---------------------------------------------------------------- models


def test_models_only_for_what_is_missing(project: Path) -> None:
    write(
        {
            "a.c": "#include <string.h>\nsize_t strlen(const char *s) { return 7; }\n"
            "char *f(char *s) { return strcat(s, strdup(s)); }\nstatic int among(int x) { return x; }\n"
            "int g(char *s) { return among(strspn(s, s)); }"
        }
    )
    program = load(["a.c"]).program
    assert {"strcat", "strdup", "strcpy", "strspn"} <= program.models
    assert "strlen" not in program.models
    assert "among" not in program.models
    assert "strchr" not in program.functions
    assert "malloc" in program.functions
    assert not program.functions["malloc"].defined
    assert all(program.functions[name].defined for name in program.models)


def test_library_functions_that_headers_define(project: Path) -> None:
    """What _FORTIFY_SOURCE makes of strcpy."""
    write(
        {
            "a.c": "typedef __SIZE_TYPE__ size_t; char *strcpy(char *, const char *);\n"
            "extern inline __attribute__((gnu_inline, always_inline))\n"
            "char *strcpy(char *to, const char *from) {\n"
            "  return __builtin___strcpy_chk(to, from, __builtin_object_size(to, 1)); }\n"
            "void f(char *p) { char b[4]; strcpy(b, p); }"
        }
    )
    assert {"strcpy.inline", "__strcpy_chk", "strcpy"} <= load(["a.c"]).program.models


def test_models_are_compiled_in_their_own_standard(project: Path) -> None:
    write({"a.c": "#include <string.h>\nint f(char *s) { return strlen(s); }"})
    assert load(["a.c"], FrontOptions(std="c89", defines=("strnlen=x",))).program.models == {"strlen"}


def test_models_can_be_left_out(project: Path) -> None:
    write({"a.c": "#include <string.h>\nint f(char *s) { return strlen(s); }"})
    program = load(["a.c"], FrontOptions(models=False)).program
    assert program.models == frozenset()
    assert not program.functions["strlen"].defined
