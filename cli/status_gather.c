/* SPDX-License-Identifier: Apache-2.0 */
#include "status_gather.h"

#include <stdio.h>
#include <string.h>

#include "model/hostlist.h"
#include "status/health_log.h"
#include "survey/visit.h"

/* In a folder of one file for each node, and in one file of all of them. */
enum { TAIL = 2 << 20 };

/* Of many broken files some are named, and there is room for what is said of all nodes. */
static void note_bad(void *ctx, const char *path, size_t lines, const char *why)
{
    struct ce_notes *notes = &((struct ce_gather *)ctx)->notes;
    if (notes->count >= CE_NOTES_MAX - 1)
        notes->lost++;
    else if (lines)
        ce_note(notes, "%s: %zu of its lines are none of health.jsonl: %s", path, lines, why);
    else
        ce_note(notes, "not read: %s", why);
}

/* ---------------------------------------------------------------- the nodes themselves */

/* One node's answer. */
struct answer {
    struct ce_gather *gather;
    const char *name;
};

static void take_answer(void *ctx, const char *name, struct ce_health_line *line, const char *text,
                        size_t length)
{
    struct answer *answer = ctx;
    (void)name;
    (void)text;
    (void)length;
    ce_board_line(&answer->gather->board, answer->name, line);
}

static void note_answer(void *ctx, const char *path, size_t lines, const char *why)
{
    note_bad(((struct answer *)ctx)->gather, path, lines, why);
}

/* All of it is given away. */
static bool is_full(const char *state)
{
    return strcmp(state, "allocated") == 0;
}

struct visitors {
    struct ce_gather *gather;
    const struct ce_roster *roster;
};

static void missed(void *ctx, size_t index, const char *why)
{
    const struct visitors *visitors = ctx;
    const struct ce_roster_node *told = ce_roster_at(visitors->roster, index);
    struct ce_board_node *node = ce_board_node(&visitors->gather->board, told->name);
    if (!node)
        return;
    node->asked = ce_visit_may_answer(told);
    snprintf(node->why, sizeof node->why, "%s%s%s", node->asked ? "" : "not asked: ", why,
             is_full(node->state) ? ", no job fits" : "");
}

static void answered(void *ctx, size_t index, const char *output)
{
    const struct visitors *visitors = ctx;
    struct answer answer = {visitors->gather, ce_roster_at(visitors->roster, index)->name};
    const struct ce_log_reader reader = {
        .take = take_answer, .bad = note_answer, .ctx = &answer};
    if (ce_health_text_read(&reader, answer.name, answer.name, output, strlen(output)) == 0)
        missed(ctx, index, "it answered nothing that is understood");
}

int ce_gather_slurm(struct ce_gather *gather, bool visit, struct ce_error *err)
{
    static const char *const words[] = {"status", "--local", NULL};
    ce_auto(ce_roster_destroy) struct ce_roster *roster = ce_ask_roster(&gather->ask, err);
    struct visitors visitors = {gather, roster};
    const struct ce_visit plan = {.words = words,
                                  .total_ms = gather->total_ms,
                                  .answered = answered,
                                  .missed = missed,
                                  .ctx = &visitors};
    if (!roster)
        return -1;
    for (size_t i = 0; i < ce_roster_count(roster); i++)
        ce_board_slurm(&gather->board, ce_roster_at(roster, i));
    if (visit && ce_visit_nodes(&gather->ask, roster, &plan, err) < 0)
        return -1;
    return gather->board.lost ? ce_fail(err, "no memory") : 0;
}

/* ---------------------------------------------------------------- a folder */

static bool is_host(const char *name)
{
    size_t length = ce_hostname_span(name);
    return length > 0 && length <= CE_HOSTNAME_MAX && !name[length];
}

/* A line tells its node better than a file's name does: one file may have the lines of all. */
static void take_logged(void *ctx, const char *name, struct ce_health_line *line, const char *text,
                        size_t length)
{
    struct ce_gather *gather = ctx;
    char node[CE_HOSTNAME_MAX + 1];
    (void)text;
    (void)length;
    snprintf(node, sizeof node, "%s", is_host(line->node) ? line->node : name);
    if (is_host(node))
        ce_board_line(&gather->board, node, line);
    else
        ce_health_line_destroy(line);
}

static void note_nothing(void *ctx, const char *name, const char *why)
{
    struct ce_gather *gather = ctx;
    struct ce_board_node *node = ce_board_node(&gather->board, name);
    if (node)
        snprintf(node->why, sizeof node->why, "%s", why);
}

int ce_gather_folder(struct ce_gather *gather, const char *folder, struct ce_error *err)
{
    const struct ce_log_reader reader = {.take = take_logged,
                                         .bad = note_bad,
                                         .nothing = note_nothing,
                                         .progress = gather->ask.progress,
                                         .ctx = gather,
                                         .tail = TAIL};
    if (ce_health_logs_read(&reader, folder, err) < 0)
        return -1;
    return gather->board.lost ? ce_fail(err, "no memory") : 0;
}

/* ---------------------------------------------------------------- all of it */

/* Of how many is a check missing because of what, and which is the first? */
struct missing {
    const struct ce_board_node *first;
    size_t count;
};

static void count_missing(struct missing *missing, const struct ce_board_node *node)
{
    missing->first = missing->count++ ? missing->first : node;
}

void ce_gather_end(struct ce_gather *gather)
{
    struct missing closed = {NULL, 0}, full = {NULL, 0};
    for (size_t i = 0; i < gather->board.count; i++) {
        const struct ce_board_node *node = gather->board.nodes[i];
        if (!node->check && node->facts)
            count_missing(&closed, node);
        else if (!node->check && node->why[0] && is_full(node->state))
            count_missing(&full, node);
    }
    if (closed.count)
        ce_note(&gather->notes, "the last checks of %zu nodes are not known: %s: %s", closed.count,
                closed.first->name, closed.first->facts->error);
    if (full.count)
        ce_note(&gather->notes,
                "%zu nodes at work were not asked, for no job fits there: %s%s; bring their logs "
                "together, and use --from=DIR --states",
                full.count, full.first->name, full.count > 1 ? ", ..." : "");
}

void ce_gather_free(struct ce_gather *gather)
{
    ce_board_free(&gather->board);
}
