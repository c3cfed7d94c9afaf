/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/hostfold.h"
#include "status/report.h"
#include "status/rows.h"

/* What was measured of one kind on one node: over its devices. */
struct measured {
    const char *what, *unit, *node, *device; /* device: that of the least */
    double least, middle, most;
    size_t devices;
    time_t time;
};

struct table {
    struct measured *items;
    size_t count;
};

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double middle_of(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* Of `line`, those of the kind of its measure `first`; values has room for all. */
static void sum_up(const char *node_name, const struct ce_health_line *line, size_t first,
                   double *values, struct measured *ret)
{
    const struct ce_line_measured *head = &line->measured[first];
    *ret = (struct measured){.what = head->what,
                             .unit = head->unit,
                             .node = node_name,
                             .device = head->device,
                             .least = head->value,
                             .time = line->time};
    for (size_t i = first; i < line->measured_count; i++) {
        const struct ce_line_measured *at = &line->measured[i];
        if (strcmp(at->what, head->what) != 0 || strcmp(at->unit, head->unit) != 0)
            continue;
        values[ret->devices++] = at->value;
        if (at->value < ret->least) {
            ret->least = at->value;
            ret->device = at->device;
        }
    }
    qsort(values, ret->devices, sizeof *values, by_value);
    ret->middle = middle_of(values, ret->devices);
    ret->most = values[ret->devices - 1];
}

static bool is_first(const struct ce_health_line *line, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(line->measured[i].what, line->measured[index].what) == 0 &&
            strcmp(line->measured[i].unit, line->measured[index].unit) == 0)
            return false;
    return true;
}

/* The kinds in the order of their names, the least first. */
static int by_kind(const void *left, const void *right)
{
    const struct measured *a = left, *b = right;
    int order = strcmp(a->what, b->what);
    order = order ? order : strcmp(a->unit, b->unit);
    order = order ? order : (a->least > b->least) - (a->least < b->least);
    return order ? order : ce_hostname_compare(a->node, b->node);
}

/* How much was measured there in all, and by the test that measured most. */
static size_t count_measured(const struct ce_board_node *node, size_t *most)
{
    size_t all = 0;
    for (size_t i = 0; i < CE_LINE_TESTS; i++) {
        size_t count = node->bench[i] ? node->bench[i]->measured_count : 0;
        all += count;
        *most = count > *most ? count : *most;
    }
    return all;
}

static void add_test(const char *node_name, const struct ce_health_line *line, double *values,
                     struct table *table)
{
    for (size_t k = 0; line && k < line->measured_count; k++)
        if (is_first(line, k))
            sum_up(node_name, line, k, values, &table->items[table->count++]);
}

static int collect(const struct ce_board *board, struct table *table)
{
    size_t room = 0, longest = 0;
    for (size_t i = 0; i < board->count; i++)
        room += count_measured(board->nodes[i], &longest);
    ce_autofree double *values = calloc(longest + 1, sizeof *values);
    table->items = calloc(room + 1, sizeof *table->items);
    if (!values || !table->items)
        return -1;
    for (size_t i = 0; i < board->count; i++)
        for (size_t k = 0; k < CE_LINE_TESTS; k++)
            add_test(board->nodes[i]->name, board->nodes[i]->bench[k], values, table);
    if (table->count > 0)
        qsort(table->items, table->count, sizeof *table->items, by_kind);
    return 0;
}

static void add_one(const struct measured *at, time_t now, struct ce_text *out)
{
    char age[24];
    struct ce_error clean;
    ce_fail(&clean, "%.80s%s%.60s", at->node, *at->device ? " " : "", at->device);
    ce_text_addf(out, "  %10.5g %10.5g %10.5g  %7zu  %-10s  %s\n", at->least, at->middle, at->most,
                 at->devices, ce_age(at->time, now, age), clean.text);
}

/* Those of one kind: what they say together, and the least of them. */
static void add_kind(const struct measured *items, size_t count, size_t rows, time_t now,
                     struct ce_text *out)
{
    double most = items[0].most;
    struct ce_error clean;
    for (size_t i = 1; i < count; i++)
        most = items[i].most > most ? items[i].most : most;
    ce_fail(&clean, "%.60s (%.20s)", items->what, items->unit);
    ce_text_addf(out, "%s on %zu node%s: %.5g to %.5g\n", clean.text, count, count == 1 ? "" : "s",
                 items[0].least, most);
    ce_text_add(out, "       LEAST     MIDDLE       MOST  DEVICES  MEASURED    NODE, DEVICE OF THE LEAST\n");
    for (size_t i = 0; i < count && (!rows || i < rows); i++)
        add_one(&items[i], now, out);
    if (rows && count > rows)
        ce_text_addf(out, "  and %zu more\n", count - rows);
}

static size_t kind_length(const struct measured *items, size_t count)
{
    size_t length = 1;
    while (length < count && strcmp(items[0].what, items[length].what) == 0 &&
           strcmp(items[0].unit, items[length].unit) == 0)
        length++;
    return length;
}

int ce_status_bench(const struct ce_status *status, const struct ce_status_style *style,
                    struct ce_text *out, struct ce_error *err)
{
    struct table table = {.count = 0};
    size_t kinds = 0;
    if (collect(status->board, &table) < 0) {
        free(table.items);
        return ce_fail(err, "no memory");
    }
    for (size_t i = 0; i < table.count; i += kind_length(table.items + i, table.count - i))
        kinds++;
    size_t rows = style->rows && kinds ? style->rows / kinds : 0;
    if (style->rows && kinds)
        rows = rows > 5 ? rows - 2 : 3;
    if (!kinds)
        ce_text_add(out, "nothing was measured: 'cluster-env bench' on a node does\n");
    for (size_t i = 0, length; i < table.count; i += length) {
        length = kind_length(table.items + i, table.count - i);
        add_kind(table.items + i, length, rows, status->now, out);
    }
    free(table.items);
    return ce_text_ok(out) ? 0 : ce_fail(err, "no memory");
}
