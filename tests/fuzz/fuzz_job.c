/* SPDX-License-Identifier: Apache-2.0 */
/* What the epilog reads of a job and of processes it left: SLURM_JOB_GPUS, /proc/PID/cgroup and status. */
#include "fuzz.h"
#include "health/leftover.h"
#include "slurm/job.h"

const char fuzz_name[] = "job";
const unsigned fuzz_runs = 18000;

static void check_gpus(const char *text)
{
    uint64_t gpus = 0;
    if (ce_slurm_gpus_parse(text, &gpus) == 0)
        FUZZ_CHECK(gpus != 0 && strspn(text, "0123456789,-") == strlen(text));
    else
        FUZZ_CHECK(gpus == 0);
}

static void check_process(const char *text)
{
    struct ce_leftover_process process = {.pid = 5};
    if (ce_leftover_cgroup(text) != CE_LEFTOVER_NO_JOB)
        FUZZ_CHECK(strstr(text, "/job_") != NULL);
    if (ce_leftover_status(text, &process) < 0)
        return;
    FUZZ_CHECK(strstr(text, "Uid:") != NULL && strlen(process.name) <= CE_LEFTOVER_NAME);
    for (const char *c = process.name; *c; c++)
        FUZZ_CHECK(*c > ' ' && *c <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    check_gpus(text);
    check_process(text);
    free(text);
    return 0;
}
