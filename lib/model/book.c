/* SPDX-License-Identifier: Apache-2.0 */
#include "model/book.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/hostlist.h"

/* An entry and the next one in its hash chain (index + 1; 0 is the end). */
struct slot {
    struct ce_book_entry entry;
    uint32_t next;
};

struct ce_book {
    struct slot *slots; /* in file order */
    size_t count, room;
    uint32_t *chains; /* index + 1 of the first slot */
    size_t chain_mask;
    char *text; /* the names point into it */
};

static const char SPACE[] = " \t\r";

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        hash = (hash ^ (c >= 'A' && c <= 'Z' ? c | 0x20u : c)) * 16777619u;
    }
    return hash;
}

static int add(struct ce_book *book, const struct ce_address *address, const char *name,
               struct ce_error *err)
{
    if (book->count == book->room) {
        size_t room = book->room ? book->room * 2 : 64;
        struct slot *slots = realloc(book->slots, room * sizeof *slots);
        if (!slots)
            return ce_fail(err, "no memory");
        book->slots = slots;
        book->room = room;
    }
    book->slots[book->count++] = (struct slot){.entry = {name, *address}};
    return 0;
}

static bool is_name(const char *word)
{
    size_t length = ce_hostname_span(word);
    return length > 0 && length <= CE_HOSTNAME_MAX && !word[length];
}

/* "fe80::1%eth0": a link-local address with the interface it holds on. */
static bool is_scoped(const char *word)
{
    struct ce_address address;
    char text[CE_ADDRESS_TEXT];
    size_t length = strcspn(word, "%");
    if (length >= sizeof text || !word[length] || !word[length + 1])
        return false;
    memcpy(text, word, length);
    text[length] = '\0';
    return ce_address_parse(text, &address) == 0 && address.family == AF_INET6 &&
           ce_address_is_link_local(&address);
}

static int parse_line(struct ce_book *book, char *line, struct ce_error *err)
{
    char *rest;
    line[strcspn(line, "#")] = '\0';
    char *word = strtok_r(line, SPACE, &rest);
    if (!word)
        return 0;
    struct ce_address address;
    bool scoped = is_scoped(word);
    if (!scoped && ce_address_parse(word, &address) < 0)
        return ce_fail(err, "expected an IP address, found '%.60s'", word);
    char *name = strtok_r(NULL, SPACE, &rest);
    if (!name)
        return ce_fail(err, "expected a name after '%.60s'", word);
    for (; name; name = strtok_r(NULL, SPACE, &rest)) {
        if (!is_name(name))
            return ce_fail(err, "'%.60s' is not a host name", name);
        if (!scoped && add(book, &address, name, err) < 0)
            return -1;
    }
    return 0;
}

static int parse_lines(struct ce_book *book, struct ce_error *err)
{
    unsigned number = 1;
    for (char *line = book->text; line; number++) {
        char *newline = strchr(line, '\n');
        if (newline)
            *newline = '\0';
        if (parse_line(book, line, err) < 0)
            return ce_fail_in(err, "line %u", number);
        line = newline ? newline + 1 : NULL;
    }
    return 0;
}

/* Chains are filled from the back, so that each runs in file order. */
static int build_index(struct ce_book *book, struct ce_error *err)
{
    size_t chains = 64;
    while (chains < book->count * 2)
        chains *= 2;
    book->chains = calloc(chains, sizeof *book->chains);
    if (!book->chains)
        return ce_fail(err, "no memory");
    book->chain_mask = chains - 1;
    for (size_t i = book->count; i-- > 0;) {
        uint32_t *chain = &book->chains[hash_name(book->slots[i].entry.name) & book->chain_mask];
        book->slots[i].next = *chain;
        *chain = (uint32_t)i + 1;
    }
    return 0;
}

static int fill(struct ce_book *book, const char *text, struct ce_error *err)
{
    book->text = strdup(text);
    if (!book->text)
        return ce_fail(err, "no memory");
    return parse_lines(book, err) < 0 ? -1 : build_index(book, err);
}

struct ce_book *ce_book_parse(const char *text, struct ce_error *err)
{
    struct ce_book *book = calloc(1, sizeof *book);
    if (!book)
        ce_fail(err, "no memory");
    else if (fill(book, text, err) < 0) {
        ce_book_destroy(book);
        book = NULL;
    }
    return book;
}

void ce_book_destroy(struct ce_book *book)
{
    if (!book)
        return;
    free(book->slots);
    free(book->chains);
    free(book->text);
    free(book);
}

size_t ce_book_count(const struct ce_book *book)
{
    return book->count;
}

const struct ce_book_entry *ce_book_at(const struct ce_book *book, size_t index)
{
    return &book->slots[index].entry;
}

const struct ce_book_entry *ce_book_next(const struct ce_book *book, const char *name,
                                         const struct ce_book_entry *previous)
{
    /* entry is the first member of its slot */
    uint32_t at = previous ? ((const struct slot *)previous)->next
                           : book->chains[hash_name(name) & book->chain_mask];
    for (; at; at = book->slots[at - 1].next)
        if (strcasecmp(book->slots[at - 1].entry.name, name) == 0)
            return &book->slots[at - 1].entry;
    return NULL;
}

void ce_book_write(const struct ce_book *book, struct ce_text *out)
{
    for (size_t i = 0; i < book->count; i++) {
        char address[CE_ADDRESS_TEXT];
        ce_text_add(out, ce_address_format(&book->slots[i].entry.address, address));
        ce_text_add(out, " ");
        ce_text_add(out, book->slots[i].entry.name);
        ce_text_add(out, "\n");
    }
    ce_text_add(out, CE_BOOK_END "\n");
}

struct ce_book *ce_book_parse_copy(const char *text, struct ce_error *err)
{
    static const char end[] = CE_BOOK_END "\n";
    size_t length = strlen(text), tail = sizeof end - 1;
    if (length < tail || memcmp(text + length - tail, end, tail) != 0 ||
        (length > tail && text[length - tail - 1] != '\n')) {
        ce_fail(err, "cut short: the last line is not '" CE_BOOK_END "'");
        return NULL;
    }
    return ce_book_parse(text, err);
}
