/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target: takes any bytes, checks what must hold of them, aborts where it does not.  The same
 * file links with libFuzzer (run.sh) and with driver.c (`make check`). */
#ifndef CE_TESTS_FUZZ_H
#define CE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The target's folder of seeds, and how many mutations take driver.c about a second. */
extern const char fuzz_name[];
extern const unsigned fuzz_runs;

/* As assert(), also where NDEBUG is defined. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);         \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The bytes as a string, up to the first NUL; to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_CHECK(text);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* Every error has a text, and nothing in it can draw on a terminal. */
static inline void fuzz_check_error(const char *text)
{
    FUZZ_CHECK(*text);
    for (; *text; text++)
        FUZZ_CHECK((unsigned char)*text >= ' ' && *text != 0x7f);
}

#endif
