"""Folders for one run: none stays behind, however that ends."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path
from types import TracebackType

from vouch.forks import held_back

# What the keeper of a folder does: it waits until nobody holds the other end of its input, then removes the
# folder. A shell, since a fork of this process would copy the tables of all its memory for that.
_KEEP = 'trap "" INT TERM HUP; read -r line; rm -rf -- "$1"'


class Folder:
    """A folder for one run. A small process of its own removes it when this one ends in any way."""

    def __init__(self, prefix: str) -> None:
        import tempfile

        self._owner = os.getpid()
        with held_back():
            while True:  # until the name is new
                self.path = Path(tempfile.gettempdir(), prefix + os.urandom(8).hex())
                self._keep()  # who removes it is there before it is
                try:
                    self.path.mkdir(mode=0o700)
                    return
                except FileExistsError:
                    self._let_go()
                except BaseException:
                    self._let_go()
                    raise

    def _keep(self) -> None:
        self._keeper: subprocess.Popen[bytes] | None = None
        reading, self._alive = os.pipe()
        with contextlib.suppress(OSError):
            self._keeper = subprocess.Popen(
                ["/bin/sh", "-c", _KEEP, "sh", str(self.path)],
                stdin=reading,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": os.defpath},
                start_new_session=True,
            )
        os.close(reading)

    def _let_go(self) -> None:
        if self._keeper is not None:
            self._keeper.kill()
            self._keeper.wait()
        os.close(self._alive)
        self._alive = -1

    def remove(self) -> None:
        if os.getpid() != self._owner or self._alive < 0:
            return
        import shutil

        with held_back():
            shutil.rmtree(self.path, ignore_errors=True)
            self._let_go()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()
