#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cluster-env topology: where facts come from, where the picture goes, what a terminal gets, and every
# machine of tests/fixtures/machines. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
# shellcheck source-path=SCRIPTDIR source=../public/cluster.sh
. "$top/tests/public/cluster.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
machines=$top/tests/fixtures/machines
dgx=$machines/dgx-h100/node.facts
: >"$work/config"
unset NO_COLOR
LC_ALL=C.UTF-8
export LC_ALL

topology() { ./cli/cluster-env topology "$@"; }
recorded() { topology --config="$work/config" "$@"; }

# status WANTED NAME TEXT COMMAND...: the exit status, and what the one line on stderr says.
status() {
    want=$1 name=$2 text=$3 got=0
    shift 3
    "$@" >"$work/out" 2>"$work/err" || got=$?
    case $got,$(cat "$work/err") in
        "$want,"*"$text"*) pass "$name" ;;
        *) fail "$name" "status $got: $(cat "$work/err")" ;;
    esac
}

# ---------------------------------------------------------------- facts in

status 0 "this machine is shown, without root and without a job" "" topology --config="$work/config"
status 3 "facts that are not there" "none.facts: cannot open" recorded --facts="$work/none.facts"
echo format=2 >"$work/bad.facts"
status 3 "facts that are none" "bad.facts: " recorded --facts="$work/bad.facts"
status 2 "a configuration that is none" "$work/bad.facts:1: " topology --facts="$dgx" --config="$work/bad.facts"
status 2 "two sources of facts" "exclude one another" topology --facts="$dgx" --root=/
status 2 "two forms" "exclude one another" topology --svg=- --json
write_texts "$work/run"
status 0 "what the plugin knows" "" topology --run="$work/run"
is "of which the book's interface is the cluster's" "$(sed -n 's/^  NCCL_SOCKET_IFNAME=//p' "$work/out")" "=eth1"
status 3 "a run directory that is not there" "$work/none" topology --run="$work/none"
printf 'rails = { count = 4; };\n' >"$work/fewer"
is "rails that are not those of the configuration" "$(topology --facts="$dgx" --config="$work/fewer" |
    grep -c 'this node has 8 .*rails.*, expected 4')" 1

# ---------------------------------------------------------------- text out

is "docs/topology.md has the DGX H100 as it is shown" \
    "$(sed -n '/^## A DGX H100/,$s/^    //p' "$top/docs/topology.md")" \
    "$(recorded --facts="$dgx" | grep -v '^$')"
is "and docs/topology.svg its picture" "$(cat "$top/docs/topology.svg")" "$(recorded --facts="$dgx" --svg=-)"
empty "in the C locale all is ASCII" "$(LC_ALL=C recorded --facts="$dgx" | LC_ALL=C grep '[^ -~]')"
empty "in a pipe there is no colour" "$(recorded --facts="$dgx" | grep "$(printf '\033')")"
if command -v script >/dev/null; then
    command="./cli/cluster-env topology --config=$work/config --facts=$dgx"
    TERM=xterm script -qec "$command" /dev/null </dev/null >"$work/tty"
    is "on a terminal there is" "$(grep -c "$(printf '\033')\[32mrail 0" "$work/tty")" 1
    NO_COLOR=1 TERM=xterm script -qec "$command" /dev/null </dev/null >"$work/tty"
    empty "unless NO_COLOR is set" "$(grep "$(printf '\033')" "$work/tty")"
else
    skip "on a terminal there is" "script is not installed"
    skip "unless NO_COLOR is set" "script is not installed"
fi

# ---------------------------------------------------------------- pictures out

status 0 "a picture is written" "" recorded --facts="$dgx" --svg="$work/dgx.svg"
is "for everybody to read" "$(stat -c %a "$work/dgx.svg")" 644
empty "and nothing is left beside it" "$(find "$work" -name '.*')"
is "to standard output it is the same" "$(recorded --facts="$dgx" --svg=-)" "$(cat "$work/dgx.svg")"
status 3 "a folder that is not there" "cannot write there" recorded --facts="$dgx" --svg="$work/none/x.svg"
status 3 "a folder is no file" "$work/: not a regular file" recorded --facts="$dgx" --svg="$work/"
status 3 "a file that cannot be written has its folder named" "$work/: xxx" recorded --facts="$dgx" --svg="$work/$(printf '%250s' x | tr ' ' x)"
ln -s config "$work/link.svg"
status 3 "a link is not replaced" "not a regular file" recorded --facts="$dgx" --svg="$work/link.svg"
status 3 "nor a device" "/dev/null: not a regular file" recorded --facts="$dgx" --svg=/dev/null

# ---------------------------------------------------------------- every machine

# A value may be longer: it is to be copied.
too_wide() {
    LC_ALL=C recorded --facts="$1" | sed '/^Variables$/,$d' | awk 'length($0) > 80'
}

complaints=
for facts in "$machines"/*/node.facts; do
    machine=${facts%/node.facts} machine=${machine##*/}
    complaints="$complaints$(too_wide "$facts")"
    recorded --facts="$facts" --svg=- >"$work/out.svg" || complaints="$complaints $machine: no picture"
    recorded --facts="$facts" --json >"$work/out.json" || complaints="$complaints $machine: no JSON"
    if command -v jq >/dev/null; then
        jq -e '.schema == 1 and (.hcas | map(select(.rail != null)) | length) == .decision.rails' \
            <"$work/out.json" >/dev/null || complaints="$complaints $machine: JSON disagrees"
    fi
done
empty "every machine is shown, within 80 columns, and drawn" "$complaints"
finish
