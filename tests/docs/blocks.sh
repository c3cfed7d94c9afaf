#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every block of README.md, docs/*.md and the manual pages: a command, which runs here or in tests/cluster/test_docs.sh; a piece of a
# configuration, which is read; output, which is what is printed; or a comment before it says why it is none
# of these. The comments, <!-- on: head -->, are those of docs/admin.md. TAP.
set -u
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
# shellcheck source-path=SCRIPTDIR source=shape.sh
. "$top/tests/docs/shape.sh"
# shellcheck source-path=SCRIPTDIR source=../public/cluster.sh
. "$top/tests/public/cluster.sh"
# shellcheck source-path=SCRIPTDIR source=../program/status_cluster.sh
. "$top/tests/program/status_cluster.sh"
work=$(mktemp -d "$PWD/blocks.XXXXXX") # /tmp may be mounted noexec
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

mkdir "$work/blocks" "$work/bin"
awk -v folder="$work/blocks" -f "$top/tests/docs/blocks.awk" "$top/README.md" "$top"/docs/*.md "$top"/docs/man/*.in
make_status_cluster "$work" 512 2>/dev/null # without python3 there are no logs
readonly logged=$work/logs/gpu-034.jsonl     # of a node with a fault

where_of() { sed -n 1p "$1"; }
place_of() { sed -n 2p "$1"; }
text_of() { tail -n +3 "$1"; }

# The blocks at a place.
blocks_at() { # PATTERN
    local file
    for file in "$work"/blocks/*; do
        # shellcheck disable=SC2053 # it is a pattern
        [[ $(place_of "$file") != $1 ]] || printf '%s\n' "$file"
    done
}

# ---------------------------------------------------------------- every block has its place

# Who follows a block: a test that takes all blocks of this place in this document.
follower() { # PLACE WHERE
    case $1,$2 in
        "not run: "?*) echo nobody ;;
        "printed by the demo: ./demo,"*) echo test_demo.sh ;;
        "script,frameworks.md:"*) echo frameworks.sh ;;
        *,admin.md:*) grep -qE '^(on|file): ' <<<"$1" && echo test_admin.sh ;;
        prompt,* | script,* | "on: user,"* | "on: head,"* | "on: first node,"* | "on: every node,"* | "printed on "*)
            echo test_docs.sh ;;
        "file: slurm.conf,prolog.md:"*) echo test_docs.sh ;;
        "file: "*.conf,* | "file: /etc/prometheus/"* | "file: /etc/grafana/"* | "file: /etc/slurm/cluster-env.hosts,"* | \
            "file: node.facts,"* | "file: a program in C,"* | "printed here: "* | reason,* | "on: the machine of Prometheus,"* | \
            "on: a machine with jq,"* | "on: a task with jq,"* | "on: a task, in Python,"*) echo blocks.sh ;;
    esac
}

without_place() {
    local file
    for file in "$work"/blocks/*; do
        [[ -n $(follower "$(place_of "$file")" "$(where_of "$file")") ]] || where_of "$file"
    done
}

# test_docs.sh names the documents whose blocks it runs.
not_in_test_docs() {
    local file
    for file in "$work"/blocks/*; do
        [[ $(follower "$(place_of "$file")" "$(where_of "$file")") == test_docs.sh ]] || continue
        where_of "$file" | cut -d: -f1
    done | sort -u | while read -r document; do
        sed -n '/^readonly documents=(/,/)/p' "$top/tests/cluster/test_docs.sh" | grep -qE "[ (]$document([ )]|\$)" || echo "$document"
    done
}

is "the documents have blocks" "$([[ $(find "$work/blocks" -type f | wc -l) -ge 80 ]] && echo yes)" yes
empty "each is followed by a test, or says why not" "$(without_place)"
empty "tests/cluster/test_docs.sh has the documents with commands for a cluster" "$(not_in_test_docs)"

# ---------------------------------------------------------------- configurations

config_errors() {
    local file
    for file in $(blocks_at "file: cluster-env.conf"); do
        text_of "$file" >"$work/conf"
        ./cli/cluster-env config --check="$work/conf" >"$work/out" 2>&1 || { where_of "$file"; cat "$work/out"; }
    done
}
is "there are pieces of cluster-env.conf" "$([[ $(blocks_at "file: cluster-env.conf" | wc -l) -ge 3 ]] && echo yes)" yes
empty "config --check takes each" "$(config_errors)"

# slurm.conf: those of prolog.md are in that of test_docs.sh, those of admin.md in that of test_admin.sh.
slurm_lines() { text_of "$1" | sed 's/ *#.*//'; }
other_slurm_lines() {
    local file
    slurm_lines "$(blocks_at "file: /etc/slurm/slurm.conf")" >"$work/slurm.conf"
    for file in $(blocks_at "file: slurm.conf"); do
        slurm_lines "$file" | grep -vxFf "$work/slurm.conf" | sed "s/^/$(where_of "$file"): /"
        [[ $(slurm_lines "$file") != *Prolog=*Epilog=* || $(slurm_lines "$file" | wc -l) -eq 4 ]] || where_of "$file"
    done
}
is "documents have lines for slurm.conf" "$([[ $(blocks_at "file: *slurm.conf" | wc -l) -ge 7 ]] && echo yes)" yes
empty "which are those of docs/admin.md" "$(other_slurm_lines)"
empty "the line for plugstack.conf is that of etc/plugstack.conf" "$(for file in $(blocks_at "file: plugstack.conf"); do
    text_of "$file" | grep -vxFf <(grep -v '^#' "$top/etc/plugstack.conf"); done)"

# ---------------------------------------------------------------- words

# Names of checks in drain reasons and findings; those of configurations were looked at above.
named_checks() {
    grep -ohE '\[cluster-env [a-z0-9_.]+\]' "$work"/blocks/* | tr -d '[]' | cut -d' ' -f2
    grep -ohE '^(pass|fail|warn|skip|unknown) +(ib|gpu|host|gang|bench)\.[a-z0-9_.]+' "$work"/blocks/* | awk '{ print $2 }'
}
unknown_checks() {
    named_checks | sort -u | while read -r name; do
        printf 'checks = ( { name = "%s"; fault = "warn"; } );\n' "$name" >"$work/conf"
        ./cli/cluster-env config --check="$work/conf" >/dev/null 2>&1 || echo "$name"
    done
}
# What stands behind the last semicolon of a reason, before its name, or of a finding.
unknown_remedies() {
    sed -nE 's/.*; (.*) \[cluster-env [a-z0-9_.]+\].*/\1/p; s/^fail +(ib|gpu|host|gang|bench)\..*; (.*)/\2/p' "$work"/blocks/* | sort -u | while read -r remedy; do
        grep -rqF "$remedy" "$top/lib/checks" || echo "$remedy"
    done
}
# Of this tree, in blocks and in why they are not run.
missing_files() {
    grep -ohE '(^|[^a-zA-Z0-9/_-])(tests|docs|etc|packaging|build-aux|helpers)/[A-Za-z0-9_./-]*[A-Za-z0-9]' "$work"/blocks/* | sed 's/^[^a-z]*//' |
        sort -u | while read -r path; do [[ -e $top/$path ]] || echo "$path"; done
}
missing_targets() {
    grep -ohE '(^|sudo |&& )make( [a-z-]+)+' "$work"/blocks/* | sed 's/.*make //' | tr ' ' '\n' | sort -u |
        while read -r target; do grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" Makefile || echo "$target"; done
}
empty "files of this tree that they name are there" "$(missing_files)"
empty "and what make is to make" "$(missing_targets)"
is "reasons and findings are shown" "$([[ $(named_checks | sort -u | wc -l) -ge 6 ]] && echo yes)" yes
empty "their checks are there" "$(unknown_checks)"
empty "and their remedies" "$(unknown_remedies)"

# Items of the option, in blocks and in the text; x is that of a plugin of the tests, in hooks.md.
wrong_items() {
    write_texts "$work/run"
    cat "$top/README.md" "$top"/docs/*.md "$top"/docs/man/*.in | sed 's/\\-/-/g' | grep -ohE -- '--cluster-env=[a-z][a-zA-Z0-9=,]*' |
        sed 's/^--cluster-env=//; s/=N/=7/' | grep -vx x | sort -u | while read -r items; do
        as_task 3 ./cli/cluster-env show --run="$work/run" --option="$items" 2>&1 | grep 'is not a valid item'
    done
}
empty "every item of --cluster-env that is written somewhere is one" "$(wrong_items)"

# ---------------------------------------------------------------- commands that need no cluster

# Folders of an installed package and of a site are elsewhere here.
here() {
    sed -e "s|/usr/share/doc/slurm-cluster-env|$top/docs|g" -e "s|/etc/prometheus|$work/prometheus|g" \
        -e "s|/var/log/cluster-env/health.jsonl|$work/health.jsonl|" -e "s|/srv/health|$work/logs|" -e 's/^[#$] //'
}
followed() { # FILE COMMAND...: the block as a script; it ends well and prints something
    text_of "$1" | here >"$work/script"
    ok "$(where_of "$1"): $(head -n 1 "$work/script" | cut -c1-100)" "${@:2}" "$work/script"
    [[ -n $tap_out ]] || fail "and prints something"
}
mkdir "$work/prometheus"
for file in $(blocks_at "on: the machine of Prometheus"); do
    if command -v promtool >/dev/null; then followed "$file" bash -e
    else skip "$(where_of "$file")" "prometheus is not installed"; fi
done
for file in $(blocks_at "file: /etc/prometheus/prometheus.yml"); do
    if command -v promtool >/dev/null; then
        text_of "$file" | here >"$work/prometheus/prometheus.yml"
        ok "$(where_of "$file"): promtool takes it" promtool check config "$work/prometheus/prometheus.yml"
    else skip "$(where_of "$file")" "prometheus is not installed"; fi
done
for file in $(blocks_at "file: /etc/grafana/*"); do
    folder=$(text_of "$file" | here | sed -n 's/.*path: \([^ }]*\).*/\1/p')
    ok "$(where_of "$file"): the dashboard is in the folder that it names" test -e "$folder/grafana-dashboard.json"
done
[[ ! -e $logged ]] || sed 's/"done": "drained"/"done": "observed"/' "$logged" >"$work/health.jsonl"
for file in $(blocks_at "on: a machine with jq"); do
    if command -v jq >/dev/null && [[ -e $logged ]]; then followed "$file" bash -e -o pipefail
    else skip "$(where_of "$file")" "jq or python3 is not installed"; fi
done
ln -s "$PWD/cli/cluster-env" "$work/bin/cluster-env"
for file in $(blocks_at "on: a task, in Python"); do
    { text_of "$file"; echo 'assert (rank, ips) == (1, ["10.20.0.11", "10.20.0.12", "10.20.0.13", "10.20.0.14"]), (rank, ips)'; } >"$work/script"
    sed -i "s|\"info\", |&\"--run=$work/run\", |" "$work/script"
    if command -v python3 >/dev/null; then ok "$(where_of "$file"): rank and addresses" as_task 3 env PATH="$work/bin:$PATH" python3 "$work/script"
    else skip "$(where_of "$file")" "python3 is not installed"; fi
done

for file in $(blocks_at "on: a task with jq"); do
    text_of "$file" | sed "s|cluster-env info|& --run=$work/run|" >"$work/script"
    if command -v jq >/dev/null; then
        is "$(where_of "$file"): $(text_of "$file")" "$(as_task 3 env PATH="$work/bin:$PATH" sh "$work/script" 2>&1)" 10.20.0.13
    else skip "$(where_of "$file")" "jq is not installed"; fi
done
for file in $(blocks_at "file: a program in C"); do
    text_of "$file" >"$work/program.c"
    # shellcheck disable=SC2046 # a compiler may be several words
    ok "$(where_of "$file"): it compiles" $(setting CC) -std=c11 -Wall -Wextra -Werror -I"$top/include" -fsyntax-only "$work/program.c"
done
for file in $(blocks_at "file: node.facts"); do
    text_of "$file" >"$work/node.facts"
    ok "$(where_of "$file"): cluster-env reads it" ./cli/cluster-env topology --facts="$work/node.facts"
done
for file in $(blocks_at "file: /etc/slurm/cluster-env.hosts"); do
    text_of "$file" >"$work/hosts"
    echo "address_book = \"$work/hosts\";" >"$work/conf"
    ok "$(where_of "$file"): cluster-env reads it" ./cli/cluster-env topology --facts="$work/node.facts" --config="$work/conf"
    grep -qF 'owns an address of the address book' <<<"$tap_out" || fail "and finds the node there" "$tap_out"
done

# ---------------------------------------------------------------- what is printed

# cluster-env as a document has it, for the cluster of the tests or a recorded machine
print() {
    local words
    read -ra words <<<"${1#cluster-env }"
    words=("${words[@]/--from=logs/--from=$work/logs}")
    words=("${words[@]/--facts=/--facts=$top/}")
    [[ ${words[0]} != status ]] || words+=(--helpers="$work/helpers")
    LC_ALL=C.UTF-8 ./cli/cluster-env "${words[@]}" 2>&1 | sed "s|Slurm and $work/logs|Slurm and srun|"
}
while read -r file; do
    command=$(place_of "$file" | sed 's/^printed here: //')
    if [[ $command == *--from=logs* && ! -e $logged ]]; then skip "$command" "python3 is not installed"; continue; fi
    empty "$(where_of "$file"): $command" "$(not_printed "$(text_of "$file")" "$(print "$command")")"
done < <(blocks_at "printed here: *")
finish
