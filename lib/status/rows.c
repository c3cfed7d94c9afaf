/* SPDX-License-Identifier: Apache-2.0 */
#include "status/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/hostfold.h"

/* How much is said of a node; each leaves out more than the one before it. */
enum detail { ALL, WITHOUT_WORK, NAMED_CHECKS, WITHOUT_COUNTS, WITHOUT_STATES, DETAILS };
enum { NAMES_MAX = 16 << 20 };

const char *ce_age(time_t when, time_t now, char text[24])
{
    long long s = when < now ? (long long)(now - when) : 0;
    if (!when)
        return strcpy(text, "-");
    if (s < 120)
        snprintf(text, 24, "%lld s", s);
    else if (s < 7200)
        snprintf(text, 24, "%lld min", s / 60);
    else if (s < 172800)
        snprintf(text, 24, "%lld h", s / 3600);
    else
        snprintf(text, 24, "%lld d", s / 86400);
    return text;
}

/* ---------------------------------------------------------------- what is said of one node */

static void tell_gpus(const struct ce_equipment *equipment, char text[24])
{
    if (!equipment->gpus_known)
        strcpy(text, "-");
    else if (equipment->gpus_expected && equipment->gpus_expected != equipment->gpus)
        snprintf(text, 24, "%u/%u", equipment->gpus, equipment->gpus_expected);
    else
        snprintf(text, 24, "%u", equipment->gpus);
}

static void tell_rails(const struct ce_equipment *equipment, char text[24])
{
    if (!equipment->rails_known)
        strcpy(text, "-");
    else
        snprintf(text, 24, "%u/%u", equipment->rails_up, equipment->rails_expected);
}

/* "[cluster-env ib.port.state]" of a reason, "[ib.port.state]" of a finding, with its dots for what
 * stood before; a text without one stays. */
static void keep_check(struct ce_error *word)
{
    const struct ce_error whole = *word;
    const char *open = strrchr(whole.text, '['), *close = open ? strchr(open, ']') : NULL;
    if (close)
        ce_fail(word, "... %.*s", (int)(close + 1 - open), open);
}

static void describe(const struct ce_board_node *node, enum detail detail, struct ce_row *row)
{
    const struct ce_equipment equipment = ce_board_equipment(node);
    *row = (struct ce_row){.health = node->health, .count = 1, .names = CE_TEXT(NAMES_MAX)};
    snprintf(row->state, sizeof row->state, "%s", node->state[0] ? node->state : "-");
    tell_gpus(&equipment, row->gpus);
    tell_rails(&equipment, row->rails);
    ce_board_word(node, &row->word);
    if (detail >= WITHOUT_WORK && node->state[0] && ce_board_in_service(node))
        strcpy(row->state, "up");
    if (detail >= NAMED_CHECKS)
        keep_check(&row->word);
    if (detail >= WITHOUT_COUNTS) {
        strcpy(row->gpus, "*");
        strcpy(row->rails, "*");
    }
    if (detail >= WITHOUT_STATES) {
        strcpy(row->state, "*");
        row->word.text[0] = '\0';
    }
}

static int compare(const struct ce_row *a, const struct ce_row *b)
{
    int order = (a->health > b->health) - (a->health < b->health);
    order = order ? order : strcmp(a->state, b->state);
    order = order ? order : strcmp(a->gpus, b->gpus);
    order = order ? order : strcmp(a->rails, b->rails);
    return order ? order : strcmp(a->word.text, b->word.text);
}

/* ---------------------------------------------------------------- rows */

/* A node with what is said of it; place: in the board. */
struct said {
    struct ce_row row;
    size_t place;
};

static int by_row(const void *left, const void *right)
{
    const struct said *a = left, *b = right;
    int order = compare(&a->row, &b->row);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

/* The worst first; then the rows of the fewest nodes, which are the odd ones; then as on the board. */
static int by_weight(const void *left, const void *right)
{
    const struct ce_row *a = left, *b = right;
    if (a->health != b->health)
        return a->health < b->health ? -1 : 1;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return ce_hostname_compare(ce_text_string(&a->names), ce_text_string(&b->names));
}

static void note_check(struct ce_row *row, const struct ce_board_node *node)
{
    if (!node->check) {
        row->unchecked = true;
        return;
    }
    if (!row->oldest || node->check->time < row->oldest)
        row->oldest = node->check->time;
    if (node->check->time > row->newest)
        row->newest = node->check->time;
}

/* said[0 .. count - 1] are one row; names has room for all. */
static void join(const struct ce_board *board, const struct said *said, size_t count,
                 const char **names, struct ce_row *row)
{
    *row = said->row;
    row->count = count;
    for (size_t i = 0; i < count; i++) {
        const struct ce_board_node *node = board->nodes[said[i].place];
        names[i] = node->name;
        note_check(row, node);
    }
    ce_hostfold(names, count, &row->names);
}

static size_t run_length(const struct said *said, size_t count)
{
    size_t length = 1;
    while (length < count && compare(&said[0].row, &said[length].row) == 0)
        length++;
    return length;
}

static size_t count_rows(const struct said *said, size_t count)
{
    size_t rows = 0;
    for (size_t i = 0; i < count; i += run_length(said + i, count - i))
        rows++;
    return rows;
}

static void say_all(const struct ce_board *board, enum detail detail, struct said *said)
{
    for (size_t i = 0; i < board->count; i++) {
        describe(board->nodes[i], detail, &said[i].row);
        said[i].place = i;
    }
    qsort(said, board->count, sizeof *said, by_row);
}

int ce_rows_make(const struct ce_board *board, size_t limit, struct ce_rows *ret,
                 struct ce_error *err)
{
    ce_autofree struct said *said = calloc(board->count + 1, sizeof *said);
    ce_autofree const char **names = calloc(board->count + 1, sizeof *names);
    *ret = (struct ce_rows){.count = 0};
    if (!said || !names)
        return ce_fail(err, "no memory");
    for (enum detail detail = ALL; detail < DETAILS; detail++) {
        say_all(board, detail, said);
        if (!limit || count_rows(said, board->count) <= limit)
            break;
    }
    ret->rows = calloc(board->count + 1, sizeof *ret->rows);
    if (!ret->rows)
        return ce_fail(err, "no memory");
    for (size_t i = 0, length; i < board->count; i += length) {
        length = run_length(said + i, board->count - i);
        join(board, said + i, length, names, &ret->rows[ret->count++]);
    }
    qsort(ret->rows, ret->count, sizeof *ret->rows, by_weight);
    return 0;
}

void ce_rows_free(struct ce_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        ce_text_free(&rows->rows[i].names);
    free(rows->rows);
    *rows = (struct ce_rows){.count = 0};
}
