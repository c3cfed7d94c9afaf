# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# A cluster with the product on it, for tests that source this after tap.sh. Names and order are
# chosen so that whoever sorts names, or takes slurm.conf's order, is wrong.

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd -P)
readonly here cluster=$here/cluster
[[ -v nodes ]] || nodes=(zeta1 n10 n9 alpha) # a test may have others
scheduler='' # more SchedulerParameters, ",like=this"; before start_product
state='' home='' jobs='' headers='' # headers: where slurm/spank.h of this series is

end_product() { [[ -z $state ]] || "$cluster" down "$state"; }

# start_product SERIES [OPTION...]: options are those of `cluster up`.
start_product() {
    local words product names
    words=$("$here/build.sh" "$1") || exit 1
    mapfile -t product <<<"$words"
    names=$(IFS=,; echo "${nodes[*]}")
    at_end end_product
    # a batch job starts at once, not in the next cycle of 3 s; a heterogeneous one in the next of 1 s
    state=$("$cluster" up --owner $$ --names "$names" "${product[@]}" \
        --slurm-conf "SchedulerParameters=batch_sched_delay=0,bf_interval=1$scheduler" "${@:2}")
    home=$state/home/demo jobs=$state/jobs headers=$(include_folder "${product[@]}")
    mkdir "$jobs"
    install -m 0755 "$here"/jobs/* "$jobs/"
    # sbatch --export=NONE goes through su, which wants to find the user there
    as_root head bash -c 'grep -q ^demo: /etc/shadow || echo "demo:!:19000:0:99999:7:::" >>/etc/shadow'
    daemons=$(daemon_pids)
}

# The build folder has the headers in include/, and the programs in tools/.
include_folder() { printf '%s\n' "${@: -1}/../include"; }

# Is this machine's own Slurm in use, and so all that is installed here?
is_own_slurm() { ! grep -q '^declare -- suite="[a-z]' "$state/settings"; }

patience=180 # seconds a command may take
as_user() { within "$patience" "$cluster" on "$state" head --user demo --cwd "$home" -- "$@"; }
as_root() { within 60 "$cluster" on "$state" "$1" --cwd / -- "${@:2}"; }

# run COMMAND...: its outputs go to $out and $err, its exit status to $status.
status=0 out='' err=''
run() {
    run_once "$@"
    # Slurm's own race, seen once in some thousand short steps on a busy machine: a slurmstepd whose tasks ended
    # closes while the end of srun's input is on its way there, and srun takes the reset for a fault.
    # That of a program of ours is in what the program prints.
    if [[ $err$out == *"_server_read: fd "*": Connection reset by peer"* ]]; then
        diag "srun lost a slurmstepd that was at its end; once more: $*"
        run_once "$@"
    fi
}

# What comes before is not quite over, the last step of the job or the last job of a node: srun waits, and says so.
readonly waits='^srun: (Job [0-9.]+ step creation (temporarily|still) disabled, retrying|Step created for |job [0-9]+ (queued and waiting for|has been allocated) resources)'
run_once() {
    status=0
    "$@" >"$state/out" 2>"$state/err" </dev/null || status=$?
    out=$(tr -d '\0' <"$state/out") err=$(tr -d '\0' <"$state/err" | grep -avE "$waits" || true)
}

on_all_nodes() {
    local node pid started=() status=0
    for node in "${nodes[@]}"; do
        as_root "$node" "$@" &
        started+=($!)
    done
    for pid in "${started[@]}"; do wait "$pid" || status=1; done
    return "$status"
}

# remount NODE ro|rw: its /run/cluster-env. The chroots have no mount(8), so it is this machine's.
remount() {
    local holder root=$state/private/root
    if is_own_slurm; then root=''; fi
    read -r holder _ <"$state/hold/$1"
    nsenter -t "$holder" -m -- mount -o "remount,$2" "$root/run/cluster-env"
}

# A shell's words: as at boot. No helpers are in these clusters, of which facts says a word where there are
# HCAs; it is shown where more is wrong.
readonly write_facts='{ cluster-env facts --write 2>/run/facts.said || { cat /run/facts.said >&2; false; }; }'

# configure LINE...: this is cluster-env.conf on all nodes, and holds; without a line there is none.
configure() {
    local text
    text=$(printf '%s\n' "$@")
    # shellcheck disable=SC2016 # for the nodes to expand
    on_all_nodes bash -c 'file=/etc/slurm/cluster-env.conf
        if [[ -n $0 ]]; then echo "$0" >"$file"; else rm -f "$file"; fi
        '"$write_facts" "$text"
}

# Slurm's commands and steps read plugstack.conf anew each time.
plugstack_arguments() { sed -i "1s|\(cluster_env.so\).*|\1 $*|" "$state/etc/plugstack.conf"; }

# change_slurm_conf SED_ARGUMENT...: changes slurm.conf and applies it. From 23.11 on a reconfigure replaces the daemons.
change_slurm_conf() {
    sed -i "$@" "$state/etc/slurm.conf"
    as_root head scontrol reconfigure || complain "scontrol reconfigure failed"
    wait_until 10 all_daemons_new || complain "after scontrol reconfigure the same daemons run: $daemons"
    daemons=$(daemon_pids)
}
all_daemons_new() { ! daemon_pids | grep -qxFf <(echo "$daemons"); }

# expedite DELAY: sbatch --requeue=expedite is allowed, and any other requeued job waits so many seconds (25.11 and later)
# shellcheck disable=SC2016 # sed's $a
expedite() { change_slurm_conf -e "s/^SchedulerParameters=.*/&,requeue_delay=$1/" -e '$a SlurmctldParameters=enable_expedited_requeue'; }
usual_requeue() { change_slurm_conf -e 's/,requeue_delay=[0-9]*//' -e '/^SlurmctldParameters=/d'; }

# ---------------------------------------------------------------- peace

daemon_pids() { grep -H . "$state/pid/slurmctld" "${nodes[@]/#/$state/pid/}"; }

# One look at the cluster from inside: nodes by state, jobs in the queue, the user's processes (all
# nodes share one process table), daemons that do not live.
# shellcheck disable=SC2016
readonly look='
    sinfo -h -N -o "%T" | sort | uniq -c | tr -s " \n" " "
    squeue -h -o "job %i %T"
    for process in $(find /proc -maxdepth 1 -user demo -printf "%f "); do
        echo "process $process: $(tr "\0" " " <"/proc/$process/cmdline") rank and node: $(grep -azE "^SLURM(_PROCID|D_NODENAME)=" \
            "/proc/$process/environ" | tr "\0" " ") $(sed -E "s/^[^)]*\) (.( [0-9]+){3}).*/state, parent, group, session: \1/" "/proc/$process/stat")"
    done
    for file in "$@"; do kill -0 "$(cat "$file")" || echo "$file: no such process"; done'

look_around() { as_root head bash -c "$look" look "$state"/pid/* 2>&1; }

is_calm() { [[ $(look_around) == " ${#nodes[@]} idle " && $(daemon_pids) == "$daemons" ]]; }

# Whatever happened, the cluster is as it was: all nodes idle, the queue empty, the same daemons.
calm() {
    if wait_until 15 is_calm; then
        pass "$1: all nodes idle, nothing queued or running, the same daemons"
    else
        fail "$1: all nodes idle, nothing queued or running, the same daemons" "$(look_around)" \
            "$(diff <(echo "$daemons") <(daemon_pids) && echo "the same daemons")"
    fi
}
