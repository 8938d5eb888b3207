#!/usr/bin/env bash
# Installs a build into a temporary prefix, moves that elsewhere, and uses it from there: through CMake (shared,
# static) and through pkg-config (shared, static).
#   run.sh <build folder> <cmake> <C compiler> <generator> <configuration>
set -euo pipefail

build=$1 cmake=$2 cc=$3 generator=$4 config=$5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "consumer: $*" >&2
    exit 1
}

quietly() # <command...>: output only when it fails
{
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "failed: $*"; }
}

# ------------------------------------------------------------------------------------ installing

quietly "$cmake" --install "$build" --config "$config" --prefix "$work/first"
mv "$work/first" "$work/prefix" # an installation can be moved
prefix=$work/prefix
pc=$(find "$prefix" -name saltus.pc)
libdir=$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$(dirname "$pc")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
version=$(pkg-config --modversion saltus)

for file in include/saltus/saltus.h include/saltus/ext.h bin/saltus share/saltus/scenes share/doc/saltus/LICENSE \
    share/doc/saltus/README.md; do
    [ -e "$prefix/$file" ] || fail "not installed: $file"
done
for file in libsaltus.so libsaltus.so.0 libsaltus.a; do
    [ -e "$libdir/$file" ] || fail "not installed: $file"
done
if grep -rnF -e "$root" -e "$build" -e "$work/first" --include='*.cmake' --include='*.pc' --include='*.h' "$prefix"; then
    fail "installed files name folders of the build"
fi

for header in saltus ext; do # each header alone, strictly
    echo "#include <saltus/$header.h>" >"$work/header.c"
    quietly "$cc" -std=c17 -pedantic -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" "$work/header.c"
done

# ----------------------------------------------------------------------------------------- using

expect_version() # <what> <program>: it runs and prints the version of the package
{
    local found
    found=$("$2") || fail "$1: the program failed"
    [ "$found" = "$version" ] || fail "$1: the program says version $found, the package $version"
}

expect_shared() # <what> <program> <yes or no>: whether it loads libsaltus.so
{
    local found=no
    ldd "$2" >"$work/ldd" # not through a pipe: grep -q closes it as soon as it has found something
    if grep -q 'libsaltus\.so' "$work/ldd"; then found=yes; fi
    [ "$found" = "$3" ] || fail "$1: loads the shared library: $found, expected $3"
}

quietly "$cmake" -S "$here" -B "$work/cmake" -G "$generator" -DCMAKE_BUILD_TYPE="$config" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix"
quietly "$cmake" --build "$work/cmake" --config "$config"
expect_shared "CMake, shared" "$work/cmake/consumer" yes
expect_version "CMake, shared" "$work/cmake/consumer"
expect_shared "CMake, static" "$work/cmake/consumer_static" no
expect_version "CMake, static" "$work/cmake/consumer_static"

export LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
read -ra flags <<<"$(pkg-config --cflags --libs saltus)"
quietly "$cc" -std=c17 -o "$work/shared" "$here/main.c" "${flags[@]}"
expect_shared "pkg-config, shared" "$work/shared" yes
expect_version "pkg-config, shared" "$work/shared"

# Only Saltus itself from its archive; what it needs may well be shared.
read -ra flags <<<"$(pkg-config --static --cflags --libs saltus)"
quietly "$cc" -std=c17 -o "$work/static" "$here/main.c" "${flags[@]/#-lsaltus/-l:libsaltus.a}"
expect_shared "pkg-config, static" "$work/static" no
expect_version "pkg-config, static" "$work/static"

[ "$("$prefix/bin/saltus" --version | grep -cF "$version")" -ge 1 ] || fail "saltus --version does not say $version"
echo "consumer: version $version through CMake and pkg-config, shared and static"
