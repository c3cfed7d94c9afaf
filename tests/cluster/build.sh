#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# build.sh SERIES: builds the plugin for one Debian suite's Slurm, and the programs, under
# ${BUILD_DIR:-build}/cluster. They look for helpers in /run/libexec/cluster-env, which each node has
# for itself. Prints what `cluster up` needs to use them, one word a line:
#     words=$(tests/cluster/build.sh trixie)
#     mapfile -t product <<<"$words"
#     tests/cluster/cluster up "${product[@]}" --nodes 4
# Where this machine's own Slurm is of that series, it is used, else the suite's chroot.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
readonly here top

die() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }

slurm_of() {
    case $1 in
        bookworm) echo 22.05 ;;
        trixie) echo 24.11 ;;
        forky) echo 26.05 ;;
        *) die "usage: build.sh bookworm|trixie|forky" ;;
    esac
}

# Does this machine have the daemons and headers of that Slurm?
is_own() {
    local version
    version=$(PATH=$PATH:/usr/sbin slurmd -V 2>/dev/null) || return 1
    [[ $version == *" $1."* && -e /usr/include/slurm/spank.h ]]
}

# configured DIR HEADERS: a build folder whose Slurm headers are those of the folder HEADERS, and
# no other header is from there: two C libraries would mix.
configured() {
    local dir=$1 headers=$2
    mkdir -p "$dir/include"
    ln -sfn "$headers" "$dir/include/slurm"
    [[ -e $dir/config.status ]] ||
        (cd "$dir" && "$top/configure" --prefix=/usr --sysconfdir=/etc --libexecdir=/run/libexec \
            --without-cmocka --with-slurm="$dir/include")
}

build() { # build SERIES HEADERS
    [[ -e $top/configure ]] || (cd "$top" && autoreconf -fi)
    configured "$out/$1" "$2"
    make -C "$out/$1" -j"$(nproc)" spank/cluster_env.la cli/cluster-env \
        prolog/cluster-{prolog,healthcheck} epilog/cluster-epilog helpers/{probe-gpu,preflight,bench-nccl}
    install -D -t "$out/$1/tools/bin" "$out/$1"/{cli/cluster-env,prolog/cluster-{prolog,healthcheck},epilog/cluster-epilog}
    install -D -t "$out/$1/tools/libexec" "$out/$1"/helpers/{probe-gpu,preflight,bench-nccl}
}

main() {
    [[ $# -eq 1 ]] || die "usage: build.sh bookworm|trixie|forky"
    local slurm root='' log
    slurm=$(slurm_of "$1")
    is_own "$slurm" || root=$("$here/suite" "$1")
    out=${BUILD_DIR:-$top/build}/cluster
    mkdir -p "$out"
    out=$(cd "$out" && pwd -P)
    log=$out/$1.log
    exec 9>"$out/.lock"
    flock 9
    if ! build "$1" "$root/usr/include/slurm" >"$log" 2>&1 </dev/null 9>&-; then
        tail -n 30 "$log" >&2
        die "the build for $1 failed, see $log"
    fi
    [[ -z $root ]] || printf '%s\n' --suite "$1"
    printf '%s\n' --plugin "$out/$1/spank/.libs/cluster_env.so" --tools "$out/$1/tools"
}

main "$@"
