#!/usr/bin/env bash
# Asks three questions about the small networks of this folder. Answers take seconds.
set -uo pipefail
cd "$(dirname "$0")"

# Runs a command; its exit code has to be the expected one (0 proved, 1 violated).
expect() {
    local code=$1
    shift
    echo "\$ $*"
    "$@" --timeout 60
    local got=$?
    echo
    [ "$got" -eq "$code" ] || { echo "unexpected exit code $got" >&2; exit 1; }
}

echo "Every flower near the mean setosa is called setosa:"
expect 0 vouch nn verify iris.onnx iris_setosa.vnnlib
echo "A zero of 8x8 pixels stays a zero when each pixel (0 to 16) moves by 0.5:"
expect 0 vouch nn robust digits.onnx --input digits_zero.csv --radius 0.5 --lower 0 --upper 16
echo "With up to 6 it does not, and here is a picture that shows it:"
expect 1 vouch nn robust digits.onnx --input digits_zero.csv --radius 6 --lower 0 --upper 16
