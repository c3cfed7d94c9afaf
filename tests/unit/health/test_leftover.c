/* SPDX-License-Identifier: Apache-2.0 */
/* Whose process may be ended: the user's of the job, and nobody else's ever. */
#include "health/leftover.h"

#include "../unit.h"

#define USER {4242, 4242, 4242, 4242}
#define PROCESS(job) {4711, true, USER, job, "x"}
#define OF(...) {4711, true, {__VA_ARGS__}, 7, "x"}
#define OWNER(shared, alone, action) {7, true, 4242, shared, alone, CE_LEFTOVERS_##action}
#define WHOLE OWNER(false, true, END)

static const struct row {
    const char *name;
    struct ce_leftover_process process;
    struct ce_leftover_owner owner;
    const char *why; /* NULL: it may be ended */
} rows[] = {
    {"its_own_cgroup", PROCESS(7), WHOLE, NULL},
    {"its_own_cgroup_beside_other_jobs", PROCESS(7), OWNER(false, false, END), NULL},
    {"no_cgroup_and_alone", PROCESS(0), WHOLE, NULL},
    {"no_cgroup_beside_another_job", PROCESS(0), OWNER(false, false, END),
     "it may be another job's"},
    {"no_cgroup_on_a_shared_node", PROCESS(0), OWNER(true, true, END_SHARED),
     "it may be another job's"},
    {"a_shared_node", PROCESS(7), OWNER(true, true, END), "other jobs may be on the node"},
    {"a_shared_node_where_it_is_wanted", PROCESS(7), OWNER(true, false, END_SHARED), NULL},
    {"another_jobs", PROCESS(8), WHOLE, "it is another job's"},
    {"another_jobs_on_a_shared_node", PROCESS(8), OWNER(true, false, END_SHARED),
     "it is another job's"},
    {"two_cgroups", PROCESS(UINT32_MAX), WHOLE, "it is another job's"},
    {"warn", PROCESS(7), OWNER(false, true, WARN), "leftovers.action is \"warn\""},
    {"another_users", OF(4243, 4243, 4243, 4243), WHOLE, "it is another user's"},
    {"roots", OF(0, 0, 0, 0), WHOLE, "it is another user's"},
    {"one_that_became_root", OF(4242, 0, 4242, 0), WHOLE, "it is another user's"},
    {"one_that_root_became", OF(4242, 4242, 0, 4242), WHOLE, "it is another user's"},
    {"a_job_of_roots", OF(0, 0, 0, 0), {7, true, 0, false, true, CE_LEFTOVERS_END},
     "the job's user is one of the system's"},
    {"a_job_of_the_systems", OF(999, 999, 999, 999), {7, true, 999, false, true, CE_LEFTOVERS_END},
     "the job's user is one of the system's"},
    {"a_user_that_is_not_told", OF(0, 0, 0, 0), {7, false, 0, false, true, CE_LEFTOVERS_END},
     "Slurm does not tell the job's user"},
    {"what_cannot_be_read", {4711, false, USER, 7, ""}, WHOLE, "it cannot be looked at"},
    {"init", {1, true, USER, 7, ""}, WHOLE, "it cannot be looked at"},
};

static void spares(void **state)
{
    const struct row *row = *state;
    const char *why = ce_leftover_spare(&row->process, &row->owner);
    assert_string_equal(why ? why : "(end)", row->why ? row->why : "(end)");
}

static const struct cgroup {
    const char *name, *text;
    uint32_t job;
} cgroups[] = {
    {"of_v2", "0::/system.slice/slurmstepd.scope/job_123/step_0/user/task_0\n", 123},
    {"of_v1", "9:memory:/slurm/uid_1000/job_123/step_batch\n4:devices:/slurm/uid_1000/job_123\n1:name=systemd:/\n", 123},
    {"of_a_login", "0::/user.slice/user-1000.slice/session-3.scope\n", 0},
    {"of_two_jobs", "9:memory:/slurm/uid_1000/job_123\n4:devices:/slurm/uid_1000/job_124\n", UINT32_MAX},
    {"a_name_that_is_no_number", "0::/system.slice/slurmstepd.scope/job_sA5NM7ZB0FA800/step_0\n", UINT32_MAX},
    {"a_number_with_a_tail", "0::/job_12x/step_0\n", UINT32_MAX},
    {"job_0", "0::/job_0\n", UINT32_MAX},
    {"a_number_too_great", "0::/job_4294967295\n", UINT32_MAX},
    {"without_a_newline", "0::/job_5", 5},
    {"nothing", "", 0},
};

static void names_the_job(void **state)
{
    const struct cgroup *cgroup = *state;
    assert_int_equal(ce_leftover_cgroup(cgroup->text), cgroup->job);
}

static const struct status {
    const char *name, *text;
    int rc;
    uint32_t saved;
    const char *process;
} statuses[] = {
    {"as_the_kernel_writes", "Name:\tpython\nUmask:\t0022\nUid:\t1\t2\t3\t4\nGid:\t0\t0\t0\t0\n", 0, 3, "python"},
    {"a_name_that_tries", "Name:\tUid:\t0;[x\nUid:\t1\t2\t3\t4\n", 0, 3, "Uid:?0;[x"},
    {"three_numbers", "Name:\tx\nUid:\t1\t2\t3\n", -1, 0, ""},
    {"five_numbers", "Name:\tx\nUid:\t1\t2\t3\t4\t5\n", -1, 0, ""},
    {"a_negative_one", "Uid:\t-1\t2\t3\t4\n", -1, 0, ""},
    {"no_uid", "Name:\tx\n", -1, 0, ""},
    {"nothing", "", -1, 0, ""},
    {"a_long_name", "Name:\tabcdefghijklmnopqrstuvwxyz\nUid:\t1\t2\t3\t4\n", 0, 3, "abcdefghijklmnop"},
};

static void reads_the_status(void **state)
{
    const struct status *status = *state;
    struct ce_leftover_process process = {.pid = 9};
    assert_int_equal(ce_leftover_status(status->text, &process), status->rc);
    assert_int_equal(process.uids[2], status->saved);
    assert_string_equal(process.name, status->process);
    assert_int_equal(process.pid, 9);
}

int main(void)
{
    UNIT_TABLE(rows, spares);
    UNIT_TABLE(cgroups, names_the_job);
    UNIT_TABLE(statuses, reads_the_status);
    return UNIT_RUN("health/leftover");
}
