/* SPDX-License-Identifier: Apache-2.0 */
/* What the site's admin has written: the configuration, for one node after the other, and the
 * address book it names. */
#ifndef CE_CONFIG_SITE_H
#define CE_CONFIG_SITE_H

#include "base/cleanup.h"
#include "base/error.h"
#include "config/config.h"
#include "model/book.h"

struct ce_site {
    const char *path;            /* of the configuration */
    struct ce_config_file *file; /* NULL: there is none, the defaults hold */
};

/* Read the configuration.  path NULL: the usual file, which need not be there; one that was named
 * must.  0, or -1 with err: unreadable, not trusted, or as ce_config_open() says.  Free with
 * ce_site_close(), also after a failure. */
int ce_site_open(const char *path, struct ce_site *site, struct ce_error *err);
void ce_site_close(struct ce_site *site);
#define ce_autosite __attribute__((cleanup(ce_site_close)))

/* What it means for the node of that name. */
void ce_site_config(const struct ce_site *site, const char *node_name, struct ce_config *ret);

/* Its variables, and the rails expected of all nodes.  NULL with err. */
struct ce_rules *ce_site_rules(const struct ce_site *site, const char *node_name,
                               struct ce_error *err);

/* The book that nodes read: the configured one; else CE_SITE_BOOK; else /etc/hosts; else an empty
 * one.  *path is its name.  NULL with err: a configured one that is missing, any that is
 * unreadable, not trusted or malformed. */
struct ce_book *ce_site_book(const struct ce_config *config, const char **path,
                             struct ce_error *err);

#endif
