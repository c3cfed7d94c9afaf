/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of configuration keys: parser, default and documentation of each. */
#ifndef CE_CONFIG_OPTIONS_H
#define CE_CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "config/config.h"

enum ce_option_kind { CE_OPTION_NUMBER, CE_OPTION_TEXT, CE_OPTION_TEXTS };

struct ce_option_value {
    enum ce_option_kind kind;
    long long number;
    const char *text; /* CE_OPTION_TEXTS: one element; apply is called once for each */
};

struct ce_option {
    const char *key; /* dotted: "network.family" */
    enum ce_option_kind kind;
    bool per_node; /* may stand in a nodes section: it need not be the same on all nodes */
    int (*apply)(const struct ce_option_value *value, struct ce_config *config,
                 struct ce_error *err);
    void (*clear)(struct ce_config *config); /* CE_OPTION_TEXTS: forget what is there */
    const char *dflt; /* as it is written in the file */
    const char *doc;  /* lines, without '#' */
};

extern const struct ce_option ce_options[];
extern const size_t ce_option_count;

/* NULL where there is no such key. */
const struct ce_option *ce_option_find(const char *key);
/* "network" is one where "network.family" is a key. */
bool ce_option_is_group(const char *name);

#endif
