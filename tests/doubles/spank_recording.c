/* SPDX-License-Identifier: Apache-2.0 */
#include "doubles/spank_recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    spank_item_t item;
} item_names[] = {
/* clang-format off */
#define ITEM(item) {#item, item}
/* clang-format on */
    ITEM(S_JOB_UID),
    ITEM(S_JOB_GID),
    ITEM(S_JOB_ID),
    ITEM(S_JOB_STEPID),
    ITEM(S_JOB_NNODES),
    ITEM(S_JOB_NODEID),
    ITEM(S_JOB_LOCAL_TASK_COUNT),
    ITEM(S_JOB_TOTAL_TASK_COUNT),
    ITEM(S_JOB_NCPUS),
    ITEM(S_JOB_ARGV),
    ITEM(S_JOB_ENV),
    ITEM(S_TASK_ID),
    ITEM(S_TASK_GLOBAL_ID),
    ITEM(S_TASK_PID),
#undef ITEM
};

/* ---------------------------------------------------------------- objects */

static void hook_copy(struct recorded_hook *to, const struct recorded_hook *from)
{
    memcpy(to->items, from->items, sizeof to->items);
    task_env_copy(&to->argv, &from->argv);
    task_env_copy(&to->env, &from->env);
}

static void hook_free(struct recorded_hook *hook)
{
    task_env_free(&hook->argv);
    task_env_free(&hook->env);
}

static void drop_callbacks(struct recorded_node *node)
{
    for (size_t i = 0; i < node->callback_count; i++)
        free(node->callbacks[i]);
    node->callback_count = 0;
}

static void node_free(struct recorded_node *node)
{
    for (size_t i = 0; i < node->task_count; i++)
        hook_free(&node->tasks[i]);
    drop_callbacks(node);
    hook_free(&node->user_init);
    free(node->tasks);
    free(node->name);
}

void recording_free(struct recording *recording)
{
    if (!recording)
        return;
    for (size_t i = 0; i < recording->node_count; i++)
        node_free(&recording->nodes[i]);
    free(recording->nodes);
    free(recording);
}

static struct recorded_hook *add_task(struct recorded_node *node, const struct recorded_hook *from)
{
    /* Doubling at the powers of two: there are cases of thousands of tasks. */
    if ((node->task_count & (node->task_count - 1)) == 0)
        node->tasks = must(realloc(node->tasks, 2 * (node->task_count + 1) * sizeof *node->tasks));
    hook_copy(&node->tasks[node->task_count], from);
    return &node->tasks[node->task_count++];
}

/* ---------------------------------------------------------------- reading */

struct reader {
    struct recording *recording;
    struct recorded_node *node;
    struct recorded_hook *hook;
    bool words; /* argv lines of this hook replace what it began with */
};

static int read_node(struct reader *reader, char *rest)
{
    struct recording *recording = reader->recording;
    recording->nodes =
        must(realloc(recording->nodes, (recording->node_count + 1) * sizeof *recording->nodes));
    reader->node = &recording->nodes[recording->node_count++];
    *reader->node = (struct recorded_node){.name = must(strdup(rest))};
    reader->hook = NULL;
    return 0;
}

static void add_callback(struct recorded_node *node, const char *text)
{
    if (node->callback_count == RECORDED_CALLBACKS_MAX)
        abort();
    node->callbacks[node->callback_count++] = text ? must(strdup(text)) : NULL;
}

static int read_callback(struct reader *reader, char *rest)
{
    size_t length = strlen(rest);
    if (!reader->node || reader->node->callback_count == RECORDED_CALLBACKS_MAX)
        return -1;
    if (strcmp(rest, "NULL") == 0) {
        add_callback(reader->node, NULL);
        return 0;
    }
    if (length < 2 || rest[0] != '"' || rest[length - 1] != '"')
        return -1;
    rest[length - 1] = '\0';
    add_callback(reader->node, rest + 1);
    return 0;
}

/* A task begins with what its node's user_init saw. */
static int read_hook(struct reader *reader, char *rest)
{
    if (!reader->node)
        return -1;
    reader->words = false;
    if (strcmp(rest, "user_init") == 0)
        reader->hook = &reader->node->user_init;
    else if (strncmp(rest, "task_init", 9) == 0)
        reader->hook = add_task(reader->node, &reader->node->user_init);
    else
        return -1;
    return 0;
}

static int read_item(struct reader *reader, char *rest)
{
    char *name = strtok(rest, " "), *rc = strtok(NULL, " "), *value = strtok(NULL, "");
    if (!reader->hook || !name || !rc || !value)
        return -1;
    for (size_t i = 0; i < sizeof item_names / sizeof *item_names; i++)
        if (strcmp(item_names[i].name, name) == 0) {
            reader->hook->items[item_names[i].item] =
                (struct recorded_item){true, atoi(rc), (uint32_t)strtoll(value, NULL, 10)};
            return 0;
        }
    return -1;
}

static int read_argv(struct reader *reader, char *rest)
{
    if (!reader->hook)
        return -1;
    if (!reader->words)
        task_env_free(&reader->hook->argv);
    reader->words = true;
    task_env_append(&reader->hook->argv, rest);
    return 0;
}

static int read_env(struct reader *reader, char *rest)
{
    char *value = strchr(rest, '=');
    if (!reader->hook || !value)
        return -1;
    *value = '\0';
    task_env_set(&reader->hook->env, rest, value + 1);
    return 0;
}

static int read_unset(struct reader *reader, char *rest)
{
    if (!reader->hook)
        return -1;
    task_env_unset(&reader->hook->env, rest);
    return 0;
}

static int pass_over(struct reader *reader, char *rest)
{
    (void)reader;
    (void)rest;
    return 0;
}

static int read_line(struct reader *reader, char *line)
{
    static const struct {
        const char *word;
        int (*read)(struct reader *reader, char *rest);
    } words[] = {
        {"slurm ", pass_over},  {"command ", pass_over}, {"option ", pass_over},
        {"node ", read_node},   {"hook ", read_hook},    {"callback ", read_callback},
        {"item ", read_item},   {"argv ", read_argv},    {"env ", read_env},
        {"unset ", read_unset}, {"#", pass_over},
    };
    line[strcspn(line, "\n")] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(line, words[i].word, strlen(words[i].word)) == 0)
            return words[i].read(reader, line + strlen(words[i].word));
    return *line ? -1 : 0;
}

static int read_lines(FILE *file, const char *path, struct recording *recording)
{
    struct reader reader = {.recording = recording};
    char *line = NULL;
    size_t size = 0, number = 0;
    int rc = 0;
    while (rc == 0 && getline(&line, &size, file) >= 0) {
        number++;
        rc = read_line(&reader, line);
    }
    if (rc < 0)
        fprintf(stderr, "%s:%zu: not a line of a recording\n", path, number);
    free(line);
    return rc;
}

/* ".../22.05/srun-1x4.txt" -> "22.05/srun-1x4" */
static void name_it(struct recording *recording, const char *path)
{
    const char *start = strrchr(path, '/');
    while (start && start > path && start[-1] != '/')
        start--;
    snprintf(recording->name, sizeof recording->name, "%s", start ? start : path);
    char *dot = strrchr(recording->name, '.');
    if (dot)
        *dot = '\0';
}

struct recording *recording_read(const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return NULL;
    }
    struct recording *recording = must(calloc(1, sizeof *recording));
    int rc = read_lines(file, path, recording);
    fclose(file);
    name_it(recording, path);
    if (rc == 0 && recording->node_count > 0)
        return recording;
    recording_free(recording);
    return NULL;
}

/* ---------------------------------------------------------------- bending */

static void bend(struct recorded_hook *hook, const char *name, const char *value)
{
    if (value)
        task_env_set(&hook->env, name, value);
    else
        task_env_unset(&hook->env, name);
}

void recording_set(struct recording *recording, const char *name, const char *value)
{
    for (size_t n = 0; n < recording->node_count; n++) {
        struct recorded_node *node = &recording->nodes[n];
        bend(&node->user_init, name, value);
        for (size_t t = 0; t < node->task_count; t++)
            bend(&node->tasks[t], name, value);
    }
}

void recording_set_callbacks(struct recording *recording, size_t count, const char *const *texts)
{
    for (size_t n = 0; n < recording->node_count; n++) {
        struct recorded_node *node = &recording->nodes[n];
        drop_callbacks(node);
        for (size_t i = 0; i < count; i++)
            add_callback(node, texts[i]);
    }
}

struct recorded_hook *recording_add_task(struct recorded_node *node)
{
    struct recorded_hook first;
    hook_copy(&first, &node->tasks[0]); /* adding may move the array */
    struct recorded_hook *added = add_task(node, &first);
    hook_free(&first);
    return added;
}

const char *recorded_env(const struct recorded_node *node, size_t task, const char *name)
{
    return task_env_get(task == SIZE_MAX ? &node->user_init.env : &node->tasks[task].env, name);
}
