#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cluster-env bench and its helpers, as far as a machine without RDMA devices can tell; tests/vm has
# the rest. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/empty.conf"

status() { timeout 60 "$@" >"$work/out" 2>&1 && echo 0 || echo $?; }
bench() { status ./cli/cluster-env bench "$@"; }

is "nothing to measure: status 2" "$(bench)" 2
is "something that is not known: status 2" "$(bench disks)" 2
is "and one line says so" "$(head -n 1 "$work/out")" "cluster-env bench: 'disks' is not a kind of test"
is "--help" "$(bench --help)" 0
is "--listen with every address: status 2" "$(bench rdma --listen=::)" 2
is "--listen with a name: status 2" "$(bench rdma --listen=localhost)" 2
is "--listen and --peer: status 2" "$(bench rdma --listen=127.0.0.1 --peer=127.0.0.2)" 2
is "--seconds=0: status 2" "$(bench rdma --seconds=0)" 2
is "memory that is none: status 2" "$(bench rdma --memory=tape)" 2
is "a GPU that is no PCI address: status 2" "$(bench rdma --gpu=GPU-5)" 2
is "an HCA that is not there: status 2" "$(bench rdma --config="$work/empty.conf" --rail=mlx5_99)" 2

if [ -x helpers/bench-rdma ]; then
    is "bench-rdma without a device: status 2" "$(status ./helpers/bench-rdma)" 2
    is "bench-rdma with a number that is none: status 2" "$(status ./helpers/bench-rdma --device=a --port=x)" 2
    is "bench-rdma with a device that is not there: status 0" "$(status ./helpers/bench-rdma --device=mlx5_99)" 0
    is "and a text that says so" "$(grep -c '^rdma.outcome=device$' "$work/out") $(tail -n 1 "$work/out")" "1 end=1"
    is "bench-rdma that nobody meets: status 0, after --wait" \
        "$(status ./helpers/bench-rdma --device=mlx5_99 --listen=127.0.0.1 --tcp-port=28599 --wait=100)" 0
else
    skip "bench-rdma" "libibverbs is not installed"
fi
finish
