#!/bin/bash
# run.sh SALTUS SCENES LOOK.py - opens pages in a browser and looks at them: reports (look.py), the view (live.py). Where
# there is no browser, or no selenium to lead it, the test is skipped.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3 # Debian's, which has Debian's selenium
[ -x "$python" ] || python=$(command -v python3) || { echo "skipped: python3 is not installed"; exit 0; }
if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
    echo "skipped: chromium and chromedriver (chromium, chromium-driver) are not installed"
    exit 0
fi
if ! "$python" -c 'import selenium' 2>/dev/null; then
    echo "skipped: selenium (python3-selenium) is not installed"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work # the browser keeps its things there
"$python" -B "$here/$3" "$1" "$2" "$work"
