#!/bin/bash
# record_numbers.sh SALTUS [NAME...] - records the numbers of the shipped scenes, or of those named, into ref/shipped:
# what the command prints, without its indentation and with no time taken. Commands that fail are not recorded.
set -euo pipefail

saltus=$(realpath "$1")
shift
export OPENBLAS_CORETYPE=Prescott # as the tests have it
cd "$(dirname "${BASH_SOURCE[0]}")/.." # results tell the path of the scene as it was given
recorded=tests/ref/shipped
if [ $# -eq 0 ]; then
    for scene in scenes/*.json; do
        name=$(basename "$scene" .json)
        if [ "$name" != saltus.schema ]; then set -- "$@" "$name"; fi
    done
    rm -f "$recorded"/*.json # also those of scenes that are no more
fi
for name in "$@"; do
    for command in run sens cycle equilibrium modes; do
        file=$recorded/$name.$command.json
        if "$saltus" "$command" "scenes/$name.json" --json 2>/dev/null >"$file.tmp"; then
            { tr -d '\t\n' <"$file.tmp" | sed 's/"seconds":[^,]*,/"seconds":0,/'; echo; } >"$file"
        else
            rm -f "$file"
        fi
        rm -f "$file.tmp"
    done
done
