#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_many.sh SERIES: 64 nodes of a 1-Click Cluster start jobs at once, one of them with a fault; and what
# the prolog costs a launch over all of them (printed, not judged).
set -euo pipefail

readonly many=64 bad=node37
nodes=()
for ((k = 1; k <= many; k++)); do nodes+=("node$k"); done

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/product.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tasks.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/steps.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/health.sh"

# The milliseconds of srun over all nodes, the median of three.
launch_ms() {
    local k start
    for k in 1 2 3; do
        wait_until 30 all_idle || complain "not idle: $(as_user sinfo -h -o '%T %N')"
        start=${EPOCHREALTIME/./}
        run as_user srun -Q -N"$many" true
        echo $(((${EPOCHREALTIME/./} - start) / 1000))
        quiet
    done | sort -n | sed -n 2p
}
all_idle() { [[ $(as_user sinfo -h -o '%T') == idle ]]; }

test_launch() {
    local with without
    with=$(launch_ms)
    not_drained
    sed -i '/^\(Prolog\|Epilog\)=/d' "$state/etc/slurm.conf"
    as_root head scontrol reconfigure
    sleep 1
    without=$(launch_ms)
    printf '%s\n' "Prolog=$programs/cluster-prolog" "Epilog=$programs/cluster-epilog" >>"$state/etc/slurm.conf"
    as_root head scontrol reconfigure
    sleep 1
    diag "srun -N$many true, median of 3 on $(nproc) cores: $with ms with prolog and epilog, $without ms without"
    verdict "$many healthy nodes start a job at once: nobody is drained"
}

test_one_bad() {
    link DOWN "$bad"
    submit gang "$home/gang.out" -N$((many - 2)) --requeue --wrap "srun -Q hostname >$home/gang.hosts; touch $home/gang.done"
    ended gang
    drained_for "$bad" "$down"
    only_drained "$bad"
    [[ $(sort -u "$home/gang.hosts" | wc -l) -eq $((many - 2)) ]] || complain "it ran on: $(<"$home/gang.hosts")"
    ! grep -qx "$bad" "$home/gang.hosts" || complain "it ran on $bad"
    verdict "sbatch over $((many - 2)) of $many nodes, one of them with a fault: it alone is drained, the job runs on others"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_many.sh SERIES" >&2; exit 2; }
    plan 2
    start_health "$1"
    test_launch
    test_one_bad
    finish
}

main "$@"
