#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Our declarations of NVML are those of NVIDIA's header, where configure found one: sizes and offsets of
# structs, types of functions, numbers. A function that an older header lacks is passed over. TAP.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$top/tests/tap.sh"
header=${NVML_HEADER-$(setting NVML_HEADER)}
[ -n "$header" ] || skip_all "no nvml.h found (it comes with CUDA); configure --with-nvml-header=DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2317 # ok calls it
compiles() { # FILE
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -DNVML_NO_UNVERSIONED_FUNC_DEFS -Wall -Werror=incompatible-pointer-types \
        -Wno-unused -Wno-deprecated-declarations -fsyntax-only -I"$top/lib" -I"$top/helpers" -isystem "$(dirname "$header")" "$1"
}

has() { grep -qE "(^|[^A-Za-z0-9_])$1([^A-Za-z0-9_]|\$)" "$header"; }

# struct OURS THEIRS OUR_MEMBER:THEIR_MEMBER...
struct() {
    ours=$1 theirs=$2
    shift 2
    if ! has "$theirs"; then
        skip "$ours is $theirs" "this nvml.h does not have it"
        return
    fi
    {
        printf '#include <stddef.h>\n#include <nvml.h>\n#include "nvml.h"\n'
        echo "_Static_assert(sizeof($ours) == sizeof($theirs), \"size\");"
        for pair; do
            echo "_Static_assert(offsetof($ours, ${pair%:*}) == offsetof($theirs, ${pair#*:}), \"$pair\");"
            echo "_Static_assert(sizeof((($ours *)0)->${pair%:*}) == sizeof((($theirs *)0)->${pair#*:}), \"$pair\");"
        done
    } >"$work/struct.c"
    sed 's|#include "nvml.h"|#include "'"$top"'/helpers/nvml.h"|' -i "$work/struct.c"
    sed 's|#include <nvml.h>|#include "'"$header"'"|' -i "$work/struct.c"
    ok "$ours is $theirs" compiles "$work/struct.c"
}

# number OURS THEIRS
number() {
    if ! has "$2"; then
        skip "$1 is $2" "this nvml.h does not have it"
        return
    fi
    printf '#include "%s"\n#include "%s"\n_Static_assert((int)%s == (int)%s, "value");\n' "$header" \
        "$top/helpers/nvml.h" "$1" "$2" >"$work/number.c"
    ok "$1 is $2" compiles "$work/number.c"
}

# moved OURS OURS_ONCE THEIRS: some releases have another number.
moved() {
    if grep -qE "define $3 +$(sed -nE "s/^ *$2 = ([0-9]+),.*/\\1/p" "$top/helpers/nvml.h")( |\$)" "$header"; then number "$2" "$3"; else number "$1" "$3"; fi
}

# Every function of the table can take the address of theirs, once our types are theirs.
check_functions() {
    for pair in nv_return:nvmlReturn_t nv_device:nvmlDevice_t nv_pci:nvmlPciInfo_t nv_memory:nvmlMemory_t \
        nv_memory_v2:nvmlMemory_v2_t nv_process:nvmlProcessInfo_t nv_violation:nvmlViolationTime_t \
        nv_sram:nvmlEccSramErrorStatus_t nv_field:nvmlFieldValue_t nv_fabric:nvmlGpuFabricInfo_t \
        nv_fabric_v:nvmlGpuFabricInfoV_t nv_margin:nvmlMarginTemperature_t; do
        if has "${pair#*:}"; then echo "typedef ${pair#*:} ${pair%:*};"; else echo "typedef struct ${pair%:*} ${pair%:*};"; fi
    done >"$work/types"
    functions=$(sed -n 's/^ *F([A-Z]*, \([a-z_]*\), \(nvml[A-Za-z0-9_]*\),.*/\1:\2/p' "$top/helpers/nvml.h")
    is "the table is read" "$([ "$(printf '%s\n' "$functions" | wc -l)" -gt 30 ] && echo yes)" yes
    for pair in $functions; do
        if ! has "${pair#*:}"; then
            skip "${pair#*:} has our type" "this nvml.h does not have it"
            continue
        fi
        {
            printf '#include "%s"\n#define NV_TYPES_OF_VENDOR\n' "$header"
            cat "$work/types"
            printf '#include "%s"\nstatic const struct nvml table = {.%s = %s};\n' "$top/helpers/nvml.h" \
                "${pair%:*}" "${pair#*:}"
        } >"$work/function.c"
        ok "${pair#*:} has our type" compiles "$work/function.c"
    done
}

struct nv_pci nvmlPciInfo_t bus_id:busId domain:domain device_id:pciDeviceId
struct nv_memory nvmlMemory_t total:total free:free used:used
struct nv_memory_v2 nvmlMemory_v2_t total:total reserved:reserved free:free used:used
struct nv_process nvmlProcessInfo_t pid:pid memory:usedGpuMemory
struct nv_violation nvmlViolationTime_t reference:referenceTime violation:violationTime
struct nv_sram nvmlEccSramErrorStatus_t aggregate_parity:aggregateUncParity exceeded:bThresholdExceeded
struct nv_field nvmlFieldValue_t field:fieldId scope:scopeId type:valueType code:nvmlReturn value:value
struct nv_fabric nvmlGpuFabricInfo_t status:status state:state
struct nv_fabric_v nvmlGpuFabricInfo_v3_t status:status state:state health_mask:healthMask health:healthSummary
struct nv_margin nvmlMarginTemperature_t margin:marginTemperature
number NV_FABRIC_2 nvmlGpuFabricInfo_v2
number NV_LOST NVML_ERROR_GPU_IS_LOST
number NV_NOT_SUPPORTED NVML_ERROR_NOT_SUPPORTED
number NV_NO_FUNCTION NVML_ERROR_FUNCTION_NOT_FOUND
number NV_CORRUPTED_INFOROM NVML_ERROR_CORRUPTED_INFOROM
number NV_OTHER_VERSION NVML_ERROR_ARGUMENT_VERSION_MISMATCH
number NV_INSUFFICIENT_SIZE NVML_ERROR_INSUFFICIENT_SIZE
number NV_FIELD_RETIRED_SINGLE NVML_FI_DEV_RETIRED_SBE
number NV_FIELD_RETIRED_DOUBLE NVML_FI_DEV_RETIRED_DBE
number NV_FIELD_RETIRED_PENDING NVML_FI_DEV_RETIRED_PENDING
number NV_FIELD_LINK_COUNT NVML_FI_DEV_NVLINK_LINK_COUNT
number NV_FIELD_LINK_SPEED NVML_FI_DEV_NVLINK_GET_SPEED
number NV_FIELD_LINK_OVERRUNS NVML_FI_DEV_NVLINK_COUNT_BUFFER_OVERRUN_ERRORS
number NV_FIELD_LINK_RECEIVE_ERRORS NVML_FI_DEV_NVLINK_COUNT_RCV_ERRORS
number NV_FIELD_LINK_INTEGRITY NVML_FI_DEV_NVLINK_COUNT_LOCAL_LINK_INTEGRITY_ERRORS
number NV_FIELD_LINK_RECOVERIES_FAILED NVML_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS
number NV_FIELD_LINK_RECOVERIES NVML_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS
number NV_FIELD_RECOVERY NVML_FI_DEV_GET_GPU_RECOVERY_ACTION
moved NV_FIELD_SLOWED_HW_THERMAL NV_FIELD_SLOWED_HW_THERMAL_575 NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN
moved NV_FIELD_SLOWED_POWER_BRAKE NV_FIELD_SLOWED_POWER_BRAKE_575 NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN
number NV_ULLONG NVML_VALUE_TYPE_UNSIGNED_LONG_LONG
number NV_USHORT NVML_VALUE_TYPE_UNSIGNED_SHORT
check_functions
finish
