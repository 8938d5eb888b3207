#!/usr/bin/env bash
# Installs the packages in a bare Debian 12 of its own (debootstrap, from this machine's apt sources), uses them there as
# users do, and removes them. Needs root and a Debian mirror; a few minutes, 1.5 GB in a temporary folder.
#   bare.sh [folder with the packages]     build/package/packages when absent: see tools/package
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
# shellcheck source=tools/packages.sh
source "$project/tools/packages.sh"

packages=$(realpath "${1-$project/build/package/packages}")
release=bookworm
if [ "$(id -u)" -ne 0 ]; then
    echo "bare.sh: only root can do this" >&2
    exit 2
fi
if ! ls "$packages"/saltus_*.deb >/dev/null 2>&1; then
    echo "bare.sh: no packages in $packages; tools/package makes them" >&2
    exit 2
fi
need_packages debootstrap:debootstrap

bare=$(mktemp -d)
chmod 755 "$bare" # it is the root of users, too
trap 'rm -rf --one-file-system "$bare"' EXIT

# Debian's own sources of this machine, and how it gets there.
sources=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(CODENAME)' 'Created-By: Packages' 'Origin: Debian' |
    awk -v release="$release" '$3 ~ "^" release { print "deb", $1, $3, "main" }' | sort -u)
mirror=$(awk -v release="$release" '$3 == release { print $2; exit }' <<<"$sources")
: "${mirror:?no source of Debian $release; run apt-get update}"
quietly bare-debootstrap debootstrap --variant=minbase "$release" "$bare" "$mirror"
echo "$sources" >"$bare/etc/apt/sources.list"
apt-config dump | grep -E '^Acquire::(https?::|Check-Valid-Until)' >"$bare/etc/apt/apt.conf.d/90mirror" || true

mkdir "$bare/try"
cp "$packages"/*.deb "$here/inside.sh" "$bare/try"
cp -r "$project/tests/consumer" "$project/tools/python" "$bare/try"
# What is mounted, and what is left running, ends with it.
if ! unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$1/proc"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot "$1" bash /try/inside.sh' - "$bare"; then
    echo "bare.sh: FAILED" >&2
    exit 1
fi
echo "bare.sh: all good in $SECONDS s"
