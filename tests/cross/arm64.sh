#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# arm64.sh BUILD_DIR: cross-builds for 64-bit Arm (GB200 nodes are Arm) and runs the unit tests under
# qemu-user. TAP. The headers and libraries are Debian's arm64 packages, unpacked, not installed.
set -euo pipefail

top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd -P)
readonly top
readonly cache=${CLUSTER_ENV_CACHE:-/var/cache/cluster-env-check}
readonly root=$cache/arm64
readonly packages=libc6-dev,libgcc-12-dev,libconfig-dev,libjansson-dev,libcmocka-dev,libslurm-dev
build=${1:-$top/build/arm64}

skip_all() { printf '1..0 # SKIP arm64: %s\n' "$*"; exit 0; }

tools_are_here() {
    command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null && command -v mmdebstrap >/dev/null
}

# By rename, under a lock: two runs do not unpack twice, and a killed one leaves no half root.
unpack_root() {
    mkdir -p "$cache"
    exec 9>"$cache/.arm64.lock"
    flock 9
    [[ ! -e $root ]] || return 0
    rm -rf "$root.new"
    timeout 600 mmdebstrap --variant=extract --architectures=arm64 --include="$packages" bookworm "$root.new" 9>&-
    mv "$root.new" "$root"
}

configure_cross() {
    export PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig
    export PKG_CONFIG_SYSROOT_DIR=$root
    [[ -e config.status ]] ||
        "$top/configure" --host=aarch64-linux-gnu CC="aarch64-linux-gnu-gcc --sysroot=$root" \
            --enable-werror --with-slurm="$root/usr/include"
}

# By the loader's name: with qemu's -L the program would see the unpacked packages as its root.
run_for_arm64() {
    timeout 600 qemu-aarch64 "$root/lib/ld-linux-aarch64.so.1" \
        --library-path "$root/lib/aarch64-linux-gnu:$root/usr/lib/aarch64-linux-gnu" "$1"
}

tools_are_here || skip_all "needs gcc-aarch64-linux-gnu, qemu-user and mmdebstrap"
mkdir -p "$build"
log=$(cd "$build" && pwd -P)/arm64.log
unpack_root >"$log" 2>&1 || { tail -n 5 "$log" | sed 's/^/# /'; skip_all "Debian's arm64 packages could not be had"; }
cd "$build"
if (configure_cross && make -j"$(nproc)") >>"$log" 2>&1; then
    echo "ok 1 - builds for arm64 without a warning"
else
    tail -n 40 "$log" | sed 's/^/# /'
    echo "not ok 1 - builds for arm64 without a warning"
    echo "1..1"
    exit 1
fi
n=1 bad=0
make -j"$(nproc)" unit-programs >>"$log" 2>&1 || bad=1
while read -r program; do
    n=$((n + 1))
    if CMOCKA_MESSAGE_OUTPUT=TAP srcdir=$top run_for_arm64 "$program" >"$program.out" 2>&1; then
        echo "ok $n - $program under qemu-aarch64"
    else
        grep -v '^ok' "$program.out" | sed 's/^/# /' | head -n 20
        echo "not ok $n - $program under qemu-aarch64"
        bad=1
    fi
done < <(make -s list-unit-programs)
echo "1..$n"
exit $bad
