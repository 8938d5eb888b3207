#!/bin/bash
# readers.sh SALTUS_H OBJECT - every function of the public interface that reads a run (takes a const sal_run *) is
# called by race_readers, whose object it is.
set -euo pipefail

# A declaration may go over several lines; comments may speak of functions.
readers=$(tr '\n' ' ' <"$1" | sed 's|/\*|\n/*|g; s|\*/|*/\n|g' | sed '/^\/\*/d' | tr '\n' ' ' | sed 's/[;{}]/\n/g' |
    sed -n 's/.*SAL_API  *[^(]*[ *]\(sal_[A-Za-z0-9_]*\) *(.*const sal_run \*.*/\1/p' | sort -u)
called=$(nm -u "$2" | sed -n 's/^ *[Uw] \(sal_[A-Za-z0-9_]*\)$/\1/p' | sort -u)
missing=$(comm -23 <(echo "$readers") <(echo "$called"))
echo "$(wc -l <<<"$readers") functions read a run"
if [ "$(wc -l <<<"$readers")" -lt 40 ]; then
    echo "FAILED: there were more; does the pattern still match $1?"
    exit 1
fi
if [ -n "$missing" ]; then
    printf 'FAILED: tests/threads/readers.c does not call\n%s\n' "$missing"
    exit 1
fi
