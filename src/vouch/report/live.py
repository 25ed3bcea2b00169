"""The pages of a report over HTTP while the analysis goes on: on this machine, for who knows the address.

The address holds a token that nobody else can guess, and requests that name another host are refused, so that
no page of the web can read the report through the browser.
"""

from __future__ import annotations

import hmac
import json
import mimetypes
import secrets
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from vouch.report.model import Report
from vouch.report.site import POLICY, files

_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; connect-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_SHARE = 0.1  # of the time that making pages may take
_LEAST = 1.0  # seconds between two versions


class Live:
    """What the server shows: the files of the latest version, and how far the analysis is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: dict[str, bytes] = {}
        self._text, self._done, self._revision = "starting", False, 0
        self._made, self._took = 0.0, 0.0
        self._shown = -1

    def due(self, decided: int) -> bool:
        """Whether there is news, and time to make pages of it."""
        wait = max(_LEAST, self._took / _SHARE)
        return decided != self._shown and time.monotonic() - self._made >= wait

    def show(self, reports: list[Report], decided: int) -> None:
        began = time.monotonic()
        made = {name: text.encode("utf-8") for name, text in files(reports, live=True)}
        with self._lock:
            self._files, self._shown = made, decided
            self._revision += 1
        self._made = time.monotonic()
        self._took = self._made - began

    def say(self, text: str, done: bool = False) -> None:
        with self._lock:
            self._text, self._done = text, done

    def get(self, name: str) -> bytes | None:
        with self._lock:
            if name == "progress.json":
                news = {"revision": self._revision, "text": self._text, "done": self._done}
                return json.dumps(news).encode("ascii")
            return self._files.get(name)


class Server:
    """Listens from the start; answers once `start` was called."""

    def __init__(self, address: str, port: int, live: Live) -> None:
        self.token = secrets.token_urlsafe(18)
        handler = type("Handler", (_Handler,), {"live": live, "token": self.token})
        self._server = ThreadingHTTPServer((address, port), handler)
        self._server.daemon_threads = True
        self._thread: threading.Thread | None = None
        host = f"[{address}]" if ":" in address else address
        self.url = f"http://{host}:{self._server.server_address[1]}/{self.token}/"

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    live: Live
    token: str
    server_version = "vouch"
    sys_version = ""

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, body: bool) -> None:
        if not self._is_for_us():
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST)
            return
        path = self.path.partition("?")[0].removeprefix("/")
        token, slash, name = path.partition("/")
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        if not slash:
            self._refuse(HTTPStatus.MOVED_PERMANENTLY, Location=f"/{token}/")
            return
        content = self.live.get(name or "index.html")
        if content is None:
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        kind = mimetypes.guess_type(name or "index.html")[0] or "text/plain"
        self._send(
            HTTPStatus.OK, content if body else b"", {"Content-Type": f"{kind}; charset=utf-8"}, len(content)
        )

    def _is_for_us(self) -> bool:
        """A page elsewhere can make its own name lead here, but then the browser says that name."""
        name = (self.headers.get("Host") or "").rpartition(":")[0].strip("[]")
        bound = str(self.server.server_address[0])  # type: ignore[index]
        return name in {bound, "localhost", "127.0.0.1", "::1"} or bound in ("0.0.0.0", "::")

    def _refuse(self, status: HTTPStatus, **headers: str) -> None:
        self._send(status, f"{status.phrase}\n".encode(), {"Content-Type": "text/plain", **headers})

    def _send(
        self, status: HTTPStatus, content: bytes, headers: dict[str, str], size: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content) if size is None else size))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: the terminal belongs to the analysis."""
