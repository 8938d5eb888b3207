#!/bin/bash
# amplification.sh SALTUS COMPARE_JSON [NAME...] - how much the recorded numbers of the shipped scenes, or of those
# named, make of a change in the last bits. Prints CSV, a line for each recording, with the largest difference as
# compare_json measures it, "other" when not even the events or texts are the same:
#
#   ulp   a parameter changed by one or two units in its last place, the worst of all parameters with numbers
#   libm  the functions of the C library as they are on processors without fused multiply-add (x86-64, glibc)
#   rtol  the tolerance of a step times 1 +- 0.001: other steps; no rounding, but errors that grow as it does
#
# Takes minutes; not a test. The lines beyond 1e-12 in ulp are listed in ref/shipped/README.md.
set -uo pipefail

saltus=$(realpath "$1")
compare=$(realpath "$2")
shift 2
export OPENBLAS_CORETYPE=Prescott # as the tests have it
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The parameters and their values, those left out that follow others: set, they would no longer do so.
parameters() # NAME
{
    sed 's/.*"parameters":{//; s/}.*//; s/,"/\n"/g' "tests/ref/shipped/$1.run.json" | tr -d '"' |
        while IFS=: read -r name value; do
            formula=$(grep -o "\"$name\": *\"[^\"]*\"" "scenes/$1.json" | head -1 | sed 's/^[^:]*: *//; s/sqrt\|pi//g')
            if [ -n "$name" ] && [[ ! "$formula" =~ [A-Za-z] ]]; then echo "$name $value"; fi
        done
}

recorded() { sed "s/.*\"$1\":\([^,]*\),.*/\1/" "tests/ref/shipped/$2.run.json"; } # KEY NAME

# difference NAME COMMAND OPTION...: of the result with these options
difference()
{
    local name=$1 command=$2 said
    shift 2
    "$saltus" "$command" "scenes/$name.json" --json "$@" >"$work/found.json" 2>/dev/null || { echo other; return; }
    if [ "${1-}" = --set ]; then # the parameter itself, not what is derived by it
        sed -i "/^\t\"parameters\":/,/^\t}/s/^\t\t\"${2%%=*}\":\t[^,{]*\(,\{0,1\}\)$/\t\t\"${2%%=*}\":\t$old\1/" \
            "$work/found.json"
    fi
    if [ "${1-}" = --rtol ]; then # the tolerances themselves
        sed -i "s/^\t\"rtol\":.*/\t\"rtol\":\t$old,/; s/^\t\"atol\":.*/\t\"atol\":\t$(recorded atol "$name"),/" \
            "$work/found.json"
    fi
    said=$("$compare" "tests/ref/shipped/$name.$command.json" "$work/found.json" 1e9)
    case $said in
    *" 0 differences"*) sed 's/.*largest \([^ ]*\).*/\1/' <<<"$said" ;;
    *) echo other ;;
    esac
}

worst() { sort -g | awk '/other/ { other = 1 } { last = $1 } END { print other ? "other" : NR ? last : "-" }'; }

times() { awk -v x="$1" -v f="$2" 'BEGIN { printf "%.17g", x * f }'; }

if [ $# -eq 0 ]; then
    for record in tests/ref/shipped/*.run.json; do set -- "$@" "$(basename "$record" .run.json)"; done
fi
echo "scene,command,ulp,libm,rtol"
for name in "$@"; do
    for command in run sens cycle equilibrium modes; do
        [ -f "tests/ref/shipped/$name.$command.json" ] || continue
        ulp=$(parameters "$name" | while read -r parameter old; do
            difference "$name" "$command" --set "$parameter=$(times "$old" 1.0000000000000002220446)"
        done | worst)
        libm=$(GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-FMA4_Usable,-AVX2,-FMA,-FMA4 \
            difference "$name" "$command")
        rtol=-
        case $command in
        run | sens | cycle)
            old=1e-12 # of a cycle
            if [ "$command" != cycle ]; then old=$(recorded rtol "$name"); fi
            rtol=$(for factor in 0.999 1.001; do
                difference "$name" "$command" --rtol "$(times "$old" $factor)"
            done | worst)
            ;;
        esac
        echo "$name,$command,$ulp,$libm,$rtol"
    done
done
