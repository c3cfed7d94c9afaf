#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# order.sh: prints one line about the order that this task sees, for mix.py: its rank by Slurm, its
# hostname, and our variables. It needs no program, so it runs with --export=NONE, too.
read -r host </proc/sys/kernel/hostname
line="@ procid=$SLURM_PROCID host=$host"
for name in RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK NODE_RANK NUM_NODES NODE_ADDR PRIMARY_ADDR \
    MASTER_ADDR PRIMARY_IP HOST_NODE_ADDR PRIMARY_PORT CLUSTER_IPS CLUSTER_NODES JAX_COORDINATOR_ADDRESS \
    SKYPILOT_NODE_RANK SKYPILOT_NODE_IPS PET_NODE_RANK PET_MASTER_ADDR; do
    value=${!name-(unset)}
    line+=" $name=${value//$'\n'/,}"
done
echo "$line"
