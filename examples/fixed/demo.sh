#!/usr/bin/env bash
# A network that is safe in real numbers and not on the device, as C code, by word length.
set -uo pipefail
cd "$(dirname "$0")"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

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

echo "In real numbers the output at (0.749, 0.498) is 2.745, never below 2.7:"
expect 0 vouch nn verify motivating.onnx motivating.vnnlib --arithmetic real
echo "With 4 integer and 6 fractional bits it is 2.6875, also in the compiled C code:"
expect 1 vouch nn verify motivating.onnx motivating.vnnlib --format 4.6
echo "From which word length on does it hold?"
expect 0 vouch nn bits motivating.onnx motivating.vnnlib --range 6..16
echo "The code that ships, with a harness that asserts the property:"
expect 0 vouch nn codegen motivating.onnx -o "$made" --format 4.6 --property motivating.vnnlib --target avr
expect 1 vouch check "$made/harness.c" "$made/net.c" --checks assertion -q
echo "A flower near the mean setosa stays one in 8.8:"
expect 0 vouch nn verify ../nn/iris.onnx ../nn/iris_setosa.vnnlib --format 8.8
echo "The vowel A that is nearest to being something else, in 16 bits, as a picture:"
expect 1 vouch nn nearest ../nn/vowels.onnx --input ../nn/vowel_a.csv --format 7.9 --lower 0 --upper 1 \
    --image "$made/vowel.png"
