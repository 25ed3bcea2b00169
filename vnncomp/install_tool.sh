#!/usr/bin/env bash
# VNN-COMP: install_tool.sh v1. Installs vouch for the user who runs it.
set -euo pipefail
[ "${1:-}" = v1 ] || { echo "usage: $0 v1" >&2; exit 1; }
cd "$(dirname "$0")/.."
python3 -m pip install --quiet .
python3 -m vouch --version
