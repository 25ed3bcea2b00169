"""Running clang: which one, with which flags, on one translation unit.

clang comes with the `ziglang` wheel, headers included, so that nothing on the machine is needed and nothing
on it changes the answer. Diagnostics are passed on as clang prints them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from vouch.c.cache import Cache, key_of
from vouch.c.checks.base import Category
from vouch.c.link import normal
from vouch.c.options import FrontOptions
from vouch.c.reads import Listed, Reads
from vouch.c.target import Target, headers, resolve
from vouch.c.wheel import wheel
from vouch.errors import TimeLimit, VouchError
from vouch.process import OutOfTime, call
from vouch.record import frozen_record

OWN_HEADERS = Path(__file__).parent / "include"

_LANGUAGES = {
    ".c": "c",
    ".i": "cpp-output",
    ".cpp": "c++",
    ".cc": "c++",
    ".cxx": "c++",
    ".c++": "c++",
    ".C": "c++",
    ".ii": "c++-cpp-output",
    ".cu": "c++",
}
SOURCES = frozenset(_LANGUAGES)
_PREPROCESSED = frozenset((".i", ".ii"))

# The instrumentation that vouch reads as checks. What is missing (null, alignment, pointer-overflow,
# object-size) vouch decides itself, on the objects that pointers point to.
_ALWAYS = (
    "signed-integer-overflow",
    "array-bounds",
    "shift-base",
    "shift-exponent",
    "integer-divide-by-zero",
    "implicit-unsigned-integer-truncation",
    "implicit-signed-integer-truncation",
    "implicit-bitfield-conversion",
    "float-cast-overflow",
    "vla-bound",
    "unreachable",
    "return",
    "builtin",
)
_WITH = {
    Category.UNSIGNED_OVERFLOW: "unsigned-integer-overflow",
    Category.SIGN_CHANGE: "implicit-integer-sign-change",
    Category.FLOAT: "float-divide-by-zero",
}

_COMMON = (
    # Unoptimised code all the same, but with debug information for declarations and with lifetimes.
    "-O1",
    "-U__OPTIMIZE__",
    "-fno-discard-value-names",
    "-Xclang",
    "-disable-llvm-passes",
    "-fno-strict-aliasing",  # spares notes for the optimiser on every load and store
    "-fstrict-flex-arrays=2",
    # a*b+c stays two roundings, and math functions stay calls that models can answer.
    "-ffp-contract=off",
    "-fmath-errno",
    "-fno-builtin-modf",
    "-fno-builtin-modff",
    "-ffile-compilation-dir=.",
    "-fno-crash-diagnostics",  # a clang that crashes leaves no files
    # Old C is C too: what clang made errors by default only lately stays accepted.
    "-w",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=return-mismatch",
)

# The wheel's libc++ has no __config_site header: it expects its settings on the command line.
_LIBCXX_SITE = (
    "-D_LIBCPP_ABI_VERSION=1",
    "-D_LIBCPP_ABI_NAMESPACE=__1",
    "-D_LIBCPP_HAS_THREADS=1",
    "-D_LIBCPP_HAS_MONOTONIC_CLOCK",
    "-D_LIBCPP_HAS_TERMINAL",
    "-D_LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS",
    "-D_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS",
    "-D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0",
    "-D_LIBCPP_HAS_FILESYSTEM=1",
    "-D_LIBCPP_HAS_RANDOM_DEVICE",
    "-D_LIBCPP_HAS_LOCALIZATION",
    "-D_LIBCPP_HAS_UNICODE",
    "-D_LIBCPP_HAS_WIDE_CHARACTERS",
    "-D_LIBCPP_HAS_NO_STD_MODULES",
    "-D_LIBCPP_HAS_TIME_ZONE_DATABASE",
    "-D_LIBCPP_PSTL_BACKEND_SERIAL",
    "-D_LIBCPP_HARDENING_MODE_DEFAULT=_LIBCPP_HARDENING_MODE_NONE",
    "-D_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE",
)

# Types that gcc knows and headers that it preprocessed use.
_GNU_FLOATS = (
    "-D_Float128=__float128",
    "-D_Float64x=long double",
    "-D_Float64=double",
    "-D_Float32x=double",
    "-D_Float32=float",
)

# A macro with or without parameters and a value.
_MACRO = re.compile(r"[^\W\d]\w*(\([\w\s,.]*\))?(=|$)")
_MISSING = re.compile(r"fatal error: '([^']+)' file not found")


@frozen_record
class Unit:
    """One translation unit: the file as it is named in reports, its own flags (from a database), and those
    that change what it means and are not honoured."""

    path: str
    flags: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


class CompileError(VouchError):
    """The source `path` does not compile; `diagnostics` is what clang said."""

    def __init__(self, message: str, diagnostics: str, path: str | None = None) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics
        self.path = path


@lru_cache(maxsize=1)
def as_word(path: str) -> str:
    """A path that clang takes for nothing but a path: neither an option nor a file of options."""
    return f"./{path}" if path.startswith(("@", "-")) else path


def require_value(text: str, where: str) -> str:
    """The value of a flag. clang hands values on as words of their own, where `@` would name a file with
    more flags; it does the same with the bare names of sources."""
    if text.lstrip().startswith("@"):
        raise VouchError(f"{where}: {text!r} begins with @, which clang takes for a file of flags")
    return text


def require_macro(text: str, where: str) -> str:
    """The value of -D or -U. clang would look for a missing one in the next flag."""
    if not _MACRO.match(text):
        raise VouchError(f"{where}: {text!r} is no NAME or NAME=VALUE")
    return text


class Clang:
    """A clang and the flags that hold for all units of a run."""

    def __init__(self, options: FrontOptions) -> None:
        self.target: Target = resolve(require_value(options.target or "", "target") or None)
        self._options = options
        self._command = self._find(options.clang)
        self._system = self._system_flags()
        self.reads: Reads | None = None  # what sources may read; anything where nobody said
        self.meanwhile: Callable[[], None] | None = None  # what to do while it works for the first time

    @staticmethod
    def _find(path: str | None) -> tuple[str, ...]:
        if path is None:
            name = "zig.exe" if os.name == "nt" else "zig"
            return (str(wheel() / name), "clang")
        from shutil import which

        found = which(path)
        if found is None:
            raise VouchError(f"clang {path!r} not found")
        return (found,)

    def _system_flags(self) -> tuple[str, ...]:
        """Headers of the target and nothing from this machine. An own clang brings its own built-in ones."""
        library = wheel() / "lib"
        flags = [f"--target={self.target.triple}"]
        if self._options.clang is None:
            flags += ["-nostdinc", "-nostdinc++", "-isystem", str(library / "include")]
        else:
            flags += ["-nostdlibinc"]
        for folder in headers(self.target, library, OWN_HEADERS):
            flags += ["-isystem", str(folder)]
        if "gnu" in self.target.triple and "linux" in self.target.triple:
            # The header of the C library leaves its minor version to the command line.
            flags += ["-D__GLIBC_MINOR__=31"]
        # Plain calls of isalpha() and the like instead of look-ups in the C library's tables.
        flags += ["-D__NO_CTYPE=1"]
        return tuple(flags)

    def _cplusplus_flags(self) -> tuple[str, ...]:
        """The C++ library, which needs an operating system below it."""
        if not self.target.hosted:
            return ()
        library = wheel() / "lib"
        folders = (library / "libcxx" / "include", library / "libcxxabi" / "include")
        musl = int("musl" in self.target.triple)
        return (
            *(part for folder in folders for part in ("-isystem", str(folder))),
            *_LIBCXX_SITE,
            f"-D_LIBCPP_HAS_MUSL_LIBC={musl}",
        )

    def instrumentation(self) -> tuple[str, ...]:
        """Each sanitizer as a flag of its own, going on after a violation."""
        names = list(_ALWAYS)
        names += [name for category, name in _WITH.items() if category in self._options.categories]
        return (*(f"-fsanitize={name}" for name in names), "-fsanitize-recover=all")

    def arguments(self, unit: Unit, *, instrument: bool = True) -> list[str]:
        """The command line that turns a unit into IR, without input and output."""
        require_value(Path(unit.path).name, unit.path)
        suffix = Path(unit.path).suffix
        language = _LANGUAGES[suffix]
        options = self._options
        flags = [*self._command, "-x", language, *_COMMON]
        if instrument:
            flags += ["-g", *self.instrumentation()]
        if options.std and ("++" in options.std) == ("++" in language):
            flags.append(f"-std={require_value(options.std, 'option --std')}")
        if "cpp-output" not in language:
            flags += [word for folder in options.includes for word in ("-I", as_word(folder))]
            flags += [f"-D{require_macro(macro, 'option --define')}" for macro in options.defines]
            flags += unit.flags
            if suffix == ".cu":
                flags += ["-include", "cuda_runtime.h"]
            if language == "c++":
                flags += self._cplusplus_flags()
            flags += [*self._system, "-isystem", str(OWN_HEADERS / "cuda")]
        else:
            flags.append(f"--target={self.target.triple}")
            if _needs_floats(unit.path):
                # Macros take another round of preprocessing, in which nothing else is defined.
                flags[flags.index("-x") + 1] = "c++" if "++" in language else "c"
                flags += ["-undef", *_GNU_FLOATS]
        return [*flags, *options.flags]

    def compile(self, unit: Unit, cache: Cache | None = None, *, instrument: bool = True) -> str:
        """The IR text of a unit. Its preprocessed text and the flags decide it: they name it in the cache."""
        arguments = self.arguments(unit, instrument=instrument)
        read = False
        seen = None
        if cache or unit.path.endswith(".cu"):
            seen = self.preprocess(unit)
            read = seen is not None and Path(unit.path).suffix not in _PREPROCESSED
        key = key_of([self.identity(), *arguments, unit.path, seen]) if seen is not None else ""
        if cache and key and (known := cache.get(key)) is not None:
            return known.decode("utf-8", "surrogateescape")
        # Another clang may print IR as another LLVM does; bitcode is what this one can read.
        form = "-S" if self._options.clang is None else "-c"
        source, data = as_word(unit.path), None
        if seen is not None and _has_launches(seen) and arguments[_language(arguments)] == "c++":
            from vouch.c import launches

            arguments[_language(arguments)] = "c++-cpp-output"
            source, data = "-", launches.rewritten(seen, unit.path)
        words = [*arguments, form, "-emit-llvm", "-o", "-", source]
        done = self._run(words, data) if read else self._watched(unit, words)
        if done.returncode:
            raise self._error(unit, done)
        text = done.stdout if form == "-S" else normal(done.stdout, unit.path).text.encode()
        if cache and key:
            cache.put(key, text)
        return text.decode("utf-8", "surrogateescape")

    @property
    def headers(self) -> tuple[Path, ...]:
        """Folders of the target's own headers."""
        library = wheel() / "lib"
        return (library / "include", *headers(self.target, library, OWN_HEADERS))

    def preprocess(self, unit: Unit) -> bytes | None:
        """What the compiler would see, or None if it cannot be had."""
        if Path(unit.path).suffix in _PREPROCESSED:  # clang -E prints nothing for these
            try:
                return Path(unit.path).read_bytes()
            except OSError:
                return None
        words = [*self.arguments(unit, instrument=False), "-E", "-o", "-", as_word(unit.path)]
        done = self._watched(unit, words)
        return None if done.returncode else done.stdout

    def identity(self) -> str:
        """What tells this clang and target from others, for the cache."""
        status = Path(self._command[0]).stat()
        return f"{self._command[0]} {status.st_size} {status.st_mtime_ns} {self.target.triple}"

    def _watched(self, unit: Unit, command: list[str]) -> subprocess.CompletedProcess[bytes]:
        """Run the compiler on a source, which may read what it is allowed to."""
        if self.reads is None:
            return self._run(command)
        with Listed() as listed:
            done = self._run([*command, *listed.flags], listed=listed.descriptor)
            refused = None if done.returncode else self.reads.refused(listed.read(), as_word(unit.path))
        if refused == "":
            raise VouchError(f"{self._command[0]} does not compile as clang does")
        if refused is not None:
            why = "which is neither a header nor in the folders given (give its folder with -I)"
            raise CompileError(f"{unit.path}: reads {refused}, {why}", "", unit.path)
        return done

    def _run(
        self, command: list[str], data: bytes | None = None, listed: int | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        meanwhile, self.meanwhile = self.meanwhile, None
        colour = sys.stderr.isatty() and "NO_COLOR" not in os.environ
        command.append("-fcolor-diagnostics" if colour else "-fno-color-diagnostics")
        try:
            # It answers on a pipe. What a clang of the user's own may be (a wrapper, a cache), nobody knows.
            own = self._options.clang is not None
            return call(
                command,
                data=data,
                deadline=self._options.deadline,
                writable=None if own else (),
                environ=None if own else _environment(),
                descriptors=() if listed is None else (listed,),
                meanwhile=meanwhile,
            )
        except OSError as error:
            raise VouchError(f"cannot run {command[0]}: {error.strerror}") from None
        except OutOfTime:
            raise TimeLimit("time limit of the command reached in the compiler") from None

    @staticmethod
    def _error(unit: Unit, done: subprocess.CompletedProcess[bytes]) -> CompileError:
        said = done.stderr.decode("utf-8", "replace")
        plain = re.sub(r"\x1b\[[0-9;]*m", "", said)
        missing = _MISSING.search(plain)
        if plain.startswith("error: "):  # about the command line, not about a place in a file
            return CompileError(f"{unit.path}: clang: {plain.splitlines()[0][7:]}", "", unit.path)
        if missing:
            message = f"{unit.path}: header {missing[1]!r} not found (give its folder with -I)"
        elif done.returncode < 0:
            message = f"{unit.path}: clang ended with signal {-done.returncode}"
        else:
            message = f"{unit.path}: does not compile"
        return CompileError(message, said, unit.path)


# Variables that clang may see: others add folders, options and outputs to its command line.
_VARIABLES = ("PATH", "HOME", "TMPDIR", "TEMP", "TMP", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "SYSTEMROOT")


def _environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k.upper() in _VARIABLES or k.startswith("LC_")}


def _has_launches(text: bytes) -> bool:
    """Whether it is CUDA with syntax of its own."""
    return b"<<<" in text or b"__shared__" in text


def _language(arguments: list[str]) -> int:
    """Where a command line says which language it is."""
    return arguments.index("-x") + 1


def _needs_floats(path: str) -> bool:
    """Whether a preprocessed file uses gcc's float types without defining them, as old headers do."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    return b"_Float" in content and re.search(rb"typedef\s[\w\s]*\b_Float\d", content) is None
