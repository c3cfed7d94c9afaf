/* SPDX-License-Identifier: Apache-2.0 */
/* What slurmds gave to prologs (docs/checks.md), and what is no list of GPUs. */
#include "slurm/job.h"

#include "../unit_env.h"

static const struct row {
    const char *name, *env[8];
    struct ce_slurm_job job;
} rows[] = {
    {"two_gpus_of_22_05", {"SLURM_JOB_ID=1", "SLURM_JOB_UID=52000", "SLURM_JOB_GPUS=0,1"},
     {1, true, 52000, CE_SHARE_UNTOLD, CE_GPUS_TOLD, 3}},
    {"none_of_22_05", {"SLURM_JOB_ID=4", "SLURM_JOB_UID=52000"},
     {4, true, 52000, CE_SHARE_UNTOLD, CE_GPUS_UNTOLD, 0}},
    {"an_exclusive_job_of_24_11",
     {"SLURM_JOB_ID=2", "SLURM_JOB_UID=52000", "SLURM_JOB_OVERSUBSCRIBE=NO",
      "SLURM_JOB_GPUS=0,1,2,3"},
     {2, true, 52000, CE_SHARE_NODE, CE_GPUS_TOLD, 15}},
    {"a_job_beside_others_of_24_11", {"SLURM_JOB_ID=1", "SLURM_JOB_OVERSUBSCRIBE=OK"},
     {1, false, 0, CE_SHARE_OTHERS, CE_GPUS_UNTOLD, 0}},
    {"exclusive_for_its_user_is_not_for_the_job",
     {"SLURM_JOB_ID=6", "SLURM_JOB_OVERSUBSCRIBE=USER"},
     {6, false, 0, CE_SHARE_OTHERS, CE_GPUS_UNTOLD, 0}},
    {"a_job_beside_others_of_26_05_is_not_exclusive",
     {"SLURM_JOB_ID=1", "SLURM_JOB_OVERSUBSCRIBE=NO", "SLURM_JOB_EXCLUSIVE=NO"},
     {1, false, 0, CE_SHARE_OTHERS, CE_GPUS_UNTOLD, 0}},
    {"an_exclusive_job_of_26_05",
     {"SLURM_JOB_ID=2", "SLURM_JOB_OVERSUBSCRIBE=NO", "SLURM_JOB_EXCLUSIVE=NODE"},
     {2, false, 0, CE_SHARE_NODE, CE_GPUS_UNTOLD, 0}},
    {"a_user_alone_of_26_05",
     {"SLURM_JOB_ID=2", "SLURM_JOB_OVERSUBSCRIBE=NO", "SLURM_JOB_EXCLUSIVE=USER"},
     {2, false, 0, CE_SHARE_OTHERS, CE_GPUS_UNTOLD, 0}},
    {"garbage",
     {"SLURM_JOB_ID=-1", "SLURM_JOB_UID=root", "SLURM_JOB_GPUS=../../etc", "SLURM_JOB_OVERSUBSCRIBE="},
     {0, false, 0, CE_SHARE_OTHERS, CE_GPUS_GARBLED, 0}},
    {"nothing", {NULL}, {0, false, 0, CE_SHARE_UNTOLD, CE_GPUS_UNTOLD, 0}},
};

static void reads(void **state)
{
    const struct row *row = *state;
    struct unit_env env = {.count = 0};
    struct ce_slurm_job job;
    unit_env_fill(&env, row->env);
    const struct ce_environ environ = unit_environ(&env);
    ce_slurm_job_read(&environ, &job);
    assert_int_equal(job.id, row->job.id);
    assert_int_equal(job.uid_known, row->job.uid_known);
    assert_int_equal(job.uid, row->job.uid);
    assert_int_equal(job.share, row->job.share);
    assert_int_equal(job.told, row->job.told);
    assert_true(job.gpus == row->job.gpus);
    unit_env_free(&env);
}

static const struct list {
    const char *name, *text;
    int rc;
    uint64_t gpus;
} lists[] = {
    {"one", "0", 0, 1},
    {"a_range_and_one", "0-3,7", 0, 0x8f},
    {"the_last", "63", 0, 1ull << 63},
    {"all", "0-63", 0, UINT64_MAX},
    {"twice_the_same", "1,1", 0, 2},
    {"past_the_last", "64", -1, 0},
    {"a_number_that_is_too_long", "99999999999999999999", -1, 0},
    {"a_range_that_runs_backwards", "3-1", -1, 0},
    {"an_open_range", "3-", -1, 0},
    {"a_comma_at_the_end", "1,", -1, 0},
    {"a_comma_alone", ",", -1, 0},
    {"a_blank", "0, 1", -1, 0},
    {"a_uuid", "GPU-5b8a1f8f", -1, 0},
    {"a_negative_one", "-1", -1, 0},
    {"a_format", "%s%n", -1, 0},
    {"nothing", "", -1, 0},
};

static void parses(void **state)
{
    const struct list *list = *state;
    uint64_t gpus = 0;
    assert_int_equal(ce_slurm_gpus_parse(list->text, &gpus), list->rc);
    assert_true(gpus == list->gpus);
}

static void a_list_has_an_end(void **state)
{
    char text[2000];
    uint64_t gpus = 5;
    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 2 ? ',' : '1';
    text[sizeof text - 1] = '\0';
    assert_int_equal(ce_slurm_gpus_parse(text, &gpus), -1);
    assert_int_equal(gpus, 5);
}

int main(void)
{
    UNIT_TABLE(rows, reads);
    UNIT_TABLE(lists, parses);
    UNIT_RULE(a_list_has_an_end);
    return UNIT_RUN("slurm/job");
}
