"""For every category, one program per form that the compiler gives it: scalars, vectors, atomics, bit-fields,
numbers of odd widths, constants, copies, calls, …

`tests/forms/CATEGORY.c` has functions `FORM_bad`, which violates the category for some arguments, and
`FORM_safe`, which does not. The truth is found natively: below `#ifdef NATIVE` each form is called with
arguments that violate the bad one, and the sanitizer's handlers, a crash or the wrong value show it; where
nothing can show itself, a rule is quoted. No bad form may come out as safe, and no safe one as a violation.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import vouch
from vouch.c.checks import Category
from vouch.result import CheckResult
from vouch.verdict import Verdict

FORMS = Path(__file__).parents[1] / "forms"
ALL = sorted(FORMS.glob("*.c"))
# What is undecided today, with the reason.
LONG_DOUBLE = "bitwuzla has no floats of 15 exponent and 64 significand bits"
UNDECIDED = {
    "narrowing": {"field_sum": "the compiler cut it", "long_double": LONG_DOUBLE},
    "assertion": {"long_fraction": LONG_DOUBLE},
    "float": {"long": LONG_DOUBLE},
    "leak": {"array": "not evaluated", "loop": "runs more than"},
}
NOT_COMPUTED = re.compile(r"the result of \w+ is not computed")
FLAGS = (
    "-fsanitize=undefined",
    "-fsanitize=implicit-integer-truncation",
    "-fsanitize=implicit-bitfield-conversion",
    "-fsanitize=float-cast-overflow",
    "-fsanitize-recover=all",
    "-fno-sanitize=function,vptr,alignment",
    "-fstrict-flex-arrays=2",
)
MORE = {
    "sign-change": ["-fsanitize=implicit-integer-sign-change"],
    "unsigned-overflow": ["-fsanitize=unsigned-integer-overflow"],
}


def forms(path: Path) -> list[str]:
    return sorted(set(re.findall(r"^int (\w+)_(?:bad|safe)\(", path.read_text(), re.MULTILINE)))


@cache
def answers(path: Path) -> dict[str, list[CheckResult]]:
    """Results by form and twin; what a form's callee has counts for the form."""
    found: dict[str, list[CheckResult]] = {}
    for result in vouch.check(path, checks=[path.stem]).checks:
        found.setdefault(result.check.function.removesuffix("_callee"), []).append(result)
    return found


def test_every_category_has_its_forms() -> None:
    # Statuses are those of the CUDA libraries, which no plain C file calls: tests/cases/cuda.
    assert {path.stem for path in ALL} == {str(c) for c in Category if c is not Category.UNCHECKED_STATUS}


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_no_form_is_decided_wrongly(path: Path) -> None:
    undecided = UNDECIDED.get(path.stem, {})
    for form in forms(path):
        bad, safe = (answers(path).get(f"{form}_{twin}", []) for twin in ("bad", "safe"))
        assert bad, f"{form}: no check at all"
        assert any(r.verdict is not Verdict.SAFE for r in bad), f"{form}_bad is called safe"
        wrong = [r for r in safe if r.verdict is Verdict.UNSAFE]
        assert not wrong, f"{form}_safe: {wrong[0].check.message}"
        for result in (*bad, *safe):
            if result.verdict is Verdict.UNSAFE:
                assert result.replayed or result.reason, form
            elif result.verdict is not Verdict.SAFE:
                reason = result.reason or ""
                known = form in undecided and undecided[form] in reason
                known |= result in bad and reason.startswith("only after")
                assert known or NOT_COMPUTED.search(reason), f"{form}: {result.verdict}: {reason}"


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forms")


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_the_forms_are_what_they_say(path: Path, native: Path) -> None:
    code, _, calls = path.read_text().partition("#ifdef NATIVE\n")
    source, made, program = (native / f"{path.stem}{suffix}" for suffix in (".c", ".o", ""))
    main = f"int main(int count, char **words) {{ const char *wanted = words[1];\n{calls.split('#endif')[0]}"
    source.write_text(f'#include "{FORMS}/driver.h"\n{code}{main}return 99; }}\n')
    compiler = [sys.executable, "-m", "ziglang", "cc", "-w", "-O0"]
    flags = [*FLAGS, *MORE.get(path.stem, ())]
    subprocess.run([*compiler, *flags, "-c", source, "-o", made], check=True)
    subprocess.run([*compiler, "-fno-sanitize=undefined", made, "-o", program, "-lm"], check=True)
    for form in forms(path):
        for twin in ("bad", "safe"):
            done = subprocess.run([program, f"{form}_{twin}"], capture_output=True, timeout=20)
            assert done.returncode != 99, f"{form} is not called"
            assert (done.returncode != 0) is (twin == "bad"), f"{form}_{twin}: {done.returncode}"
