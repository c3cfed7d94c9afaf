/* SPDX-License-Identifier: Apache-2.0 */
#include "status/health_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "model/hostlist.h"

#define SUFFIX ".jsonl"
#define LOG "health.jsonl"

enum { NAME = 512 };

/* ---------------------------------------------------------------- lines */

struct bad {
    size_t lines;
    long good;
    struct ce_error why;
};

static void read_line(const struct ce_log_reader *reader, const char *name, const char *text,
                      size_t length, struct bad *bad)
{
    struct ce_error err;
    struct ce_health_line *line = NULL;
    if (length > CE_LOG_LINE_MAX)
        ce_fail(&err, "longer than 1 MiB");
    else
        line = ce_health_line_parse(text, length, &err);
    if (line) {
        bad->good++;
        reader->take(reader->ctx, name, line, text, length);
        return;
    }
    bad->lines++;
    bad->why = err;
}

/* `all`: what is no line is bad, not just somebody else's; a last one without its newline is being
 * written. */
static long read_lines(const struct ce_log_reader *reader, const char *path, const char *name,
                       const char *text, size_t length, bool all)
{
    struct bad bad = {.lines = 0};
    const char *end = text + length, *newline;
    for (; text < end; text = newline + 1) {
        newline = memchr(text, '\n', (size_t)(end - text));
        if (!newline)
            break;
        if (newline > text && (all || *text == '{'))
            read_line(reader, name, text, (size_t)(newline - text), &bad);
    }
    if (bad.lines)
        reader->bad(reader->ctx, path, bad.lines, bad.why.text);
    return bad.good;
}

long ce_health_text_read(const struct ce_log_reader *reader, const char *path, const char *name,
                         const char *text, size_t length)
{
    return read_lines(reader, path, name, text, length, false);
}

long ce_health_piece_read(const struct ce_log_reader *reader, const char *path, const char *name,
                          const char *piece, size_t length, bool cut)
{
    const char *newline = cut ? memchr(piece, '\n', length) : NULL;
    size_t skipped = newline ? (size_t)(newline + 1 - piece) : cut ? length : 0;
    return read_lines(reader, path, name, piece + skipped, length - skipped, true);
}

/* ---------------------------------------------------------------- a file */

static ssize_t read_end(int fd, char *room, size_t size, off_t from)
{
    size_t have = 0;
    while (have < size) {
        ssize_t n = pread(fd, room + have, size - have, from + (off_t)have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        have += (size_t)n;
    }
    return (ssize_t)have;
}

long ce_health_log_read(const struct ce_log_reader *reader, int dir, const char *path,
                       const char *name, struct ce_error *err)
{
    struct stat st;
    ce_autoclose int fd = openat(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return ce_fail(err, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return ce_fail(err, "%s: not a regular file", path);
    size_t size = (size_t)st.st_size < reader->tail ? (size_t)st.st_size : reader->tail;
    off_t from = st.st_size - (off_t)size;
    ce_autofree char *room = malloc(size + 1);
    if (!room)
        return ce_fail(err, "no memory");
    ssize_t n = read_end(fd, room, size, from);
    if (n < 0)
        return ce_fail(err, "%s: %s", path, strerror(errno));
    return ce_health_piece_read(reader, path, name, room, (size_t)n, from > 0);
}

/* ---------------------------------------------------------------- a folder */

/* Of which node is it, and where is its log?  -1: it is no such thing. */
static int find_log(int dir, const char *entry, char path[NAME], char name[NAME])
{
    struct stat st;
    size_t length = strlen(entry), suffix = sizeof SUFFIX - 1;
    if (length > suffix && strcmp(entry + length - suffix, SUFFIX) == 0) {
        snprintf(name, NAME, "%.*s", (int)(length - suffix), entry);
        snprintf(path, NAME, "%s", entry);
    } else {
        snprintf(name, NAME, "%s", entry);
        if (!ce_fits(snprintf(path, NAME, "%s/" LOG, entry), NAME) || fstatat(dir, path, &st, 0) < 0)
            return -1;
    }
    size_t host = ce_hostname_span(name);
    if (!host || name[host] || host > CE_HOSTNAME_MAX || strcmp(entry, LOG) == 0)
        name[0] = '\0';
    return entry[0] == '.' ? -1 : 0;
}

static int no_dots(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void read_one(const struct ce_log_reader *reader, int dir, const char *path,
                     const char *name)
{
    struct ce_error err = {"no line of health.jsonl is in its log"};
    long lines = ce_health_log_read(reader, dir, path, name, &err);
    if (lines < 0)
        reader->bad(reader->ctx, path, 0, err.text);
    if (lines <= 0 && *name)
        reader->nothing(reader->ctx, name, err.text);
}

static int read_entries(const struct ce_log_reader *reader, int dir, struct dirent **entries,
                        int count)
{
    char path[NAME], name[NAME];
    int files = 0;
    for (int i = 0; i < count; i++) {
        if (find_log(dir, entries[i]->d_name, path, name) == 0) {
            files++;
            read_one(reader, dir, path, name);
        }
        if (reader->progress)
            reader->progress(reader->ctx, (size_t)i + 1, (size_t)count);
    }
    return files;
}

int ce_health_logs_read(const struct ce_log_reader *reader, const char *folder,
                        struct ce_error *err)
{
    struct dirent **entries = NULL;
    ce_autoclose int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int count = dir < 0 ? -1 : scandirat(dir, ".", &entries, no_dots, alphasort);
    if (count < 0)
        return ce_fail(err, "%s: %s", folder, strerror(errno));
    int files = read_entries(reader, dir, entries, count);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return files > 0 ? files
                     : ce_fail(err, "%s: no NODE.jsonl and no NODE/health.jsonl in it", folder);
}
