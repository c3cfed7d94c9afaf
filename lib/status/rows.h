/* SPDX-License-Identifier: Apache-2.0 */
/* A settled board as rows of a table: nodes of which the same is to be said are one row. */
#ifndef CE_STATUS_ROWS_H
#define CE_STATUS_ROWS_H

#include "base/text.h"
#include "status/board.h"

struct ce_row {
    enum ce_health health;
    char state[32], gpus[24], rails[24]; /* "7/8"; "-": not known; "*": they differ */
    struct ce_error word;
    size_t count;
    struct ce_text names;   /* a host list */
    time_t oldest, newest;  /* of the last checks; 0: there was none */
    bool unchecked;         /* of some there is none */
};

struct ce_rows {
    struct ce_row *rows;
    size_t count;
};

/* At most `limit` rows (0: as many as it takes): where there would be more, what is said of a node
 * becomes coarser until they fit, or nothing is left to leave out.  In the board's order, the worst
 * first.  0, or -1 with err for no memory. */
int ce_rows_make(const struct ce_board *board, size_t limit, struct ce_rows *ret,
                 struct ce_error *err);
void ce_rows_free(struct ce_rows *rows);
#define ce_autorows __attribute__((cleanup(ce_rows_free)))

/* "just now", "45 s", "12 min", "5 h", "3 d"; "-" for when 0. */
const char *ce_age(time_t when, time_t now, char text[24]);

#endif
