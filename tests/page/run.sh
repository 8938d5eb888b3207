#!/bin/bash
# run.sh SALTUS SCENES LOOK.py - opens pages in a browser and looks at them: reports (look.py), the view (live.py). Where
# there is no browser, no selenium to lead it, or no server in the command, the test is skipped. Pictures of what was seen go
# to the folder SALTUS_SHOTS, where it is given.
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
if [ "$3" != look.py ] && [[ $("$1" view "$2/pendulum.json" --limit 0 2>&1) == *"built without libmicrohttpd"* ]]; then
    echo "skipped: saltus was built without libmicrohttpd"
    exit 0
fi
[ -z "${SALTUS_SHOTS-}" ] || mkdir -p "$SALTUS_SHOTS"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work # the browser keeps its things there
"$python" -B "$here/$3" "$1" "$2" "$work"
