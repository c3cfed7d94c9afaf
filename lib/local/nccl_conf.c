/* SPDX-License-Identifier: Apache-2.0 */
#include "local/nccl_conf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/parse.h"
#include "base/text.h"

enum { MAX_CONF = 256 << 10 };

static char *read_text(const char *path)
{
    ce_autotext struct ce_text text = CE_TEXT(MAX_CONF);
    if (ce_file_read(AT_FDCWD, path, CE_TRUST_ANY, &text, NULL) != CE_READ_OK)
        return NULL;
    return ce_text_take(&text);
}

static char *find_user_path(const struct ce_environ *env)
{
    const char *path = ce_environ_get(env, "NCCL_CONF_FILE");
    const char *home = ce_environ_get(env, "HOME");
    char *joined = NULL;
    if (path && *path) /* NCCL takes an empty one as none */
        return strdup(path);
    if (home && *home == '/' && asprintf(&joined, "%s/.nccl.conf", home) < 0)
        joined = NULL;
    return joined;
}

void ce_nccl_conf_read(const char *site_path, const struct ce_environ *env,
                       struct ce_nccl_conf *ret)
{
    ret->site = read_text(site_path);
    ret->user_path = find_user_path(env);
    ret->user = ret->user_path ? read_text(ret->user_path) : NULL;
}

void ce_nccl_conf_free(struct ce_nccl_conf *conf)
{
    free(conf->site);
    free(conf->user);
    free(conf->user_path);
    *conf = (struct ce_nccl_conf){.site = NULL};
}

static bool is_set(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = ce_next_line(line)) {
        line += strspn(line, " \t\r");
        if (strncmp(line, name, length) == 0 &&
            line[length + strspn(line + length, " \t")] == '=')
            return true;
    }
    return false;
}

const char *ce_nccl_conf_sets(const struct ce_nccl_conf *conf, const char *name)
{
    if (conf->user && is_set(conf->user, name))
        return conf->user_path;
    return conf->site && is_set(conf->site, name) ? CE_NCCL_SITE_CONF : NULL;
}

/* Up to the end of its line; NULL: there is none. */
static const char *find_value(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = ce_next_line(line))
        if (strncmp(line, name, length) == 0 && line[length] == '=')
            return line + length + 1;
    return NULL;
}

bool ce_nccl_conf_value(const struct ce_nccl_conf *conf, const char *name,
                        char value[CE_NCCL_CONF_VALUE])
{
    const char *found = find_value(conf->user, name);
    if (!found)
        found = find_value(conf->site, name);
    if (found)
        snprintf(value, CE_NCCL_CONF_VALUE, "%.*s", (int)strcspn(found, "\n"), found);
    return found;
}
