# shellcheck shell=bash
# Sourced by sweep.sh and sweep_mpi.sh: a folder to work in, and how results are expected.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

good()
{
    passed=$((passed + 1))
}

bad() # TEXT FILE...
{
    failed=$((failed + 1))
    printf 'FAILED %s\n' "$1"
    shift
    [ $# -eq 0 ] || cat "$@"
}

# expect NAME EXIT_CODE COMMAND...: runs it; stdout and stderr are in the files out and err
expect()
{
    local name=$1 code=$2 got
    shift 2
    "$@" >out 2>err
    got=$?
    if [ "$got" -eq "$code" ]; then good; else bad "$name: exit code $got, expected $code" out err; fi
}

says() # FILE TEXT
{
    if grep -qF -- "$2" "$1"; then good; else bad "'$2' not in $1:" "$1"; fi
}

same() # NAME A B
{
    if [ "$2" = "$3" ]; then good; else bad "$1: $2, expected $3"; fi
}

sums() # FOLDER: what its tables are
{
    (cd "$1" && sha256sum sweep.csv sweep.npz summary.json)
}

# Until the journal in the folder has grown by so many cases, which are of some 60 bytes at least.
wait_for_cases() # FOLDER CASES
{
    local before
    before=$(stat -c %s "$1/sweep.journal" 2>/dev/null || echo 1000)
    for _ in $(seq 2000); do
        if [ "$(stat -c %s "$1/sweep.journal" 2>/dev/null || echo 0)" -gt $((before + 60 * $2)) ]; then return; fi
        sleep 0.005
    done
    bad "nothing happens in $1"
}

finish()
{
    echo "$passed passed, $failed failed"
    exit $((failed > 0))
}
