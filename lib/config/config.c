/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config.h"

#include <fcntl.h>
#include <libconfig.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/parse.h"
#include "config/options.h"
#include "model/hostlist.h"

enum { MAX_FILE = 1 << 20, MAX_KEY = 128 };

/* Where a message points to, and what is being filled. */
struct reader {
    const char *path;
    const char *node_name;
    struct ce_config *config;
    struct ce_error *err;
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

static int read_group(const struct reader *reader, config_setting_t *group, const char *prefix,
                      bool in_nodes)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(setting);
        char key[MAX_KEY];
        if (!*prefix && strcmp(name, in_nodes ? "names" : "nodes") == 0)
            continue;
        int n = snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", name);
        if (!ce_fits(n, sizeof key))
            return fail_at(reader, setting, "a key is too long");
        if (read_setting(reader, setting, key, in_nodes) < 0)
            return -1;
    }
    return 0;
}

static int matches(const struct reader *reader, config_setting_t *section, bool *ret)
{
    const char *names = NULL;
    struct ce_error why;
    if (!config_setting_is_group(section) ||
        !config_setting_lookup_string(section, "names", &names))
        return fail_at(reader, section, "expected nodes = ( { names = \"node[1-8]\"; ... } )");
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_hostlist_parse(names, &why);
    if (!list) {
        ce_fail_in(&why, "nodes: names");
        return fail_at(reader, section, why.text);
    }
    *ret = false;
    for (size_t i = 0; i < ce_hostlist_count(list) && !*ret; i++)
        *ret = strcmp(ce_hostlist_name(list, i), reader->node_name) == 0;
    return 0;
}

/* Sections of other nodes are read too, into a copy: an error in one of them must not wait for its
 * node to boot. */
static int read_nodes(const struct reader *reader, config_setting_t *nodes)
{
    if (!config_setting_is_list(nodes))
        return fail_at(reader, nodes, "expected nodes = ( { names = \"node[1-8]\"; ... } )");
    for (int i = 0; i < config_setting_length(nodes); i++) {
        config_setting_t *section = config_setting_get_elem(nodes, (unsigned)i);
        struct ce_config copy = *reader->config;
        struct reader trial = *reader;
        bool ours = false;
        if (matches(reader, section, &ours) < 0)
            return -1;
        if (!ours)
            trial.config = &copy;
        if (read_group(&trial, section, "", true) < 0)
            return -1;
    }
    return 0;
}

static int check_whole(const struct reader *reader)
{
    const struct ce_policy *policy = &reader->config->policy;
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
        line += line != NULL;
    }
    return 0;
}

static int read_all(const struct reader *reader, config_t *file, const char *text)
{
    if (refuse_include(reader, text) < 0)
        return -1;
    if (!config_read_string(file, text))
        return ce_fail(reader->err, "%s:%d: %s", reader->path, config_error_line(file),
                       config_error_text(file));
    config_setting_t *nodes = config_lookup(file, "nodes");
    if (read_group(reader, config_root_setting(file), "", false) < 0 ||
        (nodes && read_nodes(reader, nodes) < 0))
        return -1;
    return check_whole(reader);
}

void ce_config_default(struct ce_config *config)
{
    *config = (struct ce_config){.address_book = ""};
    ce_policy_default(&config->policy);
}

int ce_config_parse(const char *text, const char *path, const char *node_name,
                    struct ce_config *ret, struct ce_error *err)
{
    struct ce_config config;
    config_t file;
    ce_config_default(&config);
    const struct reader reader = {path, node_name, &config, err};
    config_init(&file);
    int failed = read_all(&reader, &file, text);
    config_destroy(&file);
    if (!failed)
        *ret = config;
    return failed;
}

int ce_config_read(const char *path, const char *node_name, struct ce_config *ret,
                   struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(MAX_FILE);
    if (ce_file_read(AT_FDCWD, path, CE_TRUST_OWNER, &text, err) != CE_READ_OK)
        return -1;
    return ce_config_parse(ce_text_string(&text), path, node_name, ret, err);
}
