#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# slurm_node.sh SERIES: prints the path of helpers/slurm-node for one Debian suite's Slurm, which build.sh builds.
set -euo pipefail

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
readonly here top

[[ $# -eq 1 ]] || { echo "usage: slurm_node.sh bookworm|trixie|forky" >&2; exit 2; }
"$here/build.sh" "$1" >/dev/null
printf '%s\n' "$(cd "${BUILD_DIR:-$top/build}/cluster" && pwd -P)/$1/helpers/slurm-node"
