/* SPDX-License-Identifier: Apache-2.0 */
/* Between spank_host.c, which runs hooks, and the functions that a hook may call. */
#ifndef CE_TESTS_SPANK_CALLS_H
#define CE_TESTS_SPANK_CALLS_H

#include "doubles/spank_host.h"

/* What the plugin's calls do is told to the test through memory that all processes share. */
struct host_shared {
    struct host_calls calls[HOST_HOOKS];
    struct host_kill kill;
    char requeued[32];
    int mappings_left;
    char bound[64];
    char layout[256];
    enum host_hook hung; /* the hook that took too much CPU time; HOST_OUTSIDE: none */
};

/* The hook that runs in this process now. */
struct host_now {
    const struct host_setup *setup;
    struct host_shared *shared;
    const struct recorded_node *node;
    size_t node_index;
    enum host_hook hook;
    const struct recorded_hook *answers;
    struct task_env env;
    int task;        /* -1: the stepd */
    int task_status; /* S_TASK_EXIT_STATUS */
    struct spank_option option;
    int message_fd;
};
extern struct host_now host_now;

static inline struct host_calls *host_calls_now(void)
{
    return &host_now.shared->calls[host_now.hook];
}

#endif
