"""`python -m vouch`: the command line."""

from __future__ import annotations

from vouch.cli.main import main

if __name__ == "__main__":
    main()
