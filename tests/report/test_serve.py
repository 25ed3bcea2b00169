"""Pages over HTTP while an analysis runs: for who knows the address, and nobody else."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

PROGRAM = "int f(int a, int b) { return a / b; }\n"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    (tmp_path / "a.c").write_text(PROGRAM)
    line = [sys.executable, "-m", "vouch", "serve", "a.c", "-q"]
    process = subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    assert process.stderr is not None
    try:
        yield process, process.stderr.readline().split()[0]
    finally:
        process.kill()
        process.communicate()


def get(url: str, path: str, **headers: str) -> tuple[int, str, Any]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), answer.headers


def test_live_pages(served: tuple[subprocess.Popen[str], str]) -> None:
    process, url = served
    base = urlsplit(url).path
    assert urlsplit(url).hostname == "127.0.0.1"
    assert len(base.strip("/")) >= 20
    for _ in range(600):
        status, text, _ = get(url, f"{base}progress.json")
        assert status == 200
        if json.loads(text)["done"]:
            break
        time.sleep(0.1)
    status, page, headers = get(url, base)
    assert status == 200
    assert 'data-live="yes"' in page
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert '"unsafe"' in get(url, f"{base}data/summary.js")[1]
    # Without the token, with half of it, out of the folder, by another name: nothing.
    for path in (
        "/",
        "/index.html",
        base[:-5] + "/index.html",
        f"{base}../x",
        f"{base}%2e%2e/a.c",
        f"{base}a.c",
    ):
        assert get(url, path)[0] == 404, path
    assert get(url, base, Host="evil.example:80")[0] == 421
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 1  # as for `vouch check`


def test_a_port_that_is_taken(served: tuple[subprocess.Popen[str], str], tmp_path: Path) -> None:
    port = str(urlsplit(served[1]).port)
    line = [sys.executable, "-m", "vouch", "serve", "a.c", "--port", port]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("error: option --port")
