#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_docs.sh SERIES: every command of README.md, docs/*.md and the manual pages that can run on a cluster runs here, as root on the
# machine or as the user that the text names; what a document shows as output is what is printed. docs/admin.md
# has a cluster of its own (tests/packages/test_admin.sh), docs/frameworks.md test_frameworks.sh;
# tests/docs/blocks.sh has what needs no cluster. CASES="user.md" takes that document alone.
# shellcheck disable=SC2016 # what stands in single quotes is for the nodes to expand
set -euo pipefail

nodes=(node1 node2 node3 node7)
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/product.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tasks.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/steps.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/health.sh"
# shellcheck source-path=SCRIPTDIR source=../docs/shape.sh
. "$(dirname "$0")/../docs/shape.sh"

readonly top=$here/../.. first=${nodes[0]} sick=node7
# prolog.md first: its lines are in slurm.conf for the others
readonly documents=(prolog.md README.md addresses.md bench.md doctor.md status.md monitoring.md topology.md
    troubleshooting.md user.md cluster-env.1.in cluster-env.conf.5.in cluster-env.hosts.5.in slurm-cluster-env.7.in
    cluster-prolog.8.in cluster-epilog.8.in cluster-healthcheck.8.in)
# of what is well, bad or not known these tell by their status; 2 is that something was typed wrong. grep's 1: nothing
readonly prelude='
    cluster-env() {
        command cluster-env "$@" || case "$1 $?" in "check "[13] | "bench "[13] | "doctor "[13] | "status "[13]) ;; *) false ;; esac
    }
    salloc() { command salloc "$@" || case "$* $?" in *" cluster-env bench "*3) ;; *) false ;; esac; }
    grep() { command grep "$@" || [[ $? -eq 1 ]]; }
    '
work=''

# ---------------------------------------------------------------- who types it

root_types() { # root_types NODE TEXT
    run within 90 "$cluster" on "$state" "$1" --cwd "$home" -- bash -e -o pipefail -c "$prelude$2"
    [[ $status -eq 0 ]] || complain "on $1, status $status: $(tail -n 12 <<<"$out")" "$(tail -n 12 <<<"$err")"
}

user_types() { # user_types TEXT [COMMAND...]: COMMAND starts the shell
    run as_user "${@:2}" bash -e -o pipefail -c "$prelude$1"
    [[ $status -eq 0 ]] || complain "status $status: $(tail -n 12 <<<"$out")" "$(tail -n 12 <<<"$err")"
}

# The shell that salloc starts has the lines that follow.
user_allocates() {
    printf '#!/bin/bash -e\n%s\n' "$(tail -n +2 <<<"$1")" >"$home/shell"
    chmod 755 "$home/shell"
    user_types "echo 'exec $home/shell' | $(head -n 1 <<<"$1")"
}

user_submits() {
    printf '%s\n' "$1" >"$home/script"
    run as_user sbatch --parsable -o "$home/script.out" "$home/script"
    [[ $status -eq 0 && $out =~ ^[0-9]+$ ]] || { complain "sbatch: $out $err"; return 0; }
    wait_until 60 job_is_over "$out" || true
    completed "$out"
    [[ ${#wrong[@]} -eq 0 ]] || complain "$(cat "$home/script.out" 2>&1)"
}

into_slurm_conf() {
    local line key
    while read -r line; do
        key=${line%%=*}
        sed -i "/^$key=/d" "$state/etc/slurm.conf"
        echo "$line" >>"$state/etc/slurm.conf"
    done <<<"$1"
    "$cluster" restart "$state" "${nodes[@]}" slurmctld 2>"$state/err" || complain "restart: $(cat "$state/err")"
    wait_until 40 all_idle || complain "$(as_root head sinfo -N)"
}

# ---------------------------------------------------------------- what a document takes for granted

port_goes_down() { # port_goes_down MODE NODE: and a job comes to it
    configure_mode "$1"
    link DOWN "$2"
    as_user srun -Q -w "$2" true >/dev/null 2>&1 || true
}

set_slurm_conf() { # set_slurm_conf LINE: and the daemons know
    sed -i "/^${1%%=*}=/d" "$state/etc/slurm.conf"
    echo "$1" >>"$state/etc/slurm.conf"
    as_root head scontrol reconfigure || complain "scontrol reconfigure"
}

keep_busy() { as_user sbatch -Q -w "$1" --exclusive -o /dev/null --wrap 'sleep 100' && wait_until 40 is_busy "$1"; }
is_busy() { [[ $(state_of "$1") == allocated ]]; }
all_idle() { [[ $(as_root head sinfo -h -N -o %T | sort -u) == idle ]]; }

# in_the_book NODE SED: its address book is another one
in_the_book() { as_root "$1" sed -i "$2" /etc/slurm/cluster-env.hosts; }

prepare() { # prepare TEXT
    case $1 in
        *journalctl*) port_goes_down observe "$first" ;;
        *"sinfo -R"*$'\n'*) port_goes_down drain "$sick"; wait_until 40 is_drained_and_empty "$sick" || complain "$(state_of "$sick")" ;;
        *"scontrol update"*) link UP "$sick" ;;
        *"missing, old entry kept"*)
            in_the_book head "/ $sick\$/d"
            as_root head scontrol update nodename="$sick" state=drain reason=test
            keep_busy node3 || complain "node3 is $(state_of node3)" ;;
        *"book"*"is stale"*) in_the_book node3 's/^[^ ]* node3$/10.20.0.99 node3/' ;;
        "# cluster-env doctor"$'\n'*) configure_mode observe; set_slurm_conf PrologFlags=Alloc ;;
        *"config --check "*) echo 'mode = "observe";' | tee "$home/new.conf" >"$home/cluster-env.conf" ;;
        *"sbatch "*) printf '#!/bin/sh\nsrun true\n' >"$home/job.sh" ;;
        *--facts=node.facts*) as_root "$first" cp /run/cluster-env/node.facts "$home" ;;
    esac
}

undo() { # undo TEXT: what was prepared for it
    case $1 in
        *journalctl*) link UP "$first" ;;
        *"scontrol update"*) wait_until 40 all_idle || complain "$(as_root head sinfo -N)" ;;
        *"missing, old entry kept"*)
            as_root head scancel -u demo
            as_root head scontrol update nodename="$sick" state=resume
            wait_until 40 all_idle || complain "$(as_root head sinfo -N)"
            as_root head cluster-env addresses --write >/dev/null 2>&1 || complain "addresses --write" ;;
        *"book"*"is stale"*) in_the_book node3 's/^[^ ]* node3$/10.20.0.13 node3/'; as_root node3 bash -c "$write_facts" ;;
        "# cluster-env doctor"$'\n'*) set_slurm_conf PrologFlags=Alloc,DeferBatch ;;
    esac
}

# ---------------------------------------------------------------- a block

typed() { if [[ $1 == [#$]" "* ]]; then sed -n 's/^[#$] //p' <<<"$1"; else printf '%s\n' "$1"; fi; }
shown() { if [[ $1 == [#$]" "* ]]; then grep -v '^[#$] ' <<<"$1" || true; fi; }

follow() { # follow PLACE TEXT
    local command node machines=("${nodes[@]}")
    command=$(typed "$2")
    case $1 in
        prompt) if [[ $2 == "# "* ]]; then root_types head "$command"; else user_types "$command"; fi ;;
        "on: user") if [[ $2 =~ ^salloc[^$'\n']*$'\n' ]]; then user_allocates "$2"; else user_types "$command"; fi ;;
        "on: user, in a job") user_types "$command" salloc -Q -N4 --gpus-per-node=8 --cluster-env ;;
        script) user_submits "$2" ;;
        "on: head") root_types head "$command" ;;
        "on: first node") root_types "$first" "$command" ;;
        "on: every node") for node in "${machines[@]}"; do root_types "$node" "$command"; done ;;
        "printed on head: "*) root_types head "${1#*: } || true" ;;
        "printed on node"*) node=${1#printed on }; root_types "${node%%:*}" "${1#*: } || true" ;;
        "file: slurm.conf") into_slurm_conf "$2" ;;
        *) complain "no such place: $1" ;;
    esac
}

of_a_cluster() { [[ $1 =~ ^(prompt|script|on:\ (user|head|first\ node|every\ node).*|printed\ on\ .*)$ || $1 == "file: slurm.conf" && $2 == prolog.md:* ]]; }

try() { # try WHERE PLACE TEXT
    local lines
    SECONDS=0
    prepare "$3"
    follow "$2" "$3"
    if [[ $2 == printed* ]]; then lines=$3; else lines=$(shown "$3"); fi
    lines=$(not_printed "$lines" "$out"$'\n'"$err")
    [[ -z $lines ]] || complain "not printed: $lines" "but: $(head -n 12 <<<"$out")" "$(head -n 12 <<<"$err")"
    undo "$3"
    verdict "$1: $(head -n 1 <<<"$3")"
    [[ $SECONDS -lt 4 ]] || diag "$SECONDS s"
}

# ---------------------------------------------------------------- the start

# What the user compiled; the compiler and the installed library are this machine's (tests/public/installed.sh).
compile_example() {
    local folder
    folder=$(dirname "$headers")
    make -C "$folder" libclusterenv.la >"$state/make.log" 2>&1 || { cat "$state/make.log" >&2; exit 1; }
    install -D -t "$state/tools/lib" "$folder"/.libs/libclusterenv.so*
    cc -I"$top/include" "$top/docs/examples/cluster_info.c" -o "$home/cluster_info" \
        "$state/tools/lib/libclusterenv.so" -Wl,-rpath,"$state/tools/lib"
}

lay_programs() {
    local name node
    as_root head install -D -t "$helpers" "$state/tools/libexec/slurm-node"
    for node in "${nodes[@]}"; do as_root "$node" install -D -t "$helpers" "$state/tools/libexec/bench-nccl"; done
    install -t "$state/tools/bin" "$work/ssh" "$work/journalctl"
    for name in torchrun python3 python accelerate deepspeed ray fabric; do
        install "$here/stand_in.sh" "$state/tools/bin/$name"
    done
    # as the package has them
    as_root head install -t /usr/sbin "$state"/tools/bin/cluster-{prolog,epilog}
    for node in "${nodes[@]}"; do as_root "$node" mkdir -p /var/log/cluster-env /var/lib/prometheus/node-exporter; done
}

# What chroots lack: a way to another node, and the journal, which has what slurmd's log has.
write_stand_ins() {
    printf '#!/bin/sh\nshift 2\nnode=$1\nshift\nexec srun -Q -w "$node" --cluster-env=off "$@"\n' >"$work/ssh"
    printf '#!/bin/sh\ncat "%s/log/$(hostname).log"\n' "$state" >"$work/journalctl"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_docs.sh SERIES" >&2; exit 2; }
    [[ $1 == forky ]] || skip_all "the same on every Slurm: forky runs it"
    local file place where wanted=() document
    start_health "$1"
    # a file of each node would say what slurmd's limit of locked memory is: without it there is none
    cc -std=gnu11 -O1 -shared -fPIC -o "$state/nvml/memlock.so" "$here/../doubles/memlock.c"
    as_root head sh -c 'echo "$0" >>/etc/ld.so.preload' "$state/nvml/memlock.so"
    work=$state/docs
    mkdir "$work" "$work/blocks"
    for document in ${CASES:-${documents[@]}}; do
        wanted+=("$(find "$top/README.md" "$top/docs" -maxdepth 2 -name "$document")")
    done
    awk -v folder="$work/blocks" -f "$top/tests/docs/blocks.awk" "${wanted[@]}"
    write_stand_ins
    lay_programs
    compile_example
    install "$here/stand_in.sh" "$home/train"
    local runs=()
    for file in "$work"/blocks/*; do
        { read -r where && read -r place; } <"$file"
        if of_a_cluster "$place" "$where"; then runs+=("$file"); fi
    done
    plan $((${#runs[@]} + 1))
    for file in "${runs[@]}"; do
        { read -r where && read -r place; } <"$file"
        try "$where" "$place" "$(tail -n +3 "$file")"
    done
    daemons=$(daemon_pids) # since 24.11 a reconfigure starts them anew
    calm "after all that"
    finish
}

main "$@"
