/* SPDX-License-Identifier: Apache-2.0 */
/* An environment as slurmstepd keeps it: an array that is replaced when a variable is added, of
 * texts that are replaced when one is set.  A pointer kept across a change is a use after free
 * under ASan and valgrind. */
#ifndef CE_TESTS_TASK_ENV_H
#define CE_TESTS_TASK_ENV_H

#include <stdbool.h>
#include <stddef.h>

struct task_env {
    char **entries; /* "NAME=VALUE", then NULL; NULL while there is none */
    size_t count, room;
};

/* The value or NULL. */
const char *task_env_get(const struct task_env *env, const char *name);
void task_env_set(struct task_env *env, const char *name, const char *value);
void task_env_unset(struct task_env *env, const char *name);

/* Put an entry at the end, whatever stands there already: for building one. */
void task_env_append(struct task_env *env, const char *entry);
void task_env_copy(struct task_env *to, const struct task_env *from);
void task_env_free(struct task_env *env);

/* For doubles, which have nothing better to do without memory than to stop. */
void *must(void *memory);

#endif
