/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a task's log, which its user writes, and of a node's health.jsonl. */
#include "fuzz.h"

#include "base/tail.h"
#include "status/health_log.h"

const char fuzz_name[] = "tail";
const unsigned fuzz_runs = 60000;

enum { LINES = 10 };

static size_t count_lines(const char *text, const char *end)
{
    size_t count = 0;
    for (; text < end; text++)
        count += *text == '\n' || text + 1 == end;
    return count;
}

static void check_tail(const char *text, size_t length, bool cut)
{
    const char *end = text + length, *at = ce_tail(text, length, LINES, cut);
    struct ce_error line;
    FUZZ_CHECK(at >= text && at <= end && (length == 0 || at < end));
    FUZZ_CHECK(at == text || at[-1] == '\n');
    size_t lines = count_lines(at, end), taken = 0;
    FUZZ_CHECK(lines <= LINES && (lines == LINES || cut || at == text));
    for (; ce_tail_line(&at, end, &line); taken++)
        FUZZ_CHECK(ce_is_printable(line.text));
    FUZZ_CHECK(at == end && taken == lines);
}

static void check_span(const uint8_t *data, size_t size)
{
    int64_t numbers[3], from = -1;
    bool cut = false;
    if (size < sizeof numbers)
        return;
    memcpy(numbers, data, sizeof numbers);
    const int64_t length = numbers[0], start = numbers[1], most = numbers[2] & 0xffff;
    if (length >= 0 && ce_tail_span(length, start, most, &from, &cut))
        FUZZ_CHECK(from >= start && from <= length && length - from <= most && cut == (from > start));
}

/* ---------------------------------------------------------------- health.jsonl */

struct seen {
    const char *text;
    size_t length;
    long lines;
    size_t bad;
};

static void take(void *ctx, const char *name, struct ce_health_line *line, const char *text, size_t length)
{
    struct seen *seen = ctx;
    (void)name;
    seen->lines++;
    FUZZ_CHECK(text >= seen->text && text + length < seen->text + seen->length);
    FUZZ_CHECK(length > 0 && !memchr(text, '\n', length) && text[length] == '\n');
    ce_health_line_destroy(line);
}

static void bad(void *ctx, const char *path, size_t lines, const char *why)
{
    struct seen *seen = ctx;
    (void)path;
    seen->bad += lines;
    FUZZ_CHECK(lines > 0);
    fuzz_check_error(why);
}

static long check_piece(const char *text, size_t length, bool cut)
{
    struct seen seen = {.text = text, .length = length};
    const struct ce_log_reader reader = {.take = take, .bad = bad, .ctx = &seen};
    long lines = ce_health_piece_read(&reader, "fuzz", "n1", text, length, cut);
    FUZZ_CHECK(lines == seen.lines && (size_t)lines + seen.bad <= count_lines(text, text + length));
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size); /* it may hold a NUL, as a log may */
    check_tail(text, size, false);
    check_tail(text, size, true);
    check_span(data, size);
    FUZZ_CHECK(check_piece(text, size, true) <= check_piece(text, size, false));
    free(text);
    return 0;
}
