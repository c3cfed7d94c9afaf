/* SPDX-License-Identifier: Apache-2.0 */
#include "doubles/task_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static char **find(const struct task_env *env, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < env->count; i++)
        if (strncmp(env->entries[i], name, length) == 0 && env->entries[i][length] == '=')
            return &env->entries[i];
    return NULL;
}

const char *task_env_get(const struct task_env *env, const char *name)
{
    char **entry = find(env, name);
    return entry ? *entry + strlen(name) + 1 : NULL;
}

/* A new block each time, and the old one freed. */
static void move(struct task_env *env, size_t room)
{
    char **entries = must(calloc(room, sizeof *entries));
    if (env->count)
        memcpy(entries, env->entries, env->count * sizeof *entries);
    free(env->entries);
    env->entries = entries;
    env->room = room;
}

void task_env_append(struct task_env *env, const char *entry)
{
    if (env->count + 2 > env->room)
        move(env, 2 * env->room + 16);
    env->entries[env->count++] = must(strdup(entry));
    env->entries[env->count] = NULL;
}

void task_env_set(struct task_env *env, const char *name, const char *value)
{
    char **found = find(env, name);
    size_t size = strlen(name) + strlen(value) + 2;
    char *entry = must(malloc(size));
    snprintf(entry, size, "%s=%s", name, value);
    if (found) {
        free(*found);
        *found = entry;
        return;
    }
    move(env, env->count + 2);
    env->entries[env->count++] = entry;
}

void task_env_unset(struct task_env *env, const char *name)
{
    char **found = find(env, name);
    if (!found)
        return;
    free(*found);
    for (; *found; found++)
        *found = found[1];
    env->count--;
}

void task_env_copy(struct task_env *to, const struct task_env *from)
{
    *to = (struct task_env){.count = 0};
    move(to, from->count + 1);
    for (size_t i = 0; i < from->count; i++)
        to->entries[i] = must(strdup(from->entries[i]));
    to->count = from->count;
}

void task_env_free(struct task_env *env)
{
    for (size_t i = 0; i < env->count; i++)
        free(env->entries[i]);
    free(env->entries);
    *env = (struct task_env){.count = 0};
}
