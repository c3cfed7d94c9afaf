/* SPDX-License-Identifier: Apache-2.0 */
#include "status/board.h"

#include <stdlib.h>
#include <string.h>

#include "model/hostfold.h"

const char *ce_health_name(enum ce_health health)
{
    static const char *const names[CE_NODE_HEALTHS] = {
        [CE_NODE_DOWN] = "down",       [CE_NODE_FAULT] = "fault", [CE_NODE_OUT] = "out",
        [CE_NODE_SILENT] = "silent",   [CE_NODE_UNKNOWN] = "unknown",
        [CE_NODE_WARN] = "warn",       [CE_NODE_UNSEEN] = "unseen",
        [CE_NODE_OK] = "ok",
    };
    return names[health];
}

/* ---------------------------------------------------------------- nodes */

static void free_node(struct ce_board_node *node)
{
    if (!node)
        return;
    free(node->name);
    free(node->reason);
    ce_health_line_destroy(node->check);
    for (size_t i = 0; i < CE_LINE_TESTS; i++)
        ce_health_line_destroy(node->bench[i]);
    ce_health_line_destroy(node->facts);
    free(node);
}

void ce_board_free(struct ce_board *board)
{
    for (size_t i = 0; i < board->count; i++)
        free_node(board->nodes[i]);
    free(board->nodes);
    *board = (struct ce_board){.count = 0};
}

/* Where it is, or has to be put in. */
static size_t place_of(const struct ce_board *board, const char *name, bool *there)
{
    size_t low = 0, high = board->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(board->nodes[middle]->name, name);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *there = low < board->count && strcmp(board->nodes[low]->name, name) == 0;
    return low;
}

static bool make_room(struct ce_board *board)
{
    size_t room = board->room ? 2 * board->room : 64;
    if (board->count < board->room)
        return true;
    struct ce_board_node **nodes = realloc(board->nodes, room * sizeof *nodes);
    if (!nodes)
        return false;
    board->nodes = nodes;
    board->room = room;
    return true;
}

static struct ce_board_node *make_node(const char *name)
{
    struct ce_board_node *node = calloc(1, sizeof *node);
    if (node && (node->name = strdup(name)) && (node->reason = strdup("")))
        return node;
    free_node(node);
    return NULL;
}

struct ce_board_node *ce_board_find(const struct ce_board *board, const char *name)
{
    bool there;
    size_t place = place_of(board, name, &there);
    return there ? board->nodes[place] : NULL;
}

struct ce_board_node *ce_board_node(struct ce_board *board, const char *name)
{
    bool there;
    size_t place = place_of(board, name, &there);
    if (there)
        return board->nodes[place];
    struct ce_board_node *node = make_room(board) ? make_node(name) : NULL;
    if (!node) {
        board->lost = true;
        return NULL;
    }
    memmove(board->nodes + place + 1, board->nodes + place,
            (board->count - place) * sizeof *board->nodes);
    board->nodes[place] = node;
    board->count++;
    return node;
}

/* ---------------------------------------------------------------- answers */

void ce_board_slurm(struct ce_board *board, const struct ce_roster_node *told)
{
    struct ce_board_node *node = ce_board_node(board, told->name);
    char *reason = strdup(told->reason ? told->reason : "");
    if (!node || !reason) {
        board->lost = true;
        free(reason);
        return;
    }
    free(node->reason);
    node->reason = reason;
    snprintf(node->state, sizeof node->state, "%s", told->state);
    node->since = (time_t)told->since;
    node->gpus = told->gpus;
}

static struct ce_health_line **place_for(struct ce_board_node *node,
                                         const struct ce_health_line *line)
{
    int test = ce_line_test(line);
    if (strcmp(line->phase, "facts") == 0)
        return &node->facts;
    return test >= 0 ? &node->bench[test] : &node->check;
}

void ce_board_line(struct ce_board *board, const char *name, struct ce_health_line *line)
{
    struct ce_board_node *node = ce_board_node(board, name);
    struct ce_health_line **place = node ? place_for(node, line) : NULL;
    if (place && (!*place || line->time >= (*place)->time)) {
        ce_health_line_destroy(*place);
        *place = line;
    } else
        ce_health_line_destroy(line);
}

/* ---------------------------------------------------------------- how well it is */

/* What Slurm's words mean; the others are those of a node in service. */
static const struct {
    const char *state;
    enum ce_health health;
} states[] = {
    {"down", CE_NODE_DOWN},      {"not_responding", CE_NODE_DOWN}, {"invalid", CE_NODE_DOWN},
    {"unknown", CE_NODE_DOWN},   {"failing", CE_NODE_OUT},         {"drained", CE_NODE_OUT},
    {"draining", CE_NODE_OUT},   {"maintenance", CE_NODE_OUT},     {"rebooting", CE_NODE_OUT},
    {"blocked", CE_NODE_OUT},    {"powering_down", CE_NODE_OUT},   {"powered_down", CE_NODE_OUT},
    {"powering_up", CE_NODE_OUT},
};

static enum ce_health by_state(const char *state)
{
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(states[i].state, state) == 0)
            return states[i].health;
    return CE_NODE_OK;
}

static bool has(const struct ce_health_line *line, enum ce_verdict verdict)
{
    for (size_t i = 0; i < line->finding_count; i++)
        if (line->findings[i].verdict == verdict && ce_line_finding_matters(&line->findings[i]))
            return true;
    return false;
}

static bool would_drain(const struct ce_health_line *line)
{
    for (size_t i = 0; i < line->finding_count; i++)
        if (line->findings[i].verdict == CE_FAIL && line->findings[i].response == CE_DRAIN)
            return true;
    return *line->reason != '\0';
}

static enum ce_health by_check(const struct ce_health_line *line)
{
    if (!line)
        return CE_NODE_UNSEEN;
    if (would_drain(line))
        return CE_NODE_FAULT;
    if (!line->checked || has(line, CE_UNKNOWN))
        return CE_NODE_UNKNOWN;
    return has(line, CE_FAIL) || has(line, CE_WARN) ? CE_NODE_WARN : CE_NODE_OK;
}

/* Our own reasons carry the check's name. */
static bool is_ours(const char *reason)
{
    return strstr(reason, "[cluster-env ") != NULL;
}

static enum ce_health judge(const struct ce_board_node *node)
{
    enum ce_health slurm = by_state(node->state), check = by_check(node->check);
    if (slurm == CE_NODE_DOWN)
        return CE_NODE_DOWN;
    if (check == CE_NODE_FAULT || (slurm == CE_NODE_OUT && is_ours(node->reason)))
        return CE_NODE_FAULT;
    if (slurm == CE_NODE_OUT)
        return CE_NODE_OUT;
    if (node->asked && node->why[0])
        return CE_NODE_SILENT;
    return check;
}

static int worst_first(const void *left, const void *right)
{
    const struct ce_board_node *a = *(struct ce_board_node *const *)left;
    const struct ce_board_node *b = *(struct ce_board_node *const *)right;
    if (a->health != b->health)
        return a->health < b->health ? -1 : 1;
    return ce_hostname_compare(a->name, b->name);
}

void ce_board_settle(struct ce_board *board)
{
    for (size_t i = 0; i < board->count; i++)
        board->nodes[i]->health = judge(board->nodes[i]);
    if (board->count > 0)
        qsort(board->nodes, board->count, sizeof *board->nodes, worst_first);
}

bool ce_board_in_service(const struct ce_board_node *node)
{
    return by_state(node->state) == CE_NODE_OK;
}

/* The newer one of those that tell what the node has. */
static const struct ce_health_line *newer(const struct ce_health_line *best,
                                          const struct ce_health_line *line)
{
    bool tells = line && (line->equipment.gpus_known || line->equipment.rails_known);
    return tells && (!best || line->time > best->time) ? line : best;
}

struct ce_equipment ce_board_equipment(const struct ce_board_node *node)
{
    const struct ce_health_line *best = newer(newer(NULL, node->check), node->facts);
    struct ce_equipment equipment = {.gpus_known = false};
    for (size_t i = 0; i < CE_LINE_TESTS; i++)
        best = newer(best, node->bench[i]);
    if (best)
        equipment = best->equipment;
    if (!equipment.gpus_known && node->gpus) {
        equipment.gpus_known = true;
        equipment.gpus = node->gpus;
    }
    return equipment;
}

/* ---------------------------------------------------------------- in words */

/* As by_check() weighs them. */
static int weight_of(const struct ce_line_finding *finding)
{
    if (finding->verdict == CE_FAIL && finding->response == CE_DRAIN)
        return 3;
    return finding->verdict == CE_UNKNOWN ? 2 : 1;
}

/* The worst finding that matters, and how many more there are. */
static void tell_findings(const struct ce_health_line *line, struct ce_error *ret)
{
    const struct ce_line_finding *worst = NULL;
    size_t more = 0;
    for (size_t i = 0; i < line->finding_count; i++) {
        const struct ce_line_finding *finding = &line->findings[i];
        if (!ce_line_finding_matters(finding))
            continue;
        more += worst != NULL;
        if (!worst || weight_of(finding) > weight_of(worst))
            worst = finding;
    }
    if (!worst)
        return;
    char rest[32] = "";
    if (more)
        snprintf(rest, sizeof rest, ", and %zu more", more);
    ce_fail(ret, "%s%s%s [%s]%s", worst->subject, *worst->subject ? " " : "", worst->text,
            worst->check, rest);
}

static void tell_check(const struct ce_health_line *line, struct ce_error *ret)
{
    if (*line->reason)
        ce_fail(ret, "%s", line->reason);
    else if (*line->error)
        ce_fail(ret, "%s", line->error);
    else
        tell_findings(line, ret);
}

void ce_board_word(const struct ce_board_node *node, struct ce_error *ret)
{
    ret->text[0] = '\0';
    if (node->reason[0] && by_state(node->state) != CE_NODE_OK)
        ce_fail(ret, "%s", node->reason);
    else if (node->health == CE_NODE_SILENT)
        ce_fail(ret, "%s", node->why);
    else if (node->check)
        tell_check(node->check, ret);
    else if (node->facts)
        ce_fail(ret, "%s", node->facts->error);
    else if (node->health == CE_NODE_UNSEEN && node->why[0] && strcmp(node->why, node->state) != 0)
        ce_fail(ret, "%s", node->why);
}
