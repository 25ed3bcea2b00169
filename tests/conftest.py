"""What holds for all tests."""

from __future__ import annotations

import os
import signal
import threading

# A shell that starts the tests in the background has them ignore Ctrl-C, nohup has them ignore that the
# terminal goes away, and with them all that they start.
if threading.current_thread() is threading.main_thread():
    for _number, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(_number) is signal.SIG_IGN:
            signal.signal(_number, _handler)

# Neither has what the user's shell says to vouch or to the programs that it starts a say here.
for _name in [name for name in os.environ if name.startswith(("VOUCH_", "GITHUB_"))]:
    if _name != "VOUCH_DATA":
        del os.environ[_name]
for _name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "CPATH", "C_INCLUDE_PATH", "CC", "CFLAGS"):
    os.environ.pop(_name, None)
