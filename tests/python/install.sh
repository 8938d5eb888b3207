#!/bin/bash
# install.sh BUILD CMAKE CONFIG - the module as it is installed: in a prefix that has been moved, in a virtual environment, by
# pip against an installed library. Where there is no python3 with numpy, or no venv, that part is skipped and says so.
set -euo pipefail

build=$1 cmake=$2 config=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3) || { echo "skipped: python3 is not installed"; exit 0; }
"$python" -c 'import numpy' 2>/dev/null || { echo "skipped: numpy (python3-numpy) is not installed"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH SALTUS_LIBRARY LD_LIBRARY_PATH SALTUS_COMMAND
cd "$work"

quietly() # <command...>
{
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; echo "FAILED: $*" >&2; exit 1; }
}

# uses WHAT LIBRARY PYTHON...: the module runs with that library
uses()
{
    local what=$1 library=$2 found
    shift 2
    found=$("$@" -c "
import saltus
r = saltus.load('$root/scenes/five_bar.json').run(wrt=['L01'])
assert len(r.events) == 9 and abs(r.gradient('z1')[0] - 1.862051) < 1e-5
assert '<svg' in saltus.load('$root/scenes/five_bar.json').draw().svg
print(saltus.library)")
    [[ $found == "$library"* ]] || { echo "FAILED: $what uses $found, expected one in $library"; exit 1; }
    echo "$what: $found"
}

quietly "$cmake" --install "$build" --config "$config" --prefix "$work/first"
mv first prefix
module=$(dirname "$(find prefix -name _declarations.py)")
[ -e "$module/py.typed" ]
uses "a prefix" "$work/prefix" env "PYTHONPATH=$work/$(dirname "$module")" "$python" -B

if ! "$python" -m venv --system-site-packages "$work/venv" >/dev/null 2>&1; then
    echo "skipped: venv (python3-venv) is not installed"
    exit 0
fi
quietly "$cmake" --install "$build" --config "$config" --prefix "$work/venv"
uses "a virtual environment" "$work/venv" "$work/venv/bin/python" -B

"$python" -m venv --system-site-packages "$work/pip"
if ! "$work/pip/bin/python" -c 'import setuptools.build_meta, wheel' 2>/dev/null; then
    echo "skipped: setuptools and wheel (python3-setuptools, python3-wheel) are not installed"
    exit 0
fi
cp -r "$root/tools/python" source
quietly "$work/pip/bin/pip" install --no-index --no-build-isolation --no-deps ./source
libdir=$(dirname "$(find "$work/prefix" -name 'libsaltus.so.0')")
if "$work/pip/bin/python" -c 'import saltus' 2>err; then
    echo "note: the system has a library of its own"
else
    grep -q "export SALTUS_LIBRARY=" err || { cat err; echo "FAILED: nothing says where to look"; exit 1; }
fi
uses "pip, a folder" "$work/prefix" env "SALTUS_LIBRARY=$libdir" "$work/pip/bin/python" -B
uses "pip, a file" "$work/prefix" env "SALTUS_LIBRARY=$libdir/libsaltus.so.0" "$work/pip/bin/python" -B
