/* SPDX-License-Identifier: Apache-2.0 */
#include "model/hostlist.h"

#include <stdint.h>
#include <string.h>

#include "base/parse.h"

enum { MAX_DIGITS = 9, FIRST_ROOM = 64 };

struct ce_hostlist {
    size_t count, room;
    uint32_t *offset; /* of each name in text */
    char *text;       /* all names, each with its NUL */
    size_t length, text_room;
};

/* One name under construction: what stands before the next bracket group. */
struct name {
    char text[CE_HOSTNAME_MAX + 1];
    size_t length;
};

static void *grow(void *block, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return block;
    size_t wanted = *room ? *room : FIRST_ROOM;
    while (wanted < need)
        wanted *= 2;
    void *grown = realloc(block, wanted * size);
    if (grown)
        *room = wanted;
    return grown;
}

static int push(struct ce_hostlist *list, const struct name *name, struct ce_error *err)
{
    if (list->count == CE_HOSTLIST_MAX)
        return ce_fail(err, "more than %d hosts", CE_HOSTLIST_MAX);
    uint32_t *offset = grow(list->offset, &list->room, list->count + 1, sizeof *offset);
    if (!offset)
        return ce_fail(err, "no memory");
    list->offset = offset;
    char *text = grow(list->text, &list->text_room, list->length + name->length + 1, 1);
    if (!text)
        return ce_fail(err, "no memory");
    list->text = text;
    list->offset[list->count++] = (uint32_t)list->length;
    memcpy(text + list->length, name->text, name->length);
    text[list->length + name->length] = '\0';
    list->length += name->length + 1;
    return 0;
}

static int append(struct name *name, const char *bytes, size_t length, struct ce_error *err)
{
    if (length > CE_HOSTNAME_MAX - name->length)
        return ce_fail(err, "a host name is longer than %d bytes", CE_HOSTNAME_MAX);
    memcpy(name->text + name->length, bytes, length);
    name->length += length;
    return 0;
}

static int append_number(struct name *name, uint64_t number, int width, struct ce_error *err)
{
    char digits[MAX_DIGITS + 1];
    int at = sizeof digits;
    while (number > 0 || at > (int)sizeof digits - width) {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    }
    return append(name, digits + at, sizeof digits - (size_t)at, err);
}

size_t ce_hostname_span(const char *text)
{
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.");
}

struct range {
    uint64_t first, last;
    int width; /* digits of the first number: "01" keeps its zero */
};

/* "7" or "01-10" at *p. */
static int parse_range(const char **p, struct range *range, struct ce_error *err)
{
    const char *start = *p, *end;
    if (ce_parse_digits(start, UINT64_MAX, &range->first, &end) < 0 || end - start > MAX_DIGITS)
        return ce_fail(err, "expected a number of at most %d digits at '%.20s'", MAX_DIGITS, start);
    range->width = (int)(end - start);
    range->last = range->first;
    if (*end == '-') {
        const char *second = end + 1;
        if (ce_parse_digits(second, UINT64_MAX, &range->last, &end) < 0 ||
            end - second > MAX_DIGITS)
            return ce_fail(err, "expected a number after '-' at '%.20s'", start);
        if (range->last < range->first)
            return ce_fail(err, "a range runs backwards at '%.20s'", start);
    }
    *p = end;
    return 0;
}

static int expand(struct ce_hostlist *list, struct name *name, const char *p, const char *stop,
                  int depth, struct ce_error *err);

static int expand_range(struct ce_hostlist *list, const struct name *before,
                        const struct range *range, const char *rest, const char *stop, int depth,
                        struct ce_error *err)
{
    for (uint64_t i = range->first; i <= range->last; i++) {
        struct name name;
        name.length = before->length;
        memcpy(name.text, before->text, before->length);
        if (append_number(&name, i, range->width, err) < 0 ||
            expand(list, &name, rest, stop, depth + 1, err) < 0)
            return -1;
    }
    return 0;
}

/* The group that starts behind '[' at p, then whatever follows its ']'. */
static int expand_group(struct ce_hostlist *list, const struct name *before, const char *p,
                        const char *stop, int depth, struct ce_error *err)
{
    const char *close = memchr(p, ']', (size_t)(stop - p));
    if (!close)
        return ce_fail(err, "'[' without ']' at '%.20s'", p - 1);
    for (;;) {
        struct range range;
        if (parse_range(&p, &range, err) < 0 ||
            expand_range(list, before, &range, close + 1, stop, depth, err) < 0)
            return -1;
        if (p == close)
            return 0;
        if (*p++ != ',')
            return ce_fail(err, "expected ',' or ']' at '%.20s'", p - 1);
    }
}

/* Names keep their multiple bracket groups few: deeper recursion is hostile input, not a cluster. */
enum { MAX_GROUPS = 8 };

static int expand(struct ce_hostlist *list, struct name *name, const char *p, const char *stop,
                  int depth, struct ce_error *err)
{
    size_t length = p == stop ? 0 : ce_hostname_span(p);
    if (append(name, p, length, err) < 0)
        return -1;
    p += length;
    if (p == stop)
        return push(list, name, err);
    if (*p != '[')
        return ce_fail(err, "unexpected character at '%.20s'", p);
    if (depth == MAX_GROUPS)
        return ce_fail(err, "more than %d bracket groups in a name", MAX_GROUPS);
    return expand_group(list, name, p + 1, stop, depth, err);
}

/* Where the item at p ends: at a ',' outside brackets or at the end. */
static const char *item_end(const char *p)
{
    int inside = 0;
    for (; *p && (inside || *p != ','); p++)
        inside = *p == '[' ? 1 : *p == ']' ? 0 : inside;
    return p;
}

static int parse_items(struct ce_hostlist *list, const char *p, struct ce_error *err)
{
    for (;;) {
        const char *stop = item_end(p);
        if (stop == p)
            return ce_fail(err, "an empty name at '%.20s'", p);
        struct name name = {.length = 0};
        if (expand(list, &name, p, stop, 0, err) < 0)
            return -1;
        if (!*stop)
            return 0;
        p = stop + 1;
    }
}

struct ce_hostlist *ce_hostlist_parse(const char *expression, struct ce_error *err)
{
    struct ce_hostlist *list = calloc(1, sizeof *list);
    if (!list) {
        ce_fail(err, "no memory");
        return NULL;
    }
    if (parse_items(list, expression, err) < 0) {
        ce_fail_in(err, "host list");
        ce_hostlist_destroy(list);
        return NULL;
    }
    return list;
}

void ce_hostlist_destroy(struct ce_hostlist *list)
{
    if (!list)
        return;
    free(list->offset);
    free(list->text);
    free(list);
}

size_t ce_hostlist_count(const struct ce_hostlist *list)
{
    return list->count;
}

const char *ce_hostlist_name(const struct ce_hostlist *list, size_t index)
{
    return list->text + list->offset[index];
}
