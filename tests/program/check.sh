#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cluster-env check on recorded facts, and what cluster-prolog and cluster-epilog print for people. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
machines=$top/tests/fixtures/machines
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/empty.conf"

# check OPTION...: what it prints, and its exit status
check() { ./cli/cluster-env check --config="$work/empty.conf" "$@" 2>&1 || echo "exit status $?"; }
status() { check "$@" | tail -n 1 | sed -n 's/^exit status //p'; }

# port HCA STATE PHYS_STATE: the facts of a rail
port() {
    printf 'ib.%s.firmware=28.39.1002\nib.%s.board_id=MT_838\n' "$1" "$1"
    printf 'ib.%s.type=MT4129\nib.%s.1.state=%s\nib.%s.1.phys_state=%s\n' "$1" "$1" "$2" "$1" "$3"
    printf 'ib.%s.1.rate_mbps=400000\nib.%s.1.link_layer=infiniband\n' "$1" "$1"
}
facts() { # facts FILE LINE...
    file=$1
    shift
    printf '%s\n' format=1 host.name=gpu1 "$@" end=1 >"$work/$file"
}
facts well "$(port mlx5_0 4 5)" "$(port mlx5_1 4 5)"
facts down "$(port mlx5_0 4 5)" "$(port mlx5_4 1 2)"
facts unread rdma.unread=1
facts warned "$(port mlx5_0 4 5)" "$(port mlx5_1 0 0)" gpu.count=8

is "a node that is well" "$(check --facts="$work/well")" "0 failed, 0 warned, 0 unknown, 8 passed, 48 skipped"
is "a port that is down: the table, and exit status 1" "$(check --facts="$work/down" | tr -s ' ')" \
    "fail ib.port.state mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port (drain)
1 failed, 0 warned, 0 unknown, 6 passed, 48 skipped
exit status 1"
is "two ports of a recorded machine" "$(status --facts="$machines/oci-h200-two-down/node.facts")" 1
is "what could not be found out: exit status 3" "$(status --facts="$work/unread")" 3
printf 'gpus = 4;\n' >"$work/four.conf"
is "also where something is odd besides" \
    "$(./cli/cluster-env check --config="$work/four.conf" --facts="$work/warned" >/dev/null || echo $?)" 3
is "--only: one check" "$(check --only=ib.port.rate --facts="$work/down")" \
    "0 failed, 0 warned, 0 unknown, 1 passed, 0 skipped"
is "--all: also what passed" "$(check --all --only=ib.port.rate --facts="$work/down" | head -n 1)" \
    "pass     ib.port.rate  mlx5_0/1 400 Gb/s"
is "--json: the reason" "$(check --json --facts="$work/down" | grep -o '"reason": *"[^"]*"' | sed 's/": */": /')" \
    '"reason": "mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port [cluster-env ib.port.state]"'
for phase in prolog epilog manual; do
    is "--phase=$phase" "$(status --phase=$phase --facts="$work/down")" 1
done

is "a check that is none: exit status 2" "$(check --only=ib.port --facts="$work/down")" \
    "cluster-env check: 'ib.port' is not a check; 'cluster-env check --list' lists them
exit status 2"
is "a phase that is none: exit status 2" "$(status --phase=job)" 2
is "a configuration that is not there: exit status 2" \
    "$(./cli/cluster-env check --config="$work/none" --facts="$work/down" 2>/dev/null || echo $?)" 2
is "facts that are not there: exit status 3" "$(status --facts="$work/none")" 3

for program in prolog epilog; do
    is "cluster-$program --version" "$("./$program/cluster-$program" --version)" \
        "cluster-$program $(setting PACKAGE_VERSION)"
    is "cluster-$program --help" "$("./$program/cluster-$program" --help | head -n 1)" "Usage: cluster-$program"
    is "cluster-$program with an argument: exit status 2, nothing is done" \
        "$("./$program/cluster-$program" --drain 2>/dev/null || echo $?)" 2
done
finish
