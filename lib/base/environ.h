/* SPDX-License-Identifier: Apache-2.0 */
/* An environment as an argument: a SPANK handle, the process's own, or a test's array. */
#ifndef CE_BASE_ENVIRON_H
#define CE_BASE_ENVIRON_H

struct ce_environ {
    /* The value or NULL; valid until the next set or unset. */
    const char *(*get)(void *ctx, const char *name);
    /* 0, or -1 where the environment refuses.  NULL where nothing may be written. */
    int (*set)(void *ctx, const char *name, const char *value);
    int (*unset)(void *ctx, const char *name);
    void *ctx;
};

static inline const char *ce_environ_get(const struct ce_environ *env, const char *name)
{
    return env->get(env->ctx, name);
}

#endif
