#!/usr/bin/env bash
# VNN-COMP: run_instance.sh v1 CATEGORY NETWORK PROPERTY RESULTS SECONDS. Writes sat with the assignment, unsat,
# unknown or timeout to RESULTS. The exit code is 0 whenever there is an answer.
set -uo pipefail
[ $# -eq 6 ] && [ "$1" = v1 ] || { echo "usage: $0 v1 CATEGORY NETWORK PROPERTY RESULTS SECONDS" >&2; exit 1; }
network=$3
case "$network" in
  \[*) # [("f", "a.onnx"), ("g", "b.onnx")] becomes f=a.onnx,g=b.onnx
    network=$(python3 -c 'import ast, sys
print(",".join(f"{name}={path}" for name, path in ast.literal_eval(sys.argv[1])))' "$network") || exit 1 ;;
esac
rm -f -- "$5"
python3 -m vouch nn verify "$network" "$4" --vnncomp "$5" --timeout "$6"
[ -s "$5" ] || { echo error > "$5"; exit 1; }
