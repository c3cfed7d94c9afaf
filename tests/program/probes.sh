#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The helpers that link libibverbs and hwloc: what they print of recorded machines, and of this one. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() { timeout 60 "$@" 2>"$work/err" || echo "exit status $?"; }

# Its text is one that we read: printed again by facts.
# shellcheck disable=SC2317 # ok calls it
reads() {
    run "$@" >"$work/text"
    ./cli/cluster-env facts --facts="$work/text" >/dev/null
}

check_topology() {
    xml=$top/tests/fixtures/topology/three-bridges.xml
    is "probe-topology: PIX, PXB, PHB, NODE and SYS of a recorded machine" \
        "$(run ./helpers/probe-topology --xml "$xml")" "$(cat "$top/tests/fixtures/topology/three-bridges.txt")"
    ok "and facts can read it" reads ./helpers/probe-topology --xml "$xml"
    is "a synthetic machine has no devices" "$(run ./helpers/probe-topology --synthetic 'pack:2 core:4 pu:1')" \
        "$(printf 'format=1\ngpu.count=0\nend=1\n')"
    is "a recording that is none: status 1" "$(run ./helpers/probe-topology --xml "$work/none")" "exit status 1"
    is "and one line" "$(wc -l <"$work/err")" 1
    echo "<topology" >"$work/bad.xml"
    is "a recording cut short: status 1" "$(run ./helpers/probe-topology --xml "$work/bad.xml")" "exit status 1"
    is "a word too many: status 2" "$(run ./helpers/probe-topology --xml)" "exit status 2"
    ok "this machine has a topology" reads ./helpers/probe-topology
}

check_verbs() {
    ok "probe-verbs: this machine's devices, or none" reads ./helpers/probe-verbs
    is "a word too many: status 2" "$(run ./helpers/probe-verbs --all)" "exit status 2"
}

if [ -x helpers/probe-topology ]; then check_topology; else skip "probe-topology" "hwloc is not installed"; fi
if [ -x helpers/probe-verbs ]; then check_verbs; else skip "probe-verbs" "libibverbs is not installed"; fi
finish
