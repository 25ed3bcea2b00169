"""What may share memory, what a pointer gives access to, and what can be reached: against C itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from vouch.bmc.context import ExecutionContext
from vouch.bmc.ctypes import TypeTable
from vouch.bmc.environment.reach import Root, union
from vouch.bmc.layouts import Layouts
from vouch.bmc.value import Pointer
from vouch.c import frontend
from vouch.c.ir import Program
from vouch.smt import term as T

TYPES = """
struct inner { short a; int b[3]; };
struct outer { char tag; struct inner in; void *p; float f; struct { int x, y; } list[4]; char tail[]; };
struct other { long n; double d; };
union word { int i; float f; };
struct outer *outer; struct inner *inner; struct other *other; union word *word;
enum colour { RED };
void **anything; int *const *slots; unsigned **natural_slot; char **strings;
struct inner **inner_slot; int ***deep;
long *big; long long *bigger; __SIZE_TYPE__ *size; enum colour *colour;
int more(void)
{
    return anything != 0 && slots != 0 && natural_slot != 0 && strings != 0 && inner_slot != 0 && deep != 0
        && big != 0 && bigger != 0 && size != 0 && colour != 0;
}
int *number; unsigned *natural; short *small; float *real; double *wide; char *text; void *any; int **slot;
int use(void)
{
    return outer != 0 && inner != 0 && other != 0 && word != 0 && number != 0 && natural != 0 && small != 0
        && real != 0 && wide != 0 && text != 0 && any != 0 && slot != 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("types") / "types.c"
    path.write_text(TYPES)
    return frontend.load([str(path)]).program


def pointee(program: Program, name: str) -> int:
    variable = program.globals[name].variable
    assert variable is not None
    found = TypeTable(program.ctypes).pointee(variable.type)
    assert found is not None
    return found


# Which objects can hold one of the other type: C11 6.5p7 and the members above.
SHARING = {
    ("outer", "inner"): True,
    ("outer", "small"): True,
    ("outer", "number"): True,
    ("outer", "natural"): True,  # signed and unsigned twins
    ("outer", "real"): True,
    ("outer", "slot"): False,  # `void *` and `int *` are no compatible types
    ("outer", "anything"): True,
    ("slot", "slots"): True,  # qualifiers apart
    ("slot", "natural_slot"): True,  # signs apart
    ("slot", "anything"): False,
    ("slot", "strings"): False,
    ("inner_slot", "slot"): False,
    ("inner_slot", "anything"): False,
    ("deep", "slot"): False,
    ("big", "bigger"): False,  # `long` and `long long`, though of one size
    ("big", "size"): True,  # a typedef of its twin
    ("number", "colour"): True,  # clang takes `unsigned` for it
    ("outer", "wide"): False,
    ("outer", "other"): False,
    ("inner", "real"): False,
    ("inner", "other"): False,
    ("word", "number"): True,
    ("word", "real"): True,
    ("word", "small"): False,
    ("number", "natural"): True,
    ("number", "small"): False,
    ("number", "real"): False,
    ("real", "wide"): False,
    ("text", "wide"): True,  # characters are part of anything
    ("any", "other"): True,
    ("any", "text"): True,
}


@pytest.mark.parametrize(("first", "second"), SHARING, ids=lambda name: name)
def test_what_may_share_memory(program: Program, first: str, second: str) -> None:
    ctypes = TypeTable(program.ctypes)
    a, b = pointee(program, first), pointee(program, second)
    assert ctypes.may_share(a, b) is SHARING[first, second]
    assert ctypes.may_share(b, a) is SHARING[first, second]


# struct outer on a 64-bit machine: tag 0, in 4 (a 4, b 8..20), p 24, f 32, list 36..68, tail 68; size 72.
PARTS = {
    ("outer", 0, "outer"): (0, None),
    ("outer", 0, "text"): (0, None),  # the struct, as it may be, and not only its first character
    ("outer", 4, "inner"): (4, 20),
    ("outer", 4, "any"): (4, 20),  # the outermost that begins there
    ("outer", 4, "small"): (4, 6),
    ("outer", 8, "number"): (8, 20),  # an element leads to its array
    ("outer", 12, "number"): (8, 20),
    ("outer", 24, "any"): (24, 32),
    ("outer", 32, "real"): (32, 36),
    ("outer", 44, "number"): (44, 48),  # x of the second in the list: a member, not an element
    ("outer", 44, "any"): (36, 68),
    ("outer", 68, "text"): (68, None),  # a flexible array has no end
    ("inner", 4, "natural"): (4, 16),
    ("number", 0, "number"): (0, None),  # a number from outside may be one of many
    ("word", 0, "real"): (0, None),
}


@pytest.mark.parametrize(("held", "offset", "wanted"), PARTS, ids=str)
def test_what_a_pointer_gives_access_to(program: Program, held: str, offset: int, wanted: str) -> None:
    ctypes = TypeTable(program.ctypes)
    found = ctypes.part(pointee(program, held), offset, pointee(program, wanted))
    assert found == PARTS[held, offset, wanted]


@pytest.mark.parametrize(
    ("name", "align"), [("outer", 8), ("inner", 4), ("small", 2), ("text", 1), ("any", 1), ("slot", 8)]
)
def test_alignment_that_a_type_promises(program: Program, name: str, align: int) -> None:
    ctypes = TypeTable(program.ctypes)
    assert ctypes.align(pointee(program, name), Layouts(program.layout)) == align


def test_packed_structs_promise_nothing(tmp_path: Path) -> None:
    path = tmp_path / "packed.c"
    path.write_text(
        "struct __attribute__((packed)) p { char c; int i; };\nstruct p *p;\n"
        "int use(void) { return p != 0; }\n"
    )
    program = frontend.load([str(path)]).program
    assert TypeTable(program.ctypes).align(pointee(program, "p"), Layouts(program.layout)) == 1


REACHED = """
static int plain, hidden, numbered;
static int *kept = &plain;
static int *const table[2] = { &hidden, &plain };
struct box { int before; int *inside; int after; };
static struct box box = { 1, &hidden, 2 };
int alone;
int use(void) { return *kept + *table[1] + box.before + numbered + alone; }
"""


def test_reach_follows_initial_pointers(tmp_path: Path) -> None:
    path = tmp_path / "reach.c"
    path.write_text(REACHED)
    context = ExecutionContext(frontend.load([str(path)]).program, arbitrary=False)

    def names(*starts: str) -> set[str]:
        roots = [Root(Pointer.to(context.named(name), context.zero_offset)) for name in starts]
        return {target.name for target in context.environment.reach({}, roots).seen}

    assert names("kept") == {"kept", "plain"}
    assert names("table") == {"table", "hidden", "plain"}
    assert names("box") == {"box", "hidden"}
    assert names("alone") == {"alone"}


def test_reach_follows_numbers_made_of_addresses(tmp_path: Path) -> None:
    path = tmp_path / "reach.c"
    path.write_text(REACHED)
    context = ExecutionContext(frontend.load([str(path)]).program, arbitrary=False)
    numbered = context.named("numbered")
    number = T.bxor(context.address(Pointer.to(numbered, context.zero_offset)), T.bv(5, 64))
    assert numbered in context.environment.reach({}, [Root(number)]).seen
    assert context.environment.reach({}, [Root(T.bv(5, 64))]).seen == {}


def test_spans_add_up() -> None:
    assert union(None, (4, 8)) == (4, 8)
    assert union((0, 4), (8, 12)) == (0, 12)
    assert union((4, None), (0, 2)) == (0, None)
