/* SPDX-License-Identifier: Apache-2.0 */
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>

#include "launch/marker.h"
#include "launch/nccl_list.h"
#include "local/nccl_conf.h"
#include "local/primary.h"
#include "slurm/environment.h"

/* What the nodes' rails lack, where the step may run all the same. */
static void note_rails(struct ce_session *session)
{
    const struct ce_agreement *agreement = &session->cluster.agreement;
    if (agreement->refused || session->request.rdma == CE_RDMA_OFF)
        return;
    if (agreement->all.text[0])
        ce_note(&session->notes, "%s", agreement->all.text);
    if (agreement->own.text[0]) {
        ce_note(&session->notes, "%s", agreement->own.text);
        session->of_this_node = true;
    }
}

static int fill(struct ce_session *session, const char *run_dir, const struct ce_environ *env,
                struct ce_step_id id, struct ce_error *err)
{
    ce_texts_read(run_dir, &session->texts, &session->notes);
    if (ce_slurm_allocation(env, id, &session->allocation, err) < 0)
        return -1;
    if (ce_cluster_init(&session->cluster, &session->allocation, session->texts.node,
                        &session->texts.policy, session->texts.rules, session->texts.book,
                        &session->notes, err) < 0)
        return -1;
    note_rails(session);
    return 0;
}

struct ce_session *ce_session_open(const char *run_dir, const struct ce_environ *env,
                                   struct ce_step_id id, const struct ce_request *request,
                                   struct ce_error *err)
{
    struct ce_session *session = calloc(1, sizeof *session);
    if (!session) {
        ce_fail(err, "no memory");
        return NULL;
    }
    session->request = *request;
    if (fill(session, run_dir, env, id, err) < 0) {
        ce_session_close(session);
        return NULL;
    }
    return session;
}

void ce_session_close(struct ce_session *session)
{
    if (!session)
        return;
    ce_texts_free(&session->texts);
    ce_allocation_free(&session->allocation);
    ce_cluster_free(&session->cluster);
    free(session);
}

void ce_session_share(struct ce_session *session, const struct ce_environ *env)
{
    struct ce_error err;
    ce_auto(ce_plan_destroy) struct ce_plan *plan = ce_session_plan(session, NULL, env, &err);
    if (!plan || ce_plan_apply(plan, env, &err) < 0)
        ce_note(&session->notes, "%s", err.text);
}

/* Ranks of GPUs and ranks of tasks differ where each task sees its own GPUs only. */
static void note_hidden_gpus(struct ce_session *session, const struct ce_task *task)
{
    if (task->visible_gpus == UINT32_MAX || task->visible_gpus >= task->gpus_on_node ||
        task->visible_gpus >= task->local_tasks)
        return;
    ce_note(&session->notes,
            "each task sees %u of the %u GPUs of its node, so LOCAL_RANK is not the number of its "
            "GPU; use GPU 0 in each task, or start srun without --gpus-per-task and with "
            "--gpu-bind=none",
            task->visible_gpus, task->gpus_on_node);
}

static int fail_stale(struct ce_error *err, const struct ce_session *session, uint32_t node_rank)
{
    char text[CE_ADDRESS_TEXT];
    ce_address_format(&session->cluster.addresses[node_rank], text);
    return ce_fail(err,
                   "the address book is stale: it gives %s for %s, but no interface of this node "
                   "has it; mend it with 'cluster-env addresses --write', then run 'cluster-env "
                   "facts --write' as root on every node",
                   text, ce_hostlist_name(session->allocation.nodes, node_rank));
}

/* Only the primary's address is vital, and its node looks for it when it starts: the others' facts
 * tell what they own. */
static void note_stale_entry(struct ce_session *session, const struct ce_task *task)
{
    const struct ce_address *entry = &session->cluster.addresses[task->node_rank];
    const struct ce_node *node = session->texts.node;
    struct ce_error err;
    if (!node || !entry->family || task->node_rank == 0 || ce_node_owns(node, entry))
        return;
    fail_stale(&err, session, task->node_rank);
    ce_note(&session->notes, "%s", err.text);
    session->of_this_node = true;
}

int ce_session_enter(struct ce_session *session, const struct ce_environ *env,
                     struct ce_task *task, struct ce_error *err)
{
    if (ce_slurm_task(env, &session->allocation, task, err) < 0 ||
        ce_cluster_check(&session->allocation, task, err) < 0)
        return -1;
    if (session->allocation.id.kind == CE_STEP_TASKS) {
        if (ce_cluster_check_rails(&session->cluster, &session->request, task->node_rank, err) <
            0)
            return -1;
        note_hidden_gpus(session, task);
        note_stale_entry(session, task);
    }
    return 0;
}

static struct ce_port choose_port(const struct ce_session *session, const struct ce_environ *env,
                                  struct ce_notes *notes)
{
    return ce_port_choose(&session->allocation, &session->texts.policy, &session->request,
                          ce_plan_user_port(env, notes));
}

static const char *conf_sets(const void *ctx, const char *name)
{
    return ce_nccl_conf_sets(ctx, name);
}

/* What somebody other than us set a variable to; NULL: nobody. */
static const char *find_foreign(const struct ce_session *session, const struct ce_environ *env,
                                const struct ce_nccl_conf *files, const char *name,
                                char buffer[CE_NCCL_CONF_VALUE])
{
    const char *value = ce_environ_get(env, name);
    const char *site = ce_rules_get(session->texts.rules, name);
    if (value && !ce_marker_holds(ce_environ_get(env, CE_MARKER), name, value))
        return value;
    if (ce_nccl_conf_value(files, name, buffer))
        return buffer;
    return site;
}

/* NCCL drops entries and does not report it. */
static void judge_length(struct ce_session *session, const struct ce_nccl_variable *variable,
                         const struct ce_nccl_list *list)
{
    size_t count = list->count + list->dropped;
    if (count > variable->max)
        ce_note(&session->notes,
                "%s has %zu entries, but NCCL reads only the first %zu; use a prefix",
                variable->name, count, variable->max);
    else if (variable->of_hcas && ce_nccl_list_changes(list, CE_NCCL_2_18, session->texts.node))
        ce_note(&session->notes,
                "%s has %zu entries, but NCCL before 2.19 reads only the first 16; use a prefix",
                variable->name, count);
}

/* An older NCCL reads the empty port of "mlx5_0::0:0" as port 0, which no HCA has. */
static void judge_empty_port(struct ce_session *session, const struct ce_nccl_variable *variable,
                             const char *value, const struct ce_nccl_list *list)
{
    if (!variable->of_hcas || !ce_nccl_list_changes(list, CE_NCCL_2_19, session->texts.node))
        return;
    const struct ce_nccl_entry *entry = ce_nccl_list_empty_port(list, session->texts.node);
    if (entry)
        ce_note(&session->notes,
                "%s=%.100s: NCCL before 2.30.5 reads the empty port of %.63s as port 0, which no HCA has; "
                "write the port, as in %.63s:1",
                variable->name, value, entry->name, entry->name);
}

/* NCCL says nothing of a name that matches nothing: the wrong HCA is used, or none. */
static void judge_list(struct ce_session *session, const struct ce_nccl_variable *variable,
                       const char *value)
{
    struct ce_nccl_list list;
    char port[16] = "";
    ce_nccl_list_parse(value, &list);
    judge_length(session, variable, &list);
    judge_empty_port(session, variable, value, &list);
    const struct ce_nccl_entry *entry = variable->find_unknown(&list, session->texts.node);
    if (!entry)
        return;
    if (entry->port != -1)
        snprintf(port, sizeof port, ":%d", entry->port);
    ce_note(&session->notes,
            "%s=%.100s: no %s of this node is called %s%.63s%s; 'cluster-env topology' lists them",
            variable->name, value, variable->what, list.exact ? "" : "so or begins with ",
            entry->name, port);
    session->of_this_node = true;
}

static void note_lists(struct ce_session *session, const struct ce_environ *env,
                       const struct ce_nccl_conf *files)
{
    for (size_t i = 0; session->texts.node && i < ce_nccl_variable_count; i++) {
        char buffer[CE_NCCL_CONF_VALUE];
        const char *value = find_foreign(session, env, files, ce_nccl_variables[i].name, buffer);
        if (value)
            judge_list(session, &ce_nccl_variables[i], value);
    }
}

struct ce_view ce_session_view(struct ce_session *session, const struct ce_task *task,
                               const struct ce_environ *env)
{
    return (struct ce_view){
        .allocation = &session->allocation,
        .task = task,
        .cluster = &session->cluster,
        .policy = &session->texts.policy,
        .rules = session->texts.rules,
        .request = &session->request,
        .port = choose_port(session, env, &session->notes),
    };
}

struct ce_plan *ce_session_plan(struct ce_session *session, const struct ce_task *task,
                                const struct ce_environ *env, struct ce_error *err)
{
    const struct ce_view view = ce_session_view(session, task, env);
    struct ce_nccl_conf files;
    ce_nccl_conf_read(CE_NCCL_SITE_CONF, env, &files);
    const struct ce_conf_lookup conf = {conf_sets, &files};
    struct ce_plan *plan = ce_plan_create(&view, env, &conf, &session->notes, err);
    if (task)
        note_lists(session, env, &files);
    ce_nccl_conf_free(&files);
    return plan;
}

int ce_session_check_primary(struct ce_session *session, const struct ce_task *task,
                             const struct ce_environ *env, struct ce_error *err)
{
    const struct ce_address *primary = &session->cluster.addresses[0];
    char text[CE_ADDRESS_TEXT];
    if (session->allocation.id.kind != CE_STEP_TASKS || task->node_rank != 0 ||
        task->local_rank != 0 || !primary->family)
        return 0;
    struct ce_port port = choose_port(session, env, NULL);
    ce_address_format(primary, text);
    switch (ce_primary_check(primary, port.number)) {
    case CE_PRIMARY_NOT_OURS:
        return fail_stale(err, session, 0);
    case CE_PRIMARY_PORT_TAKEN:
        ce_note(&session->notes, "port %u on %s is taken already (%s); use --cluster-env=port=N",
                port.number, text, port.source);
        break;
    case CE_PRIMARY_PORT_FORBIDDEN:
        ce_note(&session->notes, "port %u is reserved for root (%s); use a port above 1023",
                port.number, port.source);
        break;
    case CE_PRIMARY_OK:
        break;
    }
    return 0;
}
