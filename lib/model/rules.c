/* SPDX-License-Identifier: Apache-2.0 */
#include "model/rules.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"

enum { PREFIX = 48 };

struct ce_rules *ce_rules_create(void)
{
    return calloc(1, sizeof(struct ce_rules));
}

void ce_rules_destroy(struct ce_rules *rules)
{
    if (!rules)
        return;
    for (size_t i = 0; i < rules->variable_count; i++) {
        free(rules->variables[i].name);
        free(rules->variables[i].value);
    }
    for (size_t i = 0; i < rules->group_count; i++)
        free(rules->groups[i].names);
    free(rules->variables);
    free(rules->groups);
    free(rules);
}

bool ce_rules_is_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return *name && !(*name >= '0' && *name <= '9') && !name[strspn(name, letters)] &&
           strlen(name) < CE_KEY_PART;
}

static struct ce_site_variable *find(const struct ce_rules *rules, const char *name)
{
    for (size_t i = 0; rules && i < rules->variable_count; i++)
        if (strcmp(rules->variables[i].name, name) == 0)
            return &rules->variables[i];
    return NULL;
}

const char *ce_rules_get(const struct ce_rules *rules, const char *name)
{
    const struct ce_site_variable *variable = find(rules, name);
    return variable ? variable->value : NULL;
}

static int replace_value(struct ce_site_variable *variable, const char *value, struct ce_error *err)
{
    char *copy = strdup(value);
    if (!copy)
        return ce_fail(err, "no memory");
    free(variable->value);
    variable->value = copy;
    return 0;
}

static int add_variable(struct ce_rules *rules, const char *name, const char *value,
                        struct ce_error *err)
{
    if (rules->variable_count == CE_RULES_VARIABLES_MAX)
        return ce_fail(err, "%.60s: more than %d variables", name, CE_RULES_VARIABLES_MAX);
    struct ce_site_variable *variables =
        realloc(rules->variables, (rules->variable_count + 1) * sizeof *variables);
    if (!variables)
        return ce_fail(err, "no memory");
    rules->variables = variables;
    struct ce_site_variable added = {strdup(name), strdup(value)};
    if (!added.name || !added.value) {
        free(added.name);
        free(added.value);
        return ce_fail(err, "no memory");
    }
    variables[rules->variable_count++] = added;
    return 0;
}

int ce_rules_set(struct ce_rules *rules, const char *name, const char *value, struct ce_error *err)
{
    struct ce_site_variable *variable = find(rules, name);
    if (!ce_rules_is_name(name))
        return ce_fail(err, "'%.60s' is not the name of a variable", name);
    if (strchr(value, '\n') || strlen(value) > CE_RULES_VALUE_MAX)
        return ce_fail(err, "%s: expected a value of one line and at most %d bytes", name,
                       CE_RULES_VALUE_MAX);
    return variable ? replace_value(variable, value, err) : add_variable(rules, name, value, err);
}

int ce_rules_add_group(struct ce_rules *rules, const char *names,
                       const struct ce_rails_expected *rails, unsigned keys, struct ce_error *err)
{
    if (rules->group_count == CE_RULES_GROUPS_MAX)
        return ce_fail(err, "more than %d nodes sections with rails", CE_RULES_GROUPS_MAX);
    struct ce_rails_group *groups =
        realloc(rules->groups, (rules->group_count + 1) * sizeof *groups);
    if (!groups)
        return ce_fail(err, "no memory");
    rules->groups = groups;
    groups[rules->group_count] = (struct ce_rails_group){strdup(names), *rails, keys};
    return groups[rules->group_count++].names ? 0 : ce_fail(err, "no memory");
}

void ce_rails_lay(const struct ce_rails_group *group, struct ce_rails_expected *rails)
{
    if (group->keys & CE_RAILS_COUNT)
        rails->count = group->rails.count;
    if (group->keys & CE_RAILS_LINK_LAYER)
        rails->link_layer = group->rails.link_layer;
    if (group->keys & CE_RAILS_RATE)
        rails->rate_gbps = group->rails.rate_gbps;
}

/* ---------------------------------------------------------------- the text form */

void ce_rules_write(const struct ce_rules *rules, struct ce_text *out)
{
    char prefix[PREFIX];
    for (size_t i = 0; i < rules->variable_count; i++)
        ce_record_add(out, rules->variables[i].value, "variable.%s", rules->variables[i].name);
    ce_rails_expected_write(&rules->general, ce_rails_known(&rules->general), "rails.general", out);
    for (size_t i = 0; i < rules->group_count; i++) {
        snprintf(prefix, sizeof prefix, "rails.group.%zu", i);
        ce_record_add(out, rules->groups[i].names, "%s.names", prefix);
        ce_rails_expected_write(&rules->groups[i].rails, rules->groups[i].keys, prefix, out);
    }
}

static int read_variables(const struct ce_record *record, struct ce_rules *rules,
                          struct ce_error *err)
{
    char name[CE_KEY_PART];
    for (size_t at = 0; ce_record_next_part(record, "variable.", &at, name, sizeof name);) {
        const char *value = ce_record_get(record, "variable.%s", name);
        if (value && ce_rules_set(rules, name, value, err) < 0)
            return -1;
    }
    return 0;
}

static int read_groups(const struct ce_record *record, struct ce_rules *rules, struct ce_error *err)
{
    for (unsigned i = 0; i < CE_RULES_GROUPS_MAX; i++) {
        char prefix[PREFIX];
        struct ce_rails_expected rails;
        unsigned keys = 0;
        snprintf(prefix, sizeof prefix, "rails.group.%u", i);
        const char *names = ce_record_get(record, "%s.names", prefix);
        if (!names)
            return 0;
        if (ce_rails_expected_read(record, prefix, &rails, &keys, err) < 0 ||
            ce_rules_add_group(rules, names, &rails, keys, err) < 0)
            return -1;
    }
    return 0;
}

struct ce_rules *ce_rules_parse(const char *text, struct ce_error *err)
{
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    if (!record)
        return NULL;
    if (!rules) {
        ce_fail(err, "no memory");
        return NULL;
    }
    if (ce_rails_expected_read(record, "rails.general", &rules->general, NULL, err) < 0 ||
        read_variables(record, rules, err) < 0 || read_groups(record, rules, err) < 0)
        return NULL;
    return ce_steal(rules);
}
