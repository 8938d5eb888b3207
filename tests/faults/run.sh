#!/usr/bin/env bash
# Lets allocations and writes fail, one after the other, in every command:
#     faults/run.sh SALTUS FAULTS.so SCENES [STRIDE [BEGIN]]
#
# STRIDE 1: every one of them (many minutes); else every STRIDE-th, others each day, which is what ctest does: BEGIN says
# with which to begin. A command that an allocation or a write has failed in
#   - is not ended by a signal,
#   - with exit code 0 has written all that it writes otherwise, the same bytes,
#   - with any other says why (5 out of memory, 6 cannot be written), and leaves nothing that is half-written:
#     what has its name is what it is otherwise,
#   - has freed every block, where it did not end at once.
set -u
saltus=$1
preloaded=$2
scenes=$3
stride=${4:-1}
begin=${5:-$(($(date +%s) / 86400))}
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export OPENBLAS_NUM_THREADS=1
faults=0
failed=0
kept=1 # blocks that are not freed undisturbed

wrong() {
    echo "WRONG $1"
    failed=$((failed + 1))
}

# The clock on the wall is not compared.
without_clock() {
    sed -i 's/ in [0-9.e+-]* ms//; s/; [0-9.e+-]* s$//; s/"seconds":[^,]*,//' "$@"
}

# is_part CODE WHOLE FILE: a run that has failed on its way (5) leaves what was computed, and says so
is_part() {
    [ "$1" -eq 5 ] || return 1
    case $3 in
    *.csv) [ "$(wc -c <"$3")" -gt 0 ] && [ -z "$(tail -c 1 "$3" | tr -d '\n')" ] && cmp -s -n "$(wc -c <"$3")" "$2" "$3" ;;
    */summary.json | *.html) grep -q '"status":[[:space:]]*"failed"' "$3" ;;
    *) return 1 ;;
    esac
}

# judge CODE LABEL: the folder `here` and the streams after a run that something has failed in
judge() {
    local code=$1 label=$2 file
    if [ "$code" -ge 128 ] || [ "$code" -eq 1 ]; then wrong "$label: exit code $code: $(tail -1 err)"; fi
    if [ "$code" -ne 0 ] && ! grep -q '[^[:space:]]' err; then wrong "$label: exit code $code without a message"; fi
    for file in here/.*.part here/*/.*.part; do
        if [ -e "$file" ]; then wrong "$label: left $file"; fi
    done
    if [ -e report ]; then
        read -r _ _ _ _ _ blocks <report
        if [ "$blocks" -gt "$kept" ]; then wrong "$label: exit code $code, $((blocks - kept)) blocks not freed"; fi
    fi
    for file in there/* there/*/*; do
        [ -f "$file" ] || continue
        if [ -e "here/${file#there/}" ]; then
            case $file in *.json | *.html | */out) without_clock "here/${file#there/}" ;; esac
            if [ "${file#there/}" = out ] && [ "$code" -ne 0 ]; then continue; fi # what was printed before
            if is_part "$code" "$file" "here/${file#there/}"; then continue; fi
            if ! cmp -s "$file" "here/${file#there/}"; then wrong "$label: exit code $code, ${file#there/} is not whole"; fi
        elif [ "$code" -eq 0 ]; then
            wrong "$label: exit code 0 without ${file#there/}"
        fi
    done
}

# every COMMAND...: in a folder of its own, whose files are its results; $scenes stays where it is
every() {
    local kind number count step file allocations writes
    rm -rf here there report
    mkdir there
    (cd there && LD_PRELOAD=$preloaded FAULT_REPORT=../report "$saltus" "$@" >out 2>../err)
    local usual=$?
    [ "$usual" -eq 0 ] || wrong "$*: exit code $usual undisturbed"
    read -r _ allocations _ writes _ kept <report
    # undisturbed: that of stdout, and where there are threads one that the C library keeps with the stack of the last
    if [ "$kept" -gt "$([ "$1" = sweep ] && echo 2 || echo 1)" ]; then wrong "$*: $kept blocks not freed undisturbed"; fi
    for file in there/* there/*/*; do
        case $file in *.json | *.html | */out) without_clock "$file" ;; esac
    done
    for kind in ALLOCATION WRITE; do
        count=$allocations
        step=$stride
        [ "$kind" = WRITE ] && count=$writes
        [ "$kind" = WRITE ] && [ "$count" -le 20 ] && step=1
        for ((number = 1 + (faults + begin) % step; number <= count; number += step)); do
            rm -rf here report
            mkdir here
            (
                cd here &&
                    env LD_PRELOAD="$preloaded" FAULT_REPORT=../report "FAULT_$kind=$number" "$saltus" "$@" >out 2>../err
            ) 2>/dev/null
            judge $? "$* ($kind $number)"
            faults=$((faults + 1))
        done
    done
}

every run "$scenes/five_bar_impact.json" --duration 0.4 --output results --columns "angle(bar1), vy(P2)"
every run "$scenes/clock.json" --duration 1 --final next.json --quiet
every run "$scenes/five_bar_impact.json" --duration 0.4 --json --report page.html
every sens "$scenes/five_bar_impact.json" --duration 0.4 --output results
every sens "$scenes/bouncing_ball.json" --duration 0.5 --json
every sens "$scenes/five_bar_impact.json" --duration 0.4 --adjoint --memory 64k --json
every verify "$scenes/pendulum.json" --duration 0.02
every verify "$scenes/pendulum.json" --duration 0.02 --json
every verify "$scenes/five_bar.json" --duration 0.02 --wrt L01 --adjoint
every cycle "$scenes/clock.json" --output results
every cycle "$scenes/clock.json" --follow kick=0.2:0.201 --json --output results
printf 't,y(ball)\n0.1,0.95\n0.2,0.8\n0.3,0.56\n0.5,0.1\n' >data.csv
every fit "$scenes/bouncing_ball.json" ../data.csv --over height --over speed --output fit --json --report fit.html
if "$saltus" optimize "$scenes/bouncing_ball.json" 2>&1 | grep -q minimize; then
    every optimize "$scenes/bouncing_ball.json" --duration 0.6 --minimize "y(ball)" --over "height=0.5:1.5" \
        --subject-to "time(1) >= 0.4" --evaluations 5 --output results
fi
every sweep "$scenes/bouncing_ball.json" --duration 0.4 --over height=0.8:1.2:3 --wrt height --columns "y(ball)" --jobs 1 \
    --output swept
every sweep "$scenes/pendulum.json" --duration 0.2 --study equilibrium --over "L=uniform(0.8, 1.2)" --sample 3 --jobs 1 --json
every check "$scenes/five_bar.json"
every check "$scenes/five_bar.json" --json
every assemble "$scenes/five_bar.json" --output assembled.json --set L01=2.2
every equilibrium "$scenes/five_bar.json" --output rest.json --json
every equilibrium "$scenes/pendulum.json" --report rest.html
every modes "$scenes/five_bar.json" --json
every modes "$scenes/pendulum.json" --report modes.html
every draw "$scenes/five_bar_impact.json" --duration 0.3 --strip 3 --trace P2 --names --forces
every draw "$scenes/bouncing_ball.json" --duration 1 --animate
every plot "$scenes/five_bar_impact.json" --duration 0.3 --series "y(P2); vy(P2)" --wrt L01
every report "$scenes/bouncing_ball.json" --duration 0.5 --differences 1e-3
every types
every types --schema
every new joint mine

# The view, of which pages ask for one thing after the other.
if ! "$saltus" view nowhere.json 2>&1 | grep -q "without libmicrohttpd" && command -v python3 >/dev/null; then
    python3 "$tests/view.py" "$saltus" "$preloaded" "$scenes" "$stride" $((1 + begin % stride)) | tee viewed
    failed=$((failed + $(grep -c '^WRONG' viewed)))
    grep -q ' faults of ' viewed || wrong "view: not tried"
fi
echo "$faults faults, from $begin by $stride, $failed wrong"
[ "$failed" -eq 0 ] && [ "$faults" -gt 0 ]
