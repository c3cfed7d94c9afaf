#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/*.md: the table of variables is the one of lib/launch/variables.c, links lead somewhere, and
# what is to be typed exists. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
documents=$(ls "$top"/docs/*.md)

# The table of a document whose first line is this.
table() { # FILE FIRST_LINE
    awk -v first="$2" '$0 == first { on = 1 } on && !/^\|/ { exit } on' "$1"
}

# Targets of relative links, with the folder of the document that has them.
broken_links() {
    for file in $documents; do
        grep -oE '\]\([^)#:]+' "$file" | sed 's/^](//' | while read -r target; do
            [ -e "$(dirname "$file")/$target" ] || echo "${file##*/}: $target"
        done
    done
}

# "cluster-env WORD [--option ...]", as documents have them in code.
typed() {
    # shellcheck disable=SC2086,SC2016 # files are words; the quotes are those of markdown
    grep -ohE '(^    .*|`|`[^`]*[ (])cluster-env [a-z]+[^`|>;)]*' $documents |
        grep -oE '(^|[^-])cluster-env [a-z]+( .*)?$' |
        # what stands behind the command that `run` runs is the command's
        sed 's/^[^c]//; s/^\(cluster-env run\( -[^ ]*\)* [^ -][^ ]*\) .*/\1/'
}

wrong_commands() {
    typed | while read -r _ command rest; do
        options=$(./cli/cluster-env "$command" --help 2>/dev/null) || { echo "$command"; continue; }
        for word in $rest; do
            option=$(printf '%s\n' "$word" | sed -n 's/^\(--[a-z-]*\).*/\1/p')
            [ -z "$option" ] || printf '%s\n' "$options" | grep -qE -- "^  (-.,|   ) $option([^a-z-]|\$)" ||
                echo "$command $option"
        done
    done
}

# Machines whose row in docs/machines.md is missing, or has other values than are expected of them.
wrong_machines() {
    for folder in "$top"/tests/fixtures/machines/*/; do
        name=$(basename "$folder")
        row=$(grep -F "| \`$name\` |" "$top/docs/machines.md") || echo "$name is not there"
        sed -n 's/^NCCL_\(IB_HCA\|SOCKET_IFNAME\)=//p' "$folder/expected" | while read -r value; do
            case $row in *"\`$value\`"*) ;; *) echo "$name: $value" ;; esac
        done
        grep -q '^NCCL_IB_HCA=' "$folder/expected" || case $row in
            *'| not set |'*) ;;
            *) echo "$name: NCCL_IB_HCA is not set" ;;
        esac
    done
}

made=$(./tests/docs/print_variables)
is "docs/variables.md has the table that tests/docs/print_variables prints" \
    "$(table "$top/docs/variables.md" "$(printf '%s\n' "$made" | head -n 1)")" "$made"
empty "and the variables that mark a step" "$(for name in CLUSTER_ENV_STEP CLUSTER_ENV_OPTION CLUSTER_ENV_SET; do
    grep -qF "| \`$name\` |" "$top/docs/variables.md" || echo "$name"; done)"
empty "docs/machines.md has every machine of the tests, with its values" "$(wrong_machines)"
empty "links lead to files that are there" "$(broken_links)"
is "commands are typed in documents" "$([ "$(typed | wc -l)" -gt 20 ] && echo yes)" yes
empty "and exist, with their options" "$(wrong_commands | sort -u)"
empty "every file that is installed begins with its licence" "$(for file in "$top"/docs/man/* "$top"/docs/examples/* "$top"/docs/examples/frameworks/*.py \
    "$top"/completions/*.bash "$top"/include/cluster_env/* "$top"/lib/public/*; do
    [ ! -f "$file" ] || head -n 2 "$file" | grep -q SPDX-License-Identifier || echo "$file"; done)"
finish
