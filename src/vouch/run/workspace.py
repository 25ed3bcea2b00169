"""A project's workspace: the folder `.vouch` with sources, settings and results in an SQLite database.

Results are committed as they are decided, so that a run that was killed is gone on with. A result is used
again while the fingerprint of its function is the same; tables and columns are plain text and JSON.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from vouch.errors import VouchError

FOLDER, FILE = ".vouch", "store.db"
_SCHEMA = """
create table if not exists sources (path text primary key);
create table if not exists config (key text primary key, value text not null);
create table if not exists runs (mode text, started text default current_timestamp, document text);
create table if not exists results (
    id text primary key, function text, verdict text, decided_by text, fingerprint text, document text);
"""


class Workspace:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.base = sqlite3.connect(root / FOLDER / FILE, timeout=30)
        self.base.executescript(_SCHEMA)

    @classmethod
    def create(cls, root: Path) -> Workspace:
        folder = root / FOLDER
        folder.mkdir(exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
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
        rows = [
            (d["id"], d["function"], d["verdict"], d["decided_by"], marks.get(d["function"]), json.dumps(d))
            for d in documents
        ]
        with self.base:
            self.base.executemany("insert or replace into results values (?, ?, ?, ?, ?, ?)", rows)

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
        rows = self.base.execute("select id, fingerprint, document from results")
        return {name: (mark, json.loads(text)) for name, mark, text in rows}

    def ran(self, mode: str, document: Mapping[str, Any]) -> None:
        """What is to be known of a run beside its results."""
        with self.base:
            self.base.execute("insert into runs (mode, document) values (?, ?)", (mode, json.dumps(document)))

    def answered(self, key: str) -> int | None:
        """The exit code of the last run, if that came to its end and this names what it was asked."""
        row = self.base.execute("select document from runs order by rowid desc limit 1").fetchone()
        known = json.loads(row[0]) if row is not None else {}
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
