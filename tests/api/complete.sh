#!/bin/bash
# complete.sh SALTUS_H OBJECT... - every function of the public interface is called by the tests in tests/api: those
# declared SAL_API in saltus.h against the symbols that the objects need. And nothing else of Saltus is included.
set -euo pipefail

header=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# A declaration may go over several lines; comments may speak of functions.
declared=$(tr '\n' ' ' <"$header" | sed 's|/\*|\n/*|g; s|\*/|*/\n|g' | sed '/^\/\*/d' | tr '\n' ' ' |
    sed 's/[;{}]/\n/g' | sed -n 's/.*SAL_API  *[^(]*[ *]\(sal_[A-Za-z0-9_]*\) *(.*/\1/p' | sort -u)
lines=$(grep -c '^SAL_API' "$header")
functions=$(wc -l <<<"$declared")
called=$(nm -u "$@" | sed -n 's/^ *[Uw] \(sal_[A-Za-z0-9_]*\)$/\1/p' | sort -u)
if [ "$lines" -ne "$functions" ]; then
    echo "FAILED: $lines lines of $header begin with SAL_API, but $functions functions were found"
    exit 1
fi
missing=$(comm -23 <(echo "$declared") <(echo "$called"))
echo "$functions functions in $(basename "$header")"
if [ -n "$missing" ]; then
    printf 'FAILED: no test in tests/api calls\n%s\n' "$missing"
    exit 1
fi
if grep -n '#include *\("\|<saltus/\)' "$here"/test_api_*.c "$here"/api.h "$here"/../asserts.h |
    grep -v '"api\.h"\|"tests/asserts\.h"\|<saltus/saltus\.h>'; then
    echo "FAILED: tests of the public interface include the public header only"
    exit 1
fi
