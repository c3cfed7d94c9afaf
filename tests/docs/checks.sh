#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/checks.md has every check of cluster-env check --list, whole, and no other. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
document=$top/docs/checks.md
defaults=$(mktemp)
trap 'rm -f "$defaults"' EXIT
list=$(./cli/cluster-env check --list --config="$defaults")

section() { # NAME: what stands under its heading
    awk -v name="## $1" '/^## / { on = $0 == name } on' "$document"
}

incomplete() {
    printf '%s\n' "$list" | while read -r name response _ phases _; do
        case $phases in
            prolog,epilog,manual) when="Before and after a job, by hand" ;;
            prolog,epilog) when="Before and after a job" ;;
            prolog,manual) when="Before a job, by hand" ;;
            epilog,manual) when="After a job, by hand" ;;
            prolog) when="Before a job" ;;
            epilog) when="After a job" ;;
            preflight) when="Before a job of several nodes" ;;
            *) when="By hand" ;;
        esac
        for word in "A fault: $response\. $when\." '\*\*What\*\*: ' '\*\*Why\*\*: ' '\*\*Threshold\*\*: ' '\*\*Remedy\*\*: '; do
            section "$name" | grep -q -- "$word" || echo "$name: $word"
        done
    done
}

is "cluster-env check --list lists checks" "$([ "$(printf '%s\n' "$list" | wc -l)" -ge 5 ] && echo yes)" yes
is "docs/checks.md has a section for each, and no other" \
    "$(sed -n 's/^## //p' "$document" | LC_ALL=C sort)" "$(printf '%s\n' "$list" | sed 's/ .*//' | LC_ALL=C sort)"
empty "each says what is done about a fault, when it runs, what, why, by which threshold, and the remedy" "$(incomplete)"
finish
