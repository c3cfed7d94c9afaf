/* SPDX-License-Identifier: Apache-2.0 */
#include "model/record.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

struct line {
    const char *key, *value;
    size_t known; /* bytes of the key, in whole parts, with which the key of an earlier line begins, too; the most */
};

struct ce_record {
    char *text;
    struct line *lines;   /* in file order */
    struct line **sorted; /* by key */
    size_t count;
};

enum { MAX_KEY = 255 };

static bool is_key(const char *key)
{
    size_t length = strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789._-:@+%");
    return length > 0 && length <= MAX_KEY && !key[length];
}

static int split(char *text, struct line *line, struct ce_error *err)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return ce_fail(err, "expected key=value, found '%.60s'", text);
    *equals = '\0';
    if (!is_key(text))
        return ce_fail(err, "'%.60s' is not a key", text);
    *line = (struct line){.key = text, .value = equals + 1};
    return 0;
}

static int split_lines(struct ce_record *record, struct ce_error *err)
{
    char *at = record->text;
    while (*at) {
        char *newline = strchr(at, '\n');
        if (!newline)
            return ce_fail(err, "cut short: line %zu does not end", record->count + 1);
        *newline = '\0';
        if (split(at, &record->lines[record->count], err) < 0)
            return ce_fail_in(err, "line %zu", record->count + 1);
        record->count++;
        at = newline + 1;
    }
    return 0;
}

static bool line_is(const struct ce_record *record, size_t index, const char *key,
                    const char *value)
{
    return index < record->count && strcmp(record->lines[index].key, key) == 0 &&
           strcmp(record->lines[index].value, value) == 0;
}

static int check_frame(const struct ce_record *record, struct ce_error *err)
{
    if (!line_is(record, 0, "format", "1"))
        return ce_fail(err, "line 1: expected format=1");
    if (!line_is(record, record->count - 1, "end", "1"))
        return ce_fail(err, "cut short: the last line is not end=1");
    return 0;
}

static int by_key(const void *a, const void *b)
{
    return strcmp((*(struct line *const *)a)->key, (*(struct line *const *)b)->key);
}

static int sort(struct ce_record *record, struct ce_error *err)
{
    for (size_t i = 0; i < record->count; i++)
        record->sorted[i] = &record->lines[i];
    qsort(record->sorted, record->count, sizeof *record->sorted, by_key);
    for (size_t i = 1; i < record->count; i++)
        if (by_key(&record->sorted[i - 1], &record->sorted[i]) == 0)
            return ce_fail(err, "the key %s stands there twice", record->sorted[i]->key);
    return 0;
}

/* How many bytes the keys have in common at their beginning, in whole parts. */
static size_t shared_parts(const char *a, const char *b)
{
    size_t whole = 0;
    for (size_t i = 0;; i++) {
        if ((!a[i] || a[i] == '.') && (!b[i] || b[i] == '.'))
            whole = i;
        if (!a[i] || a[i] != b[i])
            return whole;
    }
}

/* For each line in the order of keys, ascending or descending.  `stack` has the lines before it in that
 * order, without those after which a line comes that is earlier in the text.  The last one there that is
 * earlier in the text than this line has most in common with it. */
static size_t compare_earlier(struct line **stack, size_t depth, struct line *line)
{
    while (depth > 0 && stack[depth - 1] > line)
        depth--;
    size_t shared = depth > 0 ? shared_parts(stack[depth - 1]->key, line->key) : 0;
    if (shared > line->known)
        line->known = shared;
    stack[depth] = line;
    return depth + 1;
}

static int compare_all(struct ce_record *record, struct ce_error *err)
{
    struct line **stack = calloc(record->count + 1, sizeof *stack);
    size_t depth = 0;
    if (!stack)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i < record->count; i++)
        depth = compare_earlier(stack, depth, record->sorted[i]);
    depth = 0;
    for (size_t i = record->count; i-- > 0;)
        depth = compare_earlier(stack, depth, record->sorted[i]);
    free(stack);
    return 0;
}

static size_t count_lines(const char *text)
{
    size_t count = 0;
    while ((text = strchr(text, '\n')) != NULL)
        count++, text++;
    return count;
}

static int fill(struct ce_record *record, const char *text, struct ce_error *err)
{
    size_t lines = count_lines(text);
    if (lines > CE_RECORD_MAX_LINES)
        return ce_fail(err, "more than %d lines", CE_RECORD_MAX_LINES);
    size_t room = lines + 1; /* the last one may have been cut */
    record->text = strdup(text);
    record->lines = calloc(room, sizeof *record->lines);
    record->sorted = calloc(room, sizeof *record->sorted);
    if (!record->text || !record->lines || !record->sorted)
        return ce_fail(err, "no memory");
    if (split_lines(record, err) < 0 || check_frame(record, err) < 0)
        return -1;
    return sort(record, err) < 0 ? -1 : compare_all(record, err);
}

struct ce_record *ce_record_parse(const char *text, struct ce_error *err)
{
    struct ce_record *record = calloc(1, sizeof *record);
    if (!record)
        ce_fail(err, "no memory");
    else if (fill(record, text, err) < 0) {
        ce_record_destroy(record);
        record = NULL;
    }
    return record;
}

void ce_record_destroy(struct ce_record *record)
{
    if (!record)
        return;
    free(record->text);
    free(record->lines);
    free(record->sorted);
    free(record);
}

static const struct line *find_line(const struct ce_record *record, const char *key)
{
    struct line wanted = {.key = key}, *pointer = &wanted;
    struct line **found =
        bsearch(&pointer, record->sorted, record->count, sizeof *record->sorted, by_key);
    return found ? *found : NULL;
}

static const char *find(const struct ce_record *record, const char *key)
{
    const struct line *found = find_line(record, key);
    return found ? found->value : NULL;
}

#define FORMAT_KEY(key)                                                                            \
    do {                                                                                           \
        va_list args_;                                                                             \
        va_start(args_, format);                                                                   \
        if (!ce_fits(vsnprintf(key, sizeof key, format, args_), sizeof key))                       \
            key[0] = '\0';                                                                         \
        va_end(args_);                                                                             \
    } while (0)

const char *ce_record_get(const struct ce_record *record, const char *format, ...)
{
    char key[MAX_KEY + 1];
    FORMAT_KEY(key);
    return find(record, key);
}

int ce_record_number(const struct ce_record *record, uint64_t min, uint64_t max, uint64_t *ret,
                     struct ce_error *err, const char *format, ...)
{
    char key[MAX_KEY + 1];
    FORMAT_KEY(key);
    const char *value = find(record, key);
    if (!value)
        return 0;
    if (ce_parse_uint(value, min, max, ret) < 0)
        return ce_fail(err, "%s=%.40s: expected a number from %" PRIu64 " to %" PRIu64, key, value,
                       min, max);
    return 1;
}

/* The part of the line's key behind prefix, up to the next dot; its length, or 0. */
static size_t part_length(const struct line *line, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(line->key, prefix, length) == 0 ? strcspn(line->key + length, ".") : 0;
}

/* The index of the first sorted key that starts with these bytes; `behind`: of the first key after them. */
static size_t bound(const struct ce_record *record, const char *start, size_t length, bool behind)
{
    size_t low = 0, high = record->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strncmp(record->sorted[middle]->key, start, length) < behind)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t lower_bound(const struct ce_record *record, const char *start, size_t length)
{
    return bound(record, start, length, false);
}

/* The first line from `at` on whose key starts with the prefix; the end: there is none.  If few lines
 * have such a key, each of them is compared; if many, the lines of the text from `at` on. */
static size_t next_below(const struct ce_record *record, const char *prefix, size_t at)
{
    enum { FEW = 512 };
    size_t length = strlen(prefix), found = record->count;
    size_t first = bound(record, prefix, length, false), last = bound(record, prefix, length, true);
    if (last - first > FEW) {
        while (at < record->count && strncmp(record->lines[at].key, prefix, length) != 0)
            at++;
        return at;
    }
    for (size_t i = first; i < last; i++) {
        size_t index = (size_t)(record->sorted[i] - record->lines);
        if (index >= at && index < found)
            found = index;
    }
    return found;
}

/* Is one of the lines below the key ("a.b" below "a") before it in the text? */
static bool is_below_earlier(const struct ce_record *record, const struct line *line)
{
    char start[MAX_KEY + 2];
    int length = snprintf(start, sizeof start, "%s.", line->key);
    for (size_t i = lower_bound(record, start, (size_t)length); i < record->count; i++) {
        if (strncmp(record->sorted[i]->key, start, (size_t)length) != 0)
            return false;
        if (record->sorted[i] < line)
            return true;
    }
    return false;
}

/* Does no line before this one name the part that its key starts with (`length` bytes)?  In the order of
 * keys, those below a part are next to each other, but the key of the part alone need not be next to them. */
static bool is_first_mention(const struct ce_record *record, const struct line *line, size_t length)
{
    char alone[MAX_KEY + 1];
    if (line->known >= length)
        return false;
    if (!line->key[length])
        return !is_below_earlier(record, line);
    snprintf(alone, sizeof alone, "%.*s", (int)length, line->key);
    const struct line *other = find_line(record, alone);
    return !other || other > line;
}

bool ce_record_has_below(const struct ce_record *record, const char *format, ...)
{
    char key[MAX_KEY + 1];
    FORMAT_KEY(key);
    size_t length = strlen(key), at = lower_bound(record, key, length);
    return length > 0 && at < record->count &&
           strncmp(record->sorted[at]->key, key, length) == 0;
}

bool ce_record_next_part(const struct ce_record *record, const char *prefix, size_t *at, char *name,
                         size_t size)
{
    for (; (*at = next_below(record, prefix, *at)) < record->count; (*at)++) {
        const struct line *line = &record->lines[*at];
        size_t length = part_length(line, prefix);
        if (length == 0 || length >= size)
            continue;
        if (!is_first_mention(record, line, strlen(prefix) + length))
            continue;
        memcpy(name, line->key + strlen(prefix), length);
        name[length] = '\0';
        (*at)++;
        return true;
    }
    return false;
}

const char *ce_key_encode(const char *name, char *part, size_t size)
{
    size_t n = 0;
    part[0] = '\0';
    for (; *name && n + 3 < size; name++) {
        bool plain = isalnum((unsigned char)*name) || strchr("_-:@+", *name);
        n += (size_t)snprintf(part + n, size - n, plain ? "%c" : "%%%02x", (unsigned char)*name);
    }
    return part;
}

int ce_key_decode(const char *part, char *name, size_t size)
{
    size_t n = 0;
    for (; *part; part++) {
        unsigned c = (unsigned char)*part;
        if (c == '%') {
            if (!isxdigit((unsigned char)part[1]) || !isxdigit((unsigned char)part[2]) ||
                sscanf(part + 1, "%2x", &c) != 1 || c == 0)
                return -1;
            part += 2;
        }
        if (n + 1 >= size)
            return -1;
        name[n++] = (char)c;
    }
    name[n] = '\0';
    return 0;
}

void ce_record_begin(struct ce_text *out)
{
    ce_record_add_number(out, CE_RECORD_FORMAT, "format");
}

void ce_record_end(struct ce_text *out)
{
    ce_record_add_number(out, 1, "end");
}

void ce_record_add(struct ce_text *out, const char *value, const char *format, ...)
{
    char key[MAX_KEY + 1];
    FORMAT_KEY(key);
    if (!is_key(key) || strchr(value, '\n'))
        out->failed = true;
    ce_text_addf(out, "%s=%s\n", key, value);
}

void ce_record_add_number(struct ce_text *out, uint64_t value, const char *format, ...)
{
    char key[MAX_KEY + 1], digits[24];
    FORMAT_KEY(key);
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    ce_record_add(out, digits, "%s", key);
}
