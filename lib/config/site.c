/* SPDX-License-Identifier: Apache-2.0 */
#include "config/site.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

enum { CONFIG_MAX = 1 << 20, BOOK_MAX = 16 << 20 };

int ce_site_open(const char *path, struct ce_site *site, struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(CONFIG_MAX);
    *site = (struct ce_site){.path = path ? path : CE_CONFIG_FILE};
    enum ce_read_result result = ce_file_read(AT_FDCWD, site->path, CE_TRUST_OWNER, &text, err);
    if (result == CE_READ_MISSING && !path)
        return 0;
    if (result != CE_READ_OK)
        return -1;
    site->file = ce_config_open(ce_text_string(&text), site->path, err);
    return site->file ? 0 : -1;
}

void ce_site_close(struct ce_site *site)
{
    ce_config_close(site->file);
    site->file = NULL;
}

void ce_site_config(const struct ce_site *site, const char *node_name, struct ce_config *ret)
{
    if (site->file)
        ce_config_for(site->file, node_name, ret);
    else
        ce_config_default(ret);
}

struct ce_rules *ce_site_rules(const struct ce_site *site, const char *node_name,
                               struct ce_error *err)
{
    if (site->file)
        return ce_config_rules(site->file, node_name, err);
    struct ce_rules *rules = ce_rules_create();
    if (!rules)
        ce_fail(err, "no memory");
    return rules;
}

struct ce_book *ce_site_book(const struct ce_config *config, const char **path,
                             struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(BOOK_MAX);
    bool configured = config->address_book[0] != '\0';
    *path = configured ? config->address_book : CE_SITE_BOOK;
    enum ce_read_result result = ce_file_read(AT_FDCWD, *path, CE_TRUST_OWNER, &text, err);
    if (result == CE_READ_MISSING && !configured) {
        *path = "/etc/hosts";
        result = ce_file_read(AT_FDCWD, *path, CE_TRUST_OWNER, &text, err);
    }
    if (result == CE_READ_FAILED || (result == CE_READ_MISSING && configured))
        return NULL;
    struct ce_book *book = ce_book_parse(ce_text_string(&text), err);
    if (!book)
        ce_fail_in(err, "%s", *path);
    return book;
}
