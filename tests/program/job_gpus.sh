#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cluster-prolog and cluster-epilog themselves on a machine of eight GPUs that an NVML of ours speaks for: what
# came to a GPU during a job, what is another job's, what is left on GPUs.  In a mount namespace where
# /sys, /run, /etc and the helpers are ours.  TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
# shellcheck source-path=SCRIPTDIR source=namespace.sh
. "$top/tests/program/namespace.sh"
enter_namespace "$0"
double=$top/tests/doubles/nvml
build=$PWD
user=42420 process=
work=$(mktemp -d)
end_process() {
    [ -z "$process" ] || kill -9 "$process" 2>/dev/null || true
    [ -z "$process" ] || wait "$process" 2>/dev/null || true
    process=
}
trap 'end_process; cd /; umount "$work" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

put() { # PATH TEXT
    mkdir -p "$(dirname "$1")"
    echo "$2" >"$1"
}

make_machine() {
    mkdir -p "$work/sys/class/net" "$work/sys/class/infiniband"
    for address in $(sed -n 's/^gpu\.[0-7]\.bus=0000//p' "$double/hgx-h100.scenario" | tr '[:upper:]' '[:lower:]'); do
        gpu=$work/sys/bus/pci/devices/$address
        put "$gpu/class" 0x030200
        put "$gpu/vendor" 0x10de
        put "$gpu/device" 0x2330
    done
    sh "$double/build" "$work/lib" 2>"$work/err" || skip_all "the double cannot be built: $(head -n 1 "$work/err")"
}

# NVML names the process for as long as it lives; slurmctld hears what it is told.
make_helpers() { # DIR
    cat >"$1/probe-gpu" <<END
#!/bin/sh
cp $work/scenario $work/now
pid=\$(cat $work/pid)
[ -n "\$pid" ] && grep -q '^State:.[^ZX]' "/proc/\$pid/status" 2>/dev/null && printf '%s\n' gpu.1.processes=1 "gpu.1.process.0.pid=\$pid" >>$work/now
NVML_DOUBLE=$work/now LD_LIBRARY_PATH=$work/lib exec $build/helpers/probe-gpu "\$@"
END
    # shellcheck disable=SC2016 # for the script
    printf '#!/bin/sh\necho "$3" >>%s\n' "$work/drained" >"$1/slurm-node"
    printf '#!/bin/sh\nprintf "format=1\\nend=1\\n"\n' | tee "$1/probe-verbs" >"$1/probe-topology"
    chmod 755 "$1"/*
}

# The folder of the helpers, wherever it is configured, as an overlay of the machine's own.
enter_machine() {
    helpers=$(grep -aoE '/[A-Za-z0-9._/-]*/cluster-env' "$build/prolog/cluster-prolog" | grep -E '/libexec/' | head -n 1)
    base=${helpers:-/}
    while [ ! -d "$base" ]; do base=$(dirname "$base"); done
    [ "$base" != / ] || skip_all "the folder of the helpers cannot be made"
    { mount -t tmpfs none "$work" && mkdir "$work/upper" "$work/own"; } || skip_all "cannot mount"
    make_machine
    { mount -t overlay none -o "lowerdir=$base,upperdir=$work/upper,workdir=$work/own" "$base" &&
        mkdir -p "$helpers" && mount -t tmpfs none "$helpers"; } 2>"$work/err" || skip_all "cannot lay over $base"
    { mount -t tmpfs none /etc && mount -t tmpfs none /run && mount -t tmpfs none /var/log && mount --bind "$work/sys" /sys; } ||
        skip_all "cannot mount"
    [ ! -d /var/lib/prometheus ] || mount -t tmpfs none /var/lib/prometheus
    make_helpers "$helpers"
    : >/etc/hosts
    : >"$work/pid"
    mkdir /etc/slurm
}

configure() { printf 'mode = "drain";\n%s\n' "$1" >/etc/slurm/cluster-env.conf; }

scene() { # [LINE...]: the machine, healthy but for these lines
    cp "$double/hgx-h100.scenario" "$work/scenario"
    chmod u+w "$work/scenario"
    for line; do echo "$line" >>"$work/scenario"; done
}

leave() { # UID SECONDS: a process on GPU 1
    end_process
    setpriv --reuid "$1" --regid "$1" --clear-groups sleep "$2" &
    process=$!
    echo "$process" >"$work/pid"
    until [ "$(cat "/proc/$process/comm" 2>/dev/null)" = sleep ]; do sleep 0.05; done
}

lives() { if grep -q '^State:.[^ZX]' "/proc/$process/status" 2>/dev/null; then echo lives; else echo ended; fi; }

# phase NAME JOB [VARIABLE=VALUE...]: what it says of GPUs, and its exit status
phase() {
    (
        name=$1 job=$2
        shift 2
        env SLURM_JOB_ID="$job" SLURM_JOB_UID=$user SLURMD_NODENAME=node1 "$@" "./$name/cluster-$name" >"$work/said" 2>&1 &&
            status=0 || status=$?
        grep -E 'GPU|process' "$work/said" | sed -E "s/^cluster-$name: job [0-9]*: //; s/process(:?) $process/process\1 PID/; s/: $process \(/: PID (/"
        echo "exit $status"
    )
}
all="SLURM_JOB_GPUS=0-7"
job() { phase prolog "$@" >/dev/null; } # JOB [VARIABLE=VALUE...]: it begins

[ -x ./prolog/cluster-prolog ] || skip_all "not built"
command -v setpriv >/dev/null || skip_all "needs setpriv"
enter_machine
configure ''

# ---------------------------------------------------------------- during the job

pending="a row remap became pending during the job; reset the GPU, or reboot the node [cluster-env gpu.job.remap]"
# after JOB REASON: the reason as an epilog says it.
after() { printf '%s\n' "$2" | sed "s/;/, found after job $1;/"; }
is_pending="a row remap is pending; reset the GPU, or reboot the node [cluster-env gpu.remap.pending]"

scene
is "a healthy node starts the job" "$(phase prolog 7 $all)" "exit 0"
is "and keeps how its GPUs are" "$(grep -c '^gpu.[0-7].nvml.remap.pending=0' /run/cluster-env/jobs/7.facts)" 8
scene gpu.3.remap.pending=1 gpu.3.remap.uncorrected=1
is "a row remap that became pending during the job: drained, and the reason names the job" "$(phase epilog 7 $all)" \
    "this node is drained: GPU 3 (0000:61:00.0) $(after 7 "$pending")
exit 1"
is "slurmctld is told the same" "$(cat "$work/drained")" \
    "GPU 3 (0000:61:00.0) $(after 7 "$pending")"
scene
job 7 $all
scene gpu.2.ecc.total.1.0=2 'gpu.5.pcie.replays=3000000'
is "so are uncorrected errors; a job of a second has no rate" "$(phase epilog 7 $all | grep -c 'GPU 2 .*+2 uncorrected memory errors during the job, found after job 7; ')" 1

# ---------------------------------------------------------------- beside other jobs

scene gpu.3.remap.pending=1
beside=SLURM_JOB_OVERSUBSCRIBE=OK
is "a job on other GPUs starts" "$(phase prolog 8 $beside SLURM_JOB_GPUS=0,1)" "exit 0"
is "and ends" "$(phase epilog 8 $beside SLURM_JOB_GPUS=0,1)" "exit 0"
is "one without GPUs, too" "$(phase prolog 8 $beside)" "exit 0"
is "one on that GPU does not" "$(phase prolog 9 $beside SLURM_JOB_GPUS=2-3 | tail -n 1)" "exit 1"
is "nor one that has the node" "$(phase prolog 9 SLURM_JOB_OVERSUBSCRIBE=NO | tail -n 1)" "exit 1"
is "what is no list means all, and a note" "$(phase prolog 9 $beside 'SLURM_JOB_GPUS=0,%n/../x')" \
    "which GPUs are the job's stays unknown, so all are looked at: SLURM_JOB_GPUS is no list of numbers
this node is drained: GPU 3 (0000:61:00.0) $is_pending
exit 1"
rm -f /run/cluster-env/jobs/*

# ---------------------------------------------------------------- leftovers

left="fail: GPU 1 (0000:43:00.0) 1 process: PID [gpu.processes]
exit 0"

scene
job 7 $all
leave $user 300
configure 'leftovers = { wait = 0; };'
is "a process that is left is told of" "$(phase epilog 7 $all)" "$left"
is "and no more" "$(lives)" lives
job 7 $all
leave $user 1.5
configure 'leftovers = { wait = 10; };'
is "one that is ending is waited for" "$(phase epilog 7 $all)" "exit 0"
job 7 $all
leave $user 300
configure 'leftovers = { action = "end"; wait = 0; };'
is "it is ended where that is configured" "$(phase epilog 7 $all)" \
    "ended 1 process of user $user on the job's GPUs: PID (sleep)
exit 0"
is "really" "$(lives)" ended
job 7 $all
leave 42421 300
is "another user's is not" "$(phase epilog 7 $all)" \
    "$(echo "$left" | head -n 1)
process PID (sleep) on a GPU of the job is left alone: it is another user's
exit 0"
is "and lives" "$(lives)" lives
job 7 $all
job 8 $beside
leave $user 300
is "nor one that may be another job's" "$(phase epilog 7 $all | sed -n 2p)" \
    "process PID (sleep) on a GPU of the job is left alone: it may be another job's"
is "that lives, too" "$(lives)" lives
rm -f /run/cluster-env/jobs/*
job 7 $beside SLURM_JOB_GPUS=1
is "nor one beside other jobs" "$(phase epilog 7 $beside SLURM_JOB_GPUS=1 | sed -n 2p)" \
    "process PID (sleep) on a GPU of the job is left alone: it may be another job's"
job 7 $beside SLURM_JOB_GPUS=0
is "nor is one on another job's GPU anything to it" "$(phase epilog 7 $beside SLURM_JOB_GPUS=0)" "exit 0"
is "both live" "$(lives)" lives
end_process
finish
