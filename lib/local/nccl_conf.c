/* SPDX-License-Identifier: Apache-2.0 */
#include "local/nccl_conf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
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

/* The value of "NAME=value" in a file, up to the end of its line; NULL: the file does not set it. */
static const char *find(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += strspn(line, " \t\r\n");
        if (strncmp(line, name, length) != 0)
            continue;
        const char *equals = line + length + strspn(line + length, " \t");
        if (*equals == '=')
            return equals + 1;
    }
    return NULL;
}

const char *ce_nccl_conf_sets(const struct ce_nccl_conf *conf, const char *name)
{
    if (conf->user && find(conf->user, name))
        return conf->user_path;
    return conf->site && find(conf->site, name) ? CE_NCCL_SITE_CONF : NULL;
}

bool ce_nccl_conf_value(const struct ce_nccl_conf *conf, const char *name, char *value, size_t size)
{
    const char *found = conf->user ? find(conf->user, name) : NULL;
    if (!found && conf->site)
        found = find(conf->site, name);
    if (found)
        snprintf(value, size, "%.*s", (int)strcspn(found, "\r\n"), found);
    return found;
}
