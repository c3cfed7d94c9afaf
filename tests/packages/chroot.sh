# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Chroots that are thrown away, for tests of packages that source this after tap.sh: everything happens in a mount
# namespace of the test's own, what is changed lies in a tmpfs, $work, and goes with it.
work=''

needs() { # needs TOOL...
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || skip_all "$tool is missing (build-aux/needs packages installs it)"
    done
}

# enter_own_mounts ARGUMENT...: the test once more, with those, in its namespace; returns there, with $work
enter_own_mounts() {
    if [[ ${CLUSTER_ENV_OWN_MOUNTS:-} != yes ]]; then
        unshare --mount true || skip_all "no mount namespaces here"
        CLUSTER_ENV_OWN_MOUNTS=yes exec unshare --mount --propagation private --pid --fork --kill-child "$0" "$@"
    fi
    work=$(mktemp -d)
    readonly work
    trap 'umount -R "$work" 2>/dev/null || true; rmdir "$work"' EXIT
    mount -t tmpfs -o size=2g packages "$work"
}

over() { # over LOWER NAME: LOWER at $work/NAME; what is written there stays in the tmpfs
    mkdir -p "$work/$2" "$work/$2.upper" "$work/$2.work"
    mount -t overlay overlay -o "lowerdir=$1,upperdir=$work/$2.upper,workdir=$work/$2.work" "$work/$2"
    mount -t tmpfs tmpfs "$work/$2/run"
    mount -t proc proc "$work/$2/proc"
    mount --bind /dev "$work/$2/dev"
    mount --bind -o ro /sys "$work/$2/sys"
}

inside() { chroot "$work/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }
has() { [[ -e $work/root$1 || -L $work/root$1 ]]; }
has_not() { ! has "$1"; }
