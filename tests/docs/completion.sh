#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bash completion: commands, long options, values. TAP.
set -u
here=$(cd "${srcdir:-.}/tests/docs" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$here/../tap.sh"
top=$here/../..
PATH=$PWD/cli:$PATH
plan 15

# shellcheck disable=SC2317 # bash has it only while it completes; the completion calls it
compopt() { :; }
# shellcheck source=/dev/null
. "$top/completions/cluster-env.bash"

# complete_line LINE: what the end of LINE is completed to, one word a line. Words are broken as bash
# does, at blanks and '='.
complete_line() {
    local words
    COMP_LINE=$1 COMP_POINT=${#1}
    read -ra words <<<"${1//=/ = }"
    if [[ $1 == *[[:space:]] || $1 == *= ]]; then words+=(''); fi
    # shellcheck disable=SC2034 # completion reads it
    COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1))
    _cluster_env cluster-env '' ''
    printf '%s\n' "${COMPREPLY[@]}" | sort
}

lines() { printf '%s\n' "$@" | sort; }

commands=$(cluster-env --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
# shellcheck disable=SC2086
is "all commands that --help lists" "$(complete_line 'cluster-env ')" "$(lines --help --version $commands)"
is "the beginning of a command" "$(complete_line 'cluster-env hos')" hostfile
is "long options of show" "$(complete_line 'cluster-env show --')" \
    "$(lines --all --export --help --json --option= --run= --usage)"
is "the beginning of an option" "$(complete_line 'cluster-env facts --w')" --write

missing=
for command in $commands; do
    offered=$(complete_line "cluster-env $command --")
    for option in $(cluster-env "$command" --help | sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\2/p'); do
        grep -qE -- "^$option=?\$" <<<"$offered" || missing+=" $command:$option"
    done
done
empty "all long options that --help prints, of every command" "$missing"

formats=$(cluster-env hostfile --format=none 2>&1 | sed -n 's/.*valid are: //p' | tr -d ,)
# shellcheck disable=SC2086
is "all formats, behind =" "$(complete_line 'cluster-env hostfile --format=')" "$(lines $formats)"
is "a format, behind a blank" "$(complete_line 'cluster-env hostfile --format dee')" deepspeed
items=$(sed -n 's/^#define CE_REQUEST_ITEMS "\(.*\)"/\1/p' "$top/lib/model/request.h" |
    sed 's/port=N ([^)]*)/port=/; s/rdma=auto|off|require/rdma=auto rdma=off rdma=require/; s/torchrun=on|off/torchrun=on torchrun=off/
        s/output=all|primary/output=all output=primary/; s/retries=N ([^)]*)/retries=/' | tr -d ,)
# shellcheck disable=SC2086
is "all items of the option" "$(complete_line 'cluster-env show --option=')" "$(lines $items)"
is "only what is behind the last =" "$(complete_line 'cluster-env show --option=torchrun=of')" off
is "phases" "$(complete_line 'cluster-env check --phase=')" "$(lines epilog manual prolog)"
is "checks" "$(complete_line 'cluster-env check --only ib.port.s')" ib.port.state
is "what bench tests" "$(complete_line 'cluster-env bench ')" "$(lines gpu nccl rdma)"
is "tests of a GPU" "$(complete_line 'cluster-env bench gpu --tests=d2')" "$(lines d2d d2h)"
is "folders" "$(complete_line "cluster-env facts --run=$top/complet")" "$top/completions"
is "nothing where nothing is known" "$(complete_line 'cluster-env show x')" ""
finish
