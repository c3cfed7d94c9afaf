/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's own configuration files: which variables do they set?  A variable in the environment beats
 * the file, so what a site wrote there must not be written by us. */
#ifndef CE_LOCAL_NCCL_CONF_H
#define CE_LOCAL_NCCL_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/environ.h"

#define CE_NCCL_SITE_CONF "/etc/nccl.conf"

struct ce_nccl_conf {
    char *site; /* the texts; NULL where there is no file */
    char *user;
    char *user_path;
};

/* Read /etc/nccl.conf (or site_path) and the user's file (NCCL_CONF_FILE, else ~/.nccl.conf) as
 * the user himself.  A file that cannot be read sets nothing.  Free with ce_nccl_conf_free(). */
void ce_nccl_conf_read(const char *site_path, const struct ce_environ *env,
                       struct ce_nccl_conf *ret);
void ce_nccl_conf_free(struct ce_nccl_conf *conf);

/* The path of the file that sets `name` ("NAME=value" on a line of its own; blanks around the name,
 * with which NCCL does not know it, tell what is meant), or NULL. */
const char *ce_nccl_conf_sets(const struct ce_nccl_conf *conf, const char *name);

/* The value that NCCL reads there: nothing is trimmed, and a line with a blank around the name is
 * none to it.  NCCL cuts it to what fits, too.  false: it reads none. */
enum { CE_NCCL_CONF_VALUE = 1024 };
bool ce_nccl_conf_value(const struct ce_nccl_conf *conf, const char *name,
                        char value[CE_NCCL_CONF_VALUE]);

#endif
