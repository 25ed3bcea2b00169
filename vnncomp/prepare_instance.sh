#!/usr/bin/env bash
# VNN-COMP: prepare_instance.sh v1 CATEGORY NETWORK PROPERTY. There is nothing to convert beforehand: the files are
# only looked at, so that an instance that cannot be run is skipped (exit code 1).
set -euo pipefail
[ $# -eq 4 ] && [ "$1" = v1 ] || { echo "usage: $0 v1 CATEGORY NETWORK PROPERTY" >&2; exit 1; }
there() { [ -f "$1" ] || [ -f "$1.gz" ]; }
case "$3" in
  \[*) ;; # several networks, as a list
  *) there "$3" || { echo "$3: no such file" >&2; exit 1; } ;;
esac
there "$4" || { echo "$4: no such file" >&2; exit 1; }
