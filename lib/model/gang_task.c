/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gang_task.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

/* The numbers of a task, and what they may be. */
static const struct {
    const char *key;
    size_t offset;
    uint32_t min, max;
} numbers[] = {
    {"job", offsetof(struct ce_gang_task, job), 1, UINT32_MAX},
    {"nodes", offsetof(struct ce_gang_task, count), 2, CE_GANG_NODES_MAX},
    {"self", offsetof(struct ce_gang_task, self), 0, CE_GANG_NODES_MAX - 1},
    {"port.first", offsetof(struct ce_gang_task, port_first), 1, 65535},
    {"port.last", offsetof(struct ce_gang_task, port_last), 1, 65535},
    {"deadline", offsetof(struct ce_gang_task, deadline_ms), CE_GANG_DEADLINE_MIN_MS,
     CE_GANG_DEADLINE_MAX_MS},
    {"floor", offsetof(struct ce_gang_task, limits.floor_mbps), 0, UINT32_MAX},
    {"below", offsetof(struct ce_gang_task, limits.below_percent), 0, 99},
    {"nccl", offsetof(struct ce_gang_task, nccl_mib), 0, 4096},
    {"witnesses", offsetof(struct ce_gang_task, witness_count), 0, CE_GANG_WITNESSES},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static uint32_t *number_at(const struct ce_gang_task *task, size_t i)
{
    return (uint32_t *)((char *)task + numbers[i].offset);
}

/* ---------------------------------------------------------------- writing */

static void write_addresses(const struct ce_address *addresses, uint32_t count, const char *key,
                            struct ce_text *out)
{
    char text[CE_ADDRESS_TEXT];
    for (uint32_t i = 0; i < count; i++)
        ce_record_add(out, ce_address_format(&addresses[i], text), "%s.%u", key, i);
}

void ce_gang_task_write(const struct ce_gang_task *task, struct ce_text *out)
{
    struct ce_gang_view view = {.out = task->out, .facts = task->facts};
    ce_record_begin(out);
    for (size_t i = 0; i < NUMBERS; i++)
        ce_record_add_number(out, *number_at(task, i), "%s", numbers[i].key);
    ce_record_add(out, task->interface, "interface");
    ce_record_add(out, task->socket, "socket");
    ce_record_add(out, task->name, "name");
    for (uint32_t i = 0; i < task->facts.measured; i++) {
        ce_record_add(out, task->rails[i].device, "rail.%u.device", i);
        ce_record_add_number(out, task->rails[i].port, "rail.%u.port", i);
        ce_record_add_number(out, task->rails[i].gid, "rail.%u.gid", i);
    }
    ce_gang_view_write(&view, out);
    write_addresses(task->witnesses, task->witness_count, "witness", out);
    write_addresses(task->addresses, task->count, "node", out);
    ce_record_end(out);
}

/* ---------------------------------------------------------------- reading */

static int read_numbers(const struct ce_record *record, struct ce_gang_task *ret,
                        struct ce_error *err)
{
    uint64_t value;
    for (size_t i = 0; i < NUMBERS; i++) {
        int found = ce_record_number(record, numbers[i].min, numbers[i].max, &value, err, "%s",
                                     numbers[i].key);
        if (found <= 0)
            return found < 0 ? -1 : ce_fail(err, "%s is missing", numbers[i].key);
        *number_at(ret, i) = (uint32_t)value;
    }
    if (ret->self >= ret->count || ret->port_first > ret->port_last)
        return ce_fail(err, "self or the ports are out of range");
    return 0;
}

static int read_text(const struct ce_record *record, const char *key, char *ret, size_t size,
                     struct ce_error *err)
{
    const char *text = ce_record_get(record, "%s", key);
    return ce_copy(ret, size, text ? text : "") < 0 ? ce_fail(err, "%s: too long", key) : 0;
}

static int read_addresses(const struct ce_record *record, const char *key, uint32_t count,
                          struct ce_address *ret, struct ce_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *text = ce_record_get(record, "%s.%u", key, i);
        if (!text || ce_address_parse(text, &ret[i]) < 0)
            return ce_fail(err, "%s.%u=%.60s: not an address", key, i, text ? text : "");
    }
    return 0;
}

static int read_rail(const struct ce_record *record, uint32_t index, struct ce_gang_rail *ret,
                     struct ce_error *err)
{
    char key[32];
    uint64_t port = 0, gid = 0;
    snprintf(key, sizeof key, "rail.%u.device", index);
    if (read_text(record, key, ret->device, sizeof ret->device, err) < 0 ||
        ce_record_number(record, 1, 255, &port, err, "rail.%u.port", index) < 0 ||
        ce_record_number(record, 0, 255, &gid, err, "rail.%u.gid", index) < 0)
        return -1;
    ret->port = (uint32_t)port;
    ret->gid = (uint32_t)gid;
    return 0;
}

static int read_task(const struct ce_record *record, struct ce_gang_task *ret, struct ce_error *err)
{
    struct ce_gang_view view;
    if (read_numbers(record, ret, err) < 0 || ce_gang_view_read(record, &view, err) < 0 ||
        read_text(record, "interface", ret->interface, sizeof ret->interface, err) < 0 ||
        read_text(record, "socket", ret->socket, sizeof ret->socket, err) < 0 ||
        read_text(record, "name", ret->name, sizeof ret->name, err) < 0)
        return -1;
    ret->out = view.out;
    ret->facts = view.facts;
    for (uint32_t i = 0; i < ret->facts.measured; i++)
        if (read_rail(record, i, &ret->rails[i], err) < 0)
            return -1;
    ret->addresses = calloc(ret->count, sizeof *ret->addresses);
    if (!ret->addresses)
        return ce_fail(err, "no memory");
    if (read_addresses(record, "witness", ret->witness_count, ret->witnesses, err) < 0)
        return -1;
    return read_addresses(record, "node", ret->count, ret->addresses, err);
}

int ce_gang_task_parse(const char *text, struct ce_gang_task *ret, struct ce_error *err)
{
    *ret = (struct ce_gang_task){.addresses = NULL};
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    return record ? read_task(record, ret, err) : -1;
}

void ce_gang_task_free(struct ce_gang_task *task)
{
    free(task->addresses);
    task->addresses = NULL;
}
