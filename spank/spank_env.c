/* SPDX-License-Identifier: Apache-2.0 */
#include "spank_env.h"

#include <string.h>

/* Read the array itself: spank_getenv() wants a buffer that the longest node list fits in.  Slurm
 * replaces the array when it grows, so it is asked for anew each time. */
static const char *get(void *ctx, const char *name)
{
    char **env = NULL;
    size_t length = strlen(name);
    if (spank_get_item((spank_t)ctx, S_JOB_ENV, &env) != ESPANK_SUCCESS || !env)
        return NULL;
    for (; *env; env++)
        if (strncmp(*env, name, length) == 0 && (*env)[length] == '=')
            return *env + length + 1;
    return NULL;
}

static int set(void *ctx, const char *name, const char *value)
{
    return spank_setenv((spank_t)ctx, name, value, 1) == ESPANK_SUCCESS ? 0 : -1;
}

static int unset(void *ctx, const char *name)
{
    return spank_unsetenv((spank_t)ctx, name) == ESPANK_SUCCESS ? 0 : -1;
}

struct ce_environ ce_spank_environ(spank_t spank)
{
    return (struct ce_environ){get, set, unset, spank};
}
