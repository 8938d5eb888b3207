#!/bin/bash
# instructions.sh BUILD_DIR [--record] - instructions that the steps of a run take, counted by callgrind (valgrind): the
# same every time to 1e-4, where seconds are not. Other processors and compilers have others. Prints CSV, beside what
# was recorded in instructions.csv, from a Release build; --record writes that file.
#
#   five_bar      5 s of the five-bar, no sensitivities
#   five_bar_10   the same with ten sensitivities, at the same steps
#   the others    scenes with contacts, friction and rest
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$(realpath "$1")/tests/bench_steps
recorded=$here/instructions.csv
if ! command -v valgrind >/dev/null; then
    echo "valgrind was not found. On Debian: apt-get install valgrind" >&2
    exit 2
fi
if ! grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release$' "$1/CMakeCache.txt"; then
    echo "warning: $1 is no Release build, what is recorded is of one" >&2
fi

count() # SCENE [SENSITIVITIES]
{
    local scene=$here/../../scenes/$1.json
    shift
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no --toggle-collect=counted_steps \
        "$program" "$scene" "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : *\([0-9]*\).*/\1/p'
}

measure() # NAME SCENE [SENSITIVITIES]
{
    local name=$1 instructions
    shift
    instructions=$(count "$@")
    echo "$name,${instructions:?"$name: nothing was counted"}"
}

results=$(
    measure five_bar five_bar
    measure five_bar_10 five_bar 10
    measure five_bar_friction five_bar_friction
    measure rocking_block rocking_block
    measure stick_slip_belt stick_slip_belt
)
if [ "${2-}" = --record ]; then printf 'name,instructions\n%s\n' "$results" >"$recorded"; fi
echo "name,instructions,recorded,ratio"
awk -F, 'NR == FNR { before[$1] = $2; next }
         $1 in before { printf "%s,%s,%s,%.4f\n", $1, $2, before[$1], $2 / before[$1]; next }
         { print $1 "," $2 ",," }' "$recorded" <(echo "$results")
