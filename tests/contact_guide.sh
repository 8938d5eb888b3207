#!/usr/bin/env bash
# contacts/README.md: its worked example of an impact with several restitutions has the numbers that it says, by both
# laws, and its picture has them too.
#   contact_guide.sh <saltus>
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
saltus=$1
guide=$root/contacts/README.md
picture=$root/contacts/several.svg
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "contact_guide: $*" >&2
    exit 1
}
awk '/^```json several.json$/ { inside = 1; next } inside && /^```/ { exit } inside' "$guide" >impact.json
[ -s impact.json ] || fail "contacts/README.md has no block several.json"
sed 's/"restitution"/"law": "newton", "restitution"/' impact.json >newton.json

numbers() { # law: impulses left, right, speeds after left, right, energy after; as the tables of the run say
    "$saltus" run "$1.json" --output "$1" >"$1.txt" 2>"$1.err" || fail "$1: $(cat "$1.err")"
    awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
             NR == 2 { printf "%.6g, %.6g | %.6g, %.6g | %.6g\n", $at["impulse(left.n)"], $at["impulse(right.n)"],
                              $at["after_vy(A)"] + 0, $at["after_vy(B)"], $at["energy_after"] }' "$1/events.csv" |
        sed 's/-0\b/0/; s/[0-9.]*e-1[0-9]/0/g'
}
for law in impact newton; do
    line=$(grep -F "| \`$law\` | " "$guide" | grep -v impact.c) || fail "no line of $law in the table"
    found=$(numbers "$law")
    [[ "$line" == "| \`$law\` | $found"* ]] || fail "$law: found $found, the table says $line"
    impulses=${found%% |*}
    for impulse in ${impulses//,/ }; do
        grep -qF ">$impulse N s<" "$picture" || fail "the picture does not say $impulse N s"
    done
    grep -qF ">${found##*| } J<" "$picture" || fail "the picture does not say ${found##*| } J"
done
