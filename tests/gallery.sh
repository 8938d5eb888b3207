#!/bin/bash
# gallery.sh SALTUS SVG - the pictures in scenes/pictures are those that scenes/gallery.sh draws; every scene has one,
# small enough, and scenes/README.md shows it. The same of joints: joints/README.md says of each what saltus types does.
set -uo pipefail

saltus=$(realpath "$1")
svg=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/../scenes" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
    printf 'FAILED: %s\n' "$1"
    failed=1
}

bash gallery.sh "$saltus" "$work" || fail "gallery.sh"
count=0
for scene in *.json; do
    name=${scene%.json}
    picture=pictures/$name.svg
    [ "$name" = saltus.schema ] && continue
    count=$((count + 1))
    if [ ! -f "$work/$name.svg" ] || [ ! -f "$picture" ]; then
        fail "$name has no picture"
        continue
    fi
    "$svg" compare "$picture" "$work/$name.svg" || failed=1
    most=15000
    grep -q repeatCount "$picture" && most=60000
    [ "$(wc -c <"$picture")" -le "$most" ] || fail "$picture is larger than $most bytes"
    grep -qF "src=\"$picture\"" README.md || fail "$picture is not in README.md"
done
for name in five_bar_plot hammer_first; do
    "$svg" compare "pictures/$name.svg" "$work/$name.svg" || failed=1
done
grep -qF 'src="../scenes/pictures/five_bar_plot.svg"' ../tools/README.md || fail "the chart is not in tools/README.md"
grep -qF 'src="scenes/pictures/hammer_first.svg"' ../README.md || fail "the first scene is not in README.md"
[ "$count" -gt 30 ] || fail "$count scenes"
[ "$(find pictures -type f | wc -l)" -eq $((count + 2)) ] || fail "pictures of scenes that are not there"
[ "$(grep -l repeatCount pictures/*.svg | wc -l)" -ge 5 ] || fail "fewer than five films"

cd ../joints || exit 1
mkdir "$work/joints"
bash pictures.sh "$saltus" "$work/joints" || fail "pictures.sh"
joints=$("$saltus" types joints | sed -n 's/^joints: "type": "\([a-z]*\)" - .*/\1/p')
for name in $joints; do
    "$svg" compare "pictures/$name.svg" "$work/joints/$name.svg" || failed=1
    grep -qF "src=\"pictures/$name.svg\"" README.md || fail "joint $name is not in README.md"
    "$saltus" types "$name" >"$work/type"
    while IFS= read -r told; do
        grep -F "| \`$name\` |" README.md | grep -qF "$told" || fail "README.md does not say of joint $name: $told"
    done < <(sed -n "s/^joints: \"type\": \"$name\" - //p" "$work/type"; sed -n '/^joints:/,/^$/s/^  reactions *//p' "$work/type")
done
[ "$(find pictures -type f | wc -l)" -eq "$(wc -w <<<"$joints")" ] || fail "pictures of joints that are not there"
exit "$failed"
