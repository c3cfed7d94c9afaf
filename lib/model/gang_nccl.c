/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gang_nccl.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "model/gang_fields.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { RANKS_MAX = 1 << 20, LEFT_MAX_MS = 60000 };
static const uint64_t most = UINT64_C(1) << 50;

static const char *const ready_names[] = {"off", "preparing", "ready", "cannot", "unsure"};
static const char *const plan_names[] = {"none", "go", "skip", "unknown"};

/* ---------------------------------------------------------------- reading */

/* An absent key is 0. */
static int read_number(const struct ce_record *record, uint64_t max, uint64_t *ret,
                       struct ce_error *err, const char *key)
{
    *ret = 0;
    return ce_record_number(record, 0, max, ret, err, "%s", key) < 0 ? -1 : 0;
}

/* An absent key is the first name. */
static int read_name(const struct ce_record *record, const char *const *names, size_t count,
                     unsigned *ret, struct ce_error *err, const char *key)
{
    *ret = 0;
    return ce_record_get(record, "%s", key)
               ? ce_gang_read_name(record, key, names, count, ret, err)
               : 0;
}

/* ---------------------------------------------------------------- a part, a word */

void ce_gang_nccl_part_write(const struct ce_gang_nccl_part *part, struct ce_text *out)
{
    if (part->ready == CE_GANG_NCCL_OFF)
        return;
    ce_record_add(out, ready_names[part->ready], "nccl.ready");
    ce_record_add(out, part->why, "nccl.ready.why");
    ce_record_add_number(out, part->port, "nccl.ready.port");
}

int ce_gang_nccl_part_read(const struct ce_record *record, struct ce_gang_nccl_part *ret,
                           struct ce_error *err)
{
    struct ce_gang_nccl_part part = {.why = ""};
    unsigned ready;
    if (read_name(record, ready_names, COUNT(ready_names), &ready, err, "nccl.ready") < 0 ||
        ce_gang_read_text(record, "nccl.ready.why", part.why, sizeof part.why, err) < 0 ||
        ce_gang_read_number(record, "nccl.ready.port", 65535, &part.port, err) < 0)
        return -1;
    part.ready = (enum ce_gang_nccl_ready)ready;
    *ret = part;
    return 0;
}

void ce_gang_nccl_word_write(const struct ce_gang_nccl_word *word, struct ce_text *out)
{
    if (word->plan == CE_GANG_NCCL_NONE)
        return;
    ce_record_add(out, plan_names[word->plan], "nccl.plan");
    ce_record_add_number(out, word->named, "nccl.plan.named");
    ce_record_add_number(out, word->node, "nccl.plan.node");
    ce_record_add(out, word->why, "nccl.plan.why");
    ce_record_add_number(out, word->port, "nccl.plan.port");
    ce_record_add_number(out, word->left_ms, "nccl.plan.left");
    ce_record_add(out, word->token, "nccl.plan.token");
}

static bool is_token(const char *text)
{
    return strspn(text, "0123456789abcdef") == CE_GANG_NCCL_TOKEN - 1 &&
           !text[CE_GANG_NCCL_TOKEN - 1];
}

int ce_gang_nccl_word_read(const struct ce_record *record, uint32_t count,
                           struct ce_gang_nccl_word *ret, struct ce_error *err)
{
    struct ce_gang_nccl_word word = {.why = ""};
    unsigned plan;
    if (read_name(record, plan_names, COUNT(plan_names), &plan, err, "nccl.plan") < 0 ||
        ce_gang_read_switch(record, "nccl.plan.named", &word.named, err) < 0 ||
        ce_gang_read_number(record, "nccl.plan.node", count ? count - 1 : 0, &word.node, err) < 0 ||
        ce_gang_read_text(record, "nccl.plan.why", word.why, sizeof word.why, err) < 0 ||
        ce_gang_read_number(record, "nccl.plan.port", 65535, &word.port, err) < 0 ||
        ce_gang_read_number(record, "nccl.plan.left", LEFT_MAX_MS, &word.left_ms, err) < 0 ||
        ce_gang_read_text(record, "nccl.plan.token", word.token, sizeof word.token, err) < 0)
        return -1;
    word.plan = (enum ce_gang_nccl_plan)plan;
    if (word.plan == CE_GANG_NCCL_GO && (!is_token(word.token) || !word.port))
        return ce_fail(err, "nccl.plan=go: without a port and a token");
    *ret = word;
    return 0;
}

/* ---------------------------------------------------------------- what this node saw */

static void write_end(const struct ce_gang_nccl_end *end, const char *which, struct ce_text *out)
{
    ce_record_add(out, ce_nccl_outcome_name(end->outcome), "nccl.%s", which);
    ce_record_add(out, ce_nccl_stage_name(end->at), "nccl.%s.at", which);
    ce_record_add(out, end->reason, "nccl.%s.reason", which);
    ce_record_add_number(out, end->hardware, "nccl.%s.hardware", which);
    ce_record_add_number(out, end->wrong, "nccl.%s.wrong", which);
}

void ce_gang_nccl_write(const struct ce_gang_nccl *nccl, struct ce_text *out)
{
    if (!nccl->ran)
        return;
    ce_record_add_number(out, nccl->ran, "nccl.ran");
    ce_record_add_number(out, nccl->repeated, "nccl.repeated");
    write_end(&nccl->together, "together", out);
    if (nccl->repeated)
        write_end(&nccl->alone, "alone", out);
    ce_record_add(out, nccl->gpu, "nccl.gpu");
    ce_record_add_number(out, nccl->gpus, "nccl.gpus");
    ce_record_add_number(out, nccl->ranks, "nccl.ranks");
    ce_record_add_number(out, nccl->bytes, "nccl.bytes");
    ce_record_add_number(out, nccl->ns, "nccl.ns");
    ce_record_add(out, nccl->log.network, "nccl.network");
    ce_record_add(out, nccl->log.via, "nccl.via");
    ce_record_add(out, nccl->log.warning, "nccl.warning");
}

static int read_end(const struct ce_record *record, const char *which, struct ce_gang_nccl_end *ret,
                    struct ce_error *err)
{
    const char *outcomes[CE_NCCL_LATE + 1], *stages[CE_NCCL_STAGES];
    char key[5][40];
    unsigned outcome, at;
    for (unsigned i = 0; i < COUNT(outcomes); i++)
        outcomes[i] = ce_nccl_outcome_name((enum ce_nccl_outcome)i);
    for (unsigned i = 0; i < COUNT(stages); i++)
        stages[i] = ce_nccl_stage_name((enum ce_nccl_stage)i);
    snprintf(key[0], sizeof *key, "nccl.%s", which);
    snprintf(key[1], sizeof *key, "nccl.%s.at", which);
    snprintf(key[2], sizeof *key, "nccl.%s.reason", which);
    snprintf(key[3], sizeof *key, "nccl.%s.hardware", which);
    snprintf(key[4], sizeof *key, "nccl.%s.wrong", which);
    if (read_name(record, outcomes, COUNT(outcomes), &outcome, err, key[0]) < 0 ||
        read_name(record, stages, COUNT(stages), &at, err, key[1]) < 0 ||
        ce_gang_read_text(record, key[2], ret->reason, sizeof ret->reason, err) < 0 ||
        ce_gang_read_switch(record, key[3], &ret->hardware, err) < 0 ||
        read_number(record, most, &ret->wrong, err, key[4]) < 0)
        return -1;
    ret->outcome = (enum ce_nccl_outcome)outcome;
    ret->at = (enum ce_nccl_stage)at;
    return 0;
}

int ce_gang_nccl_read(const struct ce_record *record, struct ce_gang_nccl *ret,
                      struct ce_error *err)
{
    struct ce_gang_nccl nccl = {.ran = false};
    if (ce_gang_read_switch(record, "nccl.ran", &nccl.ran, err) < 0 ||
        ce_gang_read_switch(record, "nccl.repeated", &nccl.repeated, err) < 0 ||
        read_end(record, "together", &nccl.together, err) < 0 ||
        read_end(record, "alone", &nccl.alone, err) < 0 ||
        ce_gang_read_text(record, "nccl.gpu", nccl.gpu, sizeof nccl.gpu, err) < 0 ||
        ce_gang_read_number(record, "nccl.gpus", CE_NCCL_GPUS_MAX, &nccl.gpus, err) < 0 ||
        ce_gang_read_number(record, "nccl.ranks", RANKS_MAX, &nccl.ranks, err) < 0 ||
        read_number(record, most, &nccl.bytes, err, "nccl.bytes") < 0 ||
        read_number(record, most, &nccl.ns, err, "nccl.ns") < 0 ||
        ce_gang_read_text(record, "nccl.network", nccl.log.network, sizeof nccl.log.network, err) < 0 ||
        ce_gang_read_text(record, "nccl.via", nccl.log.via, sizeof nccl.log.via, err) < 0 ||
        ce_gang_read_text(record, "nccl.warning", nccl.log.warning, sizeof nccl.log.warning, err) < 0)
        return -1;
    *ret = nccl;
    return 0;
}
