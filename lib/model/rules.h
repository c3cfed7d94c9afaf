/* SPDX-License-Identifier: Apache-2.0 */
/* What the configuration says in lists, beside the policy: the site's own variables for this node,
 * and the rails that nodes are expected to have.  Written into node.policy with the policy. */
#ifndef CE_MODEL_RULES_H
#define CE_MODEL_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "model/policy.h"

enum { CE_RULES_VARIABLES_MAX = 64, CE_RULES_GROUPS_MAX = 256, CE_RULES_VALUE_MAX = 4095 };

struct ce_site_variable {
    char *name;
    char *value;
};

/* What is said of the rails of the nodes in a host list. */
struct ce_rails_group {
    char *names;
    struct ce_rails_expected rails;
    unsigned keys; /* CE_RAILS_COUNT, ...: those that are said; the others stay as they are */
};

struct ce_rules {
    struct ce_site_variable *variables;
    size_t variable_count;
    struct ce_rails_expected general; /* of nodes in no group */
    struct ce_rails_group *groups;    /* each is laid over what stands before it */
    size_t group_count;
};

/* NULL: no memory. */
struct ce_rules *ce_rules_create(void);
void ce_rules_destroy(struct ce_rules *rules);
CE_DEFINE_CLEANUP(struct ce_rules, ce_rules_destroy)

/* Could it be a variable's name: letters, digits and '_', no digit first? */
bool ce_rules_is_name(const char *name);

/* Set a variable, in place of an earlier value.  -1 with err: not a name, too long a value or one
 * with a newline, too many, no memory. */
int ce_rules_set(struct ce_rules *rules, const char *name, const char *value, struct ce_error *err);
/* Its value; NULL: the site does not set it. rules may be NULL. */
const char *ce_rules_get(const struct ce_rules *rules, const char *name);

/* -1 with err: too many, no memory. */
int ce_rules_add_group(struct ce_rules *rules, const char *names,
                       const struct ce_rails_expected *rails, unsigned keys, struct ce_error *err);

/* Lay what the group says over what is expected of one of its nodes so far. */
void ce_rails_lay(const struct ce_rails_group *group, struct ce_rails_expected *rails);

/* The lines "variable.NAME=VALUE", "rails.general.KEY" and "rails.group.N.KEY" of node.policy. */
void ce_rules_write(const struct ce_rules *rules, struct ce_text *out);
/* From the whole text of node.policy.  NULL with err. */
struct ce_rules *ce_rules_parse(const char *text, struct ce_error *err);

#endif
