# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# A node of eight HCAs and eight GPUs in a mount namespace of its own, for the real cluster-prolog: source it after
# tests/tap.sh, in the folder of the build, and say enter_node SCRIPT. $work is the node's folder.
#
#   /sys           the 1-Click machine of tests/fixtures, all ports up, with counters
#   NVML           tests/doubles/nvml, scenario /etc/nvml.scenario
#   /dev/kmsg      tests/doubles/kmsg.c, records /etc/kmsg
#   helpers        those of this build, in $helpers: a test may put others there
#   /etc, /run     empty, the node's own

# shellcheck source-path=SCRIPTDIR source=namespace.sh disable=SC2154
. "$top/tests/program/namespace.sh"

# Starts SCRIPT again in the namespace; returns there.
enter_node() { # SCRIPT
    [ -z "$(setting CE_SANITIZE)" ] || skip_all "what is preloaded does not go with a sanitizer"
    # shellcheck disable=SC3045 # where a shell can
    ulimit -l unlimited 2>/dev/null || true
    enter_namespace "$1"
    work=$(mktemp -d)
    trap leave_node EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    make_machine
    make_doubles
    mount_node || skip_all "cannot mount"
}

leave_node() {
    rm -rf --one-file-system "$work"
}

# shellcheck disable=SC2154 # top is the sourcing script's
make_machine() {
    sh "$top/tests/fixtures/unpack" "$top/tests/fixtures/machines/oneclick.tree" "$work/tree"
    for port in "$work"/tree/sys/class/infiniband/*/ports/1; do
        echo '4: ACTIVE' >"$port/state"
        echo '5: LinkUp' >"$port/phys_state"
        case $port in
            */mlx5_0/*) ;;
            *) echo '400 Gb/sec (4X NDR)' >"$port/rate" ;;
        esac
        mkdir "$port/counters" "$port/hw_counters"
        for counter in link_downed link_error_recovery symbol_error local_link_integrity_errors \
            excessive_buffer_overrun_errors port_rcv_errors port_xmit_discards port_xmit_wait; do
            echo 0 >"$port/counters/$counter"
        done
        for counter in out_of_sequence local_ack_timeout_err rnr_nak_retry_err roce_slow_restart; do
            echo 0 >"$port/hw_counters/$counter"
        done
    done
}

build_doubles() {
    sh "$top/tests/doubles/nvml/build" "$work/lib" &&
        ${CC:-cc} -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$work/kmsg.so" "$top/tests/doubles/kmsg.c"
}

make_doubles() {
    build_doubles 2>"$work/err" || skip_all "the doubles cannot be built: $(head -n 1 "$work/err")"
}

# The reports of these runs are not this machine's.
mask_metrics() {
    [ ! -d /var/lib/prometheus ] || mount -t tmpfs none /var/lib/prometheus
}

# slurmd gives a prolog no LD_LIBRARY_PATH: the library is found as NVIDIA's is, by the loader's cache.
mount_node() {
    helpers=$(setting libexecdir | sed "s|\${exec_prefix}|$(setting prefix)|")/cluster-env
    [ -d "${helpers%/*}" ] || skip_all "there is no ${helpers%/*} to mount over"
    mount -t tmpfs none /etc && mount -t tmpfs none /run && mount -t tmpfs none /var/cache &&
        mount -t tmpfs none /var/log && mask_metrics &&
        mount --bind "$work/tree/sys" /sys && mkdir /run/libexec && mount --bind "${helpers%/*}" /run/libexec &&
        mount -t tmpfs none "${helpers%/*}" && mkdir "$helpers" || return 1
    for other in /run/libexec/*; do
        [ "$other" = /run/libexec/cluster-env ] || ln -s "$other" "${helpers%/*}/"
    done
    echo "$work/lib" >/etc/ld.so.conf
    ldconfig -X 2>/dev/null || /sbin/ldconfig -X
    mkdir /etc/slurm
    echo 'mode = "drain";' >/etc/slurm/cluster-env.conf
    : >/etc/hosts
    scene
    records clean
    use_helpers
}

# The helpers of this build.
use_helpers() {
    for helper in probe-gpu probe-verbs probe-topology slurm-node; do
        [ ! -x "helpers/$helper" ] || cp "helpers/$helper" "$helpers/"
    done
}

# scene LINE...: what NVML says, behind what it says of an HGX H100.
scene() {
    cp "$top/tests/doubles/nvml/hgx-h100.scenario" /etc/nvml.scenario
    chmod u+w /etc/nvml.scenario
    for line; do echo "$line" >>/etc/nvml.scenario; done
}

# records NAME: the kernel log.
records() {
    cp "$top/tests/fixtures/kernel/$1.kmsg" /etc/kmsg
}

# As slurmd starts it: no PATH, no HOME.
phase() { # NAME JOB
    env -i SLURM_JOB_ID="$2" SLURMD_NODENAME=node1 LD_PRELOAD="$work/kmsg.so" KMSG_DOUBLE="${kmsg-/etc/kmsg}" \
        "./$1/cluster-$1"
}
