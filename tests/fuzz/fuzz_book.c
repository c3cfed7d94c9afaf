/* SPDX-License-Identifier: Apache-2.0 */
/* The address book, and the copy of it that is kept. */
#include <strings.h>

#include "fuzz.h"
#include "model/book.h"

const char fuzz_name[] = "book";
const unsigned fuzz_runs = 400000;

/* Every entry is found by its name, behind those of the same name that stand before it. */
static void check_lookup(const struct ce_book *book)
{
    for (size_t i = 0; i < ce_book_count(book) && i < 64; i++) {
        const struct ce_book_entry *entry = ce_book_at(book, i), *found = NULL;
        size_t before = 0, seen = 0;
        for (size_t j = 0; j < i; j++)
            before += strcasecmp(ce_book_at(book, j)->name, entry->name) == 0;
        while ((found = ce_book_next(book, entry->name, found)) != NULL && found != entry)
            seen++;
        FUZZ_CHECK(found == entry && seen == before);
    }
}

static char *write_book(const struct ce_book *book)
{
    ce_autotext struct ce_text text = CE_TEXT(16 << 20);
    ce_book_write(book, &text);
    char *written = ce_text_take(&text);
    FUZZ_CHECK(written);
    return written;
}

static void check_copy(const struct ce_book *book, size_t cut)
{
    char *first = write_book(book);
    ce_auto(ce_book_destroy) struct ce_book *copy = ce_book_parse_copy(first, NULL);
    FUZZ_CHECK(copy && ce_book_count(copy) == ce_book_count(book));
    char *second = write_book(copy);
    FUZZ_CHECK(strcmp(first, second) == 0);
    first[cut % strlen(first)] = '\0';
    FUZZ_CHECK(!ce_book_parse_copy(first, NULL));
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ce_error err = {""};
    unsigned line = 0;
    char *text = fuzz_text(data, size);
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse(text, &err);
    ce_book_destroy(ce_book_parse_copy(text, NULL));
    free(text);
    if (!book) {
        fuzz_check_error(err.text);
        FUZZ_CHECK(sscanf(err.text, "line %u:", &line) == 1 && line >= 1 && line <= size + 1);
        return 0;
    }
    FUZZ_CHECK(ce_book_count(book) <= size);
    check_lookup(book);
    check_copy(book, size * 31);
    return 0;
}
