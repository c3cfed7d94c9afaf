#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# count.sh: in a job, the messages that slurmctld got from five steps without and five with the
# option, as "plain NAME COUNT" and "asked NAME COUNT". What nodes send by themselves is left out.
set -euo pipefail

messages() {
    sdiag | sed -n '/by message type/,/by user/ s/^\t\([A-Z_]*\) .*count:\([0-9]*\).*/\1 \2/p' |
        grep -Ev 'REQUEST_STATS_INFO|NODE_REGISTRATION|REQUEST_PING|COMPLETE_PROLOG' | sort
}

# A step's end is reported a moment after srun is gone.
settled() {
    local now before=''
    now=$(messages)
    while [[ $now != "$before" ]]; do
        sleep 2
        before=$now
        now=$(messages)
    done
    printf '%s\n' "$now"
}

count() { # count WORD SRUN_OPTION...
    local before after k
    before=$(settled)
    for ((k = 0; k < 5; k++)); do srun --overlap "${@:2}" true; done
    after=$(settled)
    join -a 2 <(printf '%s\n' "$before") <(printf '%s\n' "$after") |
        awk -v word="$1" '{ n = NF == 3 ? $3 - $2 : $2; if (n) print word, $1, n }'
}

srun --overlap true # the job's first step waits for its nodes' prologs
count plain
count asked --cluster-env
