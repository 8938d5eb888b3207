#!/bin/bash
# arrows.sh SOURCE BUILD [LIST] - which folder uses which, against a list of what is allowed (tests/arrows.txt).
# arrows.sh --self-test CC      - the check itself: a small tree with wrong arrows must fail, a right one must not.
#
# Arrows are found twice: by #include "...", and by symbols of the object files in BUILD, where an object that needs a
# symbol has an arrow to the folder whose source file defines it, whatever headers say. Every arrow must be in the list,
# and every folder. A line of the list is
#
#     folder: folders it may use
#
# folder/* stands for a folder with all below it, else what is below has lines of its own. The order counts: a folder
# may use those above it; one further down has a ^ before its name, and needs a reason.
set -euo pipefail

library=saltus_objects # the CMake target whose objects every program is linked with

# "file NAME" for each source file and header; "include FILE NAME" for each #include "..." that names one of them
includes() # SOURCE
{
    cd "$1"
    find . -name build -prune -o -name .git -prune -o -type f -name '*.[ch]' -print | sed 's|^\./||' |
        sort >"$work/files"
    sed 's/^/file /' "$work/files"
    xargs grep -H '^ *# *include *"' <"$work/files" | sed 's|^\([^:]*\): *# *include *"\([^"]*\)".*|\1 \2|' |
        while read -r file name; do
            if [ -f "$name" ]; then
                echo "include $file $name"
            elif [ -f "${file%/*}/$name" ]; then
                echo "include $file $(realpath --relative-to=. "${file%/*}/$name")"
            fi
        done
}

# "symbol FILE TARGET NAME defined|needed" for each global symbol of the object files; tests/test_expr.c has its object
# in tests/CMakeFiles/test_expr.dir/test_expr.c.o
symbols() # BUILD
{
    cd "$1"
    find . -path '*/CMakeFiles/*.dir/*.c.o' | sort | xargs -r nm -A -P -g | awk '{
        file = $1
        sub(/^\.\//, "", file)
        sub(/\.o:$/, "", file)
        match(file, /CMakeFiles\/[^\/]*\.dir\//)
        target = substr(file, RSTART + 11, RLENGTH - 16)
        file   = substr(file, 1, RSTART - 1) substr(file, RSTART + RLENGTH)
        print "symbol", file, target, $2, $3 ~ /[Uw]/ ? "needed" : "defined"
    }'
}

judge() # LIST, with includes and symbols in stdin
{
    awk -v list="$1" -v library="$library" '
        function fail(text) { print text; wrong++ }
        function folder_of(file, folder) {
            folder = file
            if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
            if (folder in rank) return folder
            for (;;) { # one that stands for all below it
                if ((folder "/*") in rank) return folder "/*"
                if (!sub(/\/[^\/]*$/, "", folder)) break
            }
            if (!(file in homeless)) fail(file ": its folder is not in " list)
            homeless[file]
            return ""
        }
        function arrow(file, to, what, from) {
            from = folder_of(file)
            if (from == "" || to == "" || from == to) return
            used[from, to]
            if (!((from, to) in allowed)) fail(from " -> " to ": " file " " what)
        }
        BEGIN {
            while ((getline line < list) > 0) {
                sub(/#.*/, "", line)
                if (line !~ /[^ ]/) continue
                split(line, part, ":")
                gsub(/ /, "", part[1])
                order[++count] = part[1]
                rank[part[1]]  = count
                uses[count]    = part[2]
            }
            if (!count) fail(list ": no folders")
            for (k = 1; k <= count; k++) {
                n = split(uses[k], name, " ")
                for (j = 1; j <= n; j++) {
                    down = sub(/^\^/, "", name[j])
                    if (!(name[j] in rank)) fail(list ": " order[k] " may use " name[j] ", which has no line")
                    else if (rank[name[j]] > k && !down)
                        fail(list ": " order[k] " may use " name[j] " below it: write ^" name[j])
                    else if (rank[name[j]] < k && down) fail(list ": " name[j] " is above " order[k] ": no ^")
                    allowed[order[k], name[j]]
                }
            }
        }
        $1 == "file" { known[$2] }
        $1 == "include" { includes++; arrow($2, folder_of($3), "includes " $3) }
        $1 != "symbol" || !($2 in known) { next } # renamed: its object is left over
        $5 == "defined" { home[$3, $4] = $2 }
        $5 == "needed" { file[++needed] = $2; target[needed] = $3; name_of[needed] = $4 }
        END {
            for (k = 1; k <= needed; k++) {
                at = target[k] SUBSEP name_of[k]
                if (!(at in home)) at = library SUBSEP name_of[k]
                if (!(at in home)) continue # of another library
                links++
                arrow(file[k], folder_of(home[at]), "needs " name_of[k])
            }
            if (!includes || !links) fail("nothing to check: " includes + 0 " includes, " links + 0 " symbols")
            for (pair in allowed) {
                split(pair, name, SUBSEP)
                if (!(pair in used)) print "note: " name[1] " may use " name[2] " but does not"
            }
            printf "%d includes, %d symbols, %d wrong\n", includes, links, wrong
            exit wrong > 0
        }'
}

check() # SOURCE BUILD LIST
{
    { (includes "$1"); (symbols "$2"); } | judge "$3"
}

# A tree of three files. low.c may be used by high.c, and not the other way round.
plant() # LOW_INCLUDES LOW_CALLS
{
    rm -rf "$tree"
    mkdir -p "$tree"/low "$tree"/high "$tree"/build/CMakeFiles/all.dir/{low,high}
    printf 'int low(void);\n' >"$tree/low/low.h"
    printf 'int high(void);\n' >"$tree/high/high.h"
    printf '#include "low/low.h"\n%s\nint low(void) { return %s; }\n' "$1" "$2" >"$tree/low/low.c"
    printf '#include "low/low.h"\n#include "high.h"\nint high(void) { return low(); }\n' >"$tree/high/high.c"
    printf '# a comment\nlow:\nhigh: low\n' >"$tree/arrows.txt"
    for file in low/low.c high/high.c; do
        "$cc" -I"$tree" -c "$tree/$file" -o "$tree/build/CMakeFiles/all.dir/$file.o"
    done
}

expect() # pass|fail WHAT TEXT
{
    local got=pass out
    out=$(check "$tree" "$tree/build" "$tree/arrows.txt") || got=fail
    if [ "$got" = "$1" ] && grep -qF -- "$3" <<<"$out"; then return; fi
    printf "FAILED self-test, %s: %s with\n%s\nexpected %s with '%s'\n" "$2" "$got" "$out" "$1" "$3"
    exit 1
}

self_test()
{
    tree=$work/tree
    plant '' 1
    expect pass "a right tree" "3 includes, 1 symbols, 0 wrong"
    plant '#include "high/high.h"' 1
    expect fail "a wrong include" "low -> high: low/low.c includes high/high.h"
    plant 'int high(void);' 'high()'
    expect fail "a wrong symbol, no include" "low -> high: low/low.c needs high"
    printf 'low: ^high # for a test\nhigh: low\n' >"$tree/arrows.txt"
    expect pass "an arrow downwards, allowed" "0 wrong"
    printf 'low: high\nhigh: low\n' >"$tree/arrows.txt"
    expect fail "an arrow downwards, unmarked" "write ^high"
    plant '' 1
    printf 'low:\n' >"$tree/arrows.txt"
    expect fail "a folder without a line" "high/high.c: its folder is not in"
    printf 'low:\nhigh: low elsewhere\n' >"$tree/arrows.txt"
    expect fail "a folder that is none" "elsewhere, which has no line"
    plant '' 1
    rm -r "$tree/build/CMakeFiles"
    expect fail "no objects" "nothing to check"
    echo "the check of the arrows sees what it has to see"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "${1-}" = --self-test ]; then
    cc=${2-cc}
    self_test
else
    check "$(realpath "$1")" "$(realpath "$2")" "${3-$(dirname "$(realpath "${BASH_SOURCE[0]}")")/arrows.txt}"
fi
