#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The PTX text that bench-gpu carries: CUDA's assembler takes it for every GPU that it knows, and computed
# on the host it does what it should. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -std=c11 -D_GNU_SOURCE -I"$top/lib" -o "$work/print" "$top/tests/build/print_kernels.c" \
    "$top/helpers/gpu_kernels.c" 2>"$work/err" || skip_all "it cannot be printed: $(head -n 1 "$work/err")"
"$work/print" >"$work/kernels.ptx"

find_ptxas() {
    for ptxas in "${PTXAS:-ptxas}" "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas"; do
        command -v "$ptxas" && return
    done
}

is "it is for sm_50 and later" "$(grep '^.target' "$work/kernels.ptx")" ".target sm_50"
ptxas=$(find_ptxas || true)
if [ -n "$ptxas" ]; then
    architectures=$("$ptxas" --help | grep -o "'sm_[0-9]*'" | tr -d "'" | sort -u)
    is "ptxas knows GPUs" "$([ "$(printf '%s\n' "$architectures" | wc -l)" -ge 3 ] && echo yes)" yes
    for architecture in $architectures; do
        ok "ptxas assembles it for $architecture" "$ptxas" --warn-on-spills --warning-as-error -arch="$architecture" -o "$work/out" "$work/kernels.ptx"
    done
else
    skip "ptxas assembles it" "no ptxas found (it comes with CUDA)"
fi
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    ok "computed on the host it does what it should" python3 "$top/tests/build/ptx.py" <"$work/kernels.ptx"
else
    skip "computed on the host it does what it should" "no python3"
fi
finish
