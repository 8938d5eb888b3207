#!/usr/bin/env bash
# The first C block of README.md: compiles and runs as printed, in a folder that holds the scenes.
#   readme_example.sh <C compiler> <flags...> --libs <libraries...>
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
compile=()
while [ $# -gt 0 ] && [ "$1" != --libs ]; do
    compile+=("$1")
    shift
done
[ $# -gt 0 ] || { echo "usage: readme_example.sh <C compiler> <flags...> --libs <libraries...>" >&2; exit 2; }
shift

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '/^```c$/ { inside = 1; next } inside && /^```/ { exit } inside' "$root/README.md" >"$work/example.c"
[ -s "$work/example.c" ] || { echo "README.md has no block of C" >&2; exit 1; }
"${compile[@]}" -std=c17 -Wall -Wextra -Werror -o "$work/example" "$work/example.c" "$@"

ln -s "$root/scenes" "$work/scenes" # the example says scenes/..., and may write beside it
cd "$work"
./example
