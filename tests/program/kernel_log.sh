#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A recorded kernel log in a recorded tree: cluster-env check judges it, facts prints it, and the
# printed text is judged the same. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
logs=$top/tests/fixtures/kernel
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$top/tests/fixtures/unpack" "$top/tests/fixtures/machines/oneclick.tree" "$work/tree"
mkdir -p "$work/tree/dev"

# xids ARGUMENT...: what is found of Xids, and the exit status.
xids() { ./cli/cluster-env check --only=gpu.xid "$@" 2>&1 || echo "exit status $?"; }

# with LOG: the machine says so.
with() { cp "$logs/$1" "$work/tree/dev/kmsg"; }

is "a recorded tree without a log is not judged by it" "$(xids --root="$work/tree")" \
    "0 failed, 0 warned, 0 unknown, 0 passed, 1 skipped"
printf 'format=1\nkernel.unread=1\nend=1\n' >"$work/unread"
is "a log that could not be read leaves all unknown" "$(xids --facts="$work/unread")" \
    "unknown  gpu.xid  the kernel log could not be read
0 failed, 0 warned, 1 unknown, 0 passed, 0 skipped
exit status 3"
with fell-off.kmsg
found="fail     gpu.xid  GPU 3 Xid 154: the driver asks for a reboot of the node at 0000:61:00.0; \
reboot the node, reseat or exchange the GPU if it comes back (drain)
0 failed"
is "a GPU that fell off the bus is a fault, and the others are well" \
    "$(xids --root="$work/tree" | sed 's/^1 failed.*/0 failed/')" "$found
exit status 1"
./cli/cluster-env facts --root="$work/tree" >"$work/facts"
is "the printed facts have the events" "$(sed -n 's/^kernel.1.\(kind\|number\|action\)=//p' "$work/facts" | tr '\n' ' ')" \
    "xid 154 2 "
is "and are judged the same" "$(xids --facts="$work/facts")" "$(xids --root="$work/tree")"
is "and are printed again as they are" "$(./cli/cluster-env facts --facts="$work/facts")" "$(cat "$work/facts")"
with fell-off.dmesg
is "what dmesg prints is taken too" "$(xids --root="$work/tree" | grep -c 'Xid 79 (fell off the bus)')" 1
with recovered.kmsg
is "a GPU that recovered is well" "$(xids --root="$work/tree")" \
    "0 failed, 0 warned, 0 unknown, 8 passed, 0 skipped"
with garbage.kmsg
is "garbage is nothing" "$(xids --root="$work/tree")" \
    "0 failed, 0 warned, 0 unknown, 8 passed, 0 skipped"
mkdir "$work/run"
./cli/cluster-env facts --root="$work/tree" --run="$work/run" --write >/dev/null
is "what everybody may read has no kernel log" "$(grep -c '^kernel' "$work/run/node.facts")" 0
finish
