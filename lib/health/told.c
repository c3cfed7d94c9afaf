/* SPDX-License-Identifier: Apache-2.0 */
#include "health/told.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/parse.h"
#include "base/replace.h"
#include "health/folder.h"
#include "model/record.h"

enum { STATE_MAX = 128 << 10 };

static const uint64_t DAY_MS = 24 * 60 * 60 * 1000;

/* A newline would end the line of the file. */
static char printable(char c)
{
    return c < ' ' || c > '~' ? '?' : c;
}

/* "off by 83 ms" -> "off by # ms".  -1: too long. */
static int make_line(const char *thing, const char *words, char line[CE_TOLD_WORDS])
{
    int n = snprintf(line, CE_TOLD_WORDS, "%s: ", thing);
    if (!ce_fits(n, CE_TOLD_WORDS))
        return -1;
    size_t length = (size_t)n;
    for (size_t i = 0; i < length; i++)
        line[i] = printable(line[i]);
    for (; *words; words++) {
        bool digit = *words >= '0' && *words <= '9';
        if (digit && length > 0 && line[length - 1] == '#')
            continue;
        if (length + 1 >= CE_TOLD_WORDS)
            return -1;
        line[length++] = digit ? '#' : printable(*words);
    }
    line[length] = '\0';
    return 0;
}

/* One that this run had not: two that differ only in numbers are two. */
static struct ce_told_line *find(struct ce_told *told, const char *line)
{
    for (size_t i = 0; i < told->before_count; i++)
        if (!told->before[i].again && strcmp(told->before[i].words, line) == 0)
            return &told->before[i];
    return NULL;
}

static bool holds(const struct ce_told_line *line, uint64_t now_ms)
{
    return line && line->since_ms <= now_ms && now_ms - line->since_ms < DAY_MS;
}

bool ce_told_is_news(struct ce_told *told, const char *thing, const char *words)
{
    char line[CE_TOLD_WORDS];
    if (make_line(thing, words, line) < 0 || told->now_count == CE_TOLD_LINES)
        return true;
    struct ce_told_line *old = find(told, line), *kept = &told->now[told->now_count++];
    bool news = !holds(old, told->now_ms);
    if (old)
        old->again = true;
    *kept = (struct ce_told_line){.since_ms = news ? told->now_ms : old->since_ms};
    memcpy(kept->words, line, sizeof kept->words);
    return news;
}

/* ---------------------------------------------------------------- the file */

void ce_told_load(const char *run_dir, struct ce_told *ret)
{
    ce_autotext struct ce_text text = CE_TEXT(STATE_MAX);
    ret->before_count = ret->now_count = 0;
    ret->now_ms = ce_clock_ns() / CE_NS_PER_MS;
    ce_autoclose int dir = ce_folder_open(run_dir, CE_TOLD_DIR, NULL);
    if (dir >= 0 && ce_file_read(dir, CE_TOLD_FILE, CE_TRUST_OWNER, &text, NULL) == CE_READ_OK)
        ce_told_parse(ce_text_string(&text), ret, NULL);
}

int ce_told_store(const char *run_dir, const struct ce_told *told, struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(STATE_MAX);
    ce_autoclose int dir = ce_folder_open(run_dir, CE_TOLD_DIR, err);
    if (dir < 0)
        return -1;
    ce_told_write(told, &text);
    return ce_text_ok(&text) ? ce_file_refresh(dir, CE_TOLD_FILE, ce_text_string(&text), 0600, err)
                             : ce_fail(err, "no memory");
}

void ce_told_write(const struct ce_told *told, struct ce_text *out)
{
    ce_record_begin(out);
    for (size_t i = 0; i < told->now_count; i++) {
        ce_record_add(out, told->now[i].words, "line.%zu.words", i);
        ce_record_add_number(out, told->now[i].since_ms, "line.%zu.since_ms", i);
    }
    ce_record_end(out);
}

static int read_line(const struct ce_record *record, size_t index, struct ce_told_line *ret,
                     struct ce_error *err)
{
    const char *words = ce_record_get(record, "line.%zu.words", index);
    *ret = (struct ce_told_line){.again = false};
    if (!words)
        return 0;
    if (ce_copy(ret->words, sizeof ret->words, words) < 0)
        return ce_fail(err, "%s: longer than %zu bytes", "line.N.words", sizeof ret->words - 1);
    return ce_record_number(record, 0, UINT64_MAX, &ret->since_ms, err, "line.%zu.since_ms", index) < 0
               ? -1
               : 1;
}

int ce_told_parse(const char *text, struct ce_told *ret, struct ce_error *err)
{
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    int there = record ? 1 : -1;
    ret->before_count = 0;
    while (there > 0 && ret->before_count < CE_TOLD_LINES) {
        there = read_line(record, ret->before_count, &ret->before[ret->before_count], err);
        ret->before_count += there > 0;
    }
    if (there < 0)
        ret->before_count = 0;
    return there < 0 ? -1 : 0;
}
