#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# build.sh SERIES: builds the plugin and slurm-node for one Debian suite's Slurm under ${BUILD_DIR:-build}/cluster, and the
# programs, once for all series, under ${BUILD_DIR:-build}/cluster-programs. They look for helpers in /run/libexec/cluster-env, which each node has
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

# configured DIR OPTION...: the first configure finds out what does not depend on Slurm, for the others.
configured() {
    local dir=$1
    shift
    [[ ! $dir/config.status -nt $here/build.sh ]] || return 0
    mkdir -p "$dir"
    rm -f "$dir/config.cache" # a cache of another compiler is an error
    [[ $dir == "$programs" ]] || grep -v '^ac_cv_env_' "$programs/config.cache" >"$dir/config.cache"
    (cd "$dir" && "$top/configure" --config-cache --prefix=/usr --sysconfdir=/etc --libexecdir=/run/libexec \
        --enable-werror --without-cmocka "$@")
}

# What needs no header of Slurm is the same for every series.
build_programs() {
    [[ -e $top/configure ]] || (cd "$top" && autoreconf -fi) || return
    configured "$programs" --without-slurm --without-libslurm &&
        make -C "$programs" -j"$(nproc)" libcore.la libprobe.la cli/cluster-env prolog/cluster-{prolog,healthcheck} \
            epilog/cluster-epilog helpers/{probe-gpu,preflight,bench-nccl}
}

# links DIR ROOT: the libraries of build_programs, and folders with the headers and the library of ROOT's Slurm and
# nothing else of it: two C libraries would mix.
links() {
    local library
    library=$(echo "$2"/usr/lib/*/libslurm.so)
    [[ -e $library ]] || { echo "$library: no such library"; return 1; }
    mkdir -p "$1/include" "$1/lib" "$1/.libs"
    ln -sfn "$2/usr/include/slurm" "$1/include/slurm"
    ln -sfn "$library" "$1/lib/libslurm.so"
    for library in libcore libprobe; do
        ln -sfn "$programs/$library.la" "$1/$library.la"
        ln -sfn "$programs/.libs/$library.a" "$1/.libs/$library.a"
    done
}

# A newer libslurm needs symbols of a C library that the linker does not see here. Without objects make uses the
# linked libraries as they are.
build() { # build SERIES ROOT
    local dir=$out/$1
    build_programs && links "$dir" "$2" &&
        configured "$dir" --with-slurm="$dir/include" --with-libslurm="$dir/lib" LDFLAGS=-Wl,--allow-shlib-undefined &&
        make -C "$dir" -j"$(nproc)" libcore_la_OBJECTS= libprobe_la_OBJECTS= spank/cluster_env.la helpers/slurm-node &&
        install -D -t "$dir/tools/bin" "$programs"/{cli/cluster-env,prolog/cluster-{prolog,healthcheck},epilog/cluster-epilog} &&
        install -D -t "$dir/tools/libexec" "$programs"/helpers/{probe-gpu,preflight,bench-nccl}
}

main() {
    [[ $# -eq 1 ]] || die "usage: build.sh bookworm|trixie|forky"
    local slurm root='' log
    slurm=$(slurm_of "$1")
    is_own "$slurm" || root=$("$here/suite" "$1")
    out=${BUILD_DIR:-$top/build}/cluster
    mkdir -p "$out"
    out=$(cd "$out" && pwd -P)
    programs=$out-programs
    log=$out/$1.log
    exec 9>"$out/.lock"
    flock 9
    if ! build "$1" "$root" >"$log" 2>&1 </dev/null 9>&-; then
        tail -n 30 "$log" >&2
        die "the build for $1 failed, see $log"
    fi
    [[ -z $root ]] || printf '%s\n' --suite "$1"
    printf '%s\n' --plugin "$out/$1/spank/.libs/cluster_env.so" --tools "$out/$1/tools"
}

main "$@"
