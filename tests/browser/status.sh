#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `cluster-env status --html` of 512 nodes, used in a real browser (status.py). KEEP=DIR keeps pictures. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
browser=
for name in chromium chromium-browser google-chrome; do
    [ -n "$browser" ] || browser=$(command -v "$name" || true)
done
[ -n "$browser" ] || skip_all "chromium is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
# shellcheck source-path=SCRIPTDIR source=../program/status_cluster.sh
. "$top/tests/program/status_cluster.sh"

make_status_cluster "$work" 512
./cli/cluster-env status --from="$work/logs" --states --helpers="$work/helpers" --html="$work/page.html" 2>"$work/err" || true
mkdir "$work/few"
for node in a1 a2 a3; do
    echo "{\"schema\":1,\"time\":\"2026-11-21T15:00:00Z\",\"node\":\"$node\",\"phase\":\"prolog\",\"checked\":true}" >"$work/few/$node.jsonl"
done
./cli/cluster-env status --from="$work/few" --html="$work/few.html" 2>>"$work/err" || true
for page in page few; do
    [ -s "$work/$page.html" ] || { echo "Bail out! no page: $(head -n 3 "$work/err")"; exit 1; }
done
# no folder of Python's in the sources
PYTHONDONTWRITEBYTECODE=1 python3 "$top/tests/browser/status.py" "$work/page.html" "$work/few.html" "$browser" ${KEEP:+"$KEEP"}
