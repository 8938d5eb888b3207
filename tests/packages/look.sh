#!/usr/bin/env bash
# Packs a build, looks at the packages, unpacks them into a folder and uses what is there. Installs nothing; bare.sh does.
#   look.sh <build folder> <cpack> <C compiler>
set -euo pipefail

build=$1 cpack=$2 cc=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "packages: $*" >&2
    exit 1
}

pack() # <folder>
{
    (cd "$build" && "$cpack" -B "$1") >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "cpack failed"; }
    rm -rf "$1/_CPack_Packages"
}

# ---------------------------------------------------------------------------------------- packages

pack "$work/first"
sleep 1 # nothing of the clock is in them
umask 027
pack "$work/second"
umask 022
diff -r "$work/first" "$work/second" || fail "the same build gives other packages"

version=$("$build/saltus" --version)
version=${version#saltus }
names=(libsaltus0 libsaltus-dev saltus python3-saltus)
[ ! -x "$build/saltus-mpi" ] || names+=(saltus-mpi)
[ "$(find "$work/first" -name '*.deb' | wc -l)" -eq ${#names[@]} ] || fail "expected ${names[*]}, found" "$work"/first/*

field() # <package> <field>
{
    dpkg-deb -f "$work/first/$1"_*.deb "$2"
}

needs() # <package> <other...>: it depends on these
{
    local name=$1 other
    shift
    for other in "$@"; do
        [[ ", $(field "$name" Depends)," == *", $other"[,\ ]* ]] || fail "$name does not depend on $other: $(field "$name" Depends)"
    done
}

for name in "${names[@]}"; do
    [ "$(field "$name" Version)" = "$version-1" ] || fail "$name has version $(field "$name" Version), not $version-1"
    dpkg-deb -x "$work/first/$name"_*.deb "$work/root"
    dpkg-deb -c "$work/first/$name"_*.deb | grep -v '^d' >>"$work/files"
    for file in copyright changelog.gz changelog.Debian.gz; do
        [ -s "$work/root/usr/share/doc/$name/$file" ] || fail "$name has no $file"
    done
done
needs libsaltus0 libc6 libklu1 libopenblas0 libcjson1
needs libsaltus-dev "libsaltus0 (= $version-1)" libsuitesparse-dev libopenblas-dev libcjson-dev
needs saltus libc6 libklu1 libopenblas0 libcjson1
needs python3-saltus "libsaltus0 (= $version-1)" python3:any python3-numpy
twice=$(awk '{ print $6 }' "$work/files" | sort | uniq -d)
[ -z "$twice" ] || fail "in two packages: $twice"
if grep -v ' root/root ' "$work/files"; then fail "files that are not root's"; fi
if grep -vE '^(-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx)' "$work/files"; then fail "files with other permissions"; fi
if grep -vE ' \./usr/(bin|include|lib|share)/' "$work/files"; then fail "files in other places"; fi
if grep -rlF "$build" "$work/root/usr" --include='*.cmake' --include='*.pc' --include='*.py'; then
    fail "packaged files name the folder of the build"
fi

# ------------------------------------------------------------------------------------------- using

root=$work/root
cd "$work"
PATH=$root/usr/bin:$PATH
scenes=$root/usr/share/saltus/scenes
saltus run "$scenes/five_bar.json" >run.txt || fail "saltus run failed"
grep -q ' 9 floor' run.txt || fail "the five-bar does not bounce nine times"

# Every command has a page with every option of its help, and these are completed.
pages=$root/usr/share/man
commands=$(saltus --help | sed -n 's/^  saltus \([a-z][a-z]*\) .*  .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 14 ] || fail "few commands in the help: $commands"
# shellcheck source=/dev/null
source "$root/usr/share/bash-completion/completions/saltus"
for command in $commands; do
    gzip -dc "$pages/man1/saltus-$command.1.gz" | sed 's/\\-/-/g; s/\\f[BIR]//g' >page.txt || fail "saltus $command has no page"
    for option in $(saltus "$command" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
        grep -qF -- "$option" page.txt || fail "the page of saltus $command does not tell $option"
    done
    for option in $(saltus "$command" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
        # shellcheck disable=SC2154 # of the completion
        [[ " ${_saltus_options[$command]} " == *" $option "* ]] || fail "saltus $command $option is not completed"
    done
done
gzip -dc "$pages/man1/saltus.1.gz" "$pages/man5/saltus-scene.5.gz" >pages.txt
for word in 'EXIT STATUS' stiffness restitution; do
    grep -q "$word" pages.txt || fail "the pages do not tell $word"
done
if command -v mandoc >/dev/null; then
    for page in "$pages"/man?/*.gz; do
        if [[ $(gzip -dc "$page" | head -c 4 || true) == ".so " ]]; then continue; fi # that of another page
        mandoc -T lint -W warning "$page" || fail "$page is not well formed"
    done
fi

# A program in C, by pkg-config, and the module in Python find the library beside them.
libraries=$(dirname "$(find "$root" -name libsaltus.so.0)")
export PKG_CONFIG_PATH=$libraries/pkgconfig
# shellcheck disable=SC2046 # words
"$cc" "$here/../consumer/main.c" -o consumer $(pkg-config --cflags --libs saltus) "-Wl,-rpath,$libraries"
[ "$(./consumer)" = "$version" ] || fail "a program sees version $(./consumer)"
if python3 -c 'import numpy' 2>/dev/null; then
    PYTHONPATH=$root/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 \
        python3 - "$root" "$version" "$scenes/five_bar.json" <<'EOF' || fail "the module in Python"
import sys
import saltus
root, version, scene = sys.argv[1:]
assert saltus.library.startswith(root), saltus.library
assert saltus.__version__ == version, saltus.__version__
assert len(saltus.load(scene).run().events) == 9
EOF
fi
