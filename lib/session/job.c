/* SPDX-License-Identifier: Apache-2.0 */
#include "session/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "launch/marker.h"
#include "slurm/environment.h"
#include "slurm/nodes.h"

static const char *get(void *ctx, const char *name)
{
    (void)ctx;
    return getenv(name);
}

struct ce_environ ce_process_environ(void)
{
    return (struct ce_environ){.get = get};
}

/* What the plugin wrote in outer steps does not count. */
static bool was_set_up(const struct ce_environ *env, const struct ce_step_id *id)
{
    char step[CE_STEP_ID_TEXT];
    const char *told = ce_environ_get(env, CE_STEP_VARIABLE);
    return told && strcmp(told, ce_step_id_format(id, step)) == 0;
}

/* Without the plugin srun did not ask Slurm for the layout of the step. */
static int check_order(const struct ce_environ *env, struct ce_job *job, struct ce_error *err)
{
    struct ce_allocation *allocation = &job->session->allocation;
    if (allocation->order == CE_ORDER_LAYOUT || ce_allocation_node_count(allocation) == 1 ||
        !ce_slurm_has_topology(env, allocation->id.kind))
        return 0;
    if (allocation->id.kind == CE_STEP_TASKS)
        return ce_fail(err, "Slurm may have placed the tasks of this step by its topology, in another "
                            "order than its list of nodes; start the step with srun --cluster-env");
    allocation->order = CE_ORDER_JOB;
    return 0;
}

int ce_job_open(const char *run_dir, const char *option, struct ce_job *ret, struct ce_error *err)
{
    const struct ce_environ env = ce_process_environ();
    struct ce_request request;
    struct ce_step_id id;
    struct ce_job job;
    if (ce_slurm_identify(&env, &id, err) < 0)
        return -1;
    job.told = was_set_up(&env, &id);
    if (!option && job.told)
        option = ce_environ_get(&env, CE_OPTION_VARIABLE);
    if (ce_request_parse(option, &request, err) < 0)
        return -1;
    job.session = ce_session_open(run_dir, &env, id, &request, err);
    if (!job.session)
        return -1;
    if (ce_session_enter(job.session, &env, &job.task, err) < 0 ||
        (!job.told && check_order(&env, &job, err) < 0)) {
        ce_job_close(&job);
        return -1;
    }
    *ret = job;
    return 0;
}

void ce_job_close(struct ce_job *job)
{
    ce_session_close(job->session);
    job->session = NULL;
}

/* The value that this step's --cluster-env wrote; NULL: it wrote none, or somebody changed it. */
static const char *find_told(const struct ce_environ *env, const char *name)
{
    const char *value = ce_environ_get(env, name);
    return value && ce_marker_holds(ce_environ_get(env, CE_MARKER), name, value) ? value : NULL;
}

/* "10.1.0.11,10.1.0.12": exactly count addresses. */
static bool parse_addresses(const char *list, struct ce_address *ret, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char text[CE_ADDRESS_TEXT];
        size_t length = strcspn(list, ",");
        if (length >= sizeof text || !list[length] != (i + 1 == count))
            return false;
        memcpy(text, list, length);
        text[length] = '\0';
        if (ce_address_parse(text, &ret[i]) < 0)
            return false;
        list += length + 1;
    }
    return true;
}

static void take_addresses(struct ce_session *session, const struct ce_environ *env)
{
    struct ce_cluster *cluster = &session->cluster;
    const char *list = find_told(env, "CLUSTER_IPS");
    struct ce_address *told = list ? calloc(cluster->node_count, sizeof *told) : NULL;
    if (!told || !parse_addresses(list, told, cluster->node_count)) {
        free(told);
        return;
    }
    free(cluster->addresses);
    cluster->addresses = told;
    cluster->known = cluster->node_count;
    session->notes = (struct ce_notes){.count = 0};
}

struct ce_view ce_job_view(struct ce_job *job)
{
    const struct ce_environ env = ce_process_environ();
    struct ce_view view = ce_session_view(job->session, &job->task, &env);
    const char *port = job->told ? find_told(&env, "PRIMARY_PORT") : NULL;
    if (port && ce_parse_u32(port, 1, 65535, &view.port.number) == 0)
        view.port.source = "PRIMARY_PORT of this step";
    if (job->told)
        take_addresses(job->session, &env);
    return view;
}
