#!/usr/bin/env bash
# A trained model and the C code that ships: do they agree, and has the code run-time errors?
set -uo pipefail
cd "$(dirname "$0")"

# Runs a command; its exit code has to be the expected one (0 equivalent, 1 different).
expect() {
    local code=$1
    shift
    echo "\$ $*"
    "$@" --timeout 60
    local got=$?
    echo
    [ "$got" -eq "$code" ] || { echo "unexpected exit code $got" >&2; exit 1; }
}

ask=(--function steering --epsilon 1e-3 --box inputs.vnnlib)
echo "The firmware's network and the trained one agree to within 0.001, rounding included:"
expect 0 vouch equiv code steering.onnx steering.c "${ask[@]}"
echo "With one slip in the second layer they do not; the input below was run in both:"
expect 1 vouch equiv code steering.onnx slipped.c "${ask[@]}"
