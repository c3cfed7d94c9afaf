#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Our declarations of NCCL's interface are those of NVIDIA's header, where configure found one. A
# function that an older header lacks is passed over. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
header=${NCCL_HEADER-$(setting NCCL_HEADER)}
[ -n "$header" ] || skip_all "no nccl.h found (it comes with NCCL); configure --with-nccl-header=DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# It includes headers of CUDA, of which it needs the names of two things.
mkdir "$work/cuda"
printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' 'typedef struct CUstream_st *cudaStream_t;' \
    'typedef struct CUevent_st *cudaEvent_t;' >"$work/cuda/cuda_runtime.h"
: >"$work/cuda/cuda_fp16.h"

# shellcheck disable=SC2317 # ok calls it
compiles() { # FILE
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Werror=incompatible-pointer-types -Wno-unused \
        -fsyntax-only -I"$top/lib" -isystem "$work/cuda" -isystem "$(dirname "$header")" "$1"
}

# number OURS THEIRS
number() {
    printf '#include "%s"\n#include "%s/helpers/nccl.h"\n_Static_assert((int)%s == (int)(%s), "value");\n' "$header" \
        "$top" "$1" "$2" >"$work/number.c"
    ok "$1 is $2" compiles "$work/number.c"
}

# Every function of the table can take the address of theirs, once our types are theirs.
check_functions() {
    for pair in nc_result:ncclResult_t nc_type:ncclDataType_t nc_operation:ncclRedOp_t nc_comm:ncclComm_t \
        nc_stream:cudaStream_t nc_id:ncclUniqueId; do
        echo "typedef ${pair#*:} ${pair%:*};"
    done >"$work/types"
    sed -n 's/^ *F(NC_[A-Z]*, [a-z_ *]*, \([a-z_]*\), \(nccl[A-Za-z]*\),.*/\1:\2/p' "$top/helpers/nccl.h" \
        | sed 's/^_result, //' >"$work/functions"
    is "the table is read" "$(wc -l <"$work/functions")" 11
    while read -r pair; do
        symbol=${pair#*:}
        if ! grep -qE "[^A-Za-z]$symbol *\(" "$header"; then
            skip "$symbol has our type" "this nccl.h does not have it"
            continue
        fi
        {
            printf '#include "%s"\n#define NC_TYPES_OF_VENDOR\n' "$header"
            cat "$work/types"
            printf '#include "%s/helpers/nccl.h"\nstatic const struct nccl table = {.%s = %s};\n' "$top" \
                "${pair%:*}" "$symbol"
        } >"$work/function.c"
        ok "$symbol has our type" compiles "$work/function.c"
    done <"$work/functions"
}

number sizeof\(nc_result\) sizeof\(ncclResult_t\)
number sizeof\(nc_type\) sizeof\(ncclDataType_t\)
number sizeof\(nc_operation\) sizeof\(ncclRedOp_t\)
number sizeof\(nc_id\) sizeof\(ncclUniqueId\)
number NC_OK ncclSuccess
number NC_REMOTE_ERROR ncclRemoteError
number NC_IN_PROGRESS ncclInProgress
number NC_FLOAT ncclFloat32
number NC_SUM ncclSum
number NC_UNIQUE_ID NCCL_UNIQUE_ID_BYTES
check_functions
finish
