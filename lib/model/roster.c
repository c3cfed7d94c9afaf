/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roster.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "model/hostlist.h"
#include "model/record.h"

struct ce_roster {
    struct ce_record *record; /* the nodes' texts are its values */
    struct ce_roster_node *nodes;
    size_t count;
};

void ce_roster_begin(struct ce_text *out, size_t count)
{
    ce_record_begin(out);
    ce_record_add_number(out, count, "nodes");
}

void ce_roster_add(struct ce_text *out, size_t index, const struct ce_roster_node *node)
{
    ce_record_add(out, node->name, "node.%zu.name", index);
    ce_record_add(out, node->address, "node.%zu.address", index);
    ce_record_add(out, node->state, "node.%zu.state", index);
    ce_record_add(out, node->partition, "node.%zu.partition", index);
    if (node->reason && *node->reason)
        ce_record_add(out, node->reason, "node.%zu.reason", index);
    if (node->since)
        ce_record_add_number(out, node->since, "node.%zu.since", index);
    if (node->gpus)
        ce_record_add_number(out, node->gpus, "node.%zu.gpus", index);
}

void ce_roster_end(struct ce_text *out)
{
    ce_record_end(out);
}

/* A host list of just this one: it is read by the same strict rules as node lists are. */
static bool is_node_name(const char *name)
{
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_hostlist_parse(name, NULL);
    return list && ce_hostlist_count(list) == 1 && strcmp(ce_hostlist_name(list, 0), name) == 0;
}

static const char *value_of(const struct ce_record *record, size_t index, const char *key)
{
    const char *value = ce_record_get(record, "node.%zu.%s", index, key);
    return value ? value : "";
}

/* 0 where it is not told. */
static uint64_t number_of(const struct ce_record *record, size_t index, const char *key,
                          uint64_t max)
{
    uint64_t number = 0;
    return ce_parse_uint(value_of(record, index, key), 0, max, &number) < 0 ? 0 : number;
}

static int read_nodes(struct ce_roster *roster, struct ce_error *err)
{
    for (size_t i = 0; i < roster->count; i++) {
        roster->nodes[i] = (struct ce_roster_node){
            .name = value_of(roster->record, i, "name"),
            .address = value_of(roster->record, i, "address"),
            .state = value_of(roster->record, i, "state"),
            .partition = value_of(roster->record, i, "partition"),
            .reason = value_of(roster->record, i, "reason"),
            .since = number_of(roster->record, i, "since", INT64_MAX),
            .gpus = (uint32_t)number_of(roster->record, i, "gpus", UINT32_MAX),
        };
        if (!is_node_name(roster->nodes[i].name))
            return ce_fail(err, "node.%zu.name=%.60s: expected a node's name", i,
                           roster->nodes[i].name);
    }
    return 0;
}

static int fill(struct ce_roster *roster, const char *text, struct ce_error *err)
{
    uint64_t count = 0;
    roster->record = ce_record_parse(text, err);
    if (!roster->record ||
        ce_record_number(roster->record, 0, CE_HOSTLIST_MAX, &count, err, "nodes") < 0)
        return -1;
    roster->nodes = calloc(count + 1, sizeof *roster->nodes);
    if (!roster->nodes)
        return ce_fail(err, "no memory");
    roster->count = count;
    return read_nodes(roster, err);
}

struct ce_roster *ce_roster_parse(const char *text, struct ce_error *err)
{
    struct ce_roster *roster = calloc(1, sizeof *roster);
    if (!roster)
        ce_fail(err, "no memory");
    else if (fill(roster, text, err) < 0) {
        ce_roster_destroy(roster);
        roster = NULL;
    }
    return roster;
}

void ce_roster_destroy(struct ce_roster *roster)
{
    if (!roster)
        return;
    ce_record_destroy(roster->record);
    free(roster->nodes);
    free(roster);
}

size_t ce_roster_count(const struct ce_roster *roster)
{
    return roster->count;
}

const struct ce_roster_node *ce_roster_at(const struct ce_roster *roster, size_t index)
{
    return &roster->nodes[index];
}
