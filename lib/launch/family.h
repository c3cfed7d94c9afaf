/* SPDX-License-Identifier: Apache-2.0 */
/* The family rule: where the user or the site set any variable that one of ours could contradict,
 * none of that family is written. */
#ifndef CE_LAUNCH_FAMILY_H
#define CE_LAUNCH_FAMILY_H

#include "base/environ.h"

/* Which file of the site or the user sets this variable?  Its path, or NULL. */
struct ce_conf_lookup {
    const char *(*sets)(const void *ctx, const char *name);
    const void *ctx;
};

/* Why a tuning variable must not be written, or that it may. */
struct ce_family_block {
    const char *name; /* the variable somebody else set; NULL: nothing stands against it */
    const char *path; /* in this file; NULL: in the environment */
};

struct ce_family_block ce_family_find_block(const char *variable, const struct ce_environ *env,
                                            const char *marker, const struct ce_conf_lookup *conf);

/* The same for this one variable: does the user or one of the files set it? */
struct ce_family_block ce_family_find_setting(const char *variable, const struct ce_environ *env,
                                              const char *marker,
                                              const struct ce_conf_lookup *conf);

#endif
