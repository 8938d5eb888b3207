#!/bin/bash
# sweep.sh SALTUS SCENES - saltus sweep: the numbers of single runs, whatever the threads; interrupted, killed, resumed;
# failures, messages.
set -uo pipefail

# shellcheck source=tests/sweep_common.sh
source "$(dirname "${BASH_SOURCE[0]}")/sweep_common.sh"
saltus=$1
scenes=$2

# -------------------------------------------------------------------- a grid has the numbers of single runs

grid=("$scenes/five_bar.json" --over L01=2.2:2.3:4 --over L02=2,2.05 --columns "cost(z1), t, vy(P2), time(floor, 2)")
expect "grid" 0 "$saltus" sweep "${grid[@]}" --output grid
same "lines" "$(wc -l <grid/sweep.csv | tr -d ' ')" 9
same "files" "$(ls -A grid | tr '\n' ' ')" "summary.json sweep.csv sweep.npz "
same "header" "$(head -1 grid/sweep.csv)" 'case,L01,L02,status,cost(z1),t,vy(P2),"time(floor, 2)",message'
says out "8 cases, grid; 0 failed, 0 doubtful"
# the line of a run by itself, in the same digits
single() # L01 L02
{
    "$saltus" run "$scenes/five_bar.json" --set "L01=$1" --set "L02=$2" --output single >/dev/null
    local cost end speed time
    time=$(sed -n 3p single/events.csv | cut -d, -f4)
    end=$(tail -1 single/states.csv)
    speed=$(cut -d, -f"$(head -1 single/states.csv | tr , '\n' | grep -nx 'vy(P2)' | cut -d: -f1)" <<<"$end")
    cost=$(sed -n '/"costs"/,/}/s/.*"z1":[[:space:]]*\([^,]*\),/\1/p' single/summary.json)
    printf '%s,%s,%s,%s' "$(printf %.15g "$cost")" "${end%%,*}" "$speed" "${time:-nan}"
}
tail -n +2 grid/sweep.csv | while IFS=, read -r _ a b status cost rest; do
    echo "$status $(printf %.15g "$cost"),${rest%,} $(single "$a" "$b")"
done >lines
same "cases" "$(wc -l <lines | tr -d ' ')" 8
grep -v '^done \(.*\) \1$' lines
same "single runs" "$(awk '$1 == "done" && $2 == $3' lines | wc -l | tr -d ' ')" 8

# a scene from stdin is the same
expect "from stdin" 0 bash -c '"$1" sweep - --over L01=2.21,2.22 --output stdin <"$2"' - "$saltus" "$scenes/five_bar.json"
expect "from the file" 0 "$saltus" sweep "$scenes/five_bar.json" --over L01=2.21,2.22 --output file
same "the same table" "$(cmp stdin/sweep.csv file/sweep.csv && echo same)" same

# the derivatives are those of saltus sens
expect "gradients" 0 "$saltus" sweep "$scenes/five_bar.json" --over L01=2.21,2.22 --wrt L02,L01 --output grad \
    --columns "cost(z1),time(floor, 9)"
"$saltus" sens "$scenes/five_bar.json" --set L01=2.22 --wrt L02,L01 --output sens >/dev/null
same "derivatives of a time" "$(tail -1 grad/sweep.csv | cut -d, -f8,9)" \
    "$(tail -1 sens/events.csv | cut -d, -f"$(head -1 sens/events.csv | tr , '\n' | grep -nx 'd t/d L02' | cut -d: -f1)-$(head -1 sens/events.csv | tr , '\n' | grep -nx 'd t/d L01' | cut -d: -f1)")"

# ------------------------------------------------------------------------------------- threads, and --resume

many=("$scenes/five_bar.json" --over "L01=normal(sqrt(5), 0.02)" --over "L02=uniform(2, 2.1)" --sample 600 --method latin
    --columns "y(P2),cost(z1),events,time(9)" --wrt L01)
for jobs in 1 2 3; do
    expect "$jobs threads" 0 "$saltus" sweep "${many[@]}" --jobs "$jobs" --output "jobs$jobs"
    same "$jobs threads, the same bytes" "$(sums "jobs$jobs")" "$(sums jobs1)"
done
says out "first order"
expect "complete" 0 "$saltus" sweep "${many[@]}" --output jobs1 --resume
says out "all 600 cases are there"
expect "complete, as JSON" 0 "$saltus" sweep "${many[@]}" --output jobs1 --resume --json
same "complete, as JSON" "$(python3 -c 'import json
told, kept = json.load(open("out")), json.load(open("jobs1/summary.json"))
print(all(told[key] == kept[key] for key in kept))')" True
all_fail=("$scenes/five_bar.json" --over "L01=-1,-2" --columns "y(P2)")
expect "all fail" 5 "$saltus" sweep "${all_fail[@]}" --output none
expect "all failed" 5 "$saltus" sweep "${all_fail[@]}" --output none --resume
expect "told as a cell" 0 "$saltus" sweep "$scenes/five_bar.json" --over L01=2.2 --columns "-y(P2)" --output cell
says cell/sweep.csv ",(-y(P2)),"

# Killed in the middle, twice; then to the end. A journal that was cut in a record goes on before it.
for how in KILL INT; do
    "$saltus" sweep "${many[@]}" --jobs 2 --output killed --resume >out 2>err &
    pid=$!
    wait_for_cases killed 20
    kill -s "$how" "$pid"
    wait "$pid" 2>/dev/null
    got=$?
    [ "$how" = KILL ] || same "exit code after SIGINT" "$got" 130
    same "not complete after $how" "$(ls killed/sweep.csv 2>/dev/null)" ""
done
says err "kept in 'killed'"
says err "--resume"
truncate -s -11 killed/sweep.journal
expect "not without --resume" 2 "$saltus" sweep "${many[@]}" --output killed
says err "has a sweep that was not finished: go on with --resume"
expect "another sweep" 2 "$saltus" sweep "${many[@]}" --seed 2 --output killed --resume
says err "the sweep in 'killed' is another one"
says err "values: checksum"
expect "what there is" 0 "$saltus" sweep "${many[@]}" --output killed --resume --partial
known=$(sed -n 's/.*partial.csv: \([0-9]*\) of 600 cases/\1/p' out)
same "lines of what there is" "$(wc -l <killed/partial.csv | tr -d ' ')" $((known + 1))
same "the same lines" "$(grep -cvxFf jobs1/sweep.csv killed/partial.csv)" 0
expect "resumed" 0 "$saltus" sweep "${many[@]}" --output killed --resume
same "resumed, the same bytes" "$(sums killed)" "$(sums jobs1)"
same "no journal" "$(ls killed/sweep.journal 2>/dev/null)" ""
expect "another sweep is there, complete" 2 "$saltus" sweep "${many[@]}" --seed 2 --output killed
says err "is another one"
mkdir junk && echo "no journal at all, but long enough to be one" >junk/sweep.journal
expect "a journal that is none" 6 "$saltus" sweep "${many[@]}" --output junk --resume
says err "it is no journal of a sweep"

# --------------------------------------------------------------------------------------------------- failures

expect "cases that fail" 0 "$saltus" sweep "$scenes/five_bar.json" --over L01=2.2,-2,-1,2.3 --output fail --columns "y(P2)"
says out "2 failed"
same "states" "$(cut -d, -f3 fail/sweep.csv | tr '\n' ' ')" "status done failed failed done "
says fail/sweep.csv "2,-1,failed,nan,"
expect "strict" 10 "$saltus" sweep "$scenes/five_bar.json" --over L01=2.2,-9 --strict
expect "all fail" 5 "$saltus" sweep "$scenes/five_bar.json" --over L01=-9,-10
expect "a case that takes too long" 5 "$saltus" sweep "$scenes/five_bar.json" --over L01=2.2 --duration 1e6 --limit 0.05
says out "time limit"

# ---------------------------------------------------------------------------------------------------- studies

expect "cycles" 0 "$saltus" sweep "$scenes/clock.json" --study cycle --over L=0.8,0.9 --wrt L --output cycles
"$saltus" cycle "$scenes/clock.json" --set L=0.8 --wrt L --json >cycle.json
same "period of a cycle" "$(printf %.15g "$(sed -n 2p cycles/sweep.csv | cut -d, -f4)")" \
    "$(printf %.15g "$(grep -A1 '"period"' cycle.json | sed -n 's/.*"value":[[:space:]]*\([^,]*\),/\1/p')")"
expect "equilibria" 0 "$saltus" sweep "$scenes/five_bar.json" --study equilibrium --over L01=2.2,2.3 --output rest
says rest/sweep.csv "bar1.tension"

# ---------------------------------------------------------------------------------------------------- messages

wrong() # NAME TEXT OPTION...
{
    local name=$1 text=$2
    shift 2
    expect "$name" 2 "$saltus" sweep "$scenes/five_bar.json" "$@"
    says err "$text"
}
wrong "nothing to sweep over" "nothing to sweep over"
wrong "unknown parameter" "unknown parameter 'L1'; did you mean 'L01'?" --over L1=1,2
wrong "empty range" "the range is empty" --over L01=2:2:5
wrong "a range of none" "2 or more" --over L01=2:3:0
wrong "a range of half" "2 or more" --over L01=2:3:2.5
wrong "half a range" "expected FROM:TO:COUNT" --over L01=2:3
wrong "logarithmic through zero" "positive ends" --over L01=-1:3:4:log
wrong "an empty value" "one is empty" --over L01=2,,3
wrong "no value" "there is no value" --over L01=
wrong "no name" "expected NAME=" --over 3
wrong "not a number" "--over" --over L01=abc
wrong "infinite" "too large" --over L01=1e999
wrong "no samples" "--sample: expected a whole number from 1" --over "L01=normal(2,1)" --sample 0
wrong "a distribution without a sample" "needs --sample" --over "L01=normal(2,1)"
wrong "a grid with a sample" "expected a distribution" --over L01=2:3:4 --sample 5
wrong "no deviation" "deviation > 0" --over "L01=normal(2,0)" --sample 5
wrong "an empty distribution" "the range is empty" --over "L01=uniform(3,2)" --sample 5
wrong "one number" "expected two numbers" --over "L01=normal(2)" --sample 5
wrong "no such method" "expected random, latin or sobol" --over "L01=normal(2,1)" --sample 5 --method best
wrong "no seed" "--seed: expected" --over "L01=normal(2,1)" --sample 5 --seed -3
wrong "a method without a sample" "--method is for --sample" --over L01=2,3 --method sobol
wrong "twice" "given twice" --over L01=2,3 --over L01=4,5
wrong "set and swept over" "by --set and by --over" --over L01=2,3 --set L01=2
wrong "too many" "more than the 1e+08" --over L01=2:3:100000 --over L02=2:3:100000
wrong "no study" "--study: expected run, cycle or equilibrium" --over L01=2,3 --study modes
wrong "no jobs" "--jobs: expected 1 to 4096" --over L01=2,3 --jobs 0
wrong "resume what" "Give its --output" --over L01=2,3 --resume
wrong "no column" "did you mean 'floor'" --over L01=2,3 --columns "time(flor)"
wrong "a column that is there" "has a column 'L01' already" --over L01=2,3 --columns L01
wrong "no such derivative" "unknown parameter 'L03'" --over L01=2,3 --wrt L03
expect "cannot be written" 6 "$saltus" sweep "$scenes/five_bar.json" --over L01=2.2,2.3 --output /dev/null/there
expect "help" 0 "$saltus" sweep --help
says out "--over NAME=FROM:TO:COUNT"

# ---------------------------------------------------------------------------------------- the arrays, by NumPy

if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    expect "arrays" 0 /usr/bin/python3 - fail/sweep.csv fail/sweep.npz <<'P'
import csv, sys, numpy
rows = list(csv.reader(open(sys.argv[1])))
arrays = numpy.load(sys.argv[2])
assert sorted(arrays) == sorted(["L01", "y(P2)", "status", "message", "message_case"]), list(arrays)
for name in "L01", "y(P2)":
    numpy.testing.assert_array_equal(arrays[name], [float(row[rows[0].index(name)]) for row in rows[1:]])
assert list(arrays["status"]) == [0, -1, -1, 0] and list(arrays["message_case"]) == [1, 2]
assert list(arrays["message"]) == [rows[2][4], rows[3][4]]
P
fi

finish
