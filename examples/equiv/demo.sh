#!/usr/bin/env bash
# A digit classifier and what compression made of it. Answers take seconds.
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

near=(--centre zero.csv --norm l1 --domain 0..16)
echo "Around this zero (pixels may move by 8 in total), 30 % pruned decides like the original:"
expect 0 vouch equiv reference.onnx compressed/pruned_30.onnx --top 1 "${near[@]}" --radius 8
echo "With 90 % of the weights gone it does not; here is a picture that shows it:"
expect 1 vouch equiv reference.onnx compressed/pruned_90.onnx --top 1 "${near[@]}" --radius 40
echo "The student's outputs stay within 4 of the teacher's when every pixel moves by 0.05:"
expect 0 vouch equiv reference.onnx compressed/student_36.onnx --epsilon 4 --centre zero.csv --radius 0.05 --domain 0..16
