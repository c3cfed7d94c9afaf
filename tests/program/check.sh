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

is "a node that is well" "$(check --facts="$work/well")" "0 failed, 0 warned, 0 unknown, 8 passed, 49 skipped"
is "a port that is down: the table, and exit status 1" "$(check --facts="$work/down" | tr -s ' ')" \
    "fail ib.port.state mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port (drain)
1 failed, 0 warned, 0 unknown, 6 passed, 49 skipped
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

# From the files of a machine: a rail that is ACTIVE, and whose partition keys are these.
keys() {
    port=$work/tree/sys/class/infiniband/mlx5_0/ports/1
    rm -rf "$port/pkeys"
    mkdir -p "$port/pkeys" "$work/tree/proc" "$work/tree/sys/class/net" "$work/tree/sys/bus/pci/devices"
    echo MT4129 >"$work/tree/sys/class/infiniband/mlx5_0/hca_type"
    echo '4: ACTIVE' >"$port/state" && echo InfiniBand >"$port/link_layer" && echo '400 Gb/sec (4X NDR)' >"$port/rate"
    index=0
    for key in "$@"; do
        echo "$key" >"$port/pkeys/$index"
        index=$((index + 1))
    done
    check --root="$work/tree" --only=ib.pkey --all | sed -n 's/  *ib.pkey  */ /p'
}
is "a member of the default partition" "$(keys 0xffff 0x0000)" "pass mlx5_0/1 partition key 0xffff"
is "a limited member, that reaches none of its kind" "$(keys 0x7fff 0x0000 | sed 's/;.*//')" \
    "fail mlx5_0/1 partition key 0x7fff at index 0, and full membership of no partition"
is "keys that cannot be read" "$(keys)" "unknown mlx5_0/1 its partition keys cannot be read"

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

# ---------------------------------------------------------------- what is done about a check

echo 'checks = ( { name = "ib.port.*"; fault = "warn"; } ); nodes = ( { names = "gpu1";
    checks = ( { name = "ib.port.state"; fault = "ignore"; unknown = "ignore"; } ); } );' >"$work/checks.conf"
with() { ./cli/cluster-env check --config="$work/checks.conf" "$@"; }
listed() { with --list --node="$1" | awk '$1 == "ib.port.state" || $1 == "ib.port.rate" { print $1, $2, $3 }'; }
is "--list: what holds for a node" "$(listed gpu1)" "ib.port.state ignore ignore
ib.port.rate warn warn"
is "and for another" "$(listed gpu2)" "ib.port.state warn warn
ib.port.rate warn warn"
is "a fault that is ignored is told, and is none" "$(with --facts="$work/down" && echo well)" \
    "fail     ib.port.state  mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port (ignored)
1 failed, 0 warned, 0 unknown, 6 passed, 49 skipped
well"
is "one that is warned of is no reason" "$(with --facts="$work/down" --node=gpu2 --json | grep '"reason"' | tr -d ' ,')" '"reason":null'
is "and exit status 1" "$(with --facts="$work/down" --node=gpu2 >/dev/null || echo $?)" 1
printf '%s\n' format=1 host.name=gpu1 gpu.count=1 gpu.0.pci=0000:1b:00.0 gpu.0.pci_id=10de:2330 gpu.0.nvml.asked=answered \
    gpu.0.nvml.memory.used=104857600 gpu.0.nvml.processes=0 end=1 >"$work/leftover"
left() { with --phase=epilog --only=gpu.memory.leftover --facts="$work/leftover" | head -n 1 | cut -d ' ' -f 1; }
echo >"$work/checks.conf"
is "100 MiB that nobody holds are too many" "$(left)" fail
echo 'checks = ( { name = "gpu.memory.leftover"; limit = 100; } );' >"$work/checks.conf"
is "where the limit is 100 they are not" "$(left)" 0
is "and --list shows it" "$(with --list | grep -c '^gpu.memory.leftover .* (limit 100 MiB)$')" 1
echo 'checks = ( { name = "ib.port.stat"; fault = "warn"; } );' >"$work/checks.conf"
said="$work/checks.conf:1: checks: no check is called 'ib.port.stat'; did you mean 'ib.port.state'?"
is "a check that is none: exit status 2" "$(with --facts="$work/down" 2>&1 || echo $?)" "cluster-env check: $said
2"
is "config --check names it too" "$(./cli/cluster-env config --check="$work/checks.conf" 2>&1 || echo $?)" "cluster-env config: $said
2"

# ---------------------------------------------------------------- for people, for programs

if command -v promtool >/dev/null; then
    empty "--prometheus: promtool finds nothing to say" "$(check --prometheus --facts="$work/down" | grep -v '^exit' | promtool check metrics 2>&1)"
else
    skip "--prometheus: promtool finds nothing to say" "prometheus is not installed"
fi
is "--prometheus: the exit status" "$(status --prometheus --facts="$work/down")" 1

# on_terminal COLUMNS WORD=VALUE: what it prints on one, with ESC for the escape
on_terminal() {
    script -qec "stty cols $1; exec env $2 ./cli/cluster-env check --config='$work/empty.conf' --facts='$work/down'" /dev/null </dev/null |
        tr -d '\r' | sed "s/$(printf '\033')/ESC/g"
}
if command -v script >/dev/null; then
    is "on a terminal: colour, and no line is wider" "$(on_terminal 60 TERM=xterm)" \
        "ESC[31mfail   ESC[0m  ib.port.state  mlx5_4/1 DOWN (Polling), expected
         ACTIVE; check cable and switch port (drain)
1 failed, 0 warned, 0 unknown, 6 passed, 49 skipped"
    is "NO_COLOR: none" "$(on_terminal 200 NO_COLOR=1 | head -n 1)" \
        "fail     ib.port.state  mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port (drain)"
else
    skip "on a terminal: colour, and no line is wider" "script is not installed"
    skip "NO_COLOR: none" "script is not installed"
fi
is "in a pipe: one line each, no colour, nothing else" "$(check --facts="$work/down" | grep -v '^exit' | grep -c '^fail     ib\|^1 failed')" 2

# A variable that is empty would choose the settings of no node, in silence.
for command in check 'bench gpu' 'bench rdma' "config --check $work/empty.conf" doctor facts 'status --local' topology; do
    for name in '' 'n 1' "$(printf '%300s' x | tr ' ' x)"; do
        # shellcheck disable=SC2086 # words of a command
        is "$command --node='$(echo "$name" | cut -c1-5)': exit status 2" "$(./cli/cluster-env $command --node="$name" >/dev/null 2>&1 || echo $?)" 2
    done
done

for program in prolog epilog; do
    is "cluster-$program --version" "$("./$program/cluster-$program" --version)" \
        "cluster-$program $(setting PACKAGE_VERSION)"
    is "cluster-$program --help" "$("./$program/cluster-$program" --help | head -n 1)" "Usage: cluster-$program"
    is "cluster-$program with an argument: exit status 2, nothing is done" \
        "$("./$program/cluster-$program" --drain 2>/dev/null || echo $?)" 2
done
finish
