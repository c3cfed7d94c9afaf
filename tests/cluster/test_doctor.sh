#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # for the nodes to expand
#
# test_doctor.sh SERIES: an installation that is right is called so, on a compute and on a head node; then one
# thing after the other is made wrong, and each time that thing alone is named, with its remedy.
set -euo pipefail

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

declare -rA tests_of=([right]=4 [slurm_conf]=11 [programs]=3 [plugin]=9 [site]=2 [run_folder]=1 [limits]=3
    [no_controller]=1)
readonly sick=n9 # on which nodes' own things are made wrong

doctor() { run as_root "$1" cluster-env doctor --helpers="$helpers" "${@:2}"; }

# The rows that are neither pass nor skip.
odd_rows() { sed -nE 's/^(fail|warn|unknown) +([a-z_.]+) .*/\2/p' <<<"$out" | sort -u | tr '\n' ' '; }

# names NODE STATUS ROWS [TEXT...]: it has these rows that are not well, ends so, and says these texts
names() {
    local text
    doctor "$1"
    [[ $status -eq $2 ]] || complain "status $status, expected $2"
    [[ $(odd_rows) == "${3:+$3 }" ]] || complain "not well: $(odd_rows)" "expected: $3"
    for text in "${@:4}"; do grep -qF -- "$text" <<<"$out" || complain "no '$text'"; done
    [[ ${#wrong[@]} -eq 0 ]] || complain "$out" "$err"
}

# A file of each node says what its slurmd's limit of locked memory is: it may not be this machine's to raise.
lay_memlock() {
    cc -std=gnu11 -O1 -shared -fPIC -o "$state/nvml/memlock.so" "$here/../doubles/memlock.c"
    as_root head sh -c 'echo "$0" >>/etc/ld.so.preload' "$state/nvml/memlock.so"
}

# ---------------------------------------------------------------- what is right

test_right() {
    local node
    for node in "${nodes[@]}"; do
        doctor "$node"
        [[ $status -eq 0 && -z $(odd_rows) ]] || complain "$node, status $status:" "$out" "$err"
    done
    [[ $(head -n 1 <<<"$out") == "${nodes[-1]}: a compute node, Slurm $slurm"* ]] || complain "$out"
    [[ $(wc -l <<<"$out") -le 40 ]] || complain "longer than a screen"
    verdict "a compute node that is installed right: all is well, on one screen"
    doctor head
    [[ $status -eq 0 && -z $(odd_rows) && $out == *": a head node, "* ]] || complain "status $status:" "$out" "$err"
    verdict "a head node: what cannot be told there is skipped"
    doctor "$sick" --json
    [[ $(jq -r '[.schema, .node, .role, .mode, .counts.fail, (.findings | length > 25)] | join(" ")' <<<"$out") == \
        "1 $sick compute drain 0 true" ]] || complain "$out"
    verdict "as JSON"
    run as_user cluster-env doctor --helpers="$helpers"
    [[ $status -eq 0 || $status -eq 3 ]] || complain "status $status" "$out"
    [[ $out != *$'\nfail '* ]] || complain "$out"
    verdict "a user sees less, and nothing wrong"
}

# ---------------------------------------------------------------- slurm.conf

# with_slurm_conf LINE: in place of ours of that key; "KEY=" takes it out
with_slurm_conf() {
    sed -i "/^${1%%=*}=/Id" "$state/etc/slurm.conf"
    [[ -z ${1#*=} ]] || echo "$1" >>"$state/etc/slurm.conf"
}
reconfigure() { as_root head scontrol reconfigure || complain "scontrol reconfigure"; }

slurm_fault() { # slurm_fault LINE ROWS TEXT...
    with_slurm_conf "$1"
    reconfigure
    names "$sick" 1 "${@:2}"
    cp "$state/slurm.right" "$state/etc/slurm.conf"
    verdict "$1 in slurm.conf: $2"
}

test_slurm_conf() {
    cp "$state/etc/slurm.conf" "$state/slurm.right"
    slurm_fault Prolog= slurm.prolog 'Prolog is not set; Prolog=/usr/sbin/cluster-prolog in slurm.conf'
    slurm_fault Epilog=/bin/true slurm.epilog '/bin/true does not run cluster-epilog; Epilog='
    slurm_fault PrologFlags=Alloc slurm.defer_batch 'DeferBatch is missing; PrologFlags=Alloc,DeferBatch'
    slurm_fault PrologFlags= 'slurm.alloc slurm.defer_batch' 'Alloc is missing; PrologFlags=Alloc,DeferBatch'
    slurm_fault PrologFlags=Alloc,DeferBatch,Serial slurm.serial 'take Serial out of PrologFlags'
    slurm_fault SchedulerParameters=bf_interval=1 slurm.no_hold \
        "which $reader reads, is missing: requeued jobs are held; SchedulerParameters=nohold_on_prolog_fail"
    slurm_fault JobRequeue=0 slurm.requeue 'JobRequeue=1 in slurm.conf'
    slurm_fault PrologEpilogTimeout=20 slurm.timeout 'PrologEpilogTimeout=20: Slurm kills it' 'may take 30 s; take it out'
    slurm_fault BatchStartTimeout=5 slurm.batch_start 'BatchStartTimeout=5: slurmctld takes the job for lost'
    slurm_fault MessageTimeout=6 slurm.message_timeout "MessageTimeout=6: srun says 'Prolog hung'"
    reconfigure
    with_slurm_conf JobRequeue=0
    names "$sick" 1 slurm.conf "slurmctld has another JobRequeue than" "then 'scontrol reconfigure'"
    cp "$state/slurm.right" "$state/etc/slurm.conf"
    verdict "a slurm.conf that slurmctld has not read: slurm.conf"
}

# ---------------------------------------------------------------- the programs

test_programs() {
    local program=$programs/cluster-prolog
    as_root "$sick" chmod 644 "$program"
    names "$sick" 1 slurm.prolog "$program cannot be run: Slurm drains the node; chown root and chmod 755 it"
    as_root "$sick" chmod 777 "$program"
    names "$sick" 1 slurm.prolog 'is run by root, and others may write it'
    as_root "$sick" chmod 755 "$program"
    as_root "$sick" mv "$program" "$program.away"
    names "$sick" 1 slurm.prolog "$program is not there"
    as_root "$sick" bash -c 'printf "#!/bin/sh\nexec %s.away\n" "$0" >"$0" && chmod 755 "$0"' "$program"
    names "$sick" 0 ''
    as_root "$sick" mv "$program.away" "$program"
    verdict "a prolog that cannot be run, that others may write, that is not there; a script that runs it is well"
    as_root "$sick" mv "$helpers/slurm-node" "$helpers/slurm-node.away"
    doctor "$sick"
    [[ $status -eq 1 && $(odd_rows) == *"slurm.helper "* && $out == *"install the plugin's package for this Slurm"* ]] ||
        complain "$out"
    as_root "$sick" mv "$helpers/slurm-node.away" "$helpers/slurm-node"
    verdict "without slurm-node: slurm.helper"
    helper "$sick" slurm-node 'exec sleep 1000'
    SECONDS=0
    doctor "$sick" --timeout=1
    [[ $status -ne 0 && $SECONDS -lt 60 ]] || complain "status $status after $SECONDS s" "$out"
    put_back "$sick"
    verdict "a slurm-node that hangs is not waited for"
}

# ---------------------------------------------------------------- the plugin

plugstack_fault() { # plugstack_fault ROWS TEXT: $state/etc/plugstack.conf is wrong
    names "$sick" 1 "$@"
    cp "$state/plugstack.right" "$state/etc/plugstack.conf"
    verdict "$1: $2"
}

test_plugin() {
    local stack=$state/etc/plugstack.conf
    cp "$stack" "$state/plugstack.right"
    echo '# nothing' >"$stack"
    plugstack_fault plugin.line "does not load cluster_env.so; add the line 'optional cluster_env.so' to it"
    sed -i '1s/^optional/required/' "$stack"
    plugstack_fault plugin.optional 'begin the line with optional'
    echo 'optional /usr/lib/spank_pyxis.so' >>"$stack"
    plugstack_fault plugin.order 'put our line behind that of pyxis'
    sed -n 1p "$state/plugstack.right" >>"$stack"
    plugstack_fault plugin.line 'loads the plugin a second time; take that line out'
    echo 'optionally x.so' >>"$stack"
    plugstack_fault plugin.line "plugstack.conf:2 is no line of it: Slurm's commands refuse to start"
    sed -i '1s/$/ default=yes/' "$stack"
    plugstack_fault plugin.arguments 'default=yes is none that the plugin knows; leave run='
    echo 'optional cluster_env.so' >"$stack"
    plugstack_fault plugin.library 'cluster_env.so is not there'
    printf 'const unsigned int plugin_version = 0x140b07;\n' |
        cc -shared -fPIC -x c -o "$state/plugins/cluster_env.so" -
    chmod 755 "$state/plugins/cluster_env.so"
    echo "optional $state/plugins/cluster_env.so" >"$stack"
    plugstack_fault plugin.version "built for 20.11, but Slurm is $slurm"
    mkdir -p "$state/etc/plugstack.d"
    mv "$state/etc/plugstack.conf" "$state/etc/plugstack.d/cluster-env.conf"
    sed -n 1p "$state/plugstack.right" >"$state/etc/plugstack.d/cluster-env.conf"
    echo 'include plugstack.d/*.conf' >"$stack"
    names "$sick" 0 ''
    [[ $out == *"plugstack.d/cluster-env.conf:1"* ]] || complain "$out"
    cp "$state/plugstack.right" "$stack"
    verdict "a line in a file that plugstack.conf includes is found"
}

# ---------------------------------------------------------------- configuration and address book

test_site() {
    as_root "$sick" cp /etc/slurm/cluster-env.conf /run/conf.right
    as_root "$sick" bash -c 'echo "mode = \"drian\";" >/etc/slurm/cluster-env.conf'
    doctor "$sick"
    [[ $status -eq 1 && $(odd_rows) == *config.valid* && $out == *cluster-env.conf:1*"mend it, 'cluster-env config --check'"* ]] ||
        complain "$out"
    as_root "$sick" bash -c 'echo "checks = { \"ib.port.stat\" = { fault = \"warn\"; }; };" >/etc/slurm/cluster-env.conf'
    doctor "$sick"
    [[ $status -eq 1 && $(odd_rows) == *config.valid* ]] || complain "$out"
    as_root "$sick" bash -c 'echo "gpus = 7;" >/etc/slurm/cluster-env.conf'
    names "$sick" 1 run.policy "node.policy does not have what cluster-env.conf says now; 'cluster-env facts --write' as root"
    as_root "$sick" cp /run/conf.right /etc/slurm/cluster-env.conf
    verdict "a configuration with an error; one that node.policy does not have yet"

    as_root "$sick" cp /etc/slurm/cluster-env.hosts /run/book.right
    as_root "$sick" sed -i '/ alpha$/d' /etc/slurm/cluster-env.hosts
    names "$sick" 1 'book.nodes run.hosts' "lacks 1 of ${#nodes[@]} nodes: alpha; 'cluster-env addresses --write'"
    as_root "$sick" bash -c 'sed "s/^[^ ]* $0\$/10.20.9.9 $0/" /run/book.right >/etc/slurm/cluster-env.hosts' "$sick"
    names "$sick" 1 'book.own run.hosts' "it gives 10.20.9.9 for $sick" 'then bring the book to every node'
    as_root "$sick" cp /run/book.right /etc/slurm/cluster-env.hosts
    verdict "an address book without a node, and one with another address"
}

# ---------------------------------------------------------------- the node

test_run_folder() {
    as_root "$sick" chmod 777 /run/cluster-env
    names "$sick" 1 run.folder 'others than root may write there (mode 0777); chown root and chmod 755'
    as_root "$sick" chmod 755 /run/cluster-env
    as_root "$sick" chown demo /run/cluster-env
    names "$sick" 1 run.folder 'not to root'
    as_root "$sick" chown root /run/cluster-env
    as_root "$sick" sed -i 's/^boot.id=.*/boot.id=0/' /run/cluster-env/node.facts
    names "$sick" 1 run.facts 'node.facts are of an earlier boot'
    as_root "$sick" bash -c "$write_facts"
    as_root "$sick" bash -c 'ip link add eth9 type veth peer name eth9p && ip addr add 10.99.7.7/16 dev eth9 && ip link set eth9 up'
    names "$sick" 1 run.facts "node.facts are old: the addresses of eth9 changed since; 'cluster-env facts --write' as root"
    as_root "$sick" ip link del eth9
    verdict "the run directory: whose it is, who may write it, facts of another boot, facts that are old"
}

test_limits() {
    as_root "$sick" bash -c 'echo "32768 62000" >/proc/sys/net/ipv4/ip_local_port_range'
    names "$sick" 1 node.ports 'the kernel gives out 1001 of ports 61000-65535 itself (its range is 32768-62000)'
    as_root "$sick" bash -c 'echo "60000-62000" >/proc/sys/net/ipv4/ip_local_reserved_ports'
    names "$sick" 0 ''
    as_root "$sick" bash -c 'echo >/proc/sys/net/ipv4/ip_local_reserved_ports; echo "32768 60999" >/proc/sys/net/ipv4/ip_local_port_range'
    verdict "ports that the kernel gives out itself, and such that are reserved"
    as_root "$sick" sh -c 'echo 65536 >/run/memlock'
    names "$sick" 1 node.memlock "slurmd's limit of locked memory is 64 kB, RDMA needs it unlimited; LimitMEMLOCK=infinity"
    as_root "$sick" rm /run/memlock
    verdict "slurmd's limit of locked memory"
    helper "$sick" probe-gpu "LD_LIBRARY_PATH=/nonexistent exec $state/tools/libexec/probe-gpu \"\$@\""
    names "$sick" 1 node.nvml '8 GPUs, but NVML does not answer: libnvidia-ml.so.1' "install NVIDIA's driver"
    put_back "$sick"
    verdict "GPUs without NVML"
}

test_no_controller() {
    local pid
    pid=$(<"$state/pid/slurmctld")
    as_root head kill -STOP "$pid"
    doctor "$sick" --timeout=6
    as_root head kill -CONT "$pid"
    [[ $status -eq 3 && $(odd_rows) == "book.nodes slurm.controller " ]] || complain "status $status: $(odd_rows)" "$out"
    [[ $out == *"slurmctld does not answer, "*"slurm.conf alone is looked at"* ]] || complain "$out"
    verdict "slurmctld does not answer: slurm.conf alone is looked at, and told so"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_doctor.sh SERIES" >&2; exit 2; }
    case $1 in
        bookworm) slurm=22.05 reader=slurmd ;;
        trixie) slurm=24.11 reader=slurmctld ;;
        *) slurm=26.05 reader=slurmctld ;;
    esac
    # What differs between the series is the reading of slurm.conf, and the versions.
    local group tests=1 groups=(right slurm_conf programs plugin site run_folder limits no_controller)
    [[ $1 == forky ]] || groups=(right slurm_conf no_controller)
    for group in ${CASES:-${groups[@]}}; do tests=$((tests + tests_of[$group])); done
    plan "$tests"
    start_health "$1"
    lay_memlock
    as_root head install -D -t "$helpers" "$state/tools/libexec/slurm-node"
    for group in ${CASES:-${groups[@]}}; do "test_$group"; done
    daemons=$(daemon_pids) # since 24.11 a reconfigure starts them anew
    calm "after all that"
    finish
}

main "$@"
