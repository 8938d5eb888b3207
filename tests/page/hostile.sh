#!/bin/bash
# hostile.sh SALTUS SCENES - what strangers may try with saltus view (hostile.py). Where the command was built without a
# server, or there is no python, the test is skipped.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
python=$(command -v python3) || { echo "skipped: python3 is not installed"; exit 0; }
if [[ $("$1" view "$2/pendulum.json" --limit 0 2>&1) == *"built without libmicrohttpd"* ]]; then
    echo "skipped: saltus was built without libmicrohttpd"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -B "$here/hostile.py" "$1" "$2" "$work"
