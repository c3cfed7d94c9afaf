#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# slurm_node.sh SERIES: builds helpers/slurm-node for one Debian suite's Slurm under
# ${BUILD_DIR:-build}/cluster, and prints its path. Run build.sh first: it knows whether this
# machine's own Slurm serves, and makes the suite's chroot where not.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
readonly here top

die() { printf 'slurm_node.sh: %s\n' "$*" >&2; exit 1; }

# links DIR ROOT: folders with the headers and the library of ROOT and nothing else of it: two C
# libraries would mix.
links() {
    local library
    library=$(echo "$2"/usr/lib/*/libslurm.so)
    [[ -e $library ]] || die "$library: no such library"
    mkdir -p "$1/include" "$1/lib"
    ln -sfn "$2/usr/include/slurm" "$1/include/slurm"
    ln -sfn "$library" "$1/lib/libslurm.so"
}

# A younger libslurm wants symbols of a C library that the linker does not see here.
configured() {
    [[ -e $1/config.status ]] || (cd "$1" && "$top/configure" --prefix=/usr --sysconfdir=/etc \
        --without-cmocka --with-slurm="$1/include" --with-libslurm="$1/lib" \
        LDFLAGS=-Wl,--allow-shlib-undefined)
}

build() { # build DIR ROOT
    links "$1" "$2"
    configured "$1"
    make -C "$1" -j"$(nproc)" helpers/slurm-node
}

main() {
    [[ $# -eq 1 ]] || die "usage: slurm_node.sh bookworm|trixie|forky"
    local words root='' out log
    words=$("$here/build.sh" "$1")
    [[ $words != --suite* ]] || root=$("$here/suite" "$1")
    out=$(cd "${BUILD_DIR:-$top/build}/cluster" && pwd -P)/$1.slurm-node
    log=$out.log
    mkdir -p "$out"
    if ! build "$out" "$root" >"$log" 2>&1 </dev/null; then
        tail -n 30 "$log" >&2
        die "the build for $1 failed, see $log"
    fi
    printf '%s\n' "$out/helpers/slurm-node"
}

main "$@"
