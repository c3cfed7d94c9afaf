#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# hostlists.sh LIST...: for each host list one line: same, or how our names and scontrol's differ.
# The job is made up.
export SLURM_JOB_ID=1
for list in "$@"; do
    theirs=$(scontrol show hostnames "$list" 2>&1)
    ours=$(SLURM_JOB_NODELIST=$list cluster-env hostfile --format=names 2>/dev/null)
    if [[ $ours == "$theirs" ]]; then
        echo "same $(wc -l <<<"$ours") $list"
    else
        echo "different $list: $(head -c 200 <<<"${ours//$'\n'/ }") / $(head -c 200 <<<"${theirs//$'\n'/ }")"
    fi
done
