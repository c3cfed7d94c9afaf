/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of Slurm's plugstack.conf, read as Slurm reads them: words between blanks, '#' ends a line
 * wherever it stands, nothing is quoted. */
#ifndef CE_MODEL_PLUGSTACK_H
#define CE_MODEL_PLUGSTACK_H

#include <limits.h>
#include <stdbool.h>

enum { CE_PLUGSTACK_ARGUMENTS = 1024, CE_PLUGSTACK_WORD = 32 };

enum ce_plugstack_kind {
    CE_PLUGSTACK_OPTIONAL,
    CE_PLUGSTACK_REQUIRED,
    CE_PLUGSTACK_INCLUDE, /* path is a pattern of files */
    CE_PLUGSTACK_WRONG,   /* not such a line, or one that is too long: Slurm refuses the file */
};

struct ce_plugstack_line {
    enum ce_plugstack_kind kind;
    unsigned number; /* from 1 */
    char path[PATH_MAX];
    char arguments[CE_PLUGSTACK_ARGUMENTS]; /* one blank between them */
};

/* The next line of *text that says something, and *text behind it; false: there is none.  *number, 0 at
 * first, counts the lines. */
bool ce_plugstack_next(const char **text, unsigned *number, struct ce_plugstack_line *ret);

#endif
