/* SPDX-License-Identifier: Apache-2.0 */
/* cluster-env.conf -> the policy of one node.  The only file that knows libconfig.  The programs
 * read it; the plugin never does. */
#ifndef CE_CONFIG_CONFIG_H
#define CE_CONFIG_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "model/policy.h"

#define CE_CONFIG_FILE "/etc/slurm/cluster-env.conf"
#define CE_SITE_BOOK "/etc/slurm/cluster-env.hosts"

struct ce_config {
    struct ce_policy policy;
    char address_book[PATH_MAX]; /* the file to read the book from; "": CE_SITE_BOOK where it is
                                  * there, else /etc/hosts */
};

/* What holds without a file. */
void ce_config_default(struct ce_config *config);

/* Read `path` for the node of that name: the file's general settings, then those of each `nodes`
 * section whose names hold it, in their order.  The file must be root's or this user's, and only
 * its owner may write it.  -1 with err, "FILE:LINE: what, expected what": syntax, unknown or
 * duplicate keys, values out of range. */
int ce_config_read(const char *path, const char *node_name, struct ce_config *ret,
                   struct ce_error *err);

/* The same for a text; `path` is for messages. */
int ce_config_parse(const char *text, const char *path, const char *node_name,
                    struct ce_config *ret, struct ce_error *err);

/* A complete file with every key, its default and what it means. */
void ce_config_example(struct ce_text *out);

#endif
