#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# shellcheck disable=SC2016 # what stands in single quotes is for the tasks
# ./demo as a new user types it: the real job, commands of one's own, two at once, a killed one. TAP.
set -euo pipefail

top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd -P)
readonly top
# shellcheck source=/dev/null
. "$top/tests/cluster/tap.sh"
# shellcheck source-path=SCRIPTDIR source=../docs/shape.sh
. "$top/tests/docs/shape.sh"
work=$(mktemp -d)
at_end rm -rf "$work"

demo() { within 300 "$top/demo" "$@"; }
has_cluster() { "$top/tests/cluster/cluster" list | grep "owner=$1 " >/dev/null; } # has_cluster PID

shown_in_readme() {
    mkdir "$work/blocks"
    awk -v folder="$work/blocks" -f "$top/tests/docs/blocks.awk" "$top/README.md"
    sed '1,2d' "$(grep -lx 'printed by the demo: ./demo' "$work"/blocks/*)"
}

real_job() {
    local out
    out=$(demo 2>"$work/err") || { fail "./demo runs a real torch job"; diag "$(cat "$work/err")"; return; }
    is "$(grep -c 'right$' <<<"$out")" 4 "./demo shows a row for each of four nodes, every sum right"
    like "$out" '8 ranks on 4 nodes .*no wrong sum' "./demo all-reduced over 8 ranks without a wrong sum"
    is "$(awk '/^node[1-4] / { print $4 }' <<<"$out" | sort -u | wc -l)" 4 "./demo shows four different addresses"
    is "$(grep -c '^node.* ^=mlx5_0  *8 IB ' <<<"$out")" 4 "./demo shows a node of a 1-Click Cluster in each row: ^=mlx5_0, which leaves 8 IB rails"
    like "$out" 'mlx5_4/1 DOWN \(Polling\), expected ACTIVE; check cable and switch port \[cluster-env ib.port.state\] *node1' \
        "./demo pulls a cable: the node is drained with the reason"
    like "$out" 'job [0-9]+ was requeued, and ran on node\[2-4\]' "and the job ran on the others"
    is "$(not_printed "$(shown_in_readme)" "$out")" "" "README.md shows what ./demo prints"
}

own_command() {
    local out rc=0
    out=$(demo -n 2 srun -N2 --cluster-env sh -c 'echo "$RANK $(id -un)"' 2>/dev/null | sort)
    is "$out" $'0 demo\n1 demo' "./demo COMMAND prints exactly its output, run by an unprivileged user"
    demo -n 1 sh -c 'exit 7' >"$work/out" 2>/dev/null || rc=$?
    is "$rc $(wc -c <"$work/out")" "7 0" "./demo COMMAND returns its exit status"
}

batch_script() {
    mkdir -m 700 "$work/private"
    printf '#!/bin/sh\nsrun sh -c "echo \\$RANK of \\$WORLD_SIZE"\n' >"$work/private/job.sh"
    (cd "$work/private" && demo -n 2 sbatch --wait -N2 --cluster-env -o out job.sh) >/dev/null 2>"$work/err" || diag "$(cat "$work/err")"
    is "$(sort "$work/private/out" 2>/dev/null)" $'0 of 2\n1 of 2' "./demo sbatch --wait job.sh works where only root may enter, and its output file comes back"
}

# Logs of something else that runs there.
others_files() {
    local writer
    mkdir "$work/busy"
    cd "$work/busy"
    (for ((i = 1; ; i++)); do echo "line $i" >>grows; sleep 0.002; done) & writer=$!
    demo -n 1 sh -c 'echo job >own; sleep 1' >/dev/null 2>"$work/err" || diag "$(cat "$work/err")"
    kill "$writer"
    wait "$writer" 2>/dev/null || true
    is "$(cat own) $(awk '$0 != "line " NR { bad++ } END { print bad + 0 }' grows)" "job 0" \
        "what others write in the folder meanwhile is whole, and what a job writes comes back"
    cd - >/dev/null
}

side_by_side() {
    local a b rc=0
    demo -n 2 srun -N2 --cluster-env sleep 3 >"$work/a" 2>&1 & a=$!
    demo -n 2 srun -N2 --cluster-env sleep 3 >"$work/b" 2>&1 & b=$!
    wait "$a" || rc=$?
    wait "$b" || rc=$?
    is "$rc" 0 "two demos stand side by side"
}

killed() {
    local pid rc=0
    setsid "$top/demo" -n 2 sleep 60 >/dev/null 2>&1 &
    pid=$!
    ok "a demo begins" wait_until 60 has_cluster "$pid"
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null || true
    demo -n 1 true >/dev/null 2>&1 || rc=$?
    is "$rc" 0 "a demo after a killed one works"
    ok "and nothing of the killed one is left" wait_until 20 is_gone "$pid"
}

is_gone() { "$top/tests/cluster/cluster" sweep >/dev/null 2>&1; ! has_cluster "$1"; }

kept() {
    local state
    demo --keep -n 2 true >/dev/null 2>"$work/err"
    state=$(grep -o -- '--end [^ ]*' "$work/err" | awk '{ print $2 }' | head -n 1)
    is "$("$top/tests/cluster/cluster" on "$state" head --user demo -- srun -N2 --cluster-env printenv WORLD_SIZE 2>&1 | sort -u)" 2 "./demo --keep leaves a cluster that works"
    demo --end "$state" >/dev/null 2>&1
    ok "./demo --end ends it" test ! -e "$state"
}

plan 17
real_job
own_command
batch_script
others_files
side_by_side
killed
kept
finish
