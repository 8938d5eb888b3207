#!/usr/bin/env bash
# joints/README.md: its scenes run and their derivatives are confirmed, its C compiles as a plug-in and gives the same
# motion as the formula; `saltus new joint` gives what it promises; what is no plug-in is refused.
#   joint_guide.sh <saltus> <C compiler> <flags...>
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
saltus=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

awk '/^```[a-z]+ [a-z0-9_.]+$/ { file = $2; next } file && /^```$/ { file = ""; next } file { print > file }' \
    "$root/joints/README.md"
for file in scene1.json scene2.json scene3.json ellipse.c; do
    [ -s "$file" ] || { echo "joints/README.md has no block $file" >&2; exit 1; }
done

fail() {
    echo "joint_guide: $*" >&2
    exit 1
}
confirmed() { # arguments of saltus verify
    "$saltus" verify "$@" >out || fail "verify $*: $(tail -3 out)"
    grep -q " 0 not confirmed to 1e-06" out || fail "verify $*: $(tail -3 out)"
}
refused() { # text in the message, then arguments of saltus
    local text=$1 code=0
    shift
    "$saltus" "$@" >out 2>err || code=$?
    [ "$code" -gt 0 ] && [ "$code" -lt 100 ] || fail "$*: exit code $code"
    grep -qF -- "$text" err || fail "$*: expected '$text', found: $(cat err)"
}

confirmed scene1.json
confirmed scene2.json
"$@" -std=c17 -Wall -Werror -shared -fPIC ellipse.c -o ellipse.so
confirmed scene3.json --plugin ellipse.so
"$saltus" types --plugin ellipse.so ellipse | grep -q "half axis along x" || fail "the plug-in's help"
for k in 1 3; do
    "$saltus" run scene$k.json --plugin ellipse.so --json >run$k.json
    sed -n '/"final"/,/}/p' run$k.json >final$k
done
cmp final1 final3 || fail "formula and plug-in move differently"

"$saltus" new joint tether >out
"$@" -std=c17 -Wall -Werror -shared -fPIC tether.c -o tether.so
confirmed test_tether.json --plugin ./tether.so
sed 's/"type": "tether"/"type": "distance"/' test_tether.json >test_rod.json
for name in tether rod; do
    "$saltus" run test_$name.json --plugin ./tether.so --json | sed -n '/"final"/,/}/p' >final_$name
done
cmp final_tether final_rod || fail "the new joint and the built-in rod move differently"
refused "File exists" new joint tether
refused "cannot be a name" new joint 2fast
refused "there is a type 'gear' already" new joint gear
refused "expected 'joint'" new body thing

refused "cannot be loaded" run scene1.json --plugin missing.so
refused "cannot be loaded" run scene1.json --plugin scene1.json
printf 'int nothing;\n' >empty.c
"$@" -std=c17 -shared -fPIC empty.c -o empty.so
refused "is not a plug-in of Saltus: it has no symbol 'sal_plugin_types'" run scene1.json --plugin empty.so
sed 's/{ SAL_EXT_VERSION/{ 77/' ellipse.c >old.c
"$@" -std=c17 -shared -fPIC old.c -o old.so
refused "was built for version 77 of the interface" run scene1.json --plugin old.so
refused "joints already has a type 'ellipse'" run scene1.json --plugin ellipse.so --plugin ellipse.so
refused "the type 'ellipse' exists already" run scene2.json --plugin ellipse.so
refused "unknown type 'ellipse'" run scene3.json

sed 's|"rows".*|"rows": ["1/(x(P) - x(P))"] }|' scene1.json >divides.json
refused "not finite" run divides.json
sed 's|"rows".*|"rows": ["vx(P) - 1"] }|' scene1.json >velocity.json
refused "is no constraint; expected an expression of positions and t" run velocity.json
sed 's|"P": "point"|"P": "dot"|' scene2.json >kind.json
refused "expected 'point', 'value' or 'body', found 'dot'" run kind.json
sed 's|"ellipse": {|"ellipse": { "rows": ["x(P)"] }, "ellipse": {|' scene2.json >twice.json
refused "duplicate key 'ellipse'" run twice.json
echo "joint_guide: all good"
