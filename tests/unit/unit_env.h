/* SPDX-License-Identifier: Apache-2.0 */
/* An environment that is an array of "NAME=value" of the test's own. */
#ifndef CE_TESTS_UNIT_ENV_H
#define CE_TESTS_UNIT_ENV_H

#include <stdbool.h>
#include <stdlib.h>

#include "base/environ.h"
#include "unit.h"

enum { UNIT_ENV_MAX = 96 };

struct unit_env {
    char *entries[UNIT_ENV_MAX];
    size_t count;
    const char *refused; /* setting this name fails */
    bool read_only;      /* setting any name fails */
};

static inline char **unit_env_find(struct unit_env *env, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < env->count; i++)
        if (strncmp(env->entries[i], name, length) == 0 && env->entries[i][length] == '=')
            return &env->entries[i];
    return NULL;
}

static inline const char *unit_env_get(void *ctx, const char *name)
{
    char **found = unit_env_find(ctx, name);
    return found ? *found + strlen(name) + 1 : NULL;
}

static inline int unit_env_unset(void *ctx, const char *name)
{
    struct unit_env *env = ctx;
    char **found = unit_env_find(env, name);
    if (!found)
        return 0;
    free(*found);
    *found = env->entries[--env->count];
    return 0;
}

static inline int unit_env_set(void *ctx, const char *name, const char *value)
{
    struct unit_env *env = ctx;
    if (env->read_only || (env->refused && strcmp(env->refused, name) == 0))
        return -1;
    char *entry = malloc(strlen(name) + strlen(value) + 2);
    assert_non_null(entry);
    sprintf(entry, "%s=%s", name, value);
    unit_env_unset(env, name);
    assert_true(env->count < UNIT_ENV_MAX);
    env->entries[env->count++] = entry;
    return 0;
}

/* From an array that ends in NULL. */
static inline void unit_env_fill(struct unit_env *env, const char *const *entries)
{
    for (; *entries; entries++) {
        assert_non_null(strchr(*entries, '='));
        assert_true(env->count < UNIT_ENV_MAX);
        env->entries[env->count++] = strdup(*entries);
    }
}

static inline void unit_env_free(struct unit_env *env)
{
    while (env->count > 0)
        free(env->entries[--env->count]);
}

static inline struct ce_environ unit_environ(struct unit_env *env)
{
    return (struct ce_environ){unit_env_get, unit_env_set, unit_env_unset, env};
}

#endif
