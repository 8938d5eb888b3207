#!/bin/bash
# run.sh LIBRARY COMMAND PLUGIN INCLUDE CC [--preload LIBRARY] TEST.py|declarations - tests of the Python module as it is in
# the source, with the library of the build. Where there is no python3 with numpy the test is skipped.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
library=$1 command=$2 plugin=$3 include=$4 cc=$5
shift 5
python=/usr/bin/python3 # Debian's, which has Debian's numpy
[ -x "$python" ] || python=$(command -v python3) || { echo "skipped: python3 is not installed"; exit 0; }

if [ "${*: -1}" = declarations ]; then # structs and functions are those of the header
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    export CC=$cc
    declare=("$python" -B "$root/tools/python/declare.py" "$root/engine/saltus.h")
    "${declare[@]}" --check "$root/tools/python/saltus/_declarations.py"
    "${declare[@]}" --asserts >"$work/asserts.c"
    [ "$(grep -c '^_Static_assert' "$work/asserts.c")" -gt 500 ]
    [ "$(grep -c '^void \*pointer_to_' "$work/asserts.c")" -eq "$(grep -c '^SAL_API' "$root/engine/saltus.h")" ]
    "$cc" -std=c17 -Wall -Wextra -Werror -fsyntax-only -I"$include" "$work/asserts.c"
    sed 's/== 4, "sal_run_opts.form"/== 8, "sal_run_opts.form"/' "$work/asserts.c" >"$work/wrong.c"
    if "$cc" -std=c17 -fsyntax-only -I"$include" "$work/wrong.c" 2>/dev/null; then
        echo "FAILED: a wrong size is not noticed"
        exit 1
    fi
    exit 0
fi
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "skipped: numpy (python3-numpy) is not installed"
    exit 0
fi
export SALTUS_LIBRARY=$library SALTUS_COMMAND=$command SALTUS_TEST_PLUGIN=$plugin
export PYTHONPATH=$root/tools/python:$here OPENBLAS_NUM_THREADS=1
if [ "$1" = --preload ]; then # what sanitizers need, where the program itself is not instrumented
    export LD_PRELOAD=$2 ASAN_OPTIONS=detect_leaks=0
    shift 2
fi
exec "$python" -B -X faulthandler "$here/$1"
