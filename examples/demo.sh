#!/usr/bin/env bash
# What vouch does, in a minute: `make demo`. Shows each command with its exit code.
set -uo pipefail
cd "$(dirname "$0")"

show() {
    printf '\n$ %s\n' "$*"
    "$@"
    printf '(exit code %d)\n' "$?"
}

echo "A sensor driver with defects: every violation below was confirmed by running it natively."
show vouch check sensor/defective

echo
echo "The same driver, corrected: every check is proved."
show vouch check sensor/corrected

for part in nn equiv code; do
    if [ -f "$part/demo.sh" ]; then
        echo
        bash "$part/demo.sh" || echo "(examples/$part/demo.sh ended with exit code $?)"
    fi
done
exit 0
