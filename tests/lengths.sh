#!/bin/bash
# lengths.sh SOURCE [FUNCTION_LINES [LINE_CHARACTERS]] - no function and no line of the engine and the command is too
# long. Prints those that are: file, function, lines. Relies on the formatter: a function's { and } stand alone in the
# first column, its declaration begins there.
set -euo pipefail

most_lines=${2-80}
most_characters=${3-120}
long_lines=0
cd "$1"
find engine bodies joints contacts tools -type f -name '*.[ch]' -print0 | LC_ALL=C sort -z |
    LC_ALL=C xargs -0 awk -v most_lines="$most_lines" -v most_characters="$most_characters" -v allowed="$long_lines" '
        FNR == 1 { begin = 0 }
        length($0) > most_characters { printf "%s:%d: %d characters\n", FILENAME, FNR, length($0); long++ }
        /^[A-Za-z_]/ && /\(/ { # a declaration, or the first line of a function
            name = $0
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
            first = FNR
        }
        /^\{/ { begin = first; functions++ }
        /^\}/ && begin {
            lines = FNR - begin + 1
            if (lines > longest) { longest = lines; which = name }
            if (lines > most_lines) { printf "%s: %s: %d lines\n", FILENAME, name, lines; wrong++ }
            begin = 0
        }
        END {
            printf "%d functions, the longest %s with %d lines; %d lines of more than %d characters, %d allowed\n",
                functions, which, longest, long, most_characters, allowed
            if (long < allowed) print "note: fewer long lines than tests/lengths.sh allows"
            exit wrong > 0 || long > allowed || functions < 100
        }'
