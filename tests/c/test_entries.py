"""Where executions start: everything that code outside can call, and no function is left unreached."""

from __future__ import annotations

from pathlib import Path

import pytest

import vouch
from vouch.c import frontend
from vouch.c.entries import entries, entry_points, is_library, uncalled
from vouch.c.interrupts import undisturbed
from vouch.c.ir import Program
from vouch.c.options import FrontOptions
from vouch.errors import VouchError


def program(folder: Path, text: str, suffix: str = ".c") -> Program:
    path = folder / f"unit{suffix}"
    path.write_text(text)
    return frontend.load([str(path)]).program


def names(folder: Path, text: str, suffix: str = ".c") -> list[str]:
    made = program(folder, text, suffix)
    return [made.functions[name].source_name for name in entry_points(made)]


def test_main_alone(tmp_path: Path) -> None:
    made = program(tmp_path, "int f(int x) { return x; }\nint main(void) { return f(1); }\n")
    assert entry_points(made) == ["main"]
    assert not is_library(made)
    assert entry_points(made, ["f"]) == ["f"]
    assert not is_library(made, ["f"])


def test_wrong_names_get_a_hint(tmp_path: Path) -> None:
    made = program(tmp_path, "int compute(int x) { return x; }\nint outside(int);\n")
    with pytest.raises(VouchError, match="did you mean 'compute'"):
        entry_points(made, ["conpute"])
    with pytest.raises(VouchError, match="outside"):
        entry_points(made, ["outside"])


def test_what_other_files_can_call(tmp_path: Path) -> None:
    text = "static int h(int x) { return x; }\nint g(int x) { return h(x); }\nint f(int x) { return g(x); }\n"
    assert names(tmp_path, text) == ["g", "f"]


def test_inline_functions_of_a_class_can_be_called(tmp_path: Path) -> None:
    text = "struct s { int f(int x) { return x; } };\nint g(s &o) { return o.f(1); }\n"
    assert set(names(tmp_path, text, ".cpp")) == {"f", "g"}


def test_recursion_does_not_hide_a_function(tmp_path: Path) -> None:
    assert names(tmp_path, "int f(int x) { return x ? f(x - 1) : 0; }\n") == ["f"]


def test_circles_are_entered(tmp_path: Path) -> None:
    text = (
        "int b(int);\nint a(int x) { return x ? b(x - 1) : 0; }\nint b(int x) { return x ? a(x - 1) : 1; }\n"
    )
    assert names(tmp_path, text) == ["a", "b"]


def test_a_static_table_stays_inside(tmp_path: Path) -> None:
    text = (
        "static int a(int x) { return x; }\nstatic int b(int x) { return -x; }\n"
        "static int (*const t[2])(int) = {a, b};\nint call(unsigned i) { return t[i % 2](3); }\n"
    )
    assert names(tmp_path, text) == ["call"]


def test_an_exported_table_leads_out(tmp_path: Path) -> None:
    text = "static int a(int x) { return x; }\nint (*const t[1])(int) = {a};\n"
    assert names(tmp_path, text) == ["a"]


def test_callbacks_lead_out(tmp_path: Path) -> None:
    text = (
        "void on_event(void (*handler)(int));\nstatic void handle(int x) { (void)x; }\n"
        "void init(void) { on_event(handle); }\n"
    )
    assert set(names(tmp_path, text)) == {"handle", "init"}


def test_callbacks_kept_inside(tmp_path: Path) -> None:
    text = (
        "static int apply(int (*f)(int), int x) { return f(x); }\nstatic int twice(int x) { return x; }\n"
        "int run(int x) { return apply(twice, x); }\n"
    )
    assert names(tmp_path, text) == ["run"]


def test_names_of_cpp(tmp_path: Path) -> None:
    made = program(tmp_path, "namespace n { int f(int x) { return x; } }\nint g() { return 1; }\n", ".cpp")
    assert len(entry_points(made, ["f"])) == 1
    assert len(entry_points(made)) == 2


@pytest.mark.parametrize(
    "text",
    [
        # through a local variable, a parameter, a result, a file-local global, a struct
        "extern void (*out)(int);\nvoid init(void) { void (*p)(int) = handle; out = p; }\n",
        "extern void (*out)(int);\nstatic void set(void (*p)(int)) { out = p; }\n"
        "void init(void) { set(handle); }\n",
        "typedef void (*h_t)(int);\nh_t init(void) { return handle; }\n",
        "static void (*kept)(int);\nextern void (*out)(int);\n"
        "void init(int x) { kept = handle; if (x) out = kept; }\n",
        "struct d { void (*f)(int); };\nvoid use(struct d *);\n"
        "void init(void) { struct d x = {handle}; use(&x); }\n",
        "void use(void (*)(int));\nvoid init(int x) { use(x ? handle : 0); }\n",
        "static void (*const t[1])(int) = {handle};\nvoid use(const void *);\nvoid init(void) { use(t); }\n",
    ],
)
def test_every_way_out_is_seen(tmp_path: Path, text: str) -> None:
    assert "handle" in names(tmp_path, "static void handle(int x) { (void)x; }\n" + text)


def test_what_only_hardware_calls(tmp_path: Path) -> None:
    """Handlers in a table that is marked as used, not what is dead or called; others may call the rest."""
    text = """
    int n;
    void public(void) { n++; }
    void tick(void) { n++; }
    static void receive(void) { n--; }
    static void dead(void) { n = 3; }
    static void called(void) { n = 4; }
    static void (*const vectors[])(void) __attribute__((used, section(".vectors"))) = { tick, receive };
    static void (*const table[])(void) = { called };
    int main(void) { for (;;) table[0](); }
    """
    read = program(tmp_path, text)
    assert entries(read).handlers == ("tick", "receive")
    assert uncalled(read, entries(read)) == ["public"]
    everybody = entries(read, ("main", "tick", "receive", "public"))
    assert everybody.handlers == ()
    assert uncalled(read, everybody) == []


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ('__attribute__((interrupt("IRQ"))) void isr(void) { n++; }', "thumbv7m-none-eabi"),
        ("__attribute__((signal)) void isr(void) { n++; }", "avr"),
        ("__attribute__((interrupt(3))) void isr(void) { n++; }", "msp430"),
        ("__attribute__((interrupt)) void isr(void *frame) { (void)frame; n++; }", None),
    ],
)
def test_attributes_of_handlers(tmp_path: Path, text: str, target: str | None) -> None:
    file = tmp_path / "a.c"
    file.write_text(f"int n;\n{text}\nint main(void) {{ return n; }}\n")
    read = frontend.load([file], FrontOptions(target=target)).program
    assert entries(read).handlers == ("isr",)
    assert undisturbed(read, ["isr"]) == "while other code runs, isr is taken not to change n"


@pytest.mark.parametrize(
    ("variable", "body", "shared"),
    [
        ("volatile int n;", "n++;", False),
        ("int n;", "(void)n;", False),
        ("int n;", "n = 1;", True),
        ("int n;", "change(&n);", True),
        ("struct { int a[4]; } n;", "n.a[2] = 1;", True),
        ("int n, *p = &n;", "*p = 1;", True),
        ("int n;", "*(volatile int *)0x40 = 1;", False),
        ("int n; static int *const p[] = {&n};", "*p[0] = 1;", True),
    ],
)
def test_what_handlers_share(tmp_path: Path, variable: str, body: str, shared: bool) -> None:
    start = "int main(void) { return *(const char *)&n; }"
    read = program(tmp_path, f"{variable}\nvoid change(int *);\nvoid isr(void) {{ {body} }}\n{start}\n")
    assert (undisturbed(read, ["isr"]) is not None) == shared


def test_what_others_may_call_is_dead_by_assumption(tmp_path: Path) -> None:
    """Code outside of a program with a main may have a use for what it does not call; what nobody outside can
    name is dead."""
    text = """
    static int divided(int x) { return 10 / x; }
    int hook(int x) { return divided(x); }
    static int dead(int x) { return 20 / x; }
    int main(void) { return sizeof dead(1); }
    """
    path = tmp_path / "unit.c"
    path.write_text(text)
    found = vouch.check([str(path)])
    held = {r.check.function: r.assumptions for r in found.checks if r.check.category == "division-by-zero"}
    assert held["divided"] == ("code outside calls no function that main does not get to",)
    assert held.get("dead", ()) == ()
