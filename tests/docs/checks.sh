#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/checks.md has every check of cluster-env check --list, whole, and no other. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
document=$top/docs/checks.md
list=$(./cli/cluster-env check --list)

section() { # NAME: what stands under its heading
    awk -v name="## $1" '/^## / { on = $0 == name } on' "$document"
}

incomplete() {
    printf '%s\n' "$list" | while read -r name response _; do
        for word in "A fault: $response" '\*\*What\*\*: ' '\*\*Why\*\*: ' '\*\*Threshold\*\*: ' '\*\*Remedy\*\*: '; do
            section "$name" | grep -q -- "$word" || echo "$name: $word"
        done
    done
}

is "cluster-env check --list lists checks" "$([ "$(printf '%s\n' "$list" | wc -l)" -ge 5 ] && echo yes)" yes
is "docs/checks.md has a section for each, and no other" \
    "$(sed -n 's/^## //p' "$document" | LC_ALL=C sort)" "$(printf '%s\n' "$list" | sed 's/ .*//' | LC_ALL=C sort)"
empty "each says what is done about a fault, what, why, by which threshold, and the remedy" "$(incomplete)"
finish
