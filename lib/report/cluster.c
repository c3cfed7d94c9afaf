/* SPDX-License-Identifier: Apache-2.0 */
#include "report/cluster.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/json.h"

static const char *node_name(const struct ce_view *view, uint32_t rank)
{
    return ce_hostlist_name(view->allocation->nodes, rank);
}

/* Is node 0 the primary?  Not of a job whose steps have an order of their own. */
static bool has_primary(const struct ce_view *view)
{
    return view->allocation->order != CE_ORDER_JOB;
}

/* NULL where the book has none. */
static const char *node_address(const struct ce_view *view, uint32_t rank, char *buf)
{
    const struct ce_address *address = &view->cluster->addresses[rank];
    return address->family ? ce_address_format(address, buf) : NULL;
}

void ce_report_info_text(const struct ce_view *view, struct ce_text *out)
{
    char step[CE_STEP_ID_TEXT], buf[CE_ADDRESS_TEXT];
    const struct ce_allocation *allocation = view->allocation;
    const char *address = node_address(view, 0, buf);
    ce_text_addf(out, "step       %s\n", ce_step_id_format(&allocation->id, step));
    if (allocation->id.kind == CE_STEP_TASKS)
        ce_text_addf(out, "rank       %u of %u\nnode rank  %u of %u\n", view->task->rank,
                     allocation->task_count, view->task->node_rank, view->cluster->node_count);
    if (has_primary(view))
        ce_text_addf(out, "primary    %s port %u\n\n", address ? address : node_name(view, 0),
                     view->port.number);
    else
        ce_text_add(out, "primary    each step has its own: Slurm places tasks by its topology\n\n");
    ce_text_addf(out, "%-9s  %-24s  %s\n", "NODE RANK", "NAME", "ADDRESS");
    for (uint32_t i = 0; i < view->cluster->node_count; i++) {
        char rank[16] = "-";
        if (has_primary(view))
            snprintf(rank, sizeof rank, "%" PRIu32, i);
        address = node_address(view, i, buf);
        ce_text_addf(out, "%-9s  %-24s  %s\n", rank, node_name(view, i), address ? address : "-");
    }
}

static json_t *number_or_null(bool known, uint32_t number)
{
    return known ? json_integer(number) : json_null();
}

static json_t *nodes_to_json(const struct ce_view *view)
{
    char address[CE_ADDRESS_TEXT];
    json_t *nodes = json_array();
    for (uint32_t i = 0; i < view->cluster->node_count; i++)
        json_array_append_new(nodes,
                              json_pack("{s:o, s:s, s:o}", "node_rank",
                                        number_or_null(has_primary(view), i), "name",
                                        node_name(view, i), "address",
                                        ce_json_text(node_address(view, i, address))));
    return nodes;
}

int ce_report_info_json(const struct ce_view *view, struct ce_text *out)
{
    char step[CE_STEP_ID_TEXT], address[CE_ADDRESS_TEXT];
    bool tasks = view->allocation->id.kind == CE_STEP_TASKS, primary = has_primary(view);
    json_t *root = json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:i, s:{s:o, s:o, s:i}, s:o}", "schema", 1, "step",
        ce_step_id_format(&view->allocation->id, step), "rank",
        number_or_null(tasks, view->task->rank), "world_size",
        number_or_null(tasks, view->allocation->task_count), "node_rank",
        number_or_null(tasks || view->cluster->node_count == 1, view->task->node_rank),
        "num_nodes", (int)view->cluster->node_count, "primary", "name",
        ce_json_text(primary ? node_name(view, 0) : NULL), "address",
        ce_json_text(primary ? node_address(view, 0, address) : NULL), "port", (int)view->port.number,
        "nodes", nodes_to_json(view));
    return ce_json_write(root, out);
}

/* How one node is written, and what stands between two. */
static const struct hostfile {
    const char *name;
    const char *slots; /* before the number; NULL: no number */
    const char *separator;
    bool address;
} hostfiles[] = {
    [CE_HOSTFILE_NAMES] = {"names", NULL, "\n", false},
    [CE_HOSTFILE_ADDRESSES] = {"addresses", NULL, "\n", true},
    [CE_HOSTFILE_MPI] = {"mpi", " slots=", "\n", false},
    [CE_HOSTFILE_MPICH] = {"mpich", ":", "\n", false},
    [CE_HOSTFILE_DEEPSPEED] = {"deepspeed", " slots=", "\n", false},
    [CE_HOSTFILE_HOROVOD] = {"horovod", ":", ",", false},
};

int ce_hostfile_parse(const char *name, enum ce_hostfile *ret)
{
    for (size_t i = 0; i < sizeof hostfiles / sizeof *hostfiles; i++)
        if (strcmp(hostfiles[i].name, name) == 0) {
            *ret = (enum ce_hostfile)i;
            return 0;
        }
    return -1;
}

int ce_report_hostfile(const struct ce_view *view, enum ce_hostfile format, const uint32_t *slots,
                       struct ce_text *out, struct ce_error *err)
{
    const struct hostfile *form = &hostfiles[format];
    char buf[CE_ADDRESS_TEXT];
    for (uint32_t i = 0; i < view->cluster->node_count; i++) {
        const char *word = form->address ? node_address(view, i, buf) : node_name(view, i);
        if (!word)
            return ce_fail(err, "the address book has no address of %s; see 'cluster-env show'",
                           node_name(view, i));
        ce_text_addf(out, "%s%s", i ? form->separator : "", word);
        if (form->slots)
            ce_text_addf(out, "%s%" PRIu32, form->slots, slots[i]);
    }
    ce_text_add(out, "\n");
    return 0;
}
