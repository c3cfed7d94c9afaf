# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# A cluster on paper, for tests that source this: the texts of node n2 in $run_dir, and commands that
# run as a task or batch script of a job on n1 to n4 would, two tasks a node.

umask 022

# write_texts DIR: an address for n1 to n3; n4 is missing from the book when $book is short.
write_texts() {
    mkdir -p "$1"
    cat >"$1/node.facts" <<'END'
format=1
host.name=n2
boot.id=0f3b
netif.eth0.index=2
netif.eth0.kind=ethernet
netif.eth0.up=1
netif.eth0.default_route=1
netif.eth0.address.0=10.10.0.12/16
netif.eth1.index=3
netif.eth1.kind=ethernet
netif.eth1.up=1
netif.eth1.address.0=10.20.0.12/16
end=1
END
    printf 'format=1\nport.first=5000\nport.last=5999\nend=1\n' >"$1/node.policy"
    {
        printf '10.20.0.%d n%d\n' 11 1 12 2 13 3
        [ "${book:-whole}" = short ] || echo '10.20.0.14 n4'
        echo '# end of the address book'
    } >"$1/hosts"
}

# as_task RANK COMMAND...: task RANK of step 7.1, whose node is n2 where RANK is 2 or 3.
as_task() {
    rank=$1
    shift
    env -i ${ASAN_OPTIONS:+ASAN_OPTIONS="$ASAN_OPTIONS"} LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" \
        PATH="$PATH" SLURM_JOB_ID=7 SLURM_STEP_ID=1 SLURM_JOB_NODELIST='n[1-4]' \
        SLURM_STEP_NODELIST='n[1-4]' SLURM_STEP_NUM_NODES=4 SLURM_STEP_NUM_TASKS=8 \
        SLURM_STEP_TASKS_PER_NODE='2(x4)' SLURM_NODEID=$((rank / 2)) SLURM_PROCID="$rank" \
        SLURM_LOCALID=$((rank % 2)) SLURM_GTIDS="$((rank / 2 * 2)),$((rank / 2 * 2 + 1))" \
        SLURMD_NODENAME=n$((rank / 2 + 1)) "$@"
}

# as_batch NODES COMMAND...: the batch script of job 7 on these nodes.
as_batch() {
    nodes=$1
    shift
    env -i ${ASAN_OPTIONS:+ASAN_OPTIONS="$ASAN_OPTIONS"} LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" \
        PATH="$PATH" SLURM_JOB_ID=7 SLURM_JOB_NODELIST="$nodes" SLURM_NTASKS=8 SLURM_PROCID=0 \
        SLURM_NODEID=0 SLURM_LOCALID=0 SLURMD_NODENAME=n1 "$@"
}
