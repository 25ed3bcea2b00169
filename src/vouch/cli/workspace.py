"""The commands of a workspace, step by step: each goes on with what is undecided or changed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vouch.cli import outputs
from vouch.configuration import from_file
from vouch.errors import VouchError
from vouch.printable import in_json, visible
from vouch.result import CheckResult
from vouch.run.checking import checked, machine_memory
from vouch.run.supervise import Ending, watch
from vouch.run.workspace import Workspace
from vouch.settings import Settings, options_of, resolve
from vouch.status import Direction, refined
from vouch.verdict import Exit, Verdict

MODES: dict[str | None, list[str]] = {
    None: ["local", "callers", "preconditions", "global"],
    "global": ["global"],
    "local": ["callers"],
    "calls": ["calls"],
    "combined": ["local"],
}
_IN_TIME = 0.9  # of the time limit: a run that took longer may have left something for want of time


def sources(files: list[str], find: bool, add: bool, json: bool) -> int:
    """List, find or add sources."""
    space = Workspace.here()
    if files and not add:
        raise VouchError("vouch sources: give --add before files")
    if find:
        _find(space)
    if add:
        space.add_sources(_given(space, file) for file in files)
    if json:
        outputs.to_stdout(_text({"sources": space.sources()}))
        return Exit.PROVED
    for path in space.sources():
        print(visible(path))
    return Exit.PROVED


def _find(space: Workspace) -> None:
    """All sources of the project but its tests and examples, which are named."""
    from vouch.c.project import sources_in, without_tests

    root = str(space.root)
    found = [file for file in sources_in(root, ()) if not _is_excluded(space, file)]
    kept = without_tests(found, [root])
    space.add_sources(os.path.relpath(file, root) for file in kept)
    if len(kept) < len(found):
        text = f"tests and examples left out: {len(found) - len(kept)}"
        print(f"warning: {text} (vouch sources --add FILE adds them)", file=sys.stderr)


def _is_excluded(space: Workspace, file: str) -> bool:
    from vouch.c.project import is_excluded

    return is_excluded(os.path.relpath(file, space.root), space.config().get("exclude", ()))


def _given(space: Workspace, file: str) -> str:
    path = Path(file).resolve()
    if not path.is_file():
        raise VouchError(f"{file}: no such file")
    return str(path.relative_to(space.root)) if path.is_relative_to(space.root) else str(path)


def config(pairs: list[str], json: bool) -> int:
    """Show or set options of `vouch check` for this workspace."""
    space = Workspace.here()
    known = {option.name: option for option in options_of("check") if option.in_file}
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        option = known.get(name.replace("_", "-"))
        if not equals or option is None:
            raise VouchError(f"{pair!r} is not KEY=VALUE with an option of vouch check")
        values[option.key] = _value(option.type, text, name)
    for option in known.values():  # complains about what is wrong, and what no file may say
        if option.key in values:
            values[option.key] = from_file(option, values[option.key], f"option {option.name}")
    resolve("check", {**space.config(), **values})
    space.configure(values)
    if json:
        outputs.to_stdout(_text({key.replace("_", "-"): value for key, value in space.config().items()}))
        return Exit.PROVED
    for key, value in sorted(space.config().items()):
        print(f"{key.replace('_', '-')} = {visible(str(value))}")
    return Exit.PROVED


def _value(type_: type, text: str, name: str) -> Any:
    if type_ is bool:
        if text not in ("true", "false"):
            raise VouchError(f"option {name}: true or false")
        return text == "true"
    return [item for item in text.split(",") if item] if type_ is list else text


def _settings(space: Workspace, settings: Settings | None = None, **more: Any) -> Settings:
    known = {option.key: option for option in options_of("check")}
    stored = {key: value for key, value in space.config().items() if key in known}
    flags = {key: from_file(known[key], value, f"workspace: {key}") for key, value in stored.items()}
    if settings is not None:
        from vouch.settings import chosen

        flags.update({k.replace("-", "_"): v for k, v in chosen("check", settings).items()})
    return resolve("check", {**flags, **more}, folder=space.root)


def _paths(space: Workspace) -> list[str]:
    found = [str(space.root / path) for path in space.sources()]
    if not found:
        raise VouchError("the workspace has no sources: run vouch sources --find")
    return [path for path in found if not _is_excluded(space, path)]


def compile(settings: Settings) -> int:
    """Compile all sources and list what there is to be checked."""
    from vouch.cli.progress import Progress

    space = Workspace.here()
    with Progress(settings) as progress:
        result = checked(_paths(space), _settings(space, settings, rungs=["none"]), progress)
    if settings.json:
        document = {key: result.to_json()[key] for key in ("entry_points", "warnings", "seconds")}
        outputs.to_stdout(_text({**document, "checks": len(result.checks)}))
    else:
        for warning in result.warnings:
            print(f"warning: {visible(warning)}", file=sys.stderr)
        print(f"{len(result.checks)} checks, {len(result.entry_points)} entry points")
    if result.interrupted:
        return Exit.INTERRUPTED
    return Exit.UNDECIDED if result.incomplete else Exit.PROVED


def analyze(mode: str | None, settings: Settings) -> int:
    if mode not in MODES:
        known = ", ".join(name for name in MODES if name)
        raise VouchError(f"vouch analyze {mode}: one of {known}, or nothing for the whole ladder")
    return _run(Workspace.here(), settings, mode or "ladder", rungs=MODES[mode])


REFINEMENTS = ("callers", "preconditions", "learned")


def refine(mode: str, settings: Settings, depth: int | None, check: str | None) -> int:
    if mode not in REFINEMENTS:
        raise VouchError(f"vouch refine {mode}: one of {', '.join(REFINEMENTS)}")
    space = Workspace.here()
    if check is not None and check not in space.earlier():
        raise VouchError(f"no check {check!r} in the workspace")
    return _run(space, settings, f"refine {mode}", check, rungs=[mode], caller_depth=depth)


def _run(space: Workspace, settings: Settings, mode: str, only: str | None = None, **more: Any) -> int:
    from vouch.cli.progress import Progress

    began = time.monotonic()
    marks: dict[str, str] = {}
    before = space.earlier()

    def tell(kind: str, content: Any) -> None:
        if kind == "fingerprints":
            marks.update(content)
        elif kind == "found":
            space.drop_others(check.id for check in content.checks)
        elif kind == "decided":
            space.put((_known(result, before, marks).to_json() for result in content), marks)

    chosen = _settings(space, settings, **more)
    key = _asked(space, chosen) if only is None else None
    if key is not None and (code := space.answered(key)) is not None:
        _show(space, settings, space.document)
        return code
    if chosen.timeout is not None:
        left = max(0.0, float(chosen.timeout) - (time.monotonic() - began))
        chosen = _settings(space, settings, **more, timeout=left)
    with Progress(settings) as progress:
        result = checked(_paths(space), chosen, progress, listen=tell, earlier=before, only=only)
    result.checks = [_known(item, before, marks) for item in result.checks]
    kept = [item for item in result.checks if only in (None, item.check.id)]
    space.put((item.to_json() for item in kept), marks)
    document = result.to_json()
    left_out = ("checks", "summary")
    ran = {name: value for name, value in document.items() if name not in left_out}
    in_time = chosen.timeout is None or result.seconds < _IN_TIME * chosen.timeout
    if in_time and not result.interrupted and result.incomplete is None:
        ran |= {"answers": key, "exit_code": int(result.exit_code())}
    space.ran(mode, ran)
    _show(space, settings, lambda: document)
    return result.exit_code()


def _asked(space: Workspace, settings: Settings) -> str | None:
    """The name of what a run is asked. All sources are preprocessed for it, and that has to end."""
    limit = None if settings.timeout is None else time.monotonic() + float(settings.timeout)
    end = watch(lambda send: _key(space, settings), deadline=limit, memory=machine_memory())
    if end.ending is Ending.INTERRUPTED:
        raise KeyboardInterrupt
    return end.value if end.ending is Ending.DONE else None


def _key(space: Workspace, settings: Settings) -> str | None:
    """What a run is asked, as a name: sources with all that they include, options, and this version."""
    from vouch import __version__
    from vouch.api import front_options
    from vouch.c import checks, frontend
    from vouch.c.cache import key_of
    from vouch.settings import chosen

    options = front_options(settings, checks.chosen(settings.checks))
    read = frontend.digest(_paths(space), options)
    asked = repr(sorted(chosen("check", settings).items(), key=str))
    return None if read is None else key_of([__version__, asked, read])


def _show(space: Workspace, settings: Settings, document: Callable[[], dict[str, Any]]) -> None:
    if settings.json:
        outputs.to_stdout(_text(document()))
    else:
        _print_status(space)


def _text(document: Any) -> str:
    import json

    return in_json(json.dumps(document, indent=2)) + "\n"


def _known(
    new: CheckResult, before: Mapping[str, tuple[str | None, dict[str, Any]]], marks: Mapping[str, str]
) -> CheckResult:
    """What is known after a step: one that says less than an earlier one about the same code adds its
    precondition, if it has one."""
    mark, document = before.get(new.check.id, (None, {}))
    if mark is None or mark != marks.get(new.check.function):
        return new
    old = replace(CheckResult.from_json(document), check=new.check)
    found = refined(old, new, Direction.BOTH)
    if found.verdict is new.verdict and found.verdict is not Verdict.UNKNOWN:
        found = new
    return replace(found, precondition=new.precondition or old.precondition)


def status(json: bool) -> int:
    space = Workspace.here()
    if json:
        rows = ({"verdict": v, "decided_by": rung, "count": count} for v, rung, count in _counts(space))
        outputs.to_stdout(_text({"results": list(rows)}))
    else:
        _print_status(space)
    return Exit.PROVED


def _counts(space: Workspace) -> Iterator[tuple[str, str | None, int]]:
    yield from space.base.execute(
        "select verdict, decided_by, count(*) from results group by 1, 2 order by 1, 2"
    )


def _print_status(space: Workspace) -> None:
    for verdict, rung, count in _counts(space):
        print(f"{count:6} {verdict:12} {rung or '-'}")


def checks(verdict: str | None, function: str | None, json: bool) -> int:
    found = Workspace.here().results(verdict, function)
    if json:
        outputs.to_stdout(_text({"checks": found}))
        return Exit.PROVED
    for item in found:
        place = f"{item['file']}:{item['line']}:{item['column']}"
        why = f" ({item['reason']})" if item["reason"] else ""
        print(visible(f"{item['verdict']:12} {item['id']}  {place}: {item['message']}{why}"))
    return Exit.PROVED


def trace(check: str, json: bool) -> int:
    found = Workspace.here().earlier().get(check)
    if found is None:
        raise VouchError(f"no check {check!r} in the workspace")
    document = found[1]
    if json:
        outputs.to_stdout(_text(document))
        return Exit.PROVED
    print(visible(f"{document['id']}: {document['message']} [{document['verdict']}]"))
    for name, value in (document["inputs"] or {}).items():
        print(visible(f"  {name} = {value}"))
    if document["precondition"]:
        print(visible(f"  safe if: {document['precondition']}"))
    for step in document["trace"]:
        print(visible(f"  {step['file']}:{step['line']}: {step['function']}: {step['what']}"))
    return Exit.PROVED
