#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_addresses.sh SERIES: the address book made by cluster-env addresses on a real Slurm, held
# against what ip says on the nodes; and what srun --cluster-env makes of it.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/product.sh"
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tasks.sh"

readonly book=/etc/slurm/cluster-env.hosts
in_order=()

# addresses OPTION...: cluster-env addresses as root where users type
addresses() { run within 50 "$cluster" on "$state" head --cwd / -- cluster-env addresses --helpers="$state/tools/libexec" "$@"; }

# The chroots lack script(1), so it is this machine's.
in_terminal() {
    local words
    printf -v words '%q ' "$cluster" on "$state" head --cwd / -- cluster-env addresses --helpers="$state/tools/libexec" "$@"
    within 50 script -qec "$words" /dev/null
}

expect() { # expect STATUS ERR_LINE...: that status and exactly these lines on stderr
    local expected
    expected=$(printf 'cluster-env addresses: %s\n' "${@:2}")
    [[ $# -gt 1 ]] || expected=''
    [[ $status -eq $1 ]] || complain "exit status $status, expected $1"
    [[ $err == "$expected" ]] || complain "on stderr: $err" "expected: $expected"
}

# entries TEXT: without comments and what is empty
entries() { sed 's/ *#.*//; /^$/d' <<<"$1"; }

expect_book() { # expect_book TEXT ENTRY...
    local expected
    expected=$(printf '%s\n' "${@:2}")
    [[ $(entries "$1") == "$expected" ]] || complain "the book: $1" "expected entries: $expected"
}

declare -A ip=()
find_truth() {
    local node k
    for node in "${nodes[@]}"; do
        for k in 0 1 2; do
            ip[$node,$k]=$(as_root "$node" ip -4 -o addr show "eth$k" | awk '{ sub("/.*", "", $4); print $4 }')
        done
    done
    mapfile -t in_order < <(as_root head scontrol show nodes -o | sed 's/^NodeName=\([^ ]*\).*/\1/')
}

# truth K [NODE...]: the entries of these nodes, or all in the cluster's order, with ethK's addresses
truth() {
    local k=$1 node list=("${@:2}")
    [[ $# -gt 1 ]] || list=("${in_order[@]}")
    for node in "${list[@]}"; do echo "${ip[$node,$k]} $node"; done
}

expect_truth() { # expect_truth TEXT K [NODE...]
    local lines
    mapfile -t lines < <(truth "${@:2}")
    expect_book "$1" "${lines[@]}"
}

# What docs/addresses.md says for a cluster that is idle.
# shellcheck disable=SC2016
readonly spread_line='umask 022; cat >/etc/slurm/cluster-env.hosts.new &&
    mv /etc/slurm/cluster-env.hosts.new /etc/slurm/cluster-env.hosts && cluster-env facts --write'
spread() {
    as_root head bash -c "srun -N4 --ntasks-per-node=1 --cluster-env=off sh -c '$spread_line' <$book"
}

# ---------------------------------------------------------------- an idle cluster

test_sources() {
    addresses --from=slurm
    expect 0
    expect_truth "$out" 0
    verdict "--from=slurm: NodeAddr of all nodes, in the cluster's order"

    addresses --from=dns
    expect 0
    expect_truth "$out" 0
    verdict "--from=dns: what the resolver says"

    addresses --from=srun
    expect 0
    expect_truth "$out" 1
    verdict "--from=srun: the address of each node's cluster interface"

    run in_terminal --from=srun
    [[ $status -eq 0 && $out == *$'\r1 of 4 nodes'*$'\r3 of 4 nodes'*$'\r4 of 4 nodes\r\e[K'* ]] ||
        complain "status $status: $(cat -v <<<"$out")"
    verdict "on a terminal: the progress, and no word of it stays"

    run as_user cluster-env addresses --helpers="$state/tools/libexec"
    expect 0
    expect_truth "$out" 1
    verdict "without --write an ordinary user may ask as well"

    addresses --from=srun --config="$state/suffix.conf"
    expect 0 "${in_order[0]} has ${ip[${in_order[0]},2]} on eth2, outside 10.20.0.0/16 where most nodes are: they will \
pass over it; is its cluster interface down, or should network.prefixes name both?"
    expect_book "$out" "${ip[${in_order[0]},2]} ${in_order[0]}" "${ip[${in_order[1]},1]} ${in_order[1]}-x" \
        "${ip[${in_order[2]},1]} ${in_order[2]}-x" "${ip[${in_order[3]},1]} ${in_order[3]}-x"
    verdict "the configuration of each node counts: another interface, a suffix"

    addresses --from=slurm --config="$state/prefix.conf"
    expect 3 "missing: ${in_order[0]}: ${ip[${in_order[0]},0]} is outside network.prefixes" \
        "missing: ${in_order[1]}: ${ip[${in_order[1]},0]} is outside network.prefixes" \
        "missing: ${in_order[2]}: ${ip[${in_order[2]},0]} is outside network.prefixes" \
        "missing: ${in_order[3]}: ${ip[${in_order[3]},0]} is outside network.prefixes" \
        "nothing was found out about any node; no address book is made"
    [[ -z $out ]] || complain "on stdout: $out"
    verdict "addresses outside the configured prefixes are not written, each is named"
}

write_configs() {
    cat >"$state/suffix.conf" <<END
network = { suffix = "-x"; };
nodes = ( { names = "${in_order[0]}"; network = { interface = "eth2"; suffix = ""; }; } );
END
    echo 'network = { prefixes = [ "10.99.0.0/16" ]; };' >"$state/prefix.conf"
    echo "address_book = \"$state/other.hosts\";" >"$state/other.conf"
    echo 'address_book = "/etc/hosts";' >"$state/hosts.conf"
}

test_write() {
    as_root head sh -c "umask 077; ln -s $state/real.hosts $book"
    echo '10.10.0.1 head' >"$state/real.hosts"
    run as_root head sh -c "umask 077; cluster-env addresses --helpers=$state/tools/libexec --write"
    expect 0
    [[ -z $out ]] || complain "on stdout: $out"
    [[ $(as_root head readlink $book) == "$state/real.hosts" ]] || complain "the link is gone"
    [[ $(stat -c %a "$state/real.hosts") == 644 ]] || complain "mode $(stat -c %a "$state/real.hosts")"
    local written lines
    written=$(<"$state/real.hosts")
    mapfile -t lines < <(truth 1)
    expect_book "$written" "${lines[@]}" "10.10.0.1 head"
    [[ $written == *"Made by 'cluster-env addresses --write --from=srun' on head, 20"* ]] ||
        complain "no word of how it was made: $written"
    [[ -z $(as_root head find /etc/slurm "$state" -maxdepth 1 -name '.*hosts*') ]] || complain "a file is left"
    verdict "--write: where the link leads to, mode 0644, with its origin, other names kept"

    as_root head sh -c "rm $book && cp $state/real.hosts $book"
    run spread
    [[ $status -eq 0 && -z $err ]] || complain "exit status $status: $err"
    run as_user srun -N4 --cluster-env "$jobs/seen.sh" "$home/made"
    [[ $status -eq 0 && -z $out$err ]] || complain "exit status $status: $out $err"
    check_step "$home/made" 4 4
    verdict "srun --cluster-env is right with this book, brought to the nodes by srun"

    addresses --write --config="$state/hosts.conf"
    [[ $status -eq 2 && $(wc -l <<<"$err") -eq 1 && $err == *"/etc/hosts serves all programs"* ]] ||
        complain "exit status $status: $err"
    verdict "/etc/hosts is never replaced"

    echo 'no address' >"$state/other.hosts"
    addresses --write --config="$state/other.conf"
    [[ $status -eq 2 && $err == *"other.hosts: line 1: expected an IP address"* ]] || complain "exit status $status: $err"
    [[ $(<"$state/other.hosts") == 'no address' ]] || complain "it was replaced"
    rm "$state/other.hosts"
    verdict "an old book that cannot be read is not replaced"
}

# ---------------------------------------------------------------- a busy cluster

has_states() { [[ $(as_root head sinfo -h -N -o '%N=%T' | tr '\n' ' ') == "$* " ]]; }

make_busy() {
    as_user sbatch -o /dev/null -w n9 --exclusive --wrap 'sleep 300' >/dev/null
    as_user sbatch -o /dev/null -w n10 -c2 --mem=10 --wrap 'sleep 300' >/dev/null
    # a job waits, also for the idle node: behind it nothing small starts without a priority of its own
    as_user sbatch -o /dev/null -w n9,zeta1 --exclusive --wrap true >/dev/null
    as_root head scontrol update nodename=alpha state=drain reason=test
    wait_until 15 has_states alpha=drained n9=allocated n10=mixed zeta1=idle || complain "$(as_root head sinfo -N -o '%N %T')"
}

make_idle() {
    as_root head scancel -u demo
    as_root head scontrol update nodename=alpha state=resume
    wait_until 15 is_calm || complain "$(look_around)"
}

test_busy() {
    local before jobs_before
    make_busy
    jobs_before=$(as_root head squeue -h -o %i | sort)
    addresses --write --config="$state/other.conf"
    expect 1 "missing: alpha: drained" "missing: n9: allocated"
    expect_truth "$(<"$state/other.hosts")" 1 n10 zeta1
    grep -qx '# missing: alpha: drained' "$state/other.hosts" || complain "alpha is not in the book's comments"
    verdict "one node busy, one drained, one at work, a job waiting: the two are named, the others written"

    before=$(as_root head cat $book)
    addresses --write
    expect 1 "missing, old entry kept: alpha: drained" "missing, old entry kept: n9: allocated"
    expect_book "$(as_root head cat $book)" "$(entries "$before")"
    verdict "--write: their old entries are kept"

    addresses
    expect 1 "missing: alpha: drained" "missing: n9: allocated"
    expect_truth "$out" 1 n10 zeta1
    addresses --from=slurm
    expect 0
    addresses --from=dns
    expect 0
    expect_truth "$out" 0
    verdict "without --write nothing is kept; NodeAddr and resolver know busy nodes as well"

    [[ $(as_root head squeue -h -o %i | sort) == "$jobs_before" ]] || complain "$(as_root head squeue)"
    make_idle
    verdict "jobs that ran or waited are left alone"
}

# ---------------------------------------------------------------- what is wrong

test_wrong() {
    as_root head scontrol update nodename=n9 nodeaddr="${ip[n10,0]}"
    addresses --from=slurm
    as_root head scontrol update nodename=n9 nodeaddr=n9
    expect 1 "${ip[n10,0]} is the address of 2 nodes: n9,n10; none of these entries is written" \
        "missing: n9: it has the same address as n10" "missing: n10: it has the same address as n9"
    expect_truth "$out" 0 alpha zeta1
    verdict "two nodes with one address: neither is written, both are named"

    as_root n9 ip link set eth1 down
    addresses
    as_root n9 ip link set eth1 up
    [[ $status -eq 0 && $(wc -l <<<"$err") -eq 1 &&
        $err == *" n9 has ${ip[n9,2]} on eth2, outside 10.20.0.0/16 where most nodes are"* ]] ||
        complain "exit status $status: $err"
    verdict "a node whose cluster interface is down is named"
}

test_stale() {
    as_root n9 sed -i "s/^.* n9\$/10.20.0.99 n9/" $book
    run as_root n9 cluster-env facts --write
    [[ $status -eq 0 && $err == "cluster-env facts: the address book $book is stale: it gives 10.20.0.99 for n9, but \
no interface of this node has it (eth1 has ${ip[n9,1]}); mend it with 'cluster-env addresses --write', then run \
'cluster-env facts --write' as root on every node" ]] || complain "exit status $status: $err"
    verdict "facts --write on a node whose entry is stale: one line with file, entry, interface and remedy"

    run as_user srun -w n9 --cluster-env true
    [[ $status -ne 0 && $err == *"stale: it gives 10.20.0.99 for n9"*"'cluster-env addresses --write'"* ]] ||
        complain "exit status $status: $err"
    verdict "a step there is refused, with the command that mends the book"

    plugstack_arguments default=on
    addresses --write
    expect 0
    run spread
    [[ $status -eq 0 && -z $err ]] || complain "spread: exit status $status: $err"
    run as_user srun -w n9 --cluster-env true
    [[ $status -eq 0 && -z $err ]] || complain "exit status $status: $err"
    plugstack_arguments
    verdict "addresses --write mends it, also where the plugin is on by default and would refuse"
}

# ---------------------------------------------------------------- what hangs

queue_is_empty() { [[ -z $(as_root head squeue -h) ]]; }
nothing_runs() { [[ -z $(as_root head squeue -h -t pending,running) ]]; }

signal() { as_root head kill "-$2" "$(<"$state/pid/$1")"; } # signal DAEMON NAME

test_hanging() {
    wait_until 20 queue_is_empty || complain "$(as_root head squeue)"
    signal zeta1 STOP
    SECONDS=0
    addresses --timeout=12
    [[ $SECONDS -lt 45 ]] || complain "it took $SECONDS s"
    signal zeta1 CONT
    expect 1 "missing: zeta1: no answer in 12 s"
    expect_truth "$out" 1 alpha n9 n10
    wait_until 15 queue_is_empty || complain "$(as_root head squeue)"
    verdict "a node that does not answer is named after its deadline, and its job is gone"

    signal zeta1 STOP
    as_root head sh -c "cluster-env addresses --helpers=$state/tools/libexec & sleep 1.5; kill -INT \$!; kill -TERM \$!; wait" \
        >/dev/null 2>&1 || true
    wait_until 10 nothing_runs || complain "$(as_root head squeue)"
    signal zeta1 CONT
    wait_until 15 queue_is_empty || complain "$(as_root head squeue)"
    verdict "interrupted: no job is left behind"

    signal slurmctld STOP
    SECONDS=0
    addresses --timeout=4
    signal slurmctld CONT
    [[ $SECONDS -lt 20 ]] || complain "it took $SECONDS s"
    [[ $status -eq 3 && $(wc -l <<<"$err") -eq 1 && $err == *"the list of nodes: no answer in 4 s"* ]] ||
        complain "exit status $status: $err"
    verdict "a slurmctld that does not answer: one line, exit status 3"
}

main() {
    [[ $# -eq 1 ]] || { echo "usage: test_addresses.sh SERIES" >&2; exit 2; }
    plan 24
    local helper group
    helper=$("$here/slurm_node.sh" "$1") || exit 1
    # the scheduler that starts nothing behind a job that waits
    start_product "$1" --book off --slurm-conf SchedulerType=sched/builtin
    install -D "$helper" "$state/tools/libexec/slurm-node"
    find_truth
    write_configs
    for group in ${CASES:-sources write busy wrong stale hanging}; do
        SECONDS=0
        "test_$group"
        diag "$group: $SECONDS s"
    done
    calm "after all of it"
    finish
}

main "$@"
