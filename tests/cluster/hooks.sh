# shellcheck shell=bash disable=SC2034 # what it sets is used where it is sourced
# SPDX-License-Identifier: Apache-2.0
#
# What test_hooks.sh and test_recordings.sh share: the plugins of ../doubles, built for one Slurm
# series, on a cluster of four nodes.  Source it after tap.sh.

hooks_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
work='' states=() state='' suite='' root='' series='' version='' last_job=''

# The names are in slurm.conf's order; Slurm's own order is alpha, n9, n10, zeta1, and sorted as text
# it would be alpha, n10, n9, zeta1.
readonly names=zeta1,n10,n9,alpha rank_order='alpha n9 n10 zeta1'

end_hooks() {
    local s
    for s in "${states[@]}"; do "$hooks_dir/cluster" down "$s" || true; done
    [[ -z $work ]] || rm -rf "$work"
}

# prepare_hooks SUITE: afterwards $series is 22.05, 24.11 or 26.05, and the doubles are built.
prepare_hooks() {
    suite=$1
    [[ $EUID -eq 0 ]] || skip_all "needs root: network namespaces"
    root=$("$hooks_dir/suite" "$suite") || { echo "Bail out! no Slurm of $suite"; exit 1; }
    version=$(chroot "$root" /usr/sbin/slurmd -V)
    version=${version##* } series=${version%.*}
    at_end end_hooks
    work=$(mktemp -d "${TMPDIR:-/tmp}/cluster-env-hooks.XXXXXX")
    mkdir -p "$work/include" "$work/record" "$work/out"
    : >"$work/record/calls"
    chmod 0755 "$work"
    chmod 0777 "$work/record" "$work/out"
    chmod 0666 "$work/record/calls"
    ln -s "$root/usr/include/slurm" "$work/include/slurm"
    build_double spank_recorder
    build_double spank_actor
    build_double pyxis_standin
}

# Only the suite's Slurm headers: all of its /usr/include would mix two C libraries.
build_double() {
    "${CC:-gcc}" -std=c11 -D_GNU_SOURCE -O2 -fPIC -shared -Wall -Wextra -Werror -I "$work/include" \
        -o "$work/$1.so" "$hooks_dir/../doubles/$1.c"
}

# start_hooks SLURMD-PARAMETER (may be ""): the cluster becomes $state.
start_hooks() {
    local parameters=config_overrides
    [[ -z $1 ]] || parameters+=,$1
    state=$("$hooks_dir/cluster" up --owner $$ --suite "$suite" --names "$names" --gpus 8 --cred-expire 5 \
        --plugin "$work/spank_recorder.so" --plugstack-arg "dir=$work/record" \
        --plugin "$work/spank_actor.so" \
        --plugin "$work/pyxis_standin.so" --plugstack-arg "dir=$work/record" \
        --slurm-conf "SlurmdParameters=$parameters" \
        --slurm-conf LaunchParameters=use_interactive_step \
        --slurm-conf 'InteractiveStepOptions="--interactive --preserve-env printenv SLURM_JOB_ID"' \
        --slurm-conf SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1)
    states+=("$state")
    # --export=NONE makes slurmd ask `su - demo` for the login environment; 26.05 holds the job where
    # that fails, and it fails for a user without a line in the shadow file.
    on_head bash -c 'grep -q ^demo: /etc/shadow || echo "demo:!:19000:0:99999:7:::" >>/etc/shadow'
    recorder="optional $state/plugins/0/spank_recorder.so dir=$work/record"
    actor="optional $state/plugins/1/spank_actor.so"
    standin="optional $state/plugins/2/pyxis_standin.so dir=$work/record"
    use_plugins "$recorder" "$actor"
}

# Every command and every step reads the file anew.
use_plugins() {
    printf '%s\n' "$@" >"$state/etc/plugstack.conf.new"
    mv "$state/etc/plugstack.conf.new" "$state/etc/plugstack.conf"
}

on_head() { within 40 "$hooks_dir/cluster" on "$state" head "$@"; }
as_user() { on_head --user demo --cwd "$work/out" -- "$@" </dev/null; }

# submit NAME SCRIPT [SBATCH-ARGUMENT...]: the job's output will be in $work/out/NAME.out
submit() {
    printf '#!/bin/bash\n%s\n: >%q\n' "$2" "$work/out/$1.done" >"$work/out/$1.sh"
    last_job=$(as_user sbatch --parsable -o "$1.out" "${@:3}" "$1.sh")
}

# Only where the script touches its mark: then all its steps are over too.
job_done() { wait_until 30 test -e "$work/out/$1.done"; }

run_job() {
    submit "$@"
    job_done "$1" || diag "job $last_job ($1) did not end"
}

output_of() { cat "$work/out/$1.out" 2>&1; }
