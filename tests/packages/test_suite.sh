#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_suite.sh BUILD SUITE: Debian packages of what 'make dist' gives, made in a chroot of another Debian than this
# machine's (trixie, forky), judged by its lintian, installed there and purged. Not in ./check: the chroot is 900 MB, kept
# in CLUSTER_ENV_CACHE, and what differs is Debian's tools. As root.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
readonly here top
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../cluster/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/chroot.sh"
readonly tools=(build-essential debhelper lintian pkg-config xz-utils libconfig-dev libhwloc-dev libibverbs-dev libjansson-dev libmunge-dev)

if [[ ${CLUSTER_ENV_OWN_MOUNTS:-} != yes ]]; then
    [[ $# -eq 2 && -e $1/config.status ]] || { echo "usage: test_suite.sh BUILD trixie|forky" >&2; exit 2; }
    [[ $EUID -eq 0 ]] || skip_all "a chroot needs root"
    needs mmdebstrap
fi
enter_own_mounts "$@"

make_dist() { make -C "$1" dist >"$work/dist.log" 2>&1 || { tail -n 30 "$work/dist.log"; return 1; }; }

# As another than root, as Debian's own machines do; the tarball is named by its folder.
build_debs() {
    local tarball name
    tarball=$(echo "$1"/slurm-cluster-env-*.tar.xz)
    name=$(basename "$tarball" .tar.xz)
    mkdir -p "$work/root/build/out"
    cp "$tarball" "$work/root/build"
    tar -C "$work/root/build" -xf "$tarball"
    chown -R nobody: "$work/root/build"
    inside setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/build \
        "/build/$name/packaging/deb" "/build/$name.tar.xz" /build/out >"$work/deb.log" 2>&1 || { tail -n 30 "$work/deb.log"; return 1; }
}

# Nothing of Debian's archive is to be closed by our first upload, for there is none.
run_lintian() {
    inside sh -c 'lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs /build/out/*.changes'
}

# Those of a node, without what is there for debuggers.
files() { (cd "$work/root/build/out" && ls slurm-cluster-env_*.deb slurm-cluster-env-plugin-[0-9][0-9].[0-9][0-9]_*.deb libclusterenv1_*.deb) | sed 's|^|/build/out/|'; }
install_all() { inside dpkg -i "${node_packages[@]}"; }
purge_all() { inside dpkg -P slurm-cluster-env "$plugin" libclusterenv1; }

# What is there besides what lay there before; what dpkg and the loader keep for themselves is no package's.
left() {
    (cd "$work/root.upper" && find . \( -path ./build -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/cache -o -path ./tmp \) -prune -o \
        -type f ! -name ld.so.cache -print | sort | xargs)
}

base=$("$top/tests/cluster/suite" "$2" "${tools[@]}") || skip_all "no chroot of $2 could be made"
over "$base" root
plan 10
ok "make dist" make_dist "$1"
ok "dpkg-buildpackage makes the packages on $2" build_debs "$1"
ok "its lintian finds nothing" run_lintian
mapfile -t node_packages < <(files)
plugin=$(basename "${node_packages[1]:-}" | sed 's/_.*//')
is "${#node_packages[@]}" 3 "those of a node are three"
ok "they install" install_all
printf 'ClusterName=test\nSlurmctldHost=localhost\nPlugStackConfig=/etc/slurm/plugstack.conf\n' >"$work/root/etc/slurm/slurm.conf"
like "$(inside srun --help 2>&1)" "--cluster-env" "this Slurm loads the plugin"
ok "cluster-env runs" inside cluster-env facts --write
unlike "$(inside ldd /usr/libexec/cluster-env/slurm-node 2>&1)" "not found" "the helper finds this Slurm's library"
ok "they are purged" purge_all
is "$(left)" ./etc/slurm/slurm.conf "and leave nothing"
finish
