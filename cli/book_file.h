/* SPDX-License-Identifier: Apache-2.0 */
/* The address book as a file that is to be replaced. */
#ifndef CE_CLI_BOOK_FILE_H
#define CE_CLI_BOOK_FILE_H

#include <limits.h>

#include "base/error.h"
#include "base/text.h"
#include "config/config.h"
#include "model/book.h"

struct ce_book_file {
    char path[PATH_MAX]; /* where it is; of a symbolic link, where that leads to */
    int dir;             /* its folder; -1: not open */
    struct ce_book *old; /* what is there now; NULL: nothing */
};

/* Look before the work begins whether it can end well: CE_EXIT_OK; CE_EXIT_USAGE with err where the
 * configured book is /etc/hosts, which is not ours, or one that cannot be read; CE_EXIT_UNKNOWN
 * where it cannot be written. */
int ce_book_file_open(const struct ce_config *config, struct ce_book_file *file,
                      struct ce_error *err);
/* By rename, 0644.  0 or -1. */
int ce_book_file_replace(const struct ce_book_file *file, struct ce_text *text,
                         struct ce_error *err);
void ce_book_file_close(struct ce_book_file *file);
#define ce_autobook_file __attribute__((cleanup(ce_book_file_close)))

#endif
