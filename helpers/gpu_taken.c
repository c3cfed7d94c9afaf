/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_taken.h"

#include <stdio.h>

/* "2 processes: 4000, 4001" */
static void name_processes(const nv_process *processes, unsigned count, unsigned kept,
                           char reason[CE_TEST_REASON])
{
    size_t length = (size_t)snprintf(reason, CE_TEST_REASON, "in use by %u process%s", count,
                                     count == 1 ? "" : "es");
    for (unsigned i = 0; i < kept && i < 5 && length < CE_TEST_REASON; i++)
        length += (size_t)snprintf(reason + length, CE_TEST_REASON - length, "%s%u",
                                   i ? ", " : ": ", processes[i].pid);
}

bool gpu_is_taken(const struct nvml *nvml, nv_device nv, unsigned ours,
                  char reason[CE_TEST_REASON], enum ce_test_end *end)
{
    nv_process processes[64] = {{.pid = 0}};
    unsigned room = sizeof processes / sizeof *processes, count = room;
    nv_return code = nvml->processes ? nvml->processes(nv, &count, processes) : NV_NO_FUNCTION;
    *end = CE_TEST_SKIPPED;
    if (code == NV_INSUFFICIENT_SIZE || (code == NV_OK && count > ours)) {
        name_processes(processes, count, code == NV_OK ? count : 0, reason);
        return true;
    }
    if (code == NV_OK)
        return false;
    *end = CE_TEST_FAILED;
    snprintf(reason, CE_TEST_REASON, "cannot tell whether it is in use: NVML: %s",
             ce_nvml_word(code));
    return true;
}
