#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cluster-env status on 512 nodes that hold every verdict: the table, JSON, the page, a folder of logs, and the
# gathering over Slurm, with scripts in the places of slurm-node and srun. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
command -v jq >/dev/null || skip_all "jq is not installed"
work=$(mktemp -d "$PWD/status.XXXXXX") # /tmp may be mounted noexec
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
# shellcheck source-path=SCRIPTDIR source=status_cluster.sh
. "$top/tests/program/status_cluster.sh"
make_status_cluster "$work" 512

# status OPTION...: its exit status; what it says is in $work/out and $work/err.
status() {
    ./cli/cluster-env status "$@" >"$work/out" 2>"$work/err" && echo 0 || echo $?
}
whole() { status --from="$work/logs" --states --helpers="$work/helpers" "$@"; }
column() { awk -v n="$1" 'NR > 2 { print $n }' "$work/out"; }
rows() { sed -n '3,$p' "$work/out" | wc -l; }
json() { jq -r "$1" "$work/out"; }
# the JSON inside a page
data_of() { sed -n '/<script id="data"/,/<\/script>/{ s/<\/script>$//; /^<script/d; p; }' "$1"; }

# ---------------------------------------------------------------- the table

is "nodes are down and have faults: exit status 1" "$(whole)" 1
is "the totals, the worst first" "$(sed -n '1s/ (.*//p' "$work/out")" \
    "512 nodes: 3 down, 41 fault, 3 out, 3 unknown, 6 warn, 1 unseen, 455 ok"
is "at most 40 rows elsewhere than on a terminal" "$([ "$(rows)" -le 40 ] && echo yes)" yes
is "which are all nodes" "$(column 3 | awk '{ n += $1 } END { print n }')" 512
is "the worst first" "$(column 1 | uniq | tr '\n' ' ')" "down fault out unknown warn unseen ok "
is "nodes of which the same is to be said are one row" "$(grep -c 'ib.port.state' "$work/out")" 2
is "with a host list, and the reason" "$(sed -n 's/  */ /g; s/^fault draining 15 8 7\/8 [0-9a-z ]* gpu/gpu/p' "$work/out")" \
    "gpu-[034,068,102,136,170,204,238,272,306,340,374,408,442,476,510] mlx5_4/1 DOWN (Polling), expected ACTIVE; check cable and switch port [cluster-env ib.port.state]"
is "a reason of other people's is no fault of ours" "$(awk '$1 == "out" { print $2, $3 }' "$work/out")" "drained 3"
is "bad lines are counted and named, and nothing else" "$(cat "$work/err")" \
    "$(printf 'cluster-env status: %s\n' 'gpu-005/health.jsonl: 2 of its lines are none of health.jsonl: not JSON' \
        'gpu-009/health.jsonl: 1 of its lines are none of health.jsonl: schema: expected 1')"
is "their nodes are there all the same" "$(awk '$1 == "unseen" { print $NF, $8 }' "$work/out" | grep -c 'log')" 1
empty "nothing in it can draw on a terminal" "$(LC_ALL=C grep -n '[[:cntrl:]]' "$work/out" || true)"

for limit in 20 10; do
    whole --rows=$limit >/dev/null
    is "--rows=$limit: no more, and all nodes" "$([ "$(rows)" -le $limit ] && column 3 | awk '{ n += $1 } END { print n }')" 512
done
whole --rows=0 >/dev/null
is "--rows=0: all that differ" "$([ "$(rows)" -ge 20 ] && echo yes)" yes

# ---------------------------------------------------------------- a terminal

if command -v script >/dev/null; then
    script -qec "stty cols 100 rows 24; ./cli/cluster-env status --from='$work/logs' --states --helpers='$work/helpers'" /dev/null >"$work/tty" </dev/null || true
    tr '\r' '\n' <"$work/tty" | sed 's/\x1b\[[0-9;]*[mK]//g' >"$work/plain"
    empty "on a terminal no line is longer than it is wide" "$(awk 'length > 100 && !/ nodes: |^cluster-env status: /' "$work/plain")"
    is "nor are there more rows than it is high" "$([ "$(sed -n '/^HEALTH/,$p' "$work/plain" | grep -c .)" -le 22 ] && echo yes)" yes
    is "the progress is shown, and wiped out" "$(grep -c 'of 512 nodes' "$work/tty")" "$(grep -c 'of 512 nodes.*.\[K' "$work/tty")"
    is "colour tells what words tell" "$(grep -c '.\[31mfault' "$work/tty" | awk '$1 > 1 { print "yes" }')" yes
    NO_COLOR=1 script -qec "./cli/cluster-env status --from='$work/logs'" /dev/null >"$work/tty" </dev/null || true
    is "NO_COLOR: none" "$(grep -c '.\[3[0-9]m' "$work/tty")" 0
else
    skip "on a terminal" "script is not installed"
fi

# ---------------------------------------------------------------- programs and pages

is "--json: exit status 1 too" "$(whole --json)" 1
is "schema, nodes and totals" "$(json '[.schema, (.nodes | length), ([.summary[]] | add), .summary.fault] | @csv')" 1,512,512,41
# shellcheck disable=SC2016 # jq expands it
is "in the order of the table" "$(json '[.nodes[].health] | reduce .[] as $h ([]; if .[-1] == $h then . else . + [$h] end) | join(" ")')" \
    "down fault out unknown warn unseen ok"
is "a node: what Slurm says, what the last check found" \
    "$(json '.nodes[] | select(.name == "gpu-051") | [.state, .since, .gpus.found, .rails.up, .rails.expected, .check.phase, .check.job, .check.findings[0].subject] | @csv')" \
    '"drained","2026-11-21T14:06:40Z",8,7,8,"epilog",4051,"mlx5_4/1"'
is "what was measured" "$(json '[.nodes[] | select(.name == "gpu-064") | .bench[].measured[] | select(.unit == "Gb/s" and .value < 200)] | map([.what, .device, .value, .unit]) | .[] | @csv')" \
    '"rdma.write","mlx5_3/1",198,"Gb/s"'
is "of each test the last" "$(json '.nodes[] | select(.name == "gpu-064") | .bench[] | [.test, .time, (.measured | length)] | @csv')" \
    '"rdma","2026-11-20T15:09:34Z",8
"gpu","2026-11-20T16:09:34Z",8
"nccl","2026-11-20T17:09:34Z",2'
is "and of a node that was not tested, none" "$(json '.nodes[] | select(.name == "gpu-065") | .bench | length')" 0
is "a node that could not be checked" "$(json '.nodes[] | select(.name == "gpu-077") | [.health, .check.checked, .check.misconfigured, .word] | @csv')" \
    '"unknown",false,true,"/etc/slurm/cluster-env.conf:12: expected a number"'
is "what is ignored is no warning" "$(json '.nodes[] | select(.name == "gpu-350") | .health')" ok
cp "$work/out" "$work/json"

whole --html="$work/page.html" >/dev/null
is "--html prints nothing" "$(cat "$work/out")" ""
is "the page holds the same JSON" "$(data_of "$work/page.html" | jq -S 'del(.time)' | cksum)" "$(jq -S 'del(.time)' "$work/json" | cksum)"
is "of which no letter ends its element" "$(data_of "$work/page.html" | grep -c '[<>&]')" 0
empty "it names nothing outside" "$(sed '/<script id="data"/,/<\/script>/d' "$work/page.html" | grep -noE '(src|href)=|https?://|url\(|@import|fetch\(' || true)"
is "and forbids it" "$(grep -c "default-src 'none'" "$work/page.html")" 1
is "anybody may read it" "$(stat -c %a "$work/page.html")" 644
whole --html=- >/dev/null
is "--html=-: standard output" "$(sed 's/"time":"[^"]*"//' "$work/out" | cksum)" "$(sed 's/"time":"[^"]*"//' "$work/page.html" | cksum)"
ln -s "$work/page.html" "$work/link.html"
is "a link is not written through" "$(whole --html="$work/link.html")" 3
is "nor a folder that is not there" "$(whole --html="$work/none/page.html")" 3

whole --bench >/dev/null
is "--bench: the slowest first, with its device" "$(awk '/^rdma.write/ { on = 1; next } on && !/LEAST/ { print $1, $NF, $(NF - 1); exit }' "$work/out")" \
    "198 mlx5_3/1 gpu-064"
is "--bench: what all say together" "$(grep -c 'rdma.write (Gb/s) on 128 nodes: 198 to' "$work/out")" 1
is "--bench: each test's own, one does not hide another's" "$(grep -o '^[a-z][a-z0-9.]* ([A-Za-z/]*) on 128 nodes' "$work/out" | cut -d' ' -f1 | paste -sd' ' -)" \
    "gpu.d2h nccl.allreduce nccl.allreduce.gang rdma.write"

# ---------------------------------------------------------------- folders

mkdir "$work/empty" "$work/odd" "$work/odd/dir.jsonl" "$work/shared"
is "a folder without logs: 3" "$(status --from="$work/empty")" 3
is "and says what it looked for" "$(cat "$work/err")" "cluster-env status: $work/empty: no NODE.jsonl and no NODE/health.jsonl in it"
is "one that is not there: 3" "$(status --from="$work/none")" 3
is "so it says" "$(cat "$work/err")" "cluster-env status: $work/none: No such file or directory"
mkfifo "$work/odd/fifo.jsonl"
ln -s /dev/zero "$work/odd/zero.jsonl"
head -c 3000000 /dev/urandom >"$work/odd/noise.jsonl"
head -c 3000000 /dev/zero | tr '\0' '[' >"$work/odd/deep.jsonl"
: >"$work/odd/new.jsonl"
is "pipes, devices, folders, noise in the places of logs: none is fatal" "$(status --from="$work/odd")" 0
is "all of them are named" "$(sed -n '1s/:.*//p' "$work/out") $(grep -cE '(fifo|zero|dir|noise).jsonl: ' "$work/err")" "6 nodes 4"
cat "$work/logs/gpu-016.jsonl" "$work/logs/gpu-017/health.jsonl" >"$work/shared/all.jsonl"
printf '%s' '{"schema":1,"node":"half' >>"$work/shared/all.jsonl"
is "one log of several nodes: its lines name them" "$(status --from="$work/shared" --json; json '[.nodes[] | .name + " " + .health] | join(", ")')" \
    "1
gpu-017 fault, gpu-016 ok"
is "a line that is being written is none yet" "$(cat "$work/err")" ""

for clash in "--json --html=x" "--json --bench" "--local --states" "--rows=x" "--parallel=65"; do
    # shellcheck disable=SC2086 # options are words
    is "$clash: usage" "$(status $clash)" 2
done

# ---------------------------------------------------------------- over Slurm

mkdir "$work/gather" "$work/bin"
cat >"$work/gather/slurm-node" <<'END'
#!/bin/sh
awk 'BEGIN { print "format=1\nnodes=9"
    split("well busy sick off shy noise mute full slow", name); split("idle mixed drained down idle idle idle allocated idle", state)
    for (i = 1; i <= 9; i++) printf "node.%d.name=%s\nnode.%d.state=%s\nnode.%d.partition=all\nnode.%d.gpus=4\n", i - 1, name[i], i - 1, state[i], i - 1, i - 1
    print "node.2.reason=GPU 1 fell off [cluster-env gpu.xid]\nnode.2.since=1795270000\nend=1" }'
END
cat >"$work/bin/srun" <<'END'
#!/bin/sh
for word; do case $word in
    --help) exit 0 ;;
    --nodelist=*) node=${word#*=} ;;
esac; words="$words $word"; done
case $words in *'/cluster-env status --local') ;; *) echo "called: $words" >&2; exit 9 ;; esac
line() { echo "{\"schema\":1,\"time\":\"2026-11-21T15:00:00Z\",\"node\":\"$1\",\"phase\":\"$2\",\"gpus\":{\"found\":8,\"expected\":8},\"rails\":{\"up\":2,\"expected\":2},$3}"; }
case $node in
    well) line someone-else prolog '"checked":true' ;;
    busy) echo 'a TaskProlog says this'; line busy prolog '"checked":true'
        line busy bench '"checked":true,"measured":[{"what":"rdma.write","device":"mlx5_0/1","value":391.2,"unit":"Gb/s"}]' ;;
    shy) line shy facts '"checked":false,"error":"/var/log/cluster-env/health.jsonl: Permission denied"' ;;
    noise) echo hello; echo '{"schema":1' ;;
    mute) exec sleep 60 ;;
    slow) echo 'srun: error: nodes are busy' >&2; exit 1 ;;
    *) echo "$node was asked" >&2; exit 9 ;;
esac
END
chmod 755 "$work/gather/slurm-node" "$work/bin/srun"
PATH=$work/bin:$PATH
export PATH
is "a node is down: 1" "$(status --helpers="$work/gather" --timeout=5 --json)" 1
is "each node's health" "$(json '[.nodes[] | .name + " " + .health] | join(", ")')" \
    "off down, sick fault, mute silent, noise silent, slow silent, full unseen, shy unseen, busy ok, well ok"
is "why they are silent" "$(json '.nodes[] | select(.health == "silent") | .word')" \
    "no answer in 5 s
it answered nothing that is understood
exit status 1: srun: error: nodes are busy"
is "an answer is of the node that was asked, whatever it says" "$(json '.nodes[] | select(.name == "well") | .rails.up')" 2
is "one that may not read the log tells what the node has" "$(json '.nodes[] | select(.name == "shy") | [.gpus.found, .check, .missing] | @csv')" \
    '8,,"/var/log/cluster-env/health.jsonl: Permission denied"'
is "GPUs of a node that is not asked are Slurm's" "$(json '.nodes[] | select(.name == "full") | [.gpus.found, .missing] | @csv')" '4,"not asked: allocated, no job fits"'
is "what was measured comes, too" "$(json '.nodes[] | select(.name == "busy") | .bench[0].measured[0].value')" 391.2
is "in a pipe it says only what is wrong" "$(cat "$work/err")" \
    "$(printf 'cluster-env status: %s\n' 'noise: 1 of its lines are none of health.jsonl: not JSON' \
        'the last checks of 1 nodes are not known: shy: /var/log/cluster-env/health.jsonl: Permission denied' \
        '1 nodes at work were not asked, for no job fits there: full; bring their logs together, and use --from=DIR --states')"
status --helpers="$work/gather" --timeout=60 --within=5 >/dev/null
is "--within: for all nodes together" "$(grep -c 'mute .*no answer in 5 s' "$work/out")" 1
status --helpers="$work/gather" --states --json >/dev/null
is "--states asks no node" "$(json '[.nodes[] | .health] | join(" ")')" "down fault unseen unseen unseen unseen unseen unseen unseen"
is "no slurm-node: 3" "$(status --helpers="$work/none")" 3

# ---------------------------------------------------------------- on a node

mkdir "$work/run"
printf 'format=1\nreports.log=%s/health.jsonl\nrails.count=2\nend=1\n' "$work" >"$work/run/node.policy"
printf 'format=1\nhost.name=n7\ngpu.count=4\nend=1\n' >"$work/run/node.facts"
here() { status --local --run="$work/run" --node=n7; }
is "--local without a log: what the node has, and why no more" "$(here; json '[.phase, .node, .gpus.found, .rails.expected, .checked, .error] | @csv')" \
    "0
\"facts\",\"n7\",4,2,false,\"$work/health.jsonl: No such file or directory\""
{ cat "$work/logs/gpu-064.jsonl"; echo garbage; } >"$work/health.jsonl"
is "--local: the last check and the last of each test, as they stand there" "$(here; cksum <"$work/out")" \
    "0
$({ tail -n 1 "$work/logs/gpu-064.jsonl"; grep '"bench"' "$work/logs/gpu-064.jsonl" | tail -n 3; } | cksum)"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$work" "$work/run"
    chmod 600 "$work/health.jsonl"
    if setpriv --reuid=65534 --clear-groups test -r "$work/run/node.facts" -a -x ./cli/cluster-env; then
        setpriv --reuid=65534 --clear-groups ./cli/cluster-env status --local --run="$work/run" --node=n7 >"$work/out" || true
        is "--local as a user who may not read the log" "$(json '[.phase, .gpus.found, .error] | @csv')" \
            "\"facts\",4,\"$work/health.jsonl: Permission denied\""
    else
        skip "--local as another user" "who may not come here"
    fi
else
    skip "--local as another user" "needs root and setpriv"
fi
finish
