/* SPDX-License-Identifier: Apache-2.0 */
#include "model/rdma_result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/record.h"

enum { MTU_MAX = 1 << 16 };
static const uint64_t mbps_max = 100000000, ns_max = 60000000000;

static const char *const names[] = {
    [CE_RDMA_DONE] = "done",       [CE_RDMA_PORT] = "port",   [CE_RDMA_WRITE] = "write",
    [CE_RDMA_PEER] = "peer",       [CE_RDMA_ALONE] = "alone", [CE_RDMA_MEMLOCK] = "memlock",
    [CE_RDMA_DEVICE] = "device",   [CE_RDMA_NO_GPU] = "no-gpu", [CE_RDMA_GPU] = "gpu",
};
enum { OUTCOMES = sizeof names / sizeof *names };

/* Some of it is said by the other node: as with every error, nothing may draw on a terminal. */
int ce_rdma_fail(struct ce_rdma_result *result, enum ce_rdma_outcome outcome, const char *format,
                 ...)
{
    char text[CE_FINDING_TEXT];
    struct ce_error clean;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ce_fail(&clean, "%s", text);
    result->outcome = outcome;
    snprintf(result->text, sizeof result->text, "%.159s", clean.text);
    return -1;
}

const char *ce_rdma_outcome_name(enum ce_rdma_outcome outcome)
{
    return names[outcome];
}

void ce_rdma_result_write(const struct ce_rdma_result *result, struct ce_text *out)
{
    ce_record_begin(out);
    ce_record_add(out, names[result->outcome], "rdma.outcome");
    if (result->outcome == CE_RDMA_DONE) {
        ce_record_add_number(out, result->write_mbps, "rdma.write_mbps");
        ce_record_add_number(out, result->latency_ns, "rdma.latency_ns");
        ce_record_add_number(out, result->mtu, "rdma.mtu");
        if (result->gpu_way[0]) {
            ce_record_add(out, result->gpu_name, "rdma.gpu_name");
            ce_record_add(out, result->gpu_way, "rdma.gpu_way");
        }
    } else {
        ce_record_add(out, result->text, "rdma.text");
    }
    ce_record_end(out);
}

static int read_outcome(const struct ce_record *record, struct ce_rdma_result *ret,
                        struct ce_error *err)
{
    const char *word = ce_record_get(record, "rdma.outcome");
    for (unsigned i = 0; word && i < OUTCOMES; i++)
        if (strcmp(names[i], word) == 0) {
            ret->outcome = (enum ce_rdma_outcome)i;
            return 0;
        }
    return ce_fail(err, "rdma.outcome=%.40s: not an outcome", word ? word : "");
}

static int read_figure(const struct ce_record *record, const char *key, uint64_t max, uint64_t *ret,
                       struct ce_error *err)
{
    int found = ce_record_number(record, 1, max, ret, err, "rdma.%s", key);
    return found == 0 ? ce_fail(err, "rdma.%s is missing", key) : found;
}

static void read_word(const struct ce_record *record, const char *key, char ret[CE_RDMA_WORD])
{
    struct ce_error clean;
    const char *word = ce_record_get(record, "%s", key);
    ce_fail(&clean, "%s", word ? word : "");
    snprintf(ret, CE_RDMA_WORD, "%.63s", clean.text);
}

static int read_figures(const struct ce_record *record, struct ce_rdma_result *ret,
                        struct ce_error *err)
{
    uint64_t mtu;
    if (read_figure(record, "write_mbps", mbps_max, &ret->write_mbps, err) < 0 ||
        read_figure(record, "latency_ns", ns_max, &ret->latency_ns, err) < 0 ||
        read_figure(record, "mtu", MTU_MAX, &mtu, err) < 0)
        return -1;
    ret->mtu = (unsigned)mtu;
    read_word(record, "rdma.gpu_name", ret->gpu_name);
    read_word(record, "rdma.gpu_way", ret->gpu_way);
    return 0;
}

int ce_rdma_result_parse(const char *text, struct ce_rdma_result *ret, struct ce_error *err)
{
    struct ce_rdma_result read = *ret;
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record || read_outcome(record, &read, err) < 0)
        return -1;
    if (read.outcome == CE_RDMA_DONE) {
        if (read_figures(record, &read, err) < 0)
            return -1;
    } else {
        const char *why = ce_record_get(record, "rdma.text");
        ce_rdma_fail(&read, read.outcome, "%.150s", why ? why : "it does not say why");
    }
    *ret = read;
    return 0;
}
