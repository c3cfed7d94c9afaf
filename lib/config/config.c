/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config.h"

#include <fcntl.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/parse.h"
#include "config/options.h"
#include "model/hostindex.h"

enum { MAX_FILE = 1 << 20, MAX_KEY = 128, DEADLINE_MOST = 60 };

/* Where a message points to, and what is being filled. */
struct reader {
    const char *path;
    struct ce_config *config;
    struct ce_rules *variables; /* of all nodes; NULL: they are passed over */
    struct ce_check_rules *checks; /* of all nodes; NULL: they are not counted */
    struct ce_error *err;
};

struct section {
    config_setting_t *group;
    struct ce_hostlist *names;
    struct ce_hostindex *index; /* of the names */
};

struct ce_config_file {
    config_t tree;
    struct ce_config general; /* what holds outside of sections */
    struct ce_rules *variables; /* of all nodes */
    struct ce_check_rules checks; /* of all nodes */
    struct section *sections;
    size_t count;
};

static int fail_at(const struct reader *reader, const config_setting_t *setting, const char *text)
{
    return ce_fail(reader->err, "%s:%u: %s", reader->path, config_setting_source_line(setting),
                   text);
}

/* libconfig's setting -> our own little value, so that options.c needs no libconfig. */
static int read_value(const struct reader *reader, config_setting_t *setting,
                      const struct ce_option *option)
{
    struct ce_error why;
    struct ce_option_value value = {.kind = option->kind};
    switch (option->kind) {
    case CE_OPTION_NUMBER:
        if (config_setting_type(setting) != CONFIG_TYPE_INT)
            return ce_fail(reader->err, "%s:%u: %s: expected a number", reader->path,
                           config_setting_source_line(setting), option->key);
        value.number = config_setting_get_int(setting);
        break;
    case CE_OPTION_TEXT:
        value.text = config_setting_get_string(setting);
        if (!value.text)
            return ce_fail(reader->err, "%s:%u: %s: expected a text in quotes", reader->path,
                           config_setting_source_line(setting), option->key);
        break;
    case CE_OPTION_TEXTS:
        if (!config_setting_is_array(setting) && !config_setting_is_list(setting))
            return ce_fail(reader->err, "%s:%u: %s: expected a list, [ \"...\", \"...\" ]",
                           reader->path, config_setting_source_line(setting), option->key);
        break;
    }
    if (option->kind != CE_OPTION_TEXTS) {
        if (option->apply(&value, reader->config, &why) == 0)
            return 0;
        ce_fail_in(&why, "%s", option->key);
        return fail_at(reader, setting, why.text);
    }
    if (option->clear)
        option->clear(reader->config);
    for (int i = 0; i < config_setting_length(setting); i++) {
        value.text = config_setting_get_string_elem(setting, i);
        if (!value.text)
            ce_fail(&why, "expected a text in quotes");
        if (!value.text || option->apply(&value, reader->config, &why) < 0) {
            ce_fail_in(&why, "%s", option->key);
            return fail_at(reader, setting, why.text);
        }
    }
    return 0;
}

static int read_group(const struct reader *reader, config_setting_t *group, const char *prefix,
                      bool in_nodes);

static int read_setting(const struct reader *reader, config_setting_t *setting, const char *key,
                        bool in_nodes)
{
    const struct ce_option *option = ce_option_find(key);
    if (ce_option_is_group(key) && config_setting_is_group(setting))
        return read_group(reader, setting, key, in_nodes);
    if (!option || (in_nodes && !option->per_node)) {
        struct ce_error why;
        ce_fail(&why, "'%s' is not a key%s; 'cluster-env config --example' lists them all", key,
                option ? " of a nodes section" : "");
        return fail_at(reader, setting, why.text);
    }
    return read_value(reader, setting, option);
}

/* "41" and 41 are the same to an environment. */
static const char *variable_text(const config_setting_t *setting, char number[24])
{
    int type = config_setting_type(setting);
    if (type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64)
        snprintf(number, 24, "%lld", config_setting_get_int64(setting));
    return type == CONFIG_TYPE_STRING ? config_setting_get_string(setting)
           : number[0]                ? number
                                      : NULL;
}

static int read_variables(const struct reader *reader, const config_setting_t *group,
                          struct ce_rules *rules)
{
    if (!config_setting_is_group(group))
        return fail_at(reader, group, "expected variables = { NAME = \"value\"; ... }");
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        char number[24] = "";
        struct ce_error why;
        const char *value = variable_text(setting, number);
        if (!value)
            ce_fail(&why, "%s: expected a text in quotes, or a number",
                    config_setting_name(setting));
        if (!value || ce_rules_set(rules, config_setting_name(setting), value, &why) < 0) {
            ce_fail_in(&why, "variables");
            return fail_at(reader, setting, why.text);
        }
    }
    return 0;
}

/* ---------------------------------------------------------------- checks */

static int read_response(const config_setting_t *setting, struct ce_check_rule *rule,
                         struct ce_error *why)
{
    const char *name = config_setting_name(setting), *text = config_setting_get_string(setting);
    bool is_fault = strcmp(name, "fault") == 0;
    enum ce_response response;
    if (!is_fault && strcmp(name, "unknown") != 0)
        return ce_fail(why, "'%s' is not of a check: expected name, fault, unknown, limit or deadline", name);
    if (!text || ce_response_parse(text, &response) < 0)
        return ce_fail(why, "%s: expected \"drain\", \"warn\" or \"ignore\"", name);
    if (!is_fault && response == CE_DRAIN)
        return ce_fail(why, "unknown: what could not be found out never drains a node; "
                            "expected \"warn\" or \"ignore\"");
    *(is_fault ? &rule->fault : &rule->unknown) = response;
    *(is_fault ? &rule->has_fault : &rule->has_unknown) = true;
    return 0;
}

static int read_limit(const config_setting_t *setting, struct ce_check_rule *rule,
                      struct ce_error *why)
{
    long long most = config_setting_get_int64(setting);
    if ((config_setting_type(setting) != CONFIG_TYPE_INT && config_setting_type(setting) != CONFIG_TYPE_INT64) ||
        most < 0 || most > UINT32_MAX)
        return ce_fail(why, "limit: expected a number, the most that is well");
    rule->limit = (uint32_t)most;
    rule->has_limit = true;
    return 0;
}

/* Seconds, whole or not, as the run's. */
static int read_deadline(const config_setting_t *setting, struct ce_check_rule *rule,
                         struct ce_error *why)
{
    int type = config_setting_type(setting);
    double seconds = type == CONFIG_TYPE_FLOAT ? config_setting_get_float(setting)
                     : type == CONFIG_TYPE_INT ? config_setting_get_int(setting)
                                               : 0;
    if (!(seconds >= 0.001 && seconds <= DEADLINE_MOST))
        return ce_fail(why, "deadline: expected seconds, 0.001 to %d", DEADLINE_MOST);
    rule->deadline_ms = (uint32_t)(seconds * 1000 + 0.5);
    return 0;
}

static int read_of_check(const config_setting_t *setting, struct ce_check_rule *rule,
                         struct ce_error *why)
{
    const char *name = config_setting_name(setting);
    if (strcmp(name, "name") == 0)
        return 0;
    return strcmp(name, "limit") == 0      ? read_limit(setting, rule, why)
           : strcmp(name, "deadline") == 0 ? read_deadline(setting, rule, why)
                                           : read_response(setting, rule, why);
}

static int read_check(const config_setting_t *group, struct ce_check_rule *rule, struct ce_error *why)
{
    const char *name = NULL;
    if (!config_setting_is_group(group) || !config_setting_lookup_string(group, "name", &name))
        return ce_fail(why, "expected checks = ( { name = \"ib.port.rate\"; fault = \"warn\"; }, ... )");
    if (!ce_check_rule_is_name(name))
        return ce_fail(why, "'%.60s' is not the name of a check", name);
    *rule = (struct ce_check_rule){.line = config_setting_source_line(group)};
    snprintf(rule->name, sizeof rule->name, "%s", name);
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        if (read_of_check(setting, rule, why) < 0)
            return ce_fail_in(why, "%s", name);
    }
    if (!rule->has_fault && !rule->has_unknown && !rule->has_limit && !rule->deadline_ms)
        return ce_fail(why, "%s: expected fault, unknown, limit or deadline", name);
    return 0;
}

static int read_checks(const struct reader *reader, const config_setting_t *list)
{
    if (!config_setting_is_list(list))
        return fail_at(reader, list, "expected checks = ( { name = \"ib.port.rate\"; fault = \"warn\"; }, ... )");
    for (int i = 0; i < config_setting_length(list); i++) {
        const config_setting_t *group = config_setting_get_elem(list, (unsigned)i);
        struct ce_check_rule rule;
        struct ce_error why;
        int failed = read_check(group, &rule, &why);
        if (!failed && (ce_check_rules_add(&reader->config->policy.checks, &rule) < 0 ||
                        (reader->checks && ce_check_rules_add(reader->checks, &rule) < 0)))
            failed = ce_fail(&why, "more than %d in the file", CE_CHECK_RULES_MAX);
        if (failed) {
            ce_fail_in(&why, "checks");
            return fail_at(reader, group, why.text);
        }
    }
    return 0;
}

static int read_group(const struct reader *reader, config_setting_t *group, const char *prefix,
                      bool in_nodes)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(setting);
        char key[MAX_KEY];
        if (!*prefix && strcmp(name, in_nodes ? "names" : "nodes") == 0)
            continue;
        if (!*prefix && strcmp(name, "variables") == 0) {
            if (reader->variables && read_variables(reader, setting, reader->variables) < 0)
                return -1;
            continue;
        }
        if (!*prefix && strcmp(name, "checks") == 0) {
            if (read_checks(reader, setting) < 0)
                return -1;
            continue;
        }
        int n = snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", name);
        if (!ce_fits(n, sizeof key))
            return fail_at(reader, setting, "a key is too long");
        if (read_setting(reader, setting, key, in_nodes) < 0)
            return -1;
    }
    return 0;
}

static int read_names(const struct reader *reader, struct section *section)
{
    const char *names = NULL;
    struct ce_error why;
    if (!config_setting_is_group(section->group) ||
        !config_setting_lookup_string(section->group, "names", &names))
        return fail_at(reader, section->group,
                       "expected nodes = ( { names = \"node[1-8]\"; ... } )");
    section->names = ce_hostlist_parse(names, &why);
    if (!section->names) {
        ce_fail_in(&why, "nodes: names");
        return fail_at(reader, section->group, why.text);
    }
    section->index = ce_hostindex_create(section->names);
    return section->index ? 0 : ce_fail(reader->err, "no memory");
}

/* Every section is tried on a copy: an error in one must not wait for its node to boot. */
static int read_nodes(const struct reader *reader, config_setting_t *nodes,
                      struct ce_config_file *file)
{
    if (!config_setting_is_list(nodes))
        return fail_at(reader, nodes, "expected nodes = ( { names = \"node[1-8]\"; ... } )");
    size_t count = (size_t)config_setting_length(nodes);
    file->sections = calloc(count + 1, sizeof *file->sections);
    if (!file->sections)
        return ce_fail(reader->err, "no memory");
    for (; file->count < count; file->count++) {
        struct section *section = &file->sections[file->count];
        struct ce_config copy = *reader->config;
        const struct reader trial = {reader->path, &copy, reader->variables, reader->checks, reader->err};
        section->group = config_setting_get_elem(nodes, (unsigned)file->count);
        if (read_names(reader, section) < 0 || read_group(&trial, section->group, "", true) < 0)
            return -1;
    }
    return 0;
}

static int check_whole(const struct reader *reader)
{
    const struct ce_policy *policy = &reader->config->policy;
    if (policy->preflight.port_last < policy->preflight.port_first)
        return ce_fail(reader->err, "%s: preflight.port_first = %u is after preflight.port_last = %u",
                       reader->path, policy->preflight.port_first, policy->preflight.port_last);
    if (policy->port_last < policy->port_first)
        return ce_fail(reader->err, "%s: port.first = %u is greater than port.last = %u",
                       reader->path, policy->port_first, policy->port_last);
    return 0;
}

/* libconfig would read any file, whoever may write it, and its errors would name this one. */
static int refuse_include(const struct reader *reader, const char *text)
{
    unsigned number = 1;
    for (const char *line = text; line; number++) {
        line += strspn(line, " \t");
        if (strncmp(line, "@include", strlen("@include")) == 0)
            return ce_fail(reader->err, "%s:%u: @include is not supported; write one file",
                           reader->path, number);
        line = strchr(line, '\n');
        if (line)
            line++;
    }
    return 0;
}

static int read_all(const struct reader *reader, struct ce_config_file *file, const char *text)
{
    if (refuse_include(reader, text) < 0)
        return -1;
    if (!config_read_string(&file->tree, text))
        return ce_fail(reader->err, "%s:%d: %s", reader->path, config_error_line(&file->tree),
                       config_error_text(&file->tree));
    config_setting_t *nodes = config_lookup(&file->tree, "nodes");
    if (read_group(reader, config_root_setting(&file->tree), "", false) < 0 ||
        (nodes && read_nodes(reader, nodes, file) < 0))
        return -1;
    return check_whole(reader);
}

/* Those of one node can be made of it, so those of any. */
static int check_rules(const struct reader *reader, const struct ce_config_file *file)
{
    struct ce_error why;
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_config_rules(file, "", &why);
    return rules ? 0 : ce_fail(reader->err, "%s: %s", reader->path, why.text);
}

void ce_config_default(struct ce_config *config)
{
    *config = (struct ce_config){.address_book = ""};
    ce_policy_default(&config->policy);
}

struct ce_config_file *ce_config_open(const char *text, const char *path, struct ce_error *err)
{
    struct ce_config_file *file = calloc(1, sizeof *file);
    if (file)
        file->variables = ce_rules_create();
    if (!file || !file->variables) {
        free(file);
        ce_fail(err, "no memory");
        return NULL;
    }
    const struct reader reader = {path, &file->general, file->variables, &file->checks, err};
    config_init(&file->tree);
    ce_config_default(&file->general);
    if (read_all(&reader, file, text) == 0 && check_rules(&reader, file) == 0)
        return file;
    ce_config_close(file);
    return NULL;
}

void ce_config_close(struct ce_config_file *file)
{
    if (!file)
        return;
    for (size_t i = 0; file->sections && file->sections[i].group; i++) {
        ce_hostindex_destroy(file->sections[i].index);
        ce_hostlist_destroy(file->sections[i].names);
    }
    free(file->sections);
    ce_rules_destroy(file->variables);
    config_destroy(&file->tree);
    free(file);
}

/* A key means the same whatever stands before it, so what was tried once cannot fail. */
void ce_config_for(const struct ce_config_file *file, const char *node_name, struct ce_config *ret)
{
    const struct reader reader = {.path = "", .config = ret};
    *ret = file->general;
    for (size_t i = 0; i < file->count; i++)
        if (ce_hostindex_find(file->sections[i].index, node_name, NULL))
            read_group(&reader, file->sections[i].group, "", true);
}

/* Which keys of rails the section has. */
static unsigned rails_keys(config_setting_t *group)
{
    return (config_setting_lookup(group, "rails.count") ? CE_RAILS_COUNT : 0u) |
           (config_setting_lookup(group, "rails.link_layer") ? CE_RAILS_LINK_LAYER : 0u) |
           (config_setting_lookup(group, "rails.rate") ? CE_RAILS_RATE : 0u);
}

const struct ce_rules *ce_config_variables(const struct ce_config_file *file)
{
    return file->variables;
}

const struct ce_check_rules *ce_config_checks(const struct ce_config_file *file)
{
    return &file->checks;
}

static int add_section(const struct ce_config_file *file, const struct section *section,
                       bool is_ours, struct ce_rules *rules, struct ce_error *err)
{
    const config_setting_t *variables = config_setting_get_member(section->group, "variables");
    struct ce_config config = file->general;
    const char *names = NULL;
    const struct reader reader = {.path = "", .config = &config, .err = err};
    read_group(&reader, section->group, "", true);
    if (variables && is_ours && read_variables(&reader, variables, rules) < 0)
        return -1;
    unsigned keys = rails_keys(section->group);
    if (!keys || !config_setting_lookup_string(section->group, "names", &names))
        return 0;
    return ce_rules_add_group(rules, names, &config.policy.rails, keys, err);
}

struct ce_rules *ce_config_rules(const struct ce_config_file *file, const char *node_name,
                                 struct ce_error *err)
{
    const config_setting_t *variables = config_lookup(&file->tree, "variables");
    struct ce_config config = file->general;
    const struct reader reader = {.path = "", .config = &config, .err = err};
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_rules_create();
    if (!rules) {
        ce_fail(err, "no memory");
        return NULL;
    }
    rules->general = file->general.policy.rails;
    if (variables && read_variables(&reader, variables, rules) < 0)
        return NULL;
    for (size_t i = 0; i < file->count; i++) {
        bool is_ours = ce_hostindex_find(file->sections[i].index, node_name, NULL);
        if (add_section(file, &file->sections[i], is_ours, rules, err) < 0)
            return NULL;
    }
    return ce_steal(rules);
}

int ce_config_parse(const char *text, const char *path, const char *node_name,
                    struct ce_config *ret, struct ce_error *err)
{
    ce_auto(ce_config_close) struct ce_config_file *file = ce_config_open(text, path, err);
    if (!file)
        return -1;
    ce_config_for(file, node_name, ret);
    return 0;
}

int ce_config_read(const char *path, const char *node_name, struct ce_config *ret,
                   struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(MAX_FILE);
    if (ce_file_read(AT_FDCWD, path, CE_TRUST_OWNER, &text, err) != CE_READ_OK)
        return -1;
    return ce_config_parse(ce_text_string(&text), path, node_name, ret, err);
}
