#!/usr/bin/env bash
# The version stands in one place, the public header; what has to repeat it says the same.
#   version.sh <source folder> <version of the build>
set -euo pipefail
cd "$1"
expected=$2
wrong=0

same() # <where> <found>
{
    if [ "$2" != "$expected" ]; then
        echo "$1 has version '$2', engine/saltus.h $expected"
        wrong=1
    fi
}

entry=$(grep -m1 '^## ' CHANGELOG.md)
date=${entry#*(}
same CHANGELOG.md "$(sed 's/^## \([^ ]*\) .*/\1/' <<<"$entry")"
same CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
same tools/python/saltus/_declarations.py "$(sed -n 's/^VERSION = "\(.*\)"/\1/p' tools/python/saltus/_declarations.py)"
if ! grep -qx "date-released: \"${date%)}\"" CITATION.cff; then
    echo "CITATION.cff has another date than CHANGELOG.md: ${date%)}"
    wrong=1
fi
exit "$wrong"
