#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Our declarations of CUDA's driver interface are those of NVIDIA's header, where configure found one. A
# function that an older header lacks is passed over. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
header=${CUDA_HEADER-$(setting CUDA_HEADER)}
[ -n "$header" ] || skip_all "no cuda.h found (it comes with CUDA); configure --with-cuda-header=DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2317 # ok calls it
compiles() { # FILE
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Werror=incompatible-pointer-types -Wno-unused \
        -Wno-deprecated-declarations -fsyntax-only -I"$top/lib" -isystem "$(dirname "$header")" "$1"
}

# type OURS THEIRS
type() {
    printf '#include "%s"\n#include "%s/helpers/cuda.h"\n%s\n%s\n' "$header" "$top" \
        "_Static_assert(sizeof($1) == sizeof($2), \"size\");" \
        "_Static_assert(($1)-1 < 0 == ($2)-1 < 0, \"sign\");" >"$work/type.c"
    ok "$1 is $2" compiles "$work/type.c"
}

# number OURS THEIRS
number() {
    printf '#include "%s"\n#include "%s/helpers/cuda.h"\n_Static_assert((int)%s == (int)%s, "value");\n' "$header" \
        "$top" "$1" "$2" >"$work/number.c"
    ok "$1 is $2" compiles "$work/number.c"
}

# Every function of the table can take the address of theirs, once our types are theirs.
check_functions() {
    for pair in cu_result:CUresult cu_device:CUdevice cu_attribute:CUdevice_attribute cu_pointer:CUdeviceptr \
        cu_context:CUcontext cu_module:CUmodule cu_function:CUfunction cu_stream:CUstream cu_event:CUevent cu_range:CUmemRangeHandleType; do
        if grep -q "${pair#*:}" "$header"; then echo "typedef ${pair#*:} ${pair%:*};"; else echo "typedef unsigned ${pair%:*};"; fi
    done >"$work/types"
    functions=$(sed -n 's/^ *F(\([a-z_]*\), \(cu[A-Za-z0-9_]*\),.*/\1:\2/p' "$top/helpers/cuda.h")
    is "the table is read" "$([ "$(printf '%s\n' "$functions" | wc -l)" -gt 30 ] && echo yes)" yes
    for pair in $functions; do
        symbol=${pair#*:}
        # The header names the versioned symbol of a function by a macro.
        if ! grep -qE "(^|[^A-Za-z0-9_])${symbol%_v2}([^A-Za-z0-9_]|\$)" "$header" ||
            { [ "$symbol" != "${symbol%_v2}" ] && ! grep -q "$symbol" "$header"; }; then
            skip "$symbol has our type" "this cuda.h does not have it"
            continue
        fi
        {
            printf '#include "%s"\n#define CU_TYPES_OF_VENDOR\n' "$header"
            cat "$work/types"
            printf '#include "%s/helpers/cuda.h"\nstatic const struct cuda table = {.%s = %s};\n' "$top" \
                "${pair%:*}" "$symbol"
        } >"$work/function.c"
        ok "$symbol has our type" compiles "$work/function.c"
    done
}

type cu_device CUdevice
type cu_pointer CUdeviceptr
number sizeof\(cu_result\) sizeof\(CUresult\)
number sizeof\(cu_attribute\) sizeof\(CUdevice_attribute\)
number CU_OK CUDA_SUCCESS
number CU_OUT_OF_MEMORY CUDA_ERROR_OUT_OF_MEMORY
number CU_NO_DEVICE CUDA_ERROR_NO_DEVICE
number CU_INVALID_DEVICE CUDA_ERROR_INVALID_DEVICE
number CU_ECC_UNCORRECTABLE CUDA_ERROR_ECC_UNCORRECTABLE
number CU_PEER_ALREADY_ENABLED CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
number CU_MULTIPROCESSORS CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
check_functions
finish
