/* SPDX-License-Identifier: Apache-2.0 */
#include "model/rdma_end.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "model/record.h"

/* The numbers of an end, and what they may be. */
static const struct {
    const char *key;
    size_t offset;
    uint32_t min, max;
} numbers[] = {
    {"lid", offsetof(struct ce_rdma_end, lid), 0, UINT16_MAX},
    {"queue_pair", offsetof(struct ce_rdma_end, queue_pair), 1, (1 << 24) - 1},
    {"packet", offsetof(struct ce_rdma_end, packet), 0, (1 << 24) - 1},
    {"mtu", offsetof(struct ce_rdma_end, mtu), 1, CE_RDMA_MTU_MAX},
    {"key", offsetof(struct ce_rdma_end, key), 0, UINT32_MAX},
    {"room", offsetof(struct ce_rdma_end, room), 0, UINT32_MAX},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers, RAILS_MAX = 8192 };

static uint32_t *number_at(const struct ce_rdma_end *end, size_t i)
{
    return (uint32_t *)((char *)end + numbers[i].offset);
}

static int read_number(const struct ce_record *record, const char *key, uint64_t min, uint64_t max,
                       uint64_t *ret, struct ce_error *err)
{
    int found = ce_record_number(record, min, max, ret, err, "%s", key);
    return found == 0 ? ce_fail(err, "%s is missing", key) : found;
}

static void read_failed(const struct ce_record *record, char failed[CE_FINDING_TEXT])
{
    struct ce_error clean;
    const char *text = ce_record_get(record, "failed");
    failed[0] = '\0';
    if (!text)
        return;
    ce_fail(&clean, "%s", *text ? text : "it does not say why");
    snprintf(failed, CE_FINDING_TEXT, "%.159s", clean.text);
}

/* ---------------------------------------------------------------- an end */

void ce_rdma_end_write(const struct ce_rdma_end *end, struct ce_text *out)
{
    char gid[2 * CE_RDMA_GID + 1];
    ce_record_begin(out);
    ce_record_add_number(out, end->rail, "rail");
    ce_record_add_number(out, end->rails, "rails");
    if (end->failed[0]) {
        ce_record_add(out, end->failed, "failed");
    } else {
        for (size_t i = 0; i < CE_RDMA_GID; i++)
            snprintf(gid + 2 * i, 3, "%02x", end->gid[i]);
        ce_record_add(out, gid, "gid");
        ce_record_add(out, ce_link_layer_name(end->link_layer), "link_layer");
        ce_record_add_number(out, end->address, "address");
        for (size_t i = 0; i < NUMBERS; i++)
            ce_record_add_number(out, *number_at(end, i), "%s", numbers[i].key);
        if (end->gpu) {
            ce_record_add_number(out, end->gpu_address, "gpu_address");
            ce_record_add_number(out, end->gpu_key, "gpu_key");
        }
    }
    ce_record_end(out);
}

static int read_gid(const struct ce_record *record, unsigned char ret[CE_RDMA_GID],
                    struct ce_error *err)
{
    static const char digits[] = "0123456789abcdef";
    const char *text = ce_record_get(record, "gid");
    if (!text || strlen(text) != 2 * CE_RDMA_GID || strspn(text, digits) != 2 * CE_RDMA_GID)
        return ce_fail(err, "gid=%.40s: not a GID", text ? text : "");
    for (size_t i = 0; i < CE_RDMA_GID; i++)
        ret[i] = (unsigned char)((strchr(digits, text[2 * i]) - digits) * 16 +
                                 (strchr(digits, text[2 * i + 1]) - digits));
    return 0;
}

static int read_gpu(const struct ce_record *record, struct ce_rdma_end *ret, struct ce_error *err)
{
    uint64_t key;
    ret->gpu = ce_record_get(record, "gpu_address") != NULL;
    if (!ret->gpu)
        return 0;
    if (read_number(record, "gpu_address", 0, UINT64_MAX, &ret->gpu_address, err) < 0 ||
        read_number(record, "gpu_key", 0, UINT32_MAX, &key, err) < 0)
        return -1;
    ret->gpu_key = (uint32_t)key;
    return 0;
}

static int read_place(const struct ce_record *record, struct ce_rdma_end *ret, struct ce_error *err)
{
    const char *layer = ce_record_get(record, "link_layer");
    uint64_t number;
    if (!layer || ce_link_layer_parse(layer, &ret->link_layer) < 0)
        return ce_fail(err, "link_layer=%.40s: not a link layer", layer ? layer : "");
    if (read_gid(record, ret->gid, err) < 0 ||
        read_number(record, "address", 0, UINT64_MAX, &ret->address, err) < 0)
        return -1;
    for (size_t i = 0; i < NUMBERS; i++) {
        if (read_number(record, numbers[i].key, numbers[i].min, numbers[i].max, &number, err) < 0)
            return -1;
        *number_at(ret, i) = (uint32_t)number;
    }
    return read_gpu(record, ret, err);
}

int ce_rdma_end_parse(const char *text, struct ce_rdma_end *ret, struct ce_error *err)
{
    struct ce_rdma_end end = {.rail = 0};
    uint64_t rail, rails;
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record || read_number(record, "rails", 1, RAILS_MAX, &rails, err) < 0 ||
        read_number(record, "rail", 0, rails - 1, &rail, err) < 0)
        return -1;
    end.rail = (uint32_t)rail;
    end.rails = (uint32_t)rails;
    read_failed(record, end.failed);
    if (!end.failed[0] && read_place(record, &end, err) < 0)
        return -1;
    *ret = end;
    return 0;
}

/* ---------------------------------------------------------------- a step */

void ce_rdma_step_write(const struct ce_rdma_step *step, struct ce_text *out)
{
    ce_record_begin(out);
    ce_record_add_number(out, step->step, "step");
    if (step->failed[0])
        ce_record_add(out, step->failed, "failed");
    ce_record_end(out);
}

int ce_rdma_step_parse(const char *text, struct ce_rdma_step *ret, struct ce_error *err)
{
    uint64_t step;
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record || read_number(record, "step", 0, UINT32_MAX, &step, err) < 0)
        return -1;
    ret->step = (uint32_t)step;
    read_failed(record, ret->failed);
    return 0;
}
