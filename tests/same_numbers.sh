#!/bin/bash
# same_numbers.sh SALTUS COMPARE_JSON NAME - the numbers of scenes/NAME.json are those recorded in ref/shipped, for
# every command that was recorded; and no other command has results. See ref/shipped/README.md.
set -uo pipefail

saltus=$1
compare=$2
name=$3
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1 # results tell the path of the scene as it was given
recorded=tests/ref/shipped
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

for command in run sens cycle equilibrium modes; do
    "$saltus" "$command" "scenes/$name.json" --json >"$work/found.json" 2>"$work/errors"
    code=$?
    record=$recorded/$name.$command.json
    if [ ! -f "$record" ]; then
        [ "$code" -ne 0 ] && continue
        printf 'FAILED: saltus %s %s has results that are not recorded: tests/record_numbers.sh\n' "$command" "$name"
        failed=1
    elif [ "$code" -ne 0 ]; then
        printf 'FAILED: saltus %s %s: exit code %d\n' "$command" "$name" "$code"
        cat "$work/errors"
        failed=1
    else
        tolerance=$(awk -v s="$name" -v c="$command" '$1 == s && $2 == c { print $3 }' "$recorded/tolerances.txt")
        if ! "$compare" "$record" "$work/found.json" ${tolerance:+"$tolerance"} >"$work/said"; then
            printf 'FAILED: saltus %s %s\n' "$command" "$name"
            failed=1
        fi
        printf '%s: ' "$command"
        head -50 "$work/said"
    fi
done
exit "$failed"
