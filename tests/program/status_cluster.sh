# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# A cluster for tests of cluster-env status, the same each time: source it after tests/tap.sh.

# make_status_cluster DIR NODES: DIR/logs as tests/program/status_data makes them, and DIR/helpers/slurm-node,
# which knows the same nodes, some of them drained by us or others, down, or at work.
make_status_cluster() {
    mkdir -p "$1/logs" "$1/helpers"
    # shellcheck disable=SC2154 # top is the sourcing script's
    python3 "$top/tests/program/status_data" "$1/logs" "$2"
    cat >"$1/helpers/slurm-node" <<END
#!/bin/sh
[ "\$*" = list ] || exit 2
exec awk -v nodes=$2 'BEGIN {
    print "format=1\\nnodes=" nodes
    for (i = 0; i < nodes; i++) {
        state = i > 300 ? "allocated" : "idle"; reason = ""
        if (i % 17 == 0 && i) {
            state = i % 2 ? "drained" : "draining"
            reason = "mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port [cluster-env ib.port.state]"
        }
        if (i == 44 || i == 45) { state = "down"; reason = "Not responding" }
        if (i == 46) state = "not_responding"
        if (i >= 48 && i < 51) { state = "drained"; reason = "new switch, <b>ask</b> Ann & Bob </script>" }
        printf "node.%d.name=gpu-%03d\\nnode.%d.state=%s\\nnode.%d.gpus=8\\n", i, i, i, state, i
        if (reason != "") printf "node.%d.reason=%s\\nnode.%d.since=1795270000\\n", i, reason, i
    }
    print "end=1"
}'
END
    chmod 755 "$1/helpers/slurm-node"
}
