#!/bin/bash
# compare_json.sh COMPARE_JSON - the comparison sees what it has to see, and nothing else.
set -uo pipefail

compare=$1
shipped=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/ref/shipped
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect CODE WHAT RECORDING SED_SCRIPT: the recording against itself, changed
expect() {
    sed "$4" "$shipped/$3" >"$work/changed.json"
    if [ "$1" -ne 2 ] && [ -n "$4" ] && cmp -s "$shipped/$3" "$work/changed.json"; then
        printf 'FAILED %s: nothing was changed in %s\n' "$2" "$3"
        failed=1
    fi
    "$compare" "$shipped/$3" "$work/changed.json" >"$work/said" 2>&1
    code=$?
    [ "$code" -eq "$1" ] && return
    printf 'FAILED %s: exit code %d, expected %d\n' "$2" "$code" "$1"
    cat "$work/said"
    failed=1
}

run=five_bar.run.json
expect 0 "the same" $run ''
expect 0 "the fourteenth digit" $run 's/"x(P1)":-1\.411882553128/&01/'
expect 1 "the twelfth digit" $run 's/"x(P1)":-1\.41188255312/&0/'
expect 1 "another event" $run 's/"event":"floor"/"event":"wall"/'
expect 1 "true for false" $run 's/"grazing":false/"grazing":true/'
expect 1 "a member less" $run 's/"z1":[^,]*,//'
expect 1 "an event less" $run 's/"events":\[{[^}]*}},/"events":[/'
expect 1 "null for a number" $run 's/"t":5,/"t":null,/'
expect 0 "another time, a few steps more" $run 's/"seconds":0/"seconds":3/; s/"steps":82/"steps":90/'
expect 1 "ten times the steps" $run 's/"steps":82/"steps":8200/'
expect 1 "constraints that drift" $run 's/"max_phi":[^,]*/"max_phi":1e-8/'
expect 1 "a derivative" five_bar.sens.json 's/"L01":1\.862051250/&9/'
expect 0 "noise where symmetry has a zero" clock.cycle.json 's/"L":2\.906436359588093e-17/"L":-1e-17/'
expect 2 "no JSON" $run 's/{/(/'
exit "$failed"
