/* SPDX-License-Identifier: Apache-2.0 */
/* The whole of libclusterenv: it opens a job as the commands do and hands out what it found. */

/* Everything else in the library stays hidden. */
#pragma GCC visibility push(default)
#include <cluster_env/cluster_env.h>
#pragma GCC visibility pop

#include <limits.h>
#include <stdlib.h>

#include "session/job.h"
#include "slurm/environment.h"

struct cluster_env {
    struct ce_job job; /* session is NULL after a failure */
    struct ce_view view;
    char (*addresses)[CE_ADDRESS_TEXT]; /* by node rank; "": not known */
    struct ce_error error;
};

/* NULL after a failure. */
static const struct ce_view *view_of(const struct cluster_env *info)
{
    return info && info->job.session ? &info->view : NULL;
}

/* NULL after a failure, and in a batch script, which is no task. */
static const struct ce_task *task_of(const struct cluster_env *info)
{
    const struct ce_view *view = view_of(info);
    return view && view->allocation->id.kind == CE_STEP_TASKS ? view->task : NULL;
}

static int number(uint32_t value)
{
    return value <= INT_MAX ? (int)value : -1;
}

static int format_addresses(struct cluster_env *info)
{
    const struct ce_cluster *cluster = info->view.cluster;
    info->addresses = calloc(cluster->node_count, sizeof *info->addresses);
    if (!info->addresses) {
        ce_job_close(&info->job);
        return ce_fail(&info->error, "no memory");
    }
    for (uint32_t i = 0; i < cluster->node_count; i++)
        ce_address_format(&cluster->addresses[i], info->addresses[i]);
    return 0;
}

static int fill(struct cluster_env *info, const char *run_dir)
{
    if (ce_job_open(run_dir ? run_dir : CE_RUN_DIR, NULL, &info->job, &info->error) < 0)
        return -1;
    info->view = ce_job_view(&info->job);
    return format_addresses(info);
}

enum cluster_env_result cluster_env_open(const char *run_dir, struct cluster_env **ret)
{
    const struct ce_environ env = ce_process_environ();
    struct ce_step_id id;
    struct cluster_env *info = calloc(1, sizeof *info);
    *ret = info;
    if (!info)
        return CLUSTER_ENV_FAILED;
    if (ce_slurm_identify(&env, &id, &info->error) < 0)
        return CLUSTER_ENV_NO_JOB;
    return fill(info, run_dir) < 0 ? CLUSTER_ENV_FAILED : CLUSTER_ENV_OK;
}

void cluster_env_close(struct cluster_env *info)
{
    if (!info)
        return;
    ce_job_close(&info->job);
    free(info->addresses);
    free(info);
}

const char *cluster_env_error(const struct cluster_env *info)
{
    return info ? info->error.text : "no memory";
}

const char *cluster_env_note(const struct cluster_env *info, int index)
{
    const struct ce_notes *notes = view_of(info) ? &info->job.session->notes : NULL;
    return notes && index >= 0 && (size_t)index < notes->count ? notes->line[index].text : NULL;
}

int cluster_env_rank(const struct cluster_env *info)
{
    const struct ce_task *task = task_of(info);
    return task ? number(task->rank) : -1;
}

int cluster_env_world_size(const struct cluster_env *info)
{
    return task_of(info) ? number(view_of(info)->allocation->task_count) : -1;
}

int cluster_env_local_rank(const struct cluster_env *info)
{
    const struct ce_task *task = task_of(info);
    return task ? number(task->local_rank) : -1;
}

int cluster_env_local_world_size(const struct cluster_env *info)
{
    const struct ce_task *task = task_of(info);
    return task ? number(task->local_tasks) : -1;
}

int cluster_env_node_rank(const struct cluster_env *info)
{
    if (!task_of(info))
        return cluster_env_num_nodes(info) == 1 ? 0 : -1;
    return number(task_of(info)->node_rank);
}

int cluster_env_num_nodes(const struct cluster_env *info)
{
    const struct ce_view *view = view_of(info);
    return view ? number(view->cluster->node_count) : -1;
}

const char *cluster_env_node_name(const struct cluster_env *info, int node_rank)
{
    if (node_rank < 0 || node_rank >= cluster_env_num_nodes(info))
        return NULL;
    return ce_hostlist_name(info->view.allocation->nodes, (size_t)node_rank);
}

const char *cluster_env_node_address(const struct cluster_env *info, int node_rank)
{
    if (node_rank < 0 || node_rank >= cluster_env_num_nodes(info))
        return NULL;
    return info->addresses[node_rank][0] ? info->addresses[node_rank] : NULL;
}

const char *cluster_env_primary_address(const struct cluster_env *info)
{
    const char *address = cluster_env_node_address(info, 0);
    if (view_of(info) && view_of(info)->allocation->order == CE_ORDER_JOB)
        return NULL;
    return address ? address : cluster_env_node_name(info, 0);
}

int cluster_env_primary_port(const struct cluster_env *info)
{
    const struct ce_view *view = view_of(info);
    return view ? number(view->port.number) : -1;
}
