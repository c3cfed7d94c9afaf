/* SPDX-License-Identifier: Apache-2.0 */
/* cluster-env.conf -> the policy of each node.  The only file that knows libconfig.  The programs
 * read it; the plugin never does. */
#ifndef CE_CONFIG_CONFIG_H
#define CE_CONFIG_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "model/policy.h"
#include "model/rules.h"

#define CE_CONFIG_FILE "/etc/slurm/cluster-env.conf"
#define CE_SITE_BOOK "/etc/slurm/cluster-env.hosts"

struct ce_config {
    struct ce_policy policy;
    char address_book[PATH_MAX]; /* the file to read the book from; "": CE_SITE_BOOK where it is
                                  * there, else /etc/hosts */
};

/* What holds without a file. */
void ce_config_default(struct ce_config *config);

/* A configuration that was read and holds no error, for whichever node. */
struct ce_config_file;

/* `path` is for messages.  NULL with err, "FILE:LINE: what, expected what": syntax, unknown or
 * duplicate keys, values out of range, more variables than one node may have; also in the sections
 * of other nodes. */
struct ce_config_file *ce_config_open(const char *text, const char *path, struct ce_error *err);
void ce_config_close(struct ce_config_file *file);
CE_DEFINE_CLEANUP(struct ce_config_file, ce_config_close)

/* What it means for the node of that name: the general settings, then those of each `nodes` section
 * whose names hold it, in their order. */
void ce_config_for(const struct ce_config_file *file, const char *node_name, struct ce_config *ret);

/* Every variable that the file sets on some node; the values are those of the last one. */
const struct ce_rules *ce_config_variables(const struct ce_config_file *file);

/* Every rule of `checks`, of all nodes; whether there is such a check nobody has looked at. */
const struct ce_check_rules *ce_config_checks(const struct ce_config_file *file);

/* The variables of that node, and the rails expected of all: the general ones, and a group for each
 * section that says otherwise.  NULL with err: too many, no memory. */
struct ce_rules *ce_config_rules(const struct ce_config_file *file, const char *node_name,
                                 struct ce_error *err);

/* Both at once, for one node.  -1 with err as ce_config_open() says; then *ret stays. */
int ce_config_parse(const char *text, const char *path, const char *node_name,
                    struct ce_config *ret, struct ce_error *err);

/* The same from the file at `path`, which must be root's or this user's, and which only its owner
 * may write. */
int ce_config_read(const char *path, const char *node_name, struct ce_config *ret,
                   struct ce_error *err);

/* A complete file with every key, its default and what it means. */
void ce_config_example(struct ce_text *out);

#endif
