/* SPDX-License-Identifier: Apache-2.0 */
/* health.jsonl: the end of one, or of all in a folder. */
#ifndef CE_STATUS_HEALTH_LOG_H
#define CE_STATUS_HEALTH_LOG_H

#include "base/error.h"
#include "status/health_line.h"

enum { CE_LOG_LINE_MAX = 1 << 20 };

struct ce_log_reader {
    /* A line, the oldest first; text is length bytes without the newline.  line is the taker's.
     * name: of the node, by the file's name; "" where that does not tell. */
    void (*take)(void *ctx, const char *name, struct ce_health_line *line, const char *text,
                 size_t length);
    /* How many lines of a file were none, and why the last of them; or, lines 0, why it could not be
     * read. */
    void (*bad)(void *ctx, const char *path, size_t lines, const char *why);
    /* A file of this node has no line. */
    void (*nothing)(void *ctx, const char *name, const char *why);
    void (*progress)(void *ctx, size_t done, size_t count); /* files; NULL: nobody wants to know */
    void *ctx;
    size_t tail; /* bytes that are read at the end of each file */
};

/* One file.  How many lines it has; -1 with err: it could not be opened or read, or is none. */
long ce_health_log_read(const struct ce_log_reader *reader, int dir, const char *path,
                       const char *name, struct ce_error *err);

/* All NODE.jsonl and NODE/health.jsonl in a folder.  The number of files, or -1 with err. */
int ce_health_logs_read(const struct ce_log_reader *reader, const char *folder,
                        struct ce_error *err);

/* The same for the end of a file, `length` bytes.  cut: the file begins before them, so their first line
 * may not be whole. */
long ce_health_piece_read(const struct ce_log_reader *reader, const char *path, const char *name,
                          const char *piece, size_t length, bool cut);

/* How many lines there are in a text, as a node answered them; those that do not begin as one are not ours. */
long ce_health_text_read(const struct ce_log_reader *reader, const char *path, const char *name,
                         const char *text, size_t length);

#endif
