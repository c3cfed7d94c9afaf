/* SPDX-License-Identifier: Apache-2.0 */
/* A unit test program is tables of named rows and single rules; each is one line of TAP.
 * A row's first member is its name, a rule's name is its function's: both state the behaviour. */
#ifndef CE_TESTS_UNIT_H
#define CE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

enum { UNIT_MAX = 512 };
static struct CMUnitTest unit_tests[UNIT_MAX];
static size_t unit_count;

static inline void unit_add(const char *name, CMUnitTestFunction run, const void *row)
{
    if (unit_count == UNIT_MAX)
        fprintf(stderr, "Bail out! more than %d tests in one program\n", UNIT_MAX);
    else
        unit_tests[unit_count++] = (struct CMUnitTest){name, run, NULL, NULL, (void *)row};
}

static inline void unit_add_rows(const void *table, size_t count, size_t size,
                                 CMUnitTestFunction run)
{
    for (size_t i = 0; i < count; i++) {
        const char *const *row = (const void *)((const char *)table + i * size);
        unit_add(*row, run, row);
    }
}

static inline void unit_nothing(void **state)
{
    (void)state;
}

/* cmocka 1.1 calls a skipped test "not ok", so a skip is told by its name. */
static inline void unit_add_unless(const char *reason, const char *name, CMUnitTestFunction run)
{
    static char names[UNIT_MAX][160];
    if (reason)
        snprintf(names[unit_count], sizeof *names, "%s # SKIP %s", name, reason);
    unit_add(reason ? names[unit_count] : name, reason ? unit_nothing : run, NULL);
}

#define UNIT_COUNT(table) (sizeof(table) / sizeof *(table))
#define UNIT_TABLE(table, run) unit_add_rows(table, UNIT_COUNT(table), sizeof *(table), run)
#define UNIT_RULE(function) unit_add(#function, function, NULL)
#define UNIT_RULE_UNLESS(reason, function) unit_add_unless(reason, #function, function)
#define UNIT_RUN(name) cmocka_run_group_tests_name(name, unit_tests, NULL, NULL)

/* `text` holds `part`; a failure shows both. */
static inline void unit_holds(const char *text, const char *part)
{
    if (!strstr(text, part))
        assert_string_equal(text, part);
}

#endif
