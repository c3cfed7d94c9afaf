#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every check of ours, and of bench, has rows for all that it can answer: what answers.txt says that it can
# is what the programs here have seen, line by line. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../../tap.sh
. "$top/tests/tap.sh"
answers=$top/tests/unit/checks/answers.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/no.conf"
LC_ALL=C CMOCKA_MESSAGE_OUTPUT=TAP
export LC_ALL CMOCKA_MESSAGE_OUTPUT

names() { # of all checks; those of bench have no list but the code's
    ./cli/cluster-env check --list --config="$work/no.conf" | sed 's/ .*//'
    grep -ho '"bench\.[a-z]*\.[a-z0-9]*"' "$top"/lib/checks/*.c | tr -d '"'
}

programs() {
    grep -o 'tests/unit/checks/test_[a-z_]*' "$top/tests/unit/unit.mk"
}

lines() { # of answers.txt
    sed '/^#/d; /^$/d' "$answers"
}

# "NAME VERDICT" of each line of answers.txt
can() {
    lines | sed 's/|.*//' | while read -r name verdicts; do
        # shellcheck disable=SC2086 # words
        printf "$name %s\n" $verdicts
    done | sort
}

# What is missing stands behind the bar, and then why.
without_reason() {
    lines | awk '
        { bar = index($0, "|"); can = (bar ? substr($0, 1, bar - 1) : $0) " "; never = "" }
        can !~ / pass / { never = never " pass" }
        can !~ / (fail|warn) / { never = never " fault" }
        can !~ / unknown / { never = never " unknown" }
        can !~ / skip / { never = never " skip" }
        never ? index(substr($0, bar + 1), never ": ") != 1 : bar { print $1 ": never" never }'
}

failed=
for program in $(programs); do
    "$program" >"$work/out" 2>"$work/err" || failed="$failed$program
"
    sed -n 's/^# seen //p' "$work/out" >>"$work/seen"
done
sort -u "$work/seen" >"$work/saw"
can >"$work/can"

empty "the programs of rows pass" "$failed"
is "answers.txt has a line for each check, and no other" "$(lines | sed 's/ .*//' | sort)" "$(names | sort -u)"
empty "where one can never pass, find a fault, not know or skip, it says why" "$(without_reason)"
empty "a row for each answer that a check can give" "$(comm -13 "$work/saw" "$work/can")"
empty "and no row has another" "$(comm -23 "$work/saw" "$work/can")"
finish
