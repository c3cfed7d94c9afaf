#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual pages are clean, carry the version, and have every command, option, item, key, variable
# and function that there is. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
# shellcheck source-path=SCRIPTDIR source=../public/cluster.sh
. "$top/tests/public/cluster.sh"
pages="docs/man/cluster-env.1 docs/man/libclusterenv.3 docs/man/cluster-env.conf.5
    docs/man/cluster-env.hosts.5 docs/man/cluster-epilog.8 docs/man/cluster-healthcheck.8 docs/man/cluster-prolog.8 docs/man/node.facts.5 docs/man/slurm-cluster-env.7"

# page NAME: its words, without the escapes of roff.
page() {
    sed -e 's/\\-/-/g; s/\\f[A-Z]//g; s/\\(dq/"/g; s/\\&//g' "docs/man/$1"
}

# section PAGE MACRO NAME: what stands under this heading.
section() {
    page "$1" | sed -n "/^\.$2 $3\$/,/^\.S[HS] /p"
}

# lacks NAME...: those that are no word of standard input. NODE_RANK is not in PET_NODE_RANK.
lacks() {
    text=$(cat)
    [ $# -gt 0 ] || echo "(no name to look for)"
    for name; do
        printf '%s\n' "$text" | grep -qE -- "(^|[^A-Za-z0-9_.-])$name([^A-Za-z0-9_-]|$)" || echo "$name"
    done
}

# The long options that --help of a command lists.
options_of() {
    ./cli/cluster-env "$1" --help | sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\2/p'
}

# ---------------------------------------------------------------- form

complaints_of() { # COMMAND...: on all pages
    for page in $pages; do
        { "$@" "$page" >/dev/null || echo "$page" >&2; } 2>&1
    done
}

check_form() {
    if man --version 2>/dev/null | grep -q '^man 2'; then
        empty "man --warnings finds nothing" \
            "$(complaints_of env LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l)"
    else
        skip "man --warnings finds nothing" "man-db is not installed"
    fi
    if command -v mandoc >/dev/null; then
        empty "mandoc -Tlint finds nothing" "$(for page in $pages; do mandoc -Tlint -W warning "$page"; done)"
    else
        skip "mandoc -Tlint finds nothing" "mandoc is not installed"
    fi
    # shellcheck disable=SC2086 # pages are words
    empty "every page carries the version" \
        "$(grep -L "^\.TH .*\"slurm-cluster-env $(setting PACKAGE_VERSION)\"" $pages)"
    # shellcheck disable=SC2086
    empty "every page says what it is, and where else to look" \
        "$(grep -L '^\.SH NAME' $pages; grep -L '^\.SH SEE ALSO' $pages)"
    empty "every page of ours that another names is there" "$(cat docs/man/*.[1-8] |
        sed -n 's/^\.BR \([a-z.-]*\) (\([1-8]\)).*/\1.\2/p' | sort -u |
        grep -E '^(cluster-|slurm-cluster-env|libclusterenv|node\.)' |
        while read -r name; do
            [ -e "docs/man/$name" ] || [ -e "$top/docs/man/$name" ] || echo "$name"
        done)"
}

# ---------------------------------------------------------------- cluster-env(1)

missing_in_commands() {
    for command in $commands; do
        for option in $(options_of "$command"); do
            case $option in --help | --usage) continue ;; esac
            section cluster-env.1 SS "$command" | grep -qE -- "$option([^a-z-]|\$)" || echo "$command $option"
        done
    done
}

# members COMMAND...: the names in the JSON that it prints.
members() {
    as_task 0 ./cli/cluster-env "$@" --run=/nonexistent 2>/dev/null | grep -oE '"[a-z_]+":' | tr -d '":' | sort -u
}

check_command() {
    commands=$(./cli/cluster-env --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
    is "cluster-env(1) has the commands that --help prints, in their order" \
        "$(page cluster-env.1 | sed -n '/^\.SH COMMANDS/,/^\.SH EXIT/s/^\.SS //p')" "$commands"
    empty "and the long options of each" "$(missing_in_commands)"
    # shellcheck disable=SC2046 # names are words
    empty "and every format of hostfile" "$(section cluster-env.1 SS hostfile |
        lacks $(./cli/cluster-env hostfile --format=none 2>&1 | sed -n 's/.*valid are: //p' | tr -d ,))"
    # shellcheck disable=SC2046
    empty "and every member of the JSON of show" \
        "$(section cluster-env.1 SS show | lacks $(members show --json))"
    # shellcheck disable=SC2046
    empty "and of info" "$(section cluster-env.1 SS info | lacks $(members info --json))"
    # shellcheck disable=SC2046
    empty "and of topology" "$(section cluster-env.1 SS topology | lacks \
        $(./cli/cluster-env topology --json --facts="$top/tests/fixtures/machines/dgx-h100/node.facts" |
            grep -oE '"[a-z_]+":' | tr -d '":' | sort -u))"
    # shellcheck disable=SC2046
    empty "and of check" "$(section cluster-env.1 SS check | lacks \
        $(./cli/cluster-env check --json --facts="$top/tests/fixtures/machines/dgx-h100/node.facts" |
            grep -oE '"[a-z_]+":' | tr -d '":' | sort -u))"
    logs=$(mktemp -d)
    python3 "$top/tests/program/status_data" "$logs" 65
    # shellcheck disable=SC2046
    empty "and of status" "$(section cluster-env.1 SS status | lacks \
        $(./cli/cluster-env status --json --from="$logs" 2>/dev/null | grep -oE '"[a-z_]+":' | tr -d '":' | sort -u))"
    rm -rf "$logs"
    # shellcheck disable=SC2046
    empty "and of doctor" "$(section cluster-env.1 SS doctor | lacks \
        $(./cli/cluster-env doctor --json --timeout=1 --helpers=/nonexistent | sed -n 's/^  "\([a-z_]*\)":.*/\1/p'))"
    # shellcheck disable=SC2046
    empty "and every exit status" "$(section cluster-env.1 SH 'EXIT STATUS' |
        lacks $(sed -n 's/.*CE_EXIT_[A-Z]* = \([0-9]\).*/\1/p' "$top/cli/command.h"))"
}

# ---------------------------------------------------------------- file formats

# What lib/model writes: "netif.%s.kind" as netif.%.kind, and the key of add_word() as .KEY.
written_keys() {
    for model in netif hca pci node kernel_event host gpu_state policy; do
        sed -n -e 's/.*ce_record_add[a-z_]*(.*"\([a-z_.%]*\)"[,)].*/\1/p' \
            -e 's/^ *add_[a-z]*(.*prefix, "\([a-z_]*\)");/.\1/p' "$top/lib/model/$model.c"
    done | sed 's/%[a-z]*/%/g' | sort -u
}

# The page has netif. NAME .kind.
missing_keys() {
    text=$(page node.facts.5 | sed 's/ *\<\(NAME\|N\|FACT\|K\|COUNTER\)\> */%/g')
    written_keys | while read -r key; do
        printf '%s\n' "$text" | grep -qF -- "$key" || echo "$key"
    done
}

check_formats() {
    # shellcheck disable=SC2046 # keys are words
    empty "cluster-env.conf(5) has every key" "$(page cluster-env.conf.5 |
        lacks nodes names $(sed -n 's/^    {"\([a-z_.]*\)", CE_OPTION_.*/\1/p' "$top/lib/config/options.c"))"
    is "node.facts(5): lib/model writes keys" "$([ "$(written_keys | wc -l)" -gt 36 ] && echo yes)" yes
    empty "node.facts(5) has every key of both texts" "$(missing_keys)"
}

# ---------------------------------------------------------------- the option

check_option() {
    # shellcheck disable=SC2046,SC2016 # names are words; the quotes are those of markdown
    empty "slurm-cluster-env(7) has every variable" "$(page slurm-cluster-env.7 |
        lacks CLUSTER_ENV_STEP CLUSTER_ENV_OPTION CLUSTER_ENV_SET \
            $(./tests/docs/print_variables | sed -n 's/^| `\([A-Za-z_0-9]*\)`.*/\1/p'))"
    # shellcheck disable=SC2046
    empty "and every item" "$(section slurm-cluster-env.7 SH ITEMS |
        lacks $(sed -n 's/^#define CE_REQUEST_ITEMS "\(.*\)"/\1/p' "$top/lib/model/request.h" |
            sed 's/([^)]*)//g; s/=N//g; s/=[a-z|]*//g' | tr -d ,))"
    # shellcheck disable=SC2046
    empty "and every argument of plugstack.conf" "$(section slurm-cluster-env.7 SH 'PLUGSTACK ARGUMENTS' |
        lacks $(sed -n '/^static struct arguments read_arguments/,/^}/p' "$top/spank/plugin.c" |
            grep -oE '"[a-z]+=' | tr -d '"=' | sort -u))"
}

# ---------------------------------------------------------------- libclusterenv(3)

# Prototypes on standard input, one a line, without blanks and quotes.
prototypes() {
    tr -s ' \n' '  ' | grep -oE '[a-z_ *]+cluster_env_[a-z_]+\([^)]*\);' | tr -d ' "' | LC_ALL=C sort
}

check_library() {
    cc=$(setting CC)
    header=$top/include/cluster_env/cluster_env.h
    # shellcheck disable=SC2046
    empty "libclusterenv(3) has every function and constant" "$(page libclusterenv.3 |
        lacks $(sed 's/@.*//' "$top/tests/public/symbols.txt") \
            $(grep -oE 'CLUSTER_ENV_[A-Z_]+ =' "$header" | tr -d ' ='))"
    # shellcheck disable=SC2086 # a compiler may be several words
    is "and the prototypes of the header" \
        "$(page libclusterenv.3 | sed -n '/^\.SH SYNOPSIS/,/^\.EE/s/^\.BI* //p' | grep -v include | prototypes)" \
        "$($cc -E -P "$header" | prototypes)"
}

check_form
check_command
check_formats
check_option
check_library
finish
