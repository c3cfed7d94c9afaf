#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A file system that hangs holds nobody who only wants to know what is wrong: cluster-env doctor says which file it is,
# in time. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/hung"
printf 'address_book = "%s/hosts";\n' "$work/hung" >"$work/book.conf"
: >"$work/empty.conf"

# on_it COMMAND...: while nobody answers who touches $work/hung
on_it() { unshare --mount --propagation private --pid --fork --kill-child "$top/tests/program/hung_mount.py" "$work/hung" "$@"; }
doctor() { on_it timeout --signal=KILL 100 ./cli/cluster-env doctor --timeout 1 --json "$@"; }
verdict() { jq -r --arg row "$1" '.findings[] | select(.check == $row) | .verdict + " " + .text' <"$work/said"; }

if ! on_it true 2>/dev/null; then
    skip_all "no root, python3 or /dev/fuse for a file system that hangs"
fi
hangs='not read within 1 s; its file system hangs, mount it again'
status=0
doctor --config "$work/hung/cluster-env.conf" >"$work/said" 2>&1 || status=$?
is "a configuration that cannot be read is told" "$(verdict config.valid)" "unknown $work/hung/cluster-env.conf: $hangs"
is "and doctor ended by itself" "$([ "$status" -le 3 ] && echo yes)" yes
status=0
doctor --config "$work/book.conf" >"$work/said" 2>&1 || status=$?
is "so is an address book" "$(verdict book.nodes)" "unknown $work/hung/hosts: $hangs"
is "and doctor ended by itself, too" "$([ "$status" -le 3 ] && echo yes)" yes
is "the rest was looked at" "$(verdict config.valid)" "pass $work/book.conf"
finish
