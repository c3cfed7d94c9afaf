/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "status/report.h"
#include "status/rows.h"

enum { NODES = 6, WHY, COLUMNS };
enum { CELL = 64, NAMES_LEAST = 24, GAP = 2 };

static const char *const headings[COLUMNS] = {"HEALTH", "STATE",   "COUNT", "GPUS",
                                              "RAILS",  "CHECKED", "NODES", "WHY"};

static const char *colour_of(enum ce_health health)
{
    static const char *const colours[CE_NODE_HEALTHS] = {
        [CE_NODE_DOWN] = "\033[1;31m", [CE_NODE_FAULT] = "\033[31m",  [CE_NODE_OUT] = "\033[34m",
        [CE_NODE_SILENT] = "\033[35m", [CE_NODE_UNKNOWN] = "\033[35m", [CE_NODE_WARN] = "\033[33m",
        [CE_NODE_UNSEEN] = "\033[2m",  [CE_NODE_OK] = "\033[32m",
    };
    return colours[health];
}

/* ---------------------------------------------------------------- a row as cells */

static const char *tell_age(const struct ce_row *row, time_t now, char text[CELL])
{
    char oldest[24], newest[24];
    ce_age(row->oldest, now, oldest);
    ce_age(row->newest, now, newest);
    if (strcmp(oldest, newest) == 0)
        snprintf(text, CELL, "%s%s", oldest, row->unchecked && row->oldest ? ", -" : "");
    else
        snprintf(text, CELL, "%s to %s%s", newest, oldest, row->unchecked ? ", -" : "");
    return text;
}

struct cells {
    const char *cell[COLUMNS];
    char count[24], age[CELL];
};

static void fill_cells(const struct ce_row *row, time_t now, struct cells *cells)
{
    snprintf(cells->count, sizeof cells->count, "%zu", row->count);
    const char *const list[COLUMNS] = {ce_health_name(row->health),
                                       row->state,
                                       cells->count,
                                       row->gpus,
                                       row->rails,
                                       tell_age(row, now, cells->age),
                                       ce_text_string(&row->names),
                                       row->word.text};
    memcpy(cells->cell, list, sizeof list);
}

/* ---------------------------------------------------------------- widths */

/* Names and words share what is left of a line; names without words have all of it. */
static void measure(const struct ce_rows *rows, time_t now, unsigned columns,
                    size_t width[COLUMNS])
{
    struct cells cells;
    size_t used = 0;
    for (size_t k = 0; k < COLUMNS; k++)
        width[k] = strlen(headings[k]);
    for (size_t i = 0; i < rows->count; i++) {
        fill_cells(&rows->rows[i], now, &cells);
        for (size_t k = 0; k < COLUMNS; k++)
            if (strlen(cells.cell[k]) > width[k] && (k != NODES || cells.cell[WHY][0]))
                width[k] = strlen(cells.cell[k]);
    }
    for (size_t k = 0; k < NODES; k++)
        used += width[k] + GAP;
    size_t left = columns > used ? columns - used : 0, share = left / 3;
    share = share > NAMES_LEAST ? share : NAMES_LEAST;
    if (columns && width[NODES] > share)
        width[NODES] = share;
}

/* Cut at a letter of UTF-8, with dots for the rest. */
static void add_cut(const char *text, size_t most, struct ce_text *out)
{
    size_t length = strlen(text);
    if (length <= most) {
        ce_text_add(out, text);
        return;
    }
    size_t kept = most > 3 ? most - 3 : 0;
    while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80)
        kept--;
    ce_text_addn(out, text, kept);
    ce_text_addn(out, "...", most < 3 ? most : 3);
}

static void add_padding(size_t used, size_t width, struct ce_text *out)
{
    for (; used < width; used++)
        ce_text_add(out, " ");
}

/* What goes to the end of the line. */
static void add_last(const char *cell, size_t at, unsigned columns, struct ce_text *out)
{
    if (!columns)
        ce_text_add(out, cell);
    else if (at < columns)
        add_cut(cell, columns - at, out);
}

static void add_cells(const char *const cell[COLUMNS], const size_t width[COLUMNS],
                      unsigned columns, struct ce_text *out)
{
    size_t at = 0, last = cell[WHY][0] ? WHY : NODES;
    for (size_t k = 0; k < last && (!columns || at < columns); k++) {
        size_t before = out->length;
        add_cut(cell[k], columns && at + width[k] > columns ? columns - at : width[k], out);
        at += width[k] + GAP;
        add_padding(out->length - before, width[k] + GAP, out);
    }
    add_last(cell[last], at, columns, out);
}

/* ---------------------------------------------------------------- all of it */

static void add_totals(const struct ce_status *status, const struct ce_status_style *style,
                       struct ce_text *out)
{
    size_t counts[CE_NODE_HEALTHS] = {0};
    const char *between = ": ";
    char when[64] = "";
    struct tm utc;
    for (size_t i = 0; i < status->board->count; i++)
        counts[status->board->nodes[i]->health]++;
    ce_text_addf(out, "%zu node%s", status->board->count, status->board->count == 1 ? "" : "s");
    for (size_t i = 0; i < CE_NODE_HEALTHS; i++)
        if (counts[i]) {
            ce_text_addf(out, "%s%s%zu %s%s", between, style->colour ? colour_of(i) : "", counts[i],
                         ce_health_name(i), style->colour ? "\033[0m" : "");
            between = ", ";
        }
    if (gmtime_r(&status->now, &utc))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &utc);
    ce_text_addf(out, " (%s, %s)\n", status->source, when);
}

int ce_status_text(const struct ce_status *status, const struct ce_status_style *style,
                   struct ce_text *out, struct ce_error *err)
{
    ce_autorows struct ce_rows rows;
    size_t width[COLUMNS];
    struct cells cells;
    add_totals(status, style, out);
    if (ce_rows_make(status->board, style->rows, &rows, err) < 0)
        return -1;
    measure(&rows, status->now, style->columns, width);
    add_cells(headings, width, style->columns, out);
    ce_text_add(out, "\n");
    for (size_t i = 0; i < rows.count; i++) {
        fill_cells(&rows.rows[i], status->now, &cells);
        if (style->colour)
            ce_text_add(out, colour_of(rows.rows[i].health));
        add_cells(cells.cell, width, style->columns, out);
        ce_text_add(out, style->colour ? "\033[0m\n" : "\n");
    }
    return ce_text_ok(out) ? 0 : ce_fail(err, "no memory");
}
