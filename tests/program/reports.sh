#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What stays of each run of cluster-prolog and cluster-epilog: health.jsonl, which logrotate rotates, and the
# metrics, as promtool and a node_exporter read them.  On a machine of two rails, in namespaces of its own. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
if [[ -z ${CE_TEST_NAMESPACE:-} ]]; then
    [[ $(id -u) = 0 ]] || skip_all "needs root"
    command -v jq >/dev/null || skip_all "needs jq"
    unshare --mount --net true 2>/dev/null || skip_all "needs a mount namespace and a network namespace"
    CE_TEST_NAMESPACE=1 exec unshare --mount --net "$0"
fi
work=$(mktemp -d)
exporter=''
# shellcheck disable=SC2317 # the trap calls it
end() {
    [[ -z $exporter ]] || kill "$exporter" 2>/dev/null || true
    umount "$work/full" 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT TERM
log=/var/log/cluster-env/health.jsonl metrics=$work/metrics default_metrics=/var/lib/prometheus/node-exporter
helpers=$(sed -n 's/^libexecdir = //p' Makefile | sed "s|\${exec_prefix}|$(setting prefix)|; s|\${prefix}|$(setting prefix)|")/cluster-env

put() { # PATH TEXT
    mkdir -p "$(dirname "$1")"
    printf '%s\n' "$2" >"$1"
}

port() { # HCA STATE PHYS_STATE
    local dir=$work/sys/class/infiniband/$1
    put "$dir/hca_type" MT4129
    put "$dir/ports/1/state" "$2"
    put "$dir/ports/1/phys_state" "$3"
    put "$dir/ports/1/link_layer" InfiniBand
    put "$dir/ports/1/rate" '400 Gb/sec (4X NDR)'
}

enter_machine() {
    mkdir -p "$work/sys/class/net" "$work/sys/bus/pci/devices" "$metrics" "$work/full"
    port mlx5_0 '4: ACTIVE' '5: LinkUp'
    port mlx5_1 '1: DOWN' '2: Polling'
    { mount -t tmpfs none /etc && mount -t tmpfs none /run && mount -t tmpfs none /var/log && mount --bind "$work/sys" /sys; } ||
        skip_all "cannot mount"
    # the default folder of the metrics, where there is one, is empty, and nobody's
    [[ ! -d ${default_metrics%/*} ]] || { mount -t tmpfs none "${default_metrics%/*}" && mkdir "$default_metrics"; }
    : >/etc/hosts
    echo 'root:x:0:0:root:/root:/bin/sh' >/etc/passwd
    echo 'root:x:0:' >/etc/group
}

configure() { put /etc/slurm/cluster-env.conf "$*"; }
readonly metrics_key="reports = { metrics = \"$metrics\"; };"

# phase NAME JOB: its exit status; $work/said has what it says
phase() {
    SLURM_JOB_ID=$2 SLURMD_NODENAME=node1 "./$1/cluster-$1" >"$work/said" 2>&1 && echo 0 || echo $?
}
last() { tail -n 1 $log | jq -rc "$1"; }
metric() { sed -n "s/^cluster_env_$2 //p" "$metrics/cluster_env_$1.prom"; }

reason="mlx5_1/1 DOWN (Polling), expected ACTIVE; check cable and switch port [cluster-env ib.port.state]"

# ---------------------------------------------------------------- the line, and the metrics

test_runs() {
    configure "mode = \"drain\"; $metrics_key"
    is "a fault: the prolog's exit status" "$(phase prolog 7)" 1
    is "the log has who, when, what and why" "$(last '[.schema, .node, .phase, .job, .mode, .checked, .error, .done, .reason]')" \
        "[1,\"node1\",\"prolog\",7,\"drain\",true,null,\"drained\",\"$reason\"]"
    is "with this boot" "$(last .boot_id)" "$(cat /proc/sys/kernel/random/boot_id)"
    # shellcheck disable=SC2016 # jq's own variable
    is "a moment ago, and it took milliseconds" \
        "$(last '(.time | fromdate) as $t | now - $t < 60 and now - $t > -1 and .took_ms >= 0 and .took_ms < 10000')" true
    is "what is not well is in it" "$(last '[.findings[] | select(.check == "ib.port.state") | .subject, .verdict, .response]')" \
        '["mlx5_1/1","fail","drain"]'
    is "what passed is only counted" "$(last '([.findings[] | select(.verdict == "pass")] | length) == 0 and .counts.pass > 0')" true
    is "folder and file are root's" "$(stat -c '%a %u' /var/log/cluster-env $log | tr '\n' ' ')" "755 0 640 0 "
    is "the metrics say so too" "$(metric prolog 'run_done{phase="prolog",done="drained"}')" 1
    is "by check" "$(metric prolog 'check_findings{phase="prolog",check="ib.port.state",verdict="fail",response="drain"}')" 1

    configure "$metrics_key"
    is "observing: the epilog's exit status" "$(phase epilog 7)" 0
    is "what would have been drained" "$(last '[.phase, .done, .mode, .reason]')" \
        "[\"epilog\",\"observed\",\"observe\",\"${reason/;/, found after job 7;}\"]"
    is "is in its own file of metrics" "$(metric epilog 'run_done{phase="epilog",done="observed"}')$(metric prolog 'run_done{phase="prolog",done="drained"}')" 11
}

test_policy() {
    configure "mode = \"drain\"; $metrics_key checks = ( { name = \"ib.port.*\"; fault = \"warn\"; } );"
    is "a check whose faults only warn drains nobody" "$(phase prolog 8) $(last '[.done, .reason]')" '0 ["nothing",null]'
    is "and says what it found" "$(grep -c 'fail: mlx5_1/1 DOWN (Polling), expected ACTIVE \[ib.port.state\]' "$work/said")" 1
    configure "mode = \"drain\"; $metrics_key nodes = ( { names = \"node1\"; checks = ( { name = \"*\"; fault = \"ignore\"; unknown = \"ignore\"; } ); } );"
    is "one whose faults are ignored says nothing" "$(phase prolog 8) $(grep -c '\[ib.port' "$work/said")" "0 0"
    is "but stands in the log" "$(last '[.findings[] | select(.check == "ib.port.state") | .response]')" '["ignore"]'
    configure "mode = \"drain\"; nodes = ( { names = \"node2\"; checks = ( { name = \"*\"; fault = \"ignore\"; } ); } );"
    is "what is said of another node does not count" "$(phase prolog 8)" 1
}

test_trouble() {
    local name
    configure "mode = \"drain\"; checks = ( { name = \"ib.port.stat\"; fault = \"warn\"; } );"
    is "a check that is none: nothing is checked, nothing drained" "$(phase prolog 9)" 0
    is "and the log says which" "$(last '[.checked, .misconfigured, .error]')" \
        "[false,true,\"not checked: /etc/slurm/cluster-env.conf:1: checks: no check is called 'ib.port.stat'; did you mean 'ib.port.state'?\"]"
    configure "$metrics_key"
    phase prolog 9 >/dev/null
    configure "mode = ;"
    is "a syntax error: the same" "$(phase prolog 9) $(last '[.checked, .misconfigured, .done, .reason]')" '0 [false,true,"nothing",null]'
    is "and a metric, where the last configuration says" "$(metric prolog 'config_error{phase="prolog"}') $(metric prolog 'run_checked{phase="prolog"}')" "1 0"

    rm /run/cluster-env/node.policy
    name="without a configuration ever, and in the default folder of metrics"
    if [[ -d $default_metrics ]]; then
        is "$name" "$(phase prolog 9) $(grep -c '^cluster_env_\(config_error{phase="prolog"} 1\|run_checked{phase="prolog"} 0\)$' "$default_metrics/cluster_env_prolog.prom")" "0 2"
    else
        skip "$name" "there is no $default_metrics"
    fi

    mount -t tmpfs -o size=64k none "$work/full"
    ok "a disk can be filled" eval "! dd if=/dev/zero of='$work/full/fill' bs=4k 2>/dev/null"
    configure "reports = { log = \"$work/full/h.jsonl\"; metrics = \"$work/full\"; };"
    is "a full disk: the prolog goes on" "$(phase prolog 9)" 0
    is "and says so, once for each" "$(grep -o 'not all of this run is kept' "$work/said" | wc -l) $(grep -o 'No space left on device' "$work/said" | wc -l)" "1 2"
    is "no half of a textfile is left" "$(find "$work/full" -name '*.prom*')" ""

    configure "reports = { log = \"$work/full/fifo\"; metrics = \"\"; };"
    rm -f "$work/full"/*
    mkfifo "$work/full/fifo"
    is "a log that is none is left alone" "$(phase prolog 9) $(grep -c 'not a file of this user alone' "$work/said")" "0 1"
    umount "$work/full"
}

# A probe that never answers gets a quarter of the deadline, and not longer.
test_deadline() {
    mkdir -p "$helpers"
    mount -t tmpfs none "$helpers"
    printf '#!/bin/sh\nexec sleep 1000\n' >"$helpers/probe-verbs"
    chmod 755 "$helpers/probe-verbs"
    configure "deadline = 6;"
    phase prolog 10 >/dev/null # which writes it down for the next
    # 35 % of it, less what a busy machine took to start; of the default it would be 3.5 s
    is "a shorter deadline shortens that of the probes" "$(phase prolog 10) $(
        sed -nE 's/.*no answer in (2|2\.1|2\.0[0-9]*|1|1\.[0-9]+|0\.[5-9][0-9]*) s.*/2.1 s at most/p' "$work/said")" "0 2.1 s at most"
    umount "$helpers"
    rmdir -p "$helpers" 2>/dev/null || true # where nothing is installed
}

# What a health check has to say, less what this machine itself is, and its numbers.
healthcheck() {
    SLURMD_NODENAME=node1 ./prolog/cluster-healthcheck 2>&1 |
        sed -nE 's/^cluster-healthcheck: job 0: //; s/(probe-verbs) knows stays unknown: .*/\1/; /^what probe-verbs|would be drained|not checked/p'
}
test_again() {
    local first next
    first='what probe-verbs
mode = "observe", else this node would be drained: '$reason
    rm -rf /run/cluster-env
    configure "$metrics_key"
    phase prolog 13 >/dev/null # which makes the folder
    is "a health check says what it finds" "$(healthcheck)" "$first"
    next=$(healthcheck)
    empty "and the next one nothing of it" "$next"
    is "but the log has it" "$(last '[.phase, .done, .reason]')" "[\"healthcheck\",\"observed\",\"$reason\"]"
    is "what it keeps for that is root's" "$(stat -c '%a %u' /run/cluster-env/healthcheck /run/cluster-env/healthcheck/told | tr '\n' ' ')" "700 0 600 0 "
    port mlx5_0 '1: DOWN' '2: Polling'
    is "another fault is news" "$(healthcheck)" "mode = \"observe\", else this node would be drained: 2 ports: mlx5_0/1, $reason"
    port mlx5_0 '4: ACTIVE' '5: LinkUp'
    is "so is what was gone and is back" "$(healthcheck)" "${first#*$'\n'}"
    sed -i 's/since_ms=.*/since_ms=18446744073709551615/' /run/cluster-env/healthcheck/told
    is "what a boot before told is told again" "$(healthcheck)" "$first"
    configure "mode = ;"
    is "a broken configuration is told" "$(healthcheck)" "not checked: /etc/slurm/cluster-env.conf:1: syntax error"
    empty "once" "$(healthcheck)"
    configure ""
    is "a prolog says all, each time" "$(phase prolog 13; phase prolog 13; grep -c 'would be drained' "$work/said")" "0
0
1"
}

test_at_once() {
    local k started=() before
    configure ""
    before=$(wc -l <$log)
    for k in {1..8}; do
        SLURM_JOB_ID=$k SLURMD_NODENAME=node1 ./prolog/cluster-prolog >/dev/null 2>&1 &
        started+=($!)
    done
    wait "${started[@]}"
    is "eight prologs at once: eight lines, all whole" \
        "$(tail -n +$((before + 1)) $log | jq -r .job | sort | tr '\n' ' ')" "1 2 3 4 5 6 7 8 "
}

# ---------------------------------------------------------------- who reads them

test_promtool() {
    local name='promtool finds nothing to say of' file
    for file in "$metrics"/cluster_env_{prolog,epilog}.prom "$top/docs/examples/cluster-env.rules.yml"; do
        if ! command -v promtool >/dev/null; then skip "$name ${file##*/}" "prometheus is not installed"
        elif [[ $file == *.prom ]]; then empty "$name ${file##*/}" "$(promtool check metrics <"$file" 2>&1)"
        else ok "$name ${file##*/}" promtool check rules "$file"; fi
    done
    test_alerts
}

# Which alerts the metrics of a file raise: each expression of the rules, asked of promtool.
test_alerts() {
    local name="the alerts are raised by what is written"
    command -v promtool >/dev/null || { skip "$name" "prometheus is not installed"; return; }
    configure "mode = \"drain\"; $metrics_key"
    phase prolog 11 >/dev/null
    sed -e 's/{phase=/{instance="n1",phase=/' -e '/^#/d' "$metrics/cluster_env_prolog.prom" >"$work/series"
    configure "mode = ;"
    {
        echo "rule_files: [ $top/docs/examples/cluster-env.rules.yml ]"
        echo "tests:"
        echo "  - interval: 1m"
        echo "    input_series:"
        while read -r series value; do printf "      - series: '%s'\n        values: '%s+0x10'\n" "$series" "$value"; done <"$work/series"
        echo "    alert_rule_test:"
        alert ClusterEnvFault 'instance: n1, check: ib.port.state, severity: warning' 'n1: ib.port.state found a fault to drain for' \
            "sinfo -R -o '%150E %N' has the reason; with mode = \\\"observe\\\" health.jsonl has it."
        alert ClusterEnvConfigError
        alert ClusterEnvHeldBack
        alert ClusterEnvManyFaults
    } >"$work/alerts.yml"
    ok "$name" promtool test rules "$work/alerts.yml"
}

alert() { # NAME [LABELS SUMMARY DESCRIPTION]: it is raised, with these; without them it is not
    printf '      - eval_time: 5m\n        alertname: %s\n        exp_alerts:\n' "$1"
    [[ $# -eq 1 ]] || printf '          - exp_labels: { %s }\n            exp_annotations: { summary: "%s", description: "%s" }\n' "${@:2}"
}

test_exporter() {
    local name="a node_exporter hands on the metrics of both phases" read=
    command -v prometheus-node-exporter >/dev/null || { skip "$name" "prometheus-node-exporter is not installed"; return; }
    ip link set lo up
    prometheus-node-exporter --web.listen-address=127.0.0.1:9100 --collector.disable-defaults --collector.textfile \
        --collector.textfile.directory="$metrics" >"$work/exporter.log" 2>&1 &
    exporter=$!
    for _ in {1..100}; do
        read=$(scrape) && break
        sleep 0.1
    done
    kill "$exporter"
    wait "$exporter" 2>/dev/null || true
    exporter=''
    is "$name" "$(grep -cE '^cluster_env_run_done\{done="(drained|observed)",phase="(prolog|epilog)"\} 1$' <<<"$read")" 2
    is "and finds no error" "$(grep '^node_textfile_scrape_error' <<<"$read")" "node_textfile_scrape_error 0"
}
scrape() {
    exec 3<>/dev/tcp/127.0.0.1/9100 || return
    printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3
    timeout 10 cat <&3
} 2>/dev/null

test_logrotate() {
    local logrotate snippet=$top/etc/logrotate.d/cluster-env copy=/etc/logrotate.conf said
    logrotate=$(PATH=$PATH:/usr/sbin command -v logrotate) || { skip "logrotate takes the snippet" "logrotate is not installed"; return; }
    cp "$snippet" $copy && chmod 644 $copy
    said=$("$logrotate" -d $copy 2>&1) && empty "logrotate takes the snippet" "$(grep -i '^error' <<<"$said")"
    "$logrotate" -f -s "$work/state" $copy >"$work/rotated" 2>&1 && said=well || said=$(cat "$work/rotated")
    is "logrotate rotates" "$said" well
    configure ""
    phase prolog 12 >/dev/null
    is "it rotates, and the next run goes on in a file of the same mode" \
        "$(wc -l <$log) $(stat -c %a $log) $(find /var/log/cluster-env -type f | wc -l)" "1 640 2"
}

enter_machine
test_runs
test_policy
test_trouble
test_deadline
test_again
test_at_once
test_promtool
test_exporter
test_logrotate
finish
