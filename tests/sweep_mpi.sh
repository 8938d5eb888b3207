#!/bin/bash
# sweep_mpi.sh SALTUS SALTUS_MPI SCENES - sweeps over ranks: the same bytes as from one machine, also when a rank is
# killed and the rest is computed later; ranks that cannot take part; nobody hangs.
set -uo pipefail

# shellcheck source=tests/sweep_common.sh
source "$(dirname "${BASH_SOURCE[0]}")/sweep_common.sh"
saltus=$1
mpi=$2
scenes=$3
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

ranks() # N ARGUMENT...: sweeps, and ends within a minute
{
    local n=$1
    shift
    timeout 60 mpirun --oversubscribe -n "$n" "$mpi" sweep "$@"
}

cases=${SAL_SWEEP_CASES:-1200} # some of which fail
many=("$scenes/five_bar.json" --over "L01=normal(sqrt(5), 1)" --over "L02=uniform(2, 2.1)" --sample "$cases" --method sobol
    --columns "y(P2),cost(z1),events,time(9)" --wrt L01)
expect "threads" 0 "$saltus" sweep "${many[@]}" --output one
for n in 1 3 4; do
    expect "$n ranks" 0 ranks "$n" "${many[@]}" --output "ranks$n"
    same "$n ranks, the same bytes" "$(sums "ranks$n")" "$(sums one)"
    same "$n ranks: told once" "$(grep -c "$cases cases, sobol" out)" 1
done
says one/sweep.csv ",failed,"

# The last rank is killed; or the first, which has the table. Ranks or threads go on.
for which in last first; do
    mpirun --oversubscribe -n 4 "$mpi" sweep "${many[@]}" --output "killed_$which" >out 2>err &
    job=$!
    wait_for_cases "killed_$which" 20
    victims=$(pgrep -P "$job" | sort -n)
    if [ "$which" = last ]; then victim=$(tail -1 <<<"$victims"); else victim=$(head -1 <<<"$victims"); fi
    kill -s KILL "$victim"
    SECONDS=0
    wait "$job"
    got=$?
    if [ "$got" -ne 0 ] && [ "$SECONDS" -le 10 ]; then good; else bad "$which rank killed: $got after $SECONDS s" err; fi
    says err "signal 9"
    same "not complete, $which rank killed" "$(ls "killed_$which/sweep.csv" 2>/dev/null)" ""
    expect "what was done, $which rank killed" 0 "$saltus" sweep "${many[@]}" --output "killed_$which" --resume --partial
    known=$(sed -n 's/.*partial.csv: \([0-9]*\) of .*/\1/p' out)
    same "its lines" "$(wc -l <"killed_$which/partial.csv" | tr -d ' ')" $((known + 1))
    same "they are right" "$((known >= 20)) $(grep -cvxFf one/sweep.csv "killed_$which/partial.csv")" "1 0"
done
expect "resumed by ranks" 0 ranks 3 "${many[@]}" --output killed_last --resume
same "resumed by ranks, the same bytes" "$(sums killed_last)" "$(sums one)"
expect "resumed by threads" 0 "$saltus" sweep "${many[@]}" --output killed_first --resume
same "resumed by threads, the same bytes" "$(sums killed_first)" "$(sums one)"

# Ctrl-C, which mpirun hands on.
mpirun --oversubscribe -n 3 "$mpi" sweep "${many[@]}" --output stopped >out 2>err &
job=$!
wait_for_cases stopped 20
kill -s TERM "$job"
SECONDS=0
wait "$job"
if [ "$SECONDS" -le 10 ]; then good; else bad "terminated: after $SECONDS s" err; fi
expect "resumed" 0 ranks 3 "${many[@]}" --output stopped --resume
same "resumed after SIGTERM, the same bytes" "$(sums stopped)" "$(sums one)"

# One rank alone is told to end: what it had is computed by the others.
mpirun --oversubscribe -n 4 "$mpi" sweep "${many[@]}" --output alone_left >out 2>err &
job=$!
wait_for_cases alone_left 20
kill -s TERM "$(pgrep -P "$job" | sort -n | tail -1)"
wait "$job"
same "exit code with a rank less" "$?" 0
same "a rank less, the same bytes" "$(sums alone_left)" "$(sums one)"

# One rank sees another scene, one has no plug-in: they say so, and the others compute.
few=(--over L01=2.1:2.3:40 --columns "y(P2)")
cp "$scenes/five_bar.json" mine.json
sed 's/"duration": *5/"duration": 4/' mine.json >other.json
same "scenes that differ" "$(cmp -s mine.json other.json; echo $?)" 1
expect "alone" 0 "$saltus" sweep mine.json "${few[@]}" --output alone
mkdir -p here there
cp mine.json here/scene.json
cp other.json there/scene.json
# shellcheck disable=SC2016
expect "another scene on a rank" 0 timeout 60 mpirun --oversubscribe -n 3 bash -c '
    place=here; [ "$OMPI_COMM_WORLD_RANK" != 2 ] || place=there
    cd "$0/$place" && exec "$@"' "$work" "$mpi" sweep scene.json "${few[@]}" --output "$work/odd"
says err "rank 2 does not take part"
same "another scene on a rank" "$(sha256sum <odd/sweep.csv)" "$(sha256sum <alone/sweep.csv)"
rm there/scene.json
# shellcheck disable=SC2016
expect "no scene on a rank" 0 timeout 60 mpirun --oversubscribe -n 3 bash -c '
    place=here; [ "$OMPI_COMM_WORLD_RANK" != 2 ] || place=there
    cd "$0/$place" && exec "$@"' "$work" "$mpi" sweep scene.json "${few[@]}" --output "$work/odder"
says err "rank 2 does not take part: "
says err "scene.json"
same "no scene on a rank" "$(sha256sum <odder/sweep.csv)" "$(sha256sum <alone/sweep.csv)"
expect "no plug-in anywhere" 2 ranks 3 mine.json "${few[@]}" --plugin ./none.so --output never
same "told once" "$(grep -c 'none.so' err)" 1
expect "wrong arguments" 2 ranks 3 mine.json --over L1=1,2
same "told once" "$(grep -c "did you mean 'L01'" err)" 1
expect "another command" 0 timeout 60 mpirun --oversubscribe -n 3 "$mpi" check mine.json
same "by one rank" "$(grep -c "five-bar" out)" 1
expect "help" 0 ranks 2 --help
same "help once" "$(grep -c -- '--over NAME=FROM' out)" 1

finish
