/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that slurmstepd, srun and sbatch export to a plugin.  What a plugin may not call is
 * not here, so that loading one that does fails. */
#include <config.h>

#include "doubles/spank_calls.h"

#include <errno.h>
#include <errno.h>
#include <slurm/slurm_errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct host_now host_now = {.task = -1};

static bool is_remote(void)
{
    return host_now.setup->context == S_CTX_REMOTE;
}

spank_context_t spank_context(void)
{
    return host_now.setup->context;
}

int spank_remote(spank_t spank)
{
    (void)spank;
    return is_remote();
}

spank_err_t spank_option_register(spank_t spank, struct spank_option *option)
{
    (void)spank;
    if (host_now.hook != HOST_INIT || !option->name || !option->usage || !option->cb ||
        strlen(option->name) > SPANK_OPTION_MAXLEN)
        return ESPANK_BAD_ARG;
    host_now.option = *option;
    return ESPANK_SUCCESS;
}

/* ---------------------------------------------------------------- items */

static void give_words(va_list args)
{
    int *count = va_arg(args, int *);
    char ***words = va_arg(args, char ***);
    *count = (int)host_now.answers->argv.count;
    *words = host_now.answers->argv.entries;
}

/* Each item has its own type: a plugin that asks with another one writes beside it. */
static void give(spank_item_t item, uint32_t value, va_list args)
{
    switch (item) {
    case S_JOB_UID:
        *va_arg(args, uid_t *) = value;
        break;
    case S_JOB_GID:
        *va_arg(args, gid_t *) = value;
        break;
    case S_JOB_NCPUS:
        *va_arg(args, uint16_t *) = (uint16_t)value;
        break;
    case S_TASK_PID:
        *va_arg(args, pid_t *) = (pid_t)value;
        break;
    case S_TASK_ID:
    case S_TASK_EXIT_STATUS:
        *va_arg(args, int *) = (int)value;
        break;
    default:
        *va_arg(args, uint32_t *) = value;
        break;
    }
}

static spank_err_t answer(spank_item_t item, va_list args)
{
    const struct recorded_item *recorded = &host_now.answers->items[item];
    if (item == S_TASK_EXIT_STATUS && host_now.hook == HOST_TASK_EXIT) {
        give(item, (uint32_t)host_now.task_status, args);
        return ESPANK_SUCCESS;
    }
    if (!recorded->known)
        return ESPANK_NOT_AVAIL;
    if (recorded->rc != ESPANK_SUCCESS)
        return (spank_err_t)recorded->rc;
    if (item == S_JOB_ENV)
        *va_arg(args, char ***) = host_now.env.entries;
    else if (item == S_JOB_ARGV)
        give_words(args);
    else
        give(item, recorded->value, args);
    return ESPANK_SUCCESS;
}

spank_err_t spank_get_item(spank_t spank, spank_item_t item, ...)
{
    va_list args;
    (void)spank;
    host_calls_now()->gets++;
    if (!is_remote() && host_now.hook != HOST_LOCAL_USER_INIT)
        return ESPANK_NOT_REMOTE;
    if ((unsigned)item >= RECORDED_ITEMS)
        return ESPANK_BAD_ARG;
    va_start(args, item);
    spank_err_t rc = answer(item, args);
    va_end(args);
    return rc;
}

/* ---------------------------------------------------------------- environment */

spank_err_t spank_getenv(spank_t spank, const char *name, char *value, int size)
{
    (void)spank;
    if (!is_remote())
        return ESPANK_NOT_REMOTE;
    const char *found = task_env_get(&host_now.env, name);
    if (!found)
        return ESPANK_ENV_NOEXIST;
    return snprintf(value, (size_t)size, "%s", found) < size ? ESPANK_SUCCESS : ESPANK_NOSPACE;
}

spank_err_t spank_setenv(spank_t spank, const char *name, const char *value, int overwrite)
{
    (void)spank;
    host_calls_now()->sets++;
    if (!is_remote())
        return ESPANK_NOT_REMOTE;
    if (!name || !value)
        return ESPANK_BAD_ARG;
    if (!overwrite && task_env_get(&host_now.env, name))
        return ESPANK_ENV_EXISTS;
    task_env_set(&host_now.env, name, value);
    return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t spank, const char *name)
{
    (void)spank;
    host_calls_now()->sets++;
    if (!is_remote())
        return ESPANK_NOT_REMOTE;
    task_env_unset(&host_now.env, name);
    return ESPANK_SUCCESS;
}

/* ---------------------------------------------------------------- messages */

__attribute__((format(printf, 2, 0))) static void put_message(enum host_message_kind kind,
                                                              const char *format, va_list args)
{
    struct host_message message = {
        .kind = kind, .hook = host_now.hook, .node = host_now.node_index, .task = host_now.task};
    vsnprintf(message.text, sizeof message.text, format, args);
    /* One write to a file opened for appending: tasks speak at the same time. */
    if (write(host_now.message_fd, &message, sizeof message) != (ssize_t)sizeof message)
        _exit(98);
}

#define MESSAGE_FUNCTION(function, kind)                                                           \
    void function(const char *format, ...)                                                         \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        put_message(kind, format, args);                                                           \
        va_end(args);                                                                              \
    }
MESSAGE_FUNCTION(slurm_error, HOST_ERROR)
MESSAGE_FUNCTION(slurm_spank_log, HOST_LOG)
MESSAGE_FUNCTION(slurm_info, HOST_OTHER)
MESSAGE_FUNCTION(slurm_verbose, HOST_OTHER)
MESSAGE_FUNCTION(slurm_debug, HOST_OTHER)

/* ---------------------------------------------------------------- the controller */

static int end_step(uint32_t job_id, uint32_t step_id, uint16_t signal)
{
    const struct host_controller *controller = host_now.setup->controller;
    unsigned before = host_calls_now()->kills++;
    host_now.shared->kill = (struct host_kill){job_id, step_id, signal};
    if (!controller || before >= controller->kills_failing)
        return 0;
    errno = controller->kill_error;
    return -1;
}

#if KILL_JOB_STEP_ARGS == 3
int slurm_kill_job_step(uint32_t job_id, uint32_t step_id, uint16_t signal)
{
    return end_step(job_id, step_id, signal);
}
#elif KILL_JOB_STEP_ARGS == 4
int slurm_kill_job_step(uint32_t job_id, uint32_t step_id, uint16_t signal, uint16_t flags)
{
    (void)flags;
    return end_step(job_id, step_id, signal);
}
#else
int slurm_kill_job_step(slurm_step_id_t *id, uint16_t signal, uint16_t flags)
{
    (void)flags;
    return end_step(id->job_id, id->step_id, signal);
}
#endif

/* Belongs to Slurm: freed by its own function, and not by free(). */
struct layout {
    slurm_step_layout_t layout;
    uint32_t *ranks[4];
    struct host_layout copy;
};

slurm_step_layout_t *slurm_job_step_layout_get(slurm_step_id_t *id)
{
    const struct host_layout *from = host_now.setup->layout;
    const struct recorded_item *items = host_now.node->user_init.items;
    host_calls_now()->layouts++;
    errno = ESLURM_INVALID_JOB_ID;
    if (!from || id->job_id != items[S_JOB_ID].value || id->step_id != items[S_JOB_STEPID].value)
        return NULL;
    struct layout *layout = must(calloc(1, sizeof *layout));
    layout->copy = *from;
    layout->layout.node_cnt = from->node_count;
    layout->layout.node_list = must(strdup(from->node_list));
    layout->layout.tasks = layout->copy.tasks;
    layout->layout.tids = layout->ranks;
    for (size_t i = 0; i < 4; i++)
        layout->ranks[i] = layout->copy.ranks[i];
    return &layout->layout;
}

void slurm_job_step_layout_free(slurm_step_layout_t *layout)
{
    if (layout)
        free(layout->node_list);
    free(layout); /* the first member of struct layout */
}

char *slurm_strerror(int number)
{
    return strerror(number);
}
