/* SPDX-License-Identifier: Apache-2.0 */
/* What the stepds of one real step told a plugin, written down by spank_recorder.c;
 * tests/fixtures/spank/README.md describes the text. */
#ifndef CE_TESTS_SPANK_RECORDING_H
#define CE_TESTS_SPANK_RECORDING_H

#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doubles/task_env.h"

enum { RECORDED_ITEMS = S_JOB_ARRAY_TASK_ID + 1, RECORDED_CALLBACKS_MAX = 8 };

struct recorded_item {
    bool known; /* was it asked for? */
    int rc;
    uint32_t value;
};

/* What Slurm answered during one hook. */
struct recorded_hook {
    struct recorded_item items[RECORDED_ITEMS];
    struct task_env argv; /* plain words */
    struct task_env env;
};

struct recorded_node {
    char *name;
    char *callbacks[RECORDED_CALLBACKS_MAX]; /* the option's texts in order; NULL is one too */
    size_t callback_count;
    struct recorded_hook user_init;
    struct recorded_hook *tasks; /* task_init of each */
    size_t task_count;
};

struct recording {
    char name[64];               /* "22.05/srun-1x4" */
    struct recorded_node *nodes; /* by SLURM_NODEID */
    size_t node_count;
};

/* NULL after a line on stderr: no such file, or not a recording. */
struct recording *recording_read(const char *path);
void recording_free(struct recording *recording);

/* Bend it, in every hook of every node.  value NULL: unset. */
void recording_set(struct recording *recording, const char *name, const char *value);
void recording_set_callbacks(struct recording *recording, size_t count, const char *const *texts);

/* Append a copy of the node's first task; it is then the caller's to tell apart. */
struct recorded_hook *recording_add_task(struct recorded_node *node);

/* The variable or item as a task (or, for task SIZE_MAX, user_init) saw it. */
const char *recorded_env(const struct recorded_node *node, size_t task, const char *name);

#endif
