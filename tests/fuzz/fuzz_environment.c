/* SPDX-License-Identifier: Apache-2.0 */
/* A task's environment, one NAME=VALUE a line: Slurm's variables, which a user may set to anything,
 * and what is planned from them. */
#include "base/environ.h"
#include "fuzz.h"
#include "launch/marker.h"
#include "launch/plan.h"
#include "report/plan.h"
#include "slurm/environment.h"
#include "slurm/place.h"

const char fuzz_name[] = "environment";
const unsigned fuzz_runs = 8000;

enum { LINES_MAX = 200 };

struct lines {
    const char *line[LINES_MAX];
    size_t count;
};

static const char *get(void *ctx, const char *name)
{
    const struct lines *lines = ctx;
    size_t length = strlen(name);
    for (size_t i = 0; i < lines->count; i++)
        if (strncmp(lines->line[i], name, length) == 0 && lines->line[i][length] == '=')
            return lines->line[i] + length + 1;
    return NULL;
}

static const char *no_files(const void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    return NULL;
}

static void check_changes(const struct ce_plan *plan, const struct ce_environ *env)
{
    FUZZ_CHECK(plan->count >= ce_variable_count);
    for (size_t i = 0; i < plan->count; i++) {
        const struct ce_change *change = &plan->changes[i];
        const char *name = change->variable->name, *found = ce_environ_get(env, name);
        FUZZ_CHECK(change->reason[0]);
        FUZZ_CHECK((change->action == CE_SET) == (change->value != NULL));
        if (change->value)
            FUZZ_CHECK(change->value[0] && strlen(change->value) <= CE_VALUE_MAX &&
                       ce_marker_holds(plan->marker, name, change->value));
        /* Only what an outer step of ours wrote may be taken away. */
        if (change->action == CE_UNSET)
            FUZZ_CHECK(found && ce_marker_holds(ce_environ_get(env, CE_MARKER), name, found));
    }
}

static void check_plan(const struct ce_allocation *allocation, const struct ce_task *task,
                       const struct ce_environ *env)
{
    const struct ce_request request = {.on = true, .torchrun = true};
    const struct ce_conf_lookup conf = {no_files, NULL};
    struct ce_policy policy;
    struct ce_cluster cluster;
    struct ce_notes notes = {.count = 0};
    ce_autotext struct ce_text out = CE_TEXT(64 << 20);
    ce_policy_default(&policy);
    FUZZ_CHECK(ce_cluster_init(&cluster, allocation, NULL, &policy, NULL, NULL, &notes, NULL) == 0);
    const struct ce_view view = {
        .allocation = allocation,
        .task = task,
        .cluster = &cluster,
        .policy = &policy,
        .request = &request,
        .port = ce_port_choose(allocation, &policy, &request, ce_plan_user_port(env, &notes)),
    };
    FUZZ_CHECK(view.port.number >= 1 && view.port.number <= 65535);
    ce_auto(ce_plan_destroy) struct ce_plan *plan = ce_plan_create(&view, env, &conf, &notes, NULL);
    FUZZ_CHECK(plan);
    check_changes(plan, env);
    ce_report_plan_text(plan, env, true, &out);
    FUZZ_CHECK(ce_report_plan_json(plan, env, &notes, &out) == 0 && ce_text_ok(&out));
    ce_cluster_free(&cluster);
}

static void check_counts(const struct ce_allocation *allocation)
{
    for (uint32_t i = 0; i < ce_allocation_node_count(allocation); i++) {
        FUZZ_CHECK(allocation->tasks[i] >= 1);
        FUZZ_CHECK(!allocation->first || i == 0 || allocation->first[i - 1] < allocation->first[i]);
    }
}

static void check_place(const struct ce_allocation *allocation, const struct ce_task *task,
                        const struct ce_environ *env)
{
    const struct ce_step_part part = {task->node_rank / 2, task->rank / 2, 1};
    struct ce_error err;
    const struct ce_step_part whole = {.node_count = ce_allocation_node_count(allocation)};
    if (ce_slurm_check_place(env, allocation, task, &whole, &err) < 0)
        fuzz_check_error(err.text);
    if (ce_slurm_check_place(env, allocation, task, &part, &err) < 0)
        fuzz_check_error(err.text);
}

static void check_task(const struct ce_allocation *allocation, const struct ce_environ *env)
{
    struct ce_task task;
    struct ce_error err = {""};
    if (ce_slurm_task(env, allocation, &task, &err) < 0) {
        fuzz_check_error(err.text);
        return;
    }
    FUZZ_CHECK(task.node_rank < ce_allocation_node_count(allocation));
    FUZZ_CHECK(task.local_tasks >= 1);
    check_counts(allocation);
    check_place(allocation, &task, env);
    FUZZ_CHECK(memchr(task.node_name, '\0', sizeof task.node_name));
    if (ce_cluster_check(allocation, &task, &err) < 0)
        fuzz_check_error(err.text);
    check_plan(allocation, &task, env);
}

static void check_step(const struct ce_environ *env, struct ce_step_id id)
{
    struct ce_allocation allocation;
    struct ce_error err = {""};
    if (ce_slurm_allocation(env, id, &allocation, &err) < 0) {
        fuzz_check_error(err.text);
        return;
    }
    FUZZ_CHECK(allocation.id.kind == id.kind);
    FUZZ_CHECK(ce_allocation_node_count(&allocation) >= 1 &&
               ce_allocation_node_count(&allocation) <= CE_HOSTLIST_MAX);
    FUZZ_CHECK(allocation.reserved_port <= 65535);
    /* Long lists are fuzz_hostlist's; here they only take time. */
    if (ce_allocation_node_count(&allocation) <= 256)
        check_task(&allocation, env);
    ce_allocation_free(&allocation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum ce_step_kind kinds[] = {CE_STEP_TASKS, CE_STEP_BATCH, CE_STEP_INTERACTIVE};
    char *text = fuzz_text(data, size), *rest;
    struct lines lines = {.count = 0};
    for (char *line = strtok_r(text, "\n", &rest); line && lines.count < LINES_MAX;
         line = strtok_r(NULL, "\n", &rest))
        lines.line[lines.count++] = line;
    const struct ce_environ env = {.get = get, .ctx = &lines};
    struct ce_step_id id;
    struct ce_error err = {""};
    if (ce_slurm_identify(&env, &id, &err) < 0)
        fuzz_check_error(err.text);
    else
        check_step(&env, id);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        check_step(&env, (struct ce_step_id){kinds[i], 12, 0});
    free(text);
    return 0;
}
