"""A project's workspace: the folder `.vouch` with sources, settings and results in an SQLite database.

Results are committed as they are decided, so that a run that was killed is gone on with. A result is used
again while the fingerprint of its function is the same; tables and columns are plain text and JSON.

A folder can come with a repository. `owner` says that this user made it, before anything else in it is looked
at, and what proofs are taken from is sealed, both with the key of the cache: without it nobody can write a
result that is believed.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from vouch.c.cache import key_of, secret
from vouch.errors import VouchError
from vouch.files import read_text

FOLDER, FILE, OWNER = ".vouch", "store.db", "owner"
_SCHEMA = """
create table if not exists sources (path text primary key);
create table if not exists config (key text primary key, value text not null);
create table if not exists runs (
    mode text, started text default current_timestamp, document text, seal text);
create table if not exists results (
    id text primary key, function text, verdict text, decided_by text, fingerprint text, document text,
    seal text);
"""


class Workspace:
    """Use `create`, `find` or `here`. Raises `VouchError` where the folder is not this user's own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        folder = root / FOLDER
        if any(path.is_symlink() for path in (folder, folder / FILE, folder / OWNER)):
            raise VouchError(f"{folder}: a workspace is no link")
        if not _owned(folder):
            raise VouchError(f"{folder}: not made by you with vouch init: remove it, or run this elsewhere")
        try:
            self.base = sqlite3.connect(folder / FILE, timeout=30)
            self.base.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise VouchError(f"{folder / FILE}: {error}") from None

    @classmethod
    def create(cls, root: Path) -> Workspace:
        if secret() is None:
            raise VouchError("no place to keep a key for the workspace: set VOUCH_CACHE_KEY")
        folder = root / FOLDER
        folder.mkdir()
        name = os.urandom(16).hex()
        (folder / OWNER).write_text(f"{name} {_seal('workspace', name)}\n", encoding="utf-8")
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        return cls(root)

    @classmethod
    def find(cls, start: Path | None = None) -> Workspace | None:
        """That of a folder or of one around it."""
        folder = (start or Path.cwd()).resolve()
        for root in (folder, *folder.parents):
            if (root / FOLDER / FILE).is_file():
                return cls(root)
        return None

    @classmethod
    def here(cls) -> Workspace:
        found = cls.find()
        if found is None:
            raise VouchError("no workspace here: run vouch init ROOT first")
        return found

    # ------------------------------------------------------------ sources and settings

    def sources(self) -> list[str]:
        return [path for (path,) in self.base.execute("select path from sources order by path")]

    def add_sources(self, paths: Iterable[str]) -> None:
        with self.base:
            self.base.executemany("insert or ignore into sources values (?)", [(path,) for path in paths])

    def config(self) -> dict[str, Any]:
        return {key: json.loads(value) for key, value in self.base.execute("select * from config")}

    def configure(self, values: Mapping[str, Any]) -> None:
        with self.base:
            rows = [(key, json.dumps(value)) for key, value in values.items()]
            self.base.executemany("insert or replace into config values (?, ?)", rows)

    # ------------------------------------------------------------ results

    def put(self, documents: Iterable[Mapping[str, Any]], marks: Mapping[str, str]) -> None:
        rows = []
        for document in documents:
            name, function = document["id"], document["function"]
            mark, text = marks.get(function), json.dumps(document)
            seal = _seal("result", name, str(mark), text)
            rows.append((name, function, document["verdict"], document["decided_by"], mark, text, seal))
        with self.base:
            self.base.executemany("insert or replace into results values (?, ?, ?, ?, ?, ?, ?)", rows)

    def drop_others(self, kept: Iterable[str]) -> None:
        """Forget checks that are no longer there."""
        known = {name for (name,) in self.base.execute("select id from results")}
        with self.base:
            gone = [(name,) for name in known - set(kept)]
            self.base.executemany("delete from results where id = ?", gone)

    def results(self, verdict: str | None = None, function: str | None = None) -> list[dict[str, Any]]:
        query = "select document from results where (?1 is null or verdict = ?1)"
        query += " and (?2 is null or function = ?2) order by rowid"
        return [json.loads(text) for (text,) in self.base.execute(query, (verdict, function))]

    def earlier(self) -> dict[str, tuple[str | None, dict[str, Any]]]:
        """Results by check id, with the fingerprints that they were decided for."""
        rows = self.base.execute("select id, fingerprint, document, seal from results").fetchall()
        ours = (row for row in rows if row[3] == _seal("result", row[0], str(row[1]), row[2]))
        return {name: (mark, json.loads(text)) for name, mark, text, _ in ours}

    def ran(self, mode: str, document: Mapping[str, Any]) -> None:
        """What is to be known of a run beside its results."""
        text = json.dumps(document)
        with self.base:
            row = (mode, text, _seal("run", text))
            self.base.execute("insert into runs (mode, document, seal) values (?, ?, ?)", row)

    def answered(self, key: str) -> int | None:
        """The exit code of the last run, if that came to its end and this names what it was asked."""
        row = self.base.execute("select document, seal from runs order by rowid desc limit 1").fetchone()
        known = json.loads(row[0]) if row is not None and row[1] == _seal("run", row[0]) else {}
        return known.get("exit_code") if known.get("answers") == key else None

    def document(self) -> dict[str, Any]:
        """All results as one JSON report."""
        row = self.base.execute("select document from runs order by rowid desc limit 1").fetchone()
        if row is None:
            raise VouchError("nothing was analysed yet: run vouch analyze")
        checks = self.results()
        summary: dict[str, int] = {}
        for check in checks:
            summary[check["verdict"]] = summary.get(check["verdict"], 0) + 1
        ran = {key: value for key, value in json.loads(row[0]).items() if key not in ("answers", "exit_code")}
        return {**ran, "checks": checks, "summary": summary}


def _owned(folder: Path) -> bool:
    try:
        name, seal = read_text(folder / OWNER, 1000).split()
    except (VouchError, ValueError):
        return False
    return seal == _seal("workspace", name)


def _seal(*parts: str) -> str | None:
    """Who does not know the key cannot tell it. None where there is no key, which nothing is equal to."""
    own = secret()
    if own is None:
        return None
    from hashlib import blake2b

    return blake2b(key_of(parts).encode(), key=own, digest_size=32).hexdigest()
