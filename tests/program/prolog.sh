#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cluster-prolog on a node of eight HCAs and eight GPUs where something is wrong with what it asks: helpers, the
# kernel log, its configuration, its disk, itself. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
# shellcheck source-path=SCRIPTDIR source=node.sh
. "$top/tests/program/node.sh"
enter_node "$0"
run=/run/cluster-env

# What this machine itself is, whatever the node: no limit of locked memory that a container may raise, no modules.
said() {
    grep -avE '\[host\.[a-z_]*\]|\[ib\.gpudirect\]' "$work/said" | sed 's/^cluster-[a-z]*: job [0-9]*: //'
}
# What it says, and its exit status.
prolog() {
    phase prolog 7 >"$work/said" 2>&1 && status=0 || status=$?
    said
    echo "exit $status"
}
# shellcheck disable=SC2317 # ok calls it
now_ms() { echo $(($(date +%s%N) / 1000000)); }
# in_time MS: the prolog ends in no more than that; a machine busy with other work has two more tries, and a slow one what
# three prologs take where nothing hangs ($plain), up to 0.3 s more: a second deadline is longer. What it says is in $work/told.
# shellcheck disable=SC2317 # ok calls it
in_time() {
    for try in 1 2 3; do
        start=$(now_ms)
        prolog >"$work/told"
        took=$(($(now_ms) - start))
        [ "$took" -gt "$(($1 + plain * 3))" ] || return 0
        echo "try $try: $took ms"
    done
    return 1
}
# What a prolog takes in this scene: ms, 100 at most.
time_plain() {
    start=$(now_ms)
    prolog >/dev/null
    plain=$(($(now_ms) - start))
    [ "$plain" -le 100 ] || plain=100
}
put_helper() { # NAME LINE...: a script
    name=$1
    shift
    { echo '#!/bin/sh' && printf '%s\n' "$@"; } >"$helpers/$name"
    chmod 755 "$helpers/$name"
}
# The texts of the run directory are whole.
# shellcheck disable=SC2317 # ok calls it
whole() {
    for text in "$run/node.facts" "$run/node.policy" "$run/jobs/"*.facts; do
        [ "$(tail -n 1 "$text")" = end=1 ] || { echo "# $text is cut short"; return 1; }
    done
}
# Processes of this node that are ours, whoever started them.
ours() {
    space=$(readlink /proc/self/ns/mnt)
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/ns/mnt" 2>/dev/null)" = "$space" ] || continue
        case $(readlink "$process/exe" 2>/dev/null) in
            */cluster-prolog | "$helpers"/*) echo "${process#/proc/}" ;;
        esac
    done
}

# ---------------------------------------------------------------- healthy

is "a healthy node starts the job, without a word" "$(prolog)" "exit 0"
ok "what it keeps is whole" whole
is "GPUs and devices are known" "$(grep -cE '^gpu\.[0-7]\.nvml\.asked=answered|^ib\.mlx5_[1-8]\.1\.counter\.link_downed=0' $run/jobs/7.facts)" 16
is "nothing of it is left" "$(ours)" ""
put_helper probe-topology ": >$work/asked"
put_helper slurm-node ": >$work/asked"
prolog >/dev/null
ok "once distances are known hwloc is not asked, and without a fault slurmctld is not" [ ! -e "$work/asked" ]
use_helpers

# ---------------------------------------------------------------- helpers

put_helper probe-verbs 'kill -SEGV $$'
is "a helper that crashes: its signal, and no fault" "$(prolog)" \
    "what probe-verbs knows stays unknown: ended by signal 11, Segmentation fault
exit 0"
put_helper probe-verbs 'printf "format=1\\n\\033[31m\\200\\n"; head -c 100000 /dev/urandom'
is "one that prints garbage is not believed" "$(prolog | LC_ALL=C tr '\200' X)" \
    "what probe-verbs knows stays unknown: line 2: expected key=value, found '?[31mX'
exit 0"
put_helper probe-verbs 'head -c 5000000 /dev/zero'
is "nor one that floods" "$(prolog)" \
    "what probe-verbs knows stays unknown: printed more than 4194304 bytes
exit 0"
rm "$helpers/probe-verbs"
is "one that is not there" "$(prolog)" \
    "what probe-verbs knows stays unknown: cannot run $helpers/probe-verbs: No such file or directory
exit 0"
use_helpers
scene gpu.3.ecc.mode=crash
is "a crash inside NVML: its signal, once, and no fault" "$(prolog | sed 's/([0-9]* more/(N more/')" \
    "unknown: GPU 3 (0000:61:00.0) probe-gpu: asking 0000:61:00.0: ended by signal 6, Aborted (N more say so) [gpu.nvml]
exit 0"
is "the log has it of each GPU" "$(tail -n 1 /var/log/cluster-env/health.jsonl |
    grep -o '"subject": *"GPU [3-7] [^}]*ended by signal 6, Aborted"' | grep -o 'GPU [3-7]' | sort -u | tr -d 'GPU \n')" 34567
is "GPUs before it are known" "$(grep -c '^gpu\.[0-2]\.nvml\.asked=answered' $run/jobs/7.facts)" 3

# Four hang: their deadline is 3.5 s of the 10 s by default, once.
scene
time_plain
put_helper probe-verbs 'exec sleep 60'
put_helper probe-topology 'exec sleep 60'
scene 'gpu.*.all=hang'
rm $run/node.facts
kmsg=hang
ok "the kernel log, NVML, libibverbs and hwloc hang: one deadline and 100 ms" in_time 3600
is "no fault" "$(tail -n 1 "$work/told")" "exit 0"
is "each is named" "$(grep -cE '^(what probe-(verbs|topology) knows stays unknown: no answer in 3\.[0-9]* s|the kernel log stays unknown: no answer in 1\.[0-9]* s)$' "$work/told") $(
    grep -c 'no answer in time \[gpu.nvml\]\|driver hangs.*\[gpu.nvml\]' "$work/told")" "3 1"
is "nothing of them is left" "$(ours)" ""
unset kmsg
use_helpers
scene

# ---------------------------------------------------------------- checks with deadlines of their own

impatient() { # SETTING...: and where nothing is said it is 1.5 s
    { echo 'mode = "drain"; checks = ( { name = "*"; deadline = 1.5; }' && printf ', { %s }' "$@" && echo ' );'; } \
        >/etc/slurm/cluster-env.conf
}
impatient 'name = "gpu.*"; deadline = 1;' 'name = "gpu.ecc.mode"; deadline = 0.5;'
put_helper probe-verbs 'exec sleep 60'
scene 'gpu.5.all=hang'
ok "NVML and libibverbs hang: as long as their checks are patient, and 100 ms" in_time 1600
is "each is named, with its time" "$(grep -oE 'what probe-verbs .* no answer in 1\.[0-5]|GPU 5 .*no answer in [01]|no answer within .*\[gpu.ecc.mode\]' "$work/told" | sed 's/1\.[0-5]$/1.5/; s/ 0$/ 1/')" \
    "GPU 5 (0000:c3:00.0) the driver hangs: probe-gpu: no answer in 1
no answer within its deadline of 0.5 s (waited 1 s) [gpu.ecc.mode]
what probe-verbs knows stays unknown: no answer in 1.5"
use_helpers

impatient 'name = "gpu.*"; deadline = 3;' 'name = "gpu.ecc.mode"; deadline = 0.5;'
scene 'init=slow:700:0'
is "NVML is slow: unknown to the check for which that was too late, and to no other" "$(prolog | sed 's/waited [0-9.]* s/waited N s/')" \
    "unknown: no answer within its deadline of 0.5 s (waited N s) [gpu.ecc.mode]
exit 0"
scene 'init=slow:700:0' gpu.1.remap.pending=1
is "which find what there is" "$(prolog | grep -o 'drained: GPU 1 .*remap.pending\]\|^exit.*')" \
    "drained: GPU 1 (0000:43:00.0) a row remap is pending; reset the GPU, or reboot the node [cluster-env gpu.remap.pending]
exit 1"
scene

impatient 'name = "gpu.*"; deadline = 0.5;' 'name = "gpu.xid"; deadline = 3;'
kmsg=hang
ok "the kernel log hangs: half of the time of those that need it" in_time 2900
is "then it is too late to ask NVML" "$(grep -E 'kernel log|gpu\.(xid|nvml)' "$work/told" | sed 's/waited [0-9.]* s/waited N s/; s/ ([0-9]* more say so)//; s/1\.[0-5][0-9]* s$/1.5 s/')" \
    "unknown: the kernel log could not be read [gpu.xid]
unknown: no answer within its deadline of 0.5 s (waited N s) [gpu.nvml]
the kernel log stays unknown: no answer in 1.5 s"
unset kmsg
echo 'mode = "drain";' >/etc/slurm/cluster-env.conf

# ---------------------------------------------------------------- while one hangs

# The child that does the work, and the helper that hangs below it: long enough to be looked at on a slow machine.
echo 'mode = "drain"; deadline = 30;' >/etc/slurm/cluster-env.conf
prolog >"$work/policy"
scene 'gpu.*.all=hang'
phase prolog 7 >"$work/said" 2>&1 &
prolog=$!
# That helper, and what waits for nobody else any more.
only_one_hangs() {
    helper=$(for pid in $(ours); do [ "$(readlink "/proc/$pid/exe")" = "$helpers/probe-gpu" ] && echo "$pid"; done)
    worker=$(sed 's/.*) [A-Z] \([0-9]*\) .*/\1/' "/proc/${helper:-none}/stat" 2>/dev/null)
    [ "$(cat "/proc/${worker:-none}/task/$worker/children" 2>/dev/null)" = "$helper " ]
}
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    if only_one_hangs; then break; fi
    sleep 0.1
done
is "a helper has no files of ours but its own three" "$(find "/proc/$helper/fd" -mindepth 1 -printf '%f\n' | sort | tr '\n' ' ')" "0 1 2 "
is "those that answered are collected: no zombie" "$(cat "/proc/$worker/task/$worker/children")" "$helper "
is "and their files are closed" "$(find "/proc/$worker/fd" -mindepth 1 -printf '%l\n' | grep -E '^/(sys|proc|run|etc)|kmsg|pidfd')" "anon_inode:[pidfd]"
[ -z "$helper" ] || kill -KILL "$helper"
wait $prolog
echo 'mode = "drain";' >/etc/slurm/cluster-env.conf
scene
prolog >"$work/policy"

# ---------------------------------------------------------------- the kernel log

kmsg=error:1
is "a kernel log that may not be read: unknown, no fault" "$(prolog | sed 's/^unknown: .*\[\(.*\)\]$/\1/' | tr '\n' ' ')" "gpu.xid exit 0 "
unset kmsg
records fell-off
scene 'gpu.*.all=hang'
ok "after an Xid 79 nobody waits for NVML" in_time 2000
is "the fault is that Xid" "$(grep -c '^this node is drained: GPU 3 Xid 154: .*\[cluster-env gpu\.xid\]' "$work/told") $(tail -n 1 "$work/told")" "1 exit 1"
is "no GPU was asked" "$(grep -c '^gpu\.[0-7]\.nvml\.asked=skipped' $run/jobs/7.facts)" 8
is "each says why" "$(./cli/cluster-env check --config=/etc/slurm/cluster-env.conf --facts=$run/jobs/7.facts --all --only=gpu.nvml |
    grep -c '^skip .*GPU [0-7] .*by the kernel log')" 8
records clean
scene

# ---------------------------------------------------------------- configuration

echo 'mode = "drain"; nonsense' >/etc/slurm/cluster-env.conf
is "a broken configuration is one line, and no fault" "$(prolog)" \
    "not checked: /etc/slurm/cluster-env.conf:2: syntax error
exit 0"
echo 'mode = "drain";' >/etc/slurm/cluster-env.conf

# ---------------------------------------------------------------- a job that must not run here

expected='gpus = 8; rails = { count = 8; link_layer = "infiniband"; rate = 400; };'
cable() { # IN|OUT
    case $1 in
        IN) set -- '4: ACTIVE' '5: LinkUp' ;;
        OUT) set -- '1: DOWN' '2: Polling' ;;
    esac
    echo "$1" >"$work/tree/sys/class/infiniband/mlx5_4/ports/1/state"
    echo "$2" >"$work/tree/sys/class/infiniband/mlx5_4/ports/1/phys_state"
}
# slurmctld answers the request for a drain with this status; what is there for the plugin then is in $work/then.
answer() { put_helper slurm-node "[ \"\$1\" != drain ] || { cp $run/refused/7 $work/then; exit $1; }"; }
now() { cat "$run/refused/7" 2>/dev/null || echo none; }
refusal="format=1
job=7
restarts=0
boot.id=$(cat /proc/sys/kernel/random/boot_id)
reason=mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port [cluster-env ib.port.state]
end=1"

echo "mode = \"drain\"; $expected" >/etc/slurm/cluster-env.conf
cable OUT
answer 0
is "a fault ends the prolog with status 1" "$(prolog | tail -n 1)" "exit 1"
is "before slurmctld is asked, the plugin can read that the job must not run, and why" "$(cat "$work/then")" "$refusal"
is "and after it" "$(now)" "$refusal"
is "only root writes there, all may read" "$(stat -c '%a %u' $run/refused $run/refused/7 | tr '\n' ' ')" "755 0 644 0 "
cable IN
is "the job comes back to a node that is healthy again: it may run" "$(prolog) $(now)" "exit 0 none"
cable OUT
answer 1
is "slurmctld does not answer: the job must not run" "$(prolog | tail -n 1) $(now)" "exit 1 $refusal"
phase epilog 7 >/dev/null 2>&1 || true
is "the job's epilog leaves it: Slurm may start a late step" "$(now)" "$refusal"
answer 3
is "the node stays in service: the job may run" "$(prolog | tail -n 1) $(now)" "exit 0 none"
echo "mode = \"observe\"; $expected" >/etc/slurm/cluster-env.conf
is "mode is observe, nothing is drained: the job may run" "$(prolog | tail -n 1) $(now)" "exit 0 none"
echo "mode = \"drain\"; $expected" >/etc/slurm/cluster-env.conf
answer 0
rmdir $run/refused
: >$run/refused
is "the file cannot be written: a line reports it, and nothing else changes" "$(prolog | grep -c '^tasks of this job may start here before Slurm ends it: .*/refused: cannot open: Not a directory$\|^exit 1$')" 2
rm $run/refused
cable IN
echo 'mode = "drain";' >/etc/slurm/cluster-env.conf
use_helpers

# ---------------------------------------------------------------- several, killed, no room

rm -f $run/jobs/*
for job in 11 12 13 14 15 16 17 18; do
    phase prolog $job >"$work/said.$job" 2>&1 && echo 0 >"$work/status.$job" || echo $? >"$work/status.$job" &
done
wait
is "eight prologs at once: all start their job" "$(cat "$work"/status.* | tr -d '\n')" 00000000
is "each keeps its own" "$(find $run/jobs -type f -printf '%f\n' | sort | tr '\n' ' ')" "11.facts 12.facts 13.facts 14.facts 15.facts 16.facts 17.facts 18.facts "
ok "all whole" whole
is "and nothing else is left" "$(find $run -type f ! -name '*.facts' ! -path '*/recovery/*' -printf '%f\n' | sort | tr '\n' ' ')" "hosts node.policy "

rm -f $run/jobs/*
ended=
for ms in 001 002 003 004 005 006 007 008 009 010 012 014 016 020; do
    phase prolog 7 >/dev/null 2>&1 &
    prolog=$!
    sleep "0.$ms"
    kill -KILL $prolog 2>/dev/null || true # it may have ended
    wait $prolog 2>/dev/null && status=0 || status=$?
    ended="$ended$status "
done
# What they left ends by itself when it sees that they are gone.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -n "$(ours)" ] || break
    sleep 0.25
done
is "killed at any moment or through before, it never drains by itself" "$(echo "$ended" | tr ' ' '\n' | grep -vxE '0|137|')" ""
ok "killed at any moment, it leaves no text cut short" whole
is "and no process" "$(ours)" ""
is "the next one is well" "$(prolog)" "exit 0"

mount -t tmpfs -o size=4k none $run
is "no room for its texts: notes, no fault" "$(prolog | sed 's/: .*//')" "$run
what changed during the job stays unknown
exit 0"
umount $run

# ---------------------------------------------------------------- memory and files

if command -v valgrind >/dev/null; then
    SLURM_JOB_ID=7 LD_PRELOAD=$work/kmsg.so KMSG_DOUBLE=/etc/kmsg valgrind -q --trace-children=yes \
        --leak-check=full --track-fds=yes --error-exitcode=99 --log-file="$work/valgrind.%p" \
        ./prolog/cluster-prolog >"$work/said" 2>&1 &
    first=$! # the others' numbers may be less
    wait $first && status=0 || status=$?
    is "valgrind has nothing against it" "$status" 0
    is "no leak and no wrong access in any of its processes" \
        "$(sed '/Open file descriptor/,/^==[0-9]*== $/d; /FILE DESCRIPTORS/d; /^==[0-9]*== $/d; /^--/d' "$work"/valgrind.*)" ""
    is "the first has no file left open" \
        "$([ -f "$work/valgrind.$first" ] && grep -A 1 'Open file descriptor' "$work/valgrind.$first" | grep -c ' at ')" 0
    ok "and all were looked at" [ "$(find "$work"/valgrind.* | wc -l)" -ge 6 ]
else
    skip "valgrind has nothing against it" "no valgrind"
    skip "no leak and no wrong access in any of its processes" "no valgrind"
    skip "the first has no file left open" "no valgrind"
    skip "and all were looked at" "no valgrind"
fi
finish
