#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_recordings.sh bookworm|trixie|forky [--record]: what a SPANK plugin is told in each kind of step
# on that suite's Slurm.  The plugin-host test replays tests/fixtures/spank/SERIES/CASE.txt; this test
# says whether a real Slurm still answers so.  --record writes the files anew.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=tests/cluster/tap.sh
. "$here/tap.sh"
# shellcheck source=tests/cluster/hooks.sh
. "$here/hooks.sh"

fixtures=$here/../fixtures/spank
readonly batch_step=4294967291 interactive_step=4294967290
recording=no

# ---------------------------------------------------------------- from raw files to one recording

# A task's hook begins with what user_init had: only what is different there is kept.
task_difference() { # task_difference NODE-FILE TASK-FILE
    awk '
        /^env / { name = substr($2, 1, index($2, "=") - 1) }
        NR == FNR { seen[$0]; if (/^env /) names[name]; next }
        /^env / { delete names[name] }
        /^hook / || !($0 in seen)
        END { for (name in names) print "unset " name }' "$1" "$2"
}

# Sorted where the order means nothing, so that two recordings compare.
in_order() {
    awk '/^(hook|option|item|argv) / { print; next } { print | "sort" } END { close("sort") }'
}

node_block() { # node_block JOB.STEP NODE
    local file=$work/record/$1.$2 task
    printf 'node %s\n' "$2"
    awk -v node="$2" -v step="$1" \
        '$1 == "slurmstepd" && $2 == node && $3 == step { print "callback " $4 }' "$work/record/calls"
    in_order <"$file"
    while read -r task; do
        task_difference "$file" "$file.$task" | in_order
    done < <(find "$work/record" -name "$1.$2.*" -printf '%f\n' | sed 's/.*\.//' | sort -n)
}

# What is another one in every run becomes a constant, or goes where no plugin asks for it: times and
# limits; and SLURM_DISTRIBUTION, which in a het step is now one component's and now the other's, but
# for the one value that matters.
constants() { # constants JOB
    local uid
    uid=$(as_user id -u)
    sed -E -e '/^(env|unset) SLURM_(RLIMIT_|JOB_(START|END)_TIME|JOB_SLUID)/d' \
        -e '/^env SLURM_DISTRIBUTION=(block|cyclic)$/d' \
        -e "s#$work/out#/home/demo/job#g; s#$state/home#/home#g; s#$state/tools/bin:##g; s#$state#/cluster#g" \
        -e "/JOB_?ID|HET_JOB/ { s/\b$1\b/4321/g; s/\b$(($1 + 1))\b/4322/g }" \
        -e 's/job0*[0-9]+\/slurm_script/job04321\/slurm_script/' \
        -e "/^(item|env) S(LURM)?_JOB_[UG]ID/ s/\b$uid\b/1000/" \
        -e 's/^(env SLURM_(SRUN_COMM|STEP_LAUNCHER)_PORT)=.*/\1=40000/' \
        -e 's/^(env SLURM_TASK_PID)=.*/\1=5000/'
}

# recorded JOB STEP COMMAND: the recording of one step; a het step has a job id for each component.
recorded() {
    local node job
    printf 'slurm %s\ncommand %s\n' "$version" "$3"
    for job in "$1" $(($1 + 1)); do
        # shellcheck disable=SC2154 # of hooks.sh
        for node in $rank_order; do
            [[ ! -e $work/record/$job.$2.$node ]] || [[ $job != "$1" && $3 != *' : '* ]] || node_block "$job.$2" "$node"
        done
    done | constants "$1"
}

compare_or_record() { # compare_or_record CASE JOB STEP COMMAND
    local file=$fixtures/$series/$1.txt difference
    if [[ $recording == yes ]]; then
        mkdir -p "$fixtures/$series"
        recorded "${@:2}" >"$file"
        pass "$1: recorded"
    elif [[ ! -e $file ]]; then
        fail "$1: as recorded" "there is no $file; make it with --record"
    elif [[ $(head -n 1 "$file") != "slurm $version" ]]; then
        skip "$1: as recorded" "recorded with $(head -n 1 "$file"), here is $version; record anew"
    elif difference=$(diff "$file" <(recorded "${@:2}")); then
        pass "$1: as recorded"
    else
        fail "$1: as recorded" "$difference"
    fi
}

# ---------------------------------------------------------------- the cases

# of_srun CASE COMMAND...: the command prints the job id in every task.
of_srun() {
    local job
    job=$(as_user "${@:2}" | sed -n 1p)
    compare_or_record "$1" "$job" 0 "${*:2}"
}

# of_batch CASE SBATCH-ARGUMENT...: the batch step itself
of_batch() {
    run_job "$1" true "${@:2}"
    compare_or_record "$1" "$last_job" "$batch_step" "sbatch ${*:2}"
}

# inside_batch CASE SRUN-COMMAND SBATCH-ARGUMENT...: a step of a batch job
inside_batch() {
    run_job "$1" "$2" "${@:3}"
    compare_or_record "$1" "$last_job" 0 "sbatch ${*:3}: $2"
}

of_interactive() {
    local job
    job=$(as_user salloc -Q -N4 --gpus-per-node=8 --cluster-env | sed -n 1p)
    compare_or_record interactive "$job" "$interactive_step" "salloc -N4 --gpus-per-node=8 --cluster-env"
}

of_nested_batch() {
    run_job outer "sbatch --parsable -w alpha -o inner.out --wrap ': >$work/out/inner.done'" --cluster-env=gang
    job_done inner
    compare_or_record nested-batch "$(output_of outer)" "$batch_step" "sbatch --cluster-env=gang: sbatch --wrap :"
}

of_arbitrary() {
    printf 'zeta1\nalpha\nzeta1\nn9\n' >"$work/out/hosts"
    of_srun arbitrary env SLURM_HOSTFILE=hosts srun -n4 -m arbitrary --cluster-env printenv SLURM_JOB_ID
}

main() {
    [[ $# -eq 1 || ($# -eq 2 && $2 == --record) ]] ||
        { echo "usage: test_recordings.sh bookworm|trixie|forky [--record]" >&2; exit 2; }
    [[ $# -eq 1 ]] || recording=yes
    prepare_hooks "$1"
    start_hooks ""
    use_plugins "$recorder"
    plan 16
    of_srun srun-1x4 srun -N4 --gpus-per-node=8 --cluster-env printenv SLURM_JOB_ID
    of_srun srun-8x4 srun -N4 --ntasks-per-node=8 --gpus-per-task=1 --cluster-env printenv SLURM_JOB_ID
    of_srun srun-export-none srun -N2 --export=NONE --cluster-env=verbose /usr/bin/printenv SLURM_JOB_ID
    of_srun salloc-srun salloc -Q -N4 --gpus-per-node=8 --cluster-env srun printenv SLURM_JOB_ID
    of_srun het srun --cluster-env -w zeta1 printenv SLURM_JOB_ID : -w alpha -n2 printenv SLURM_JOB_ID
    of_arbitrary
    of_interactive
    of_batch batch-1 -N1 --gpus-per-node=8 --cluster-env
    of_batch batch-4 -N4 --ntasks-per-node=2 --gpus-per-node=8 --cluster-env
    of_batch export-none-batch -N4 --export=NONE --cluster-env
    inside_batch export-none-srun '/usr/bin/srun /bin/true' -N4 --export=NONE --cluster-env
    inside_batch substep-2of4 'srun -N2 -r1 true' -N4 --gpus-per-node=8 --cluster-env
    inside_batch off-in-batch 'srun --cluster-env=off true' -N2 --cluster-env
    inside_batch het-in-batch 'srun --het-group=0,1 true' -w zeta1 --cluster-env : -w alpha
    of_nested_batch
    inside_batch option-in-srun 'srun --cluster-env=output=primary true' -N2 --cluster-env
    finish
}

main "$@"
