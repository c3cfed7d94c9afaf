/* SPDX-License-Identifier: Apache-2.0 */
#include "model/hostfold.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/hostlist.h"

enum { DIGITS_MAX = 9 };

int ce_hostname_compare(const char *a, const char *b)
{
    return strverscmp(a, b);
}

/* "rack1n07-ib" is "rack1n", 7 in two digits, "-ib". */
struct parts {
    const char *name;
    size_t prefix, digits;
    uint32_t number;
    const char *rest;
};

static struct parts take_apart(const char *name)
{
    size_t end = strlen(name), begin;
    while (end > 0 && !isdigit((unsigned char)name[end - 1]))
        end--;
    begin = end;
    while (begin > 0 && end - begin < DIGITS_MAX && isdigit((unsigned char)name[begin - 1]))
        begin--;
    if (end == 0)
        return (struct parts){name, strlen(name), 0, 0, ""};
    return (struct parts){name, begin, end - begin, (uint32_t)strtoul(name + begin, NULL, 10),
                          name + end};
}

/* In the order of people, too. */
static int compare_prefixes(const struct parts *a, const struct parts *b)
{
    char left[CE_HOSTNAME_MAX + 1], right[CE_HOSTNAME_MAX + 1];
    snprintf(left, sizeof left, "%.*s", (int)a->prefix, a->name);
    snprintf(right, sizeof right, "%.*s", (int)b->prefix, b->name);
    return strverscmp(left, right);
}

static bool same_frame(const struct parts *a, const struct parts *b)
{
    return a->digits && b->digits && strcmp(a->rest, b->rest) == 0 && compare_prefixes(a, b) == 0;
}

/* 9 and 10 follow one another, and so do 09 and 10, but not 9 and 010. */
static bool follows(const struct parts *a, const struct parts *b)
{
    bool padded = a->name[a->prefix] == '0' || b->name[b->prefix] == '0';
    return b->number == a->number + 1 && (a->digits == b->digits || !padded);
}

static int by_frame(const void *left, const void *right)
{
    const struct parts *a = left, *b = right;
    int order = compare_prefixes(a, b);
    if (!order)
        order = strcmp(a->rest, b->rest);
    if (!order)
        order = (a->number > b->number) - (a->number < b->number);
    return order ? order : (a->digits > b->digits) - (a->digits < b->digits);
}

static void add_digits(struct ce_text *out, const struct parts *at)
{
    ce_text_addn(out, at->name + at->prefix, at->digits);
}

/* Those of one frame: the inside of the brackets. */
static void add_ranges(const struct parts *parts, size_t count, struct ce_text *out)
{
    for (size_t i = 0, last; i < count; i = last + 1) {
        for (last = i; last + 1 < count && follows(&parts[last], &parts[last + 1]);)
            last++;
        if (i > 0)
            ce_text_add(out, ",");
        add_digits(out, &parts[i]);
        if (last > i) {
            ce_text_add(out, "-");
            add_digits(out, &parts[last]);
        }
    }
}

static void add_frame(const struct parts *parts, size_t count, struct ce_text *out)
{
    if (count == 1) {
        ce_text_add(out, parts->name);
        return;
    }
    ce_text_addn(out, parts->name, parts->prefix);
    ce_text_add(out, "[");
    add_ranges(parts, count, out);
    ce_text_addf(out, "]%s", parts->rest);
}

static void add_all(const struct parts *parts, size_t count, struct ce_text *out)
{
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && same_frame(&parts[i], &parts[next]);)
            next++;
        if (i > 0)
            ce_text_add(out, ",");
        add_frame(&parts[i], next - i, out);
    }
}

static struct parts *take_all_apart(const char *const *names, size_t count)
{
    struct parts *parts = calloc(count + 1, sizeof *parts);
    for (size_t i = 0; parts && i < count; i++)
        parts[i] = take_apart(names[i]);
    return parts;
}

void ce_hostfold(const char *const *names, size_t count, struct ce_text *out)
{
    ce_autofree struct parts *parts = take_all_apart(names, count);
    size_t kept = 0;
    if (parts && count > 0)
        qsort(parts, count, sizeof *parts, by_frame);
    for (size_t i = 0; parts && i < count; i++)
        if (kept == 0 || strcmp(parts[kept - 1].name, parts[i].name) != 0)
            parts[kept++] = parts[i];
    if (parts)
        add_all(parts, kept, out);
    else
        out->failed = true;
}

void ce_hostfold_in_order(const char *const *names, size_t count, struct ce_text *out)
{
    ce_autofree struct parts *parts = take_all_apart(names, count);
    if (parts)
        add_all(parts, count, out);
    else
        out->failed = true;
}
