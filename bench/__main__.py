"""`python -m bench`: list the benchmarks, or run those named. Each is a module with `main(arguments)`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

# Shared code, not benchmarks.
_HELPERS = {
    "__init__",
    "__main__",
    "campaign",
    "cases",
    "descriptions",
    "fetch",
    "process",
    "cuda_calls",
    "cuda_layers",
    "nn_instances",
    "numeric_programs",
    "mnist",
    "qnn",
}


def names() -> list[str]:
    """All modules with a `main`, subfolders as dotted names."""
    here = Path(__file__).parent
    files = sorted(p for p in here.rglob("*.py") if p.stem not in _HELPERS)
    return [
        ".".join(p.relative_to(here).with_suffix("").parts)
        for p in files
        if "def main(" in p.read_text(encoding="utf-8")
    ]


def main(arguments: list[str]) -> int:
    known = names()
    if not arguments:
        for name in known:
            text = (import_module(f"bench.{name}").__doc__ or "").strip().splitlines()
            print(f"{name:20} {text[0] if text else ''}")
        print("\nrun one with: python -m bench NAME [ARGUMENT…]")
        return 0
    if arguments[0] not in known:
        print(f"error: no benchmark {arguments[0]!r} (known: {', '.join(known)})", file=sys.stderr)
        return 2
    result = import_module(f"bench.{arguments[0]}").main(arguments[1:])
    return int(result or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
