/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nccl_bench.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "model/record.h"

#define PREFIX "nccl."

static const char *const stages[CE_NCCL_STAGES] = {"start", "meet", "init", "measure"};
static const char *const outcomes[] = {"silent", "done", "skipped", "failed", "others", "late"};
enum { OUTCOMES = sizeof outcomes / sizeof *outcomes, OUTPUT_MAX = 1 << 20 };

static const struct {
    const char *key;
    size_t offset;
    uint32_t max;
} numbers[] = {
    {"gpus", offsetof(struct ce_nccl_node, gpus), CE_NCCL_GPUS_MAX},
    {"ranks", offsetof(struct ce_nccl_node, ranks), CE_NCCL_GPUS_MAX *CE_NCCL_NODES_MAX},
    {"version", offsetof(struct ce_nccl_node, version), 1000000},
    {"rails", offsetof(struct ce_nccl_node, rails), 8192},
    {"hardware", offsetof(struct ce_nccl_node, hardware), 1},
};

#define TEXT(key, member)                                                                          \
    {                                                                                              \
        key, offsetof(struct ce_nccl_node, member), sizeof(((struct ce_nccl_node *)0)->member)     \
    }
static const struct {
    const char *key;
    size_t offset, size;
} texts[] = {
    TEXT("node", name),           TEXT("gpu", gpu),
    TEXT("reason", reason),       TEXT("asked", asked),
    TEXT("network", log.network), TEXT("via", log.via),
    TEXT("warning", log.warning),
};
#undef TEXT
enum { NUMBERS = sizeof numbers / sizeof *numbers, TEXTS = sizeof texts / sizeof *texts };

const char *ce_nccl_stage_name(enum ce_nccl_stage stage)
{
    return stages[stage];
}

const char *ce_nccl_outcome_name(enum ce_nccl_outcome outcome)
{
    return outcomes[outcome];
}

/* NCCL counted otherwise before 2.9. */
const char *ce_nccl_version_text(uint32_t version, char text[CE_NCCL_VERSION_TEXT])
{
    uint32_t major = version >= 10000 ? 10000 : 1000;
    snprintf(text, CE_NCCL_VERSION_TEXT, "%u.%u.%u", version / major, version % major / 100,
             version % 100);
    return text;
}

static void clean_text(char *ret, size_t size, const char *text)
{
    struct ce_error clean;
    ce_fail(&clean, "%s", text);
    snprintf(ret, size, "%.*s", (int)size - 1, clean.text);
}

void ce_nccl_node_end(struct ce_nccl_node *node, enum ce_nccl_outcome outcome, const char *reason,
                      ...)
{
    char text[2 * CE_NCCL_REASON];
    va_list args;
    va_start(args, reason);
    vsnprintf(text, sizeof text, reason, args);
    va_end(args);
    node->outcome = outcome;
    clean_text(node->reason, sizeof node->reason, text);
}

unsigned ce_nccl_size_count(uint64_t bytes)
{
    unsigned count = 1;
    for (; bytes / CE_NCCL_STEP >= CE_NCCL_LEAST; bytes /= CE_NCCL_STEP)
        count++;
    return count;
}

uint64_t ce_nccl_bus_mbytes(uint64_t bytes, uint64_t ns, uint32_t ranks)
{
    if (!ns || ranks < 2)
        return 0;
    uint64_t ret = (uint64_t)((double)bytes * 1000 / (double)ns * 2 * (ranks - 1) / ranks);
    return ret > 0 ? ret : 1;
}

static const struct ce_nccl_size *find_size(const struct ce_nccl_node *node, uint64_t bytes)
{
    for (unsigned i = 0; i < node->size_count; i++)
        if (node->sizes[i].bytes == bytes)
            return &node->sizes[i];
    return NULL;
}

uint64_t ce_nccl_largest(const struct ce_nccl_node *parts, size_t count)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct ce_nccl_node *part = &parts[i];
        uint64_t bytes = part->size_count ? part->sizes[part->size_count - 1].bytes : 0;
        least = bytes < least ? bytes : least;
    }
    return count ? least : 0;
}

uint64_t ce_nccl_rate(const struct ce_nccl_node *parts, size_t count, uint64_t bytes)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < count; i++) {
        const struct ce_nccl_size *size = find_size(&parts[i], bytes);
        if (!size)
            return 0;
        ns = size->ns > ns ? size->ns : ns;
    }
    return count ? ce_nccl_bus_mbytes(bytes, ns, parts->ranks) : 0;
}

/* ---------------------------------------------------------------- writing */

static const char *text_at(const struct ce_nccl_node *node, size_t i)
{
    return (const char *)node + texts[i].offset;
}

static uint32_t *number_at(const struct ce_nccl_node *node, size_t i)
{
    return (uint32_t *)((char *)node + numbers[i].offset);
}

static void write_size(const struct ce_nccl_node *node, unsigned i, struct ce_text *out)
{
    const struct ce_nccl_size *size = &node->sizes[i];
    ce_record_add_number(out, size->bytes, PREFIX "size.%u.bytes", i);
    ce_record_add_number(out, size->ns, PREFIX "size.%u.ns", i);
    ce_record_add_number(out, size->wrong, PREFIX "size.%u.wrong", i);
}

static void write_facts(const struct ce_nccl_node *node, struct ce_text *out)
{
    for (size_t i = 0; i < NUMBERS; i++)
        ce_record_add_number(out, *number_at(node, i), PREFIX "%s", numbers[i].key);
    for (size_t i = 0; i < TEXTS; i++)
        if (*text_at(node, i))
            ce_record_add(out, text_at(node, i), PREFIX "%s", texts[i].key);
}

void ce_nccl_node_write(const struct ce_nccl_node *node, struct ce_text *out)
{
    ce_record_begin(out);
    for (int i = 0; i <= (int)node->at; i++)
        ce_nccl_say_stage((enum ce_nccl_stage)i, out);
    ce_record_add(out, outcomes[node->outcome], PREFIX "outcome");
    write_facts(node, out);
    for (unsigned i = 0; i < node->size_count; i++)
        write_size(node, i, out);
    ce_record_end(out);
}

void ce_nccl_say_stage(enum ce_nccl_stage stage, struct ce_text *out)
{
    ce_record_add_number(out, 1, PREFIX "began.%s", stages[stage]);
}

void ce_nccl_say_ready(uint32_t port, struct ce_text *out)
{
    ce_record_add_number(out, port, PREFIX "ready");
}

bool ce_nccl_output_is_ready(const char *output, uint32_t *port)
{
    static const char key[] = PREFIX "ready=";
    for (const char *end, *rest; (end = strchr(output, '\n')) != NULL; output = end + 1) {
        uint64_t number;
        if (strncmp(output, key, sizeof key - 1) != 0 ||
            ce_parse_digits(output + sizeof key - 1, 65535, &number, &rest) < 0 || rest != end)
            continue;
        *port = (uint32_t)number;
        return true;
    }
    return false;
}

void ce_nccl_say_gpus(const struct ce_nccl_node *node, struct ce_text *out)
{
    ce_record_add_number(out, node->gpus, PREFIX "gpus");
    ce_record_add_number(out, node->version, PREFIX "version");
    ce_record_add(out, node->gpu, PREFIX "gpu");
}

void ce_nccl_say_size(const struct ce_nccl_node *node, struct ce_text *out)
{
    write_size(node, node->size_count - 1, out);
}

void ce_nccl_say_end(const struct ce_nccl_node *node, struct ce_text *out)
{
    ce_record_add_number(out, node->ranks, PREFIX "ranks");
    ce_record_add(out, outcomes[node->outcome], PREFIX "outcome");
    if (node->hardware)
        ce_record_add_number(out, node->hardware, PREFIX "hardware");
    if (node->reason[0])
        ce_record_add(out, node->reason, PREFIX "reason");
}

/* ---------------------------------------------------------------- reading */

static int read_outcome(const struct ce_record *record, struct ce_nccl_node *ret,
                        struct ce_error *err)
{
    const char *word = ce_record_get(record, PREFIX "outcome");
    ret->outcome = CE_NCCL_SILENT;
    if (!word)
        return 0;
    for (unsigned i = 0; i < OUTCOMES; i++)
        if (strcmp(word, outcomes[i]) == 0) {
            ret->outcome = (enum ce_nccl_outcome)i;
            return 0;
        }
    return ce_fail(err, "nccl.outcome=%.40s: expected done, skipped, failed, others or late", word);
}

static void read_stage(const struct ce_record *record, struct ce_nccl_node *ret)
{
    for (int i = CE_NCCL_START; i < CE_NCCL_STAGES; i++)
        if (ce_record_get(record, PREFIX "began.%s", stages[i]))
            ret->at = (enum ce_nccl_stage)i;
}

static int read_facts(const struct ce_record *record, struct ce_nccl_node *ret,
                      struct ce_error *err)
{
    for (size_t i = 0; i < NUMBERS; i++) {
        uint64_t number = 0;
        if (ce_record_number(record, 0, numbers[i].max, &number, err, PREFIX "%s", numbers[i].key) <
            0)
            return -1;
        *number_at(ret, i) = (uint32_t)number;
    }
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = ce_record_get(record, PREFIX "%s", texts[i].key);
        clean_text((char *)ret + texts[i].offset, texts[i].size, text ? text : "");
    }
    return 0;
}

/* Up to the first that is not whole. */
static int read_sizes(const struct ce_record *record, struct ce_nccl_node *ret,
                      struct ce_error *err)
{
    for (unsigned i = 0; i < CE_NCCL_SIZES_MAX; i++) {
        struct ce_nccl_size *size = &ret->sizes[i];
        const uint64_t most = UINT64_C(1) << 50;
        int bytes = ce_record_number(record, 1, most, &size->bytes, err, PREFIX "size.%u.bytes", i);
        int ns = ce_record_number(record, 1, most, &size->ns, err, PREFIX "size.%u.ns", i);
        int wrong = ce_record_number(record, 0, most, &size->wrong, err, PREFIX "size.%u.wrong", i);
        if (bytes < 0 || ns < 0 || wrong < 0)
            return -1;
        if (!bytes || !ns || !wrong)
            break;
        ret->size_count = i + 1;
    }
    return 0;
}

int ce_nccl_node_read(const char *text, struct ce_nccl_node *ret, struct ce_error *err)
{
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    *ret = (struct ce_nccl_node){.outcome = CE_NCCL_SILENT};
    if (!record)
        return -1;
    read_stage(record, ret);
    if (read_outcome(record, ret, err) < 0 || read_facts(record, ret, err) < 0 ||
        read_sizes(record, ret, err) < 0)
        return -1;
    if (ret->outcome == CE_NCCL_DONE && ret->size_count == 0)
        return ce_fail(err, "nccl.outcome=done: expected sizes");
    return 0;
}

/* Our lines of the output, as a text of their own. */
static void pick_lines(const char *output, struct ce_text *out)
{
    ce_record_begin(out);
    for (const char *end; (end = strchr(output, '\n')) != NULL; output = end + 1)
        if (strncmp(output, PREFIX, sizeof PREFIX - 1) == 0)
            ce_text_addn(out, output, (size_t)(end + 1 - output));
    ce_record_end(out);
}

int ce_nccl_output_read(const char *output, struct ce_nccl_node *ret, struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(OUTPUT_MAX);
    *ret = (struct ce_nccl_node){.outcome = CE_NCCL_SILENT};
    pick_lines(output, &text);
    if (!ce_text_ok(&text))
        return ce_fail(err, "it says too much");
    if (ce_nccl_node_read(ce_text_string(&text), ret, err) < 0)
        return -1;
    ce_nccl_log_read(output, &ret->log);
    return 0;
}
