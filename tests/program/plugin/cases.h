/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that test_plugin.c runs, one per subject.  Each ends with a row without a name. */
#ifndef CE_TESTS_CASES_H
#define CE_TESTS_CASES_H

/* Runs in a fresh world (world.h). */
struct plugin_case {
    const char *name; /* the rule that holds, read as a sentence */
    void (*run)(void **state);
};

extern const struct plugin_case option_cases[];
extern const struct plugin_case text_cases[];
extern const struct plugin_case order_cases[];
extern const struct plugin_case refusal_cases[];
extern const struct plugin_case rails_cases[];
extern const struct plugin_case gang_cases[];
extern const struct plugin_case log_cases[];
extern const struct plugin_case retry_cases[];
extern const struct plugin_case hostile_cases[];
extern const struct plugin_case lifetime_cases[];

#endif
