#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/doctor.md has every line of cluster-env doctor, in its order, and no other. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT

# Neither Slurm nor a run directory: all lines are there all the same.
printed() {
    ./cli/cluster-env doctor --timeout=1 --helpers="$empty" --run="$empty/run" 2>&1 |
        sed -nE 's/^(pass|fail|warn|unknown|skip) +([a-z_]+\.[a-z_]+) .*/\2/p' | uniq
}

# shellcheck disable=SC2016 # the quotes are those of markdown
is "docs/doctor.md has the lines that cluster-env doctor prints" \
    "$(sed -nE 's/^\| `([a-z_]+\.[a-z_]+)` \|.*/\1/p' "$top/docs/doctor.md")" "$(printed)"
finish
