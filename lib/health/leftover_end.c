/* SPDX-License-Identifier: Apache-2.0 */
#include "health/leftover_end.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/root.h"
#include "base/watch.h"

enum { PROCESSES_MAX = 64, FILE_MAX = 16 << 10, WORDS = 256 };

struct leftover {
    struct ce_watch watch;
    struct ce_leftover_process process;
    bool doomed; /* a signal was sent */
};

struct leftovers {
    struct leftover items[PROCESSES_MAX];
    struct ce_watch watches[PROCESSES_MAX]; /* of the same, for waiting */
    size_t count;
};

/* ---------------------------------------------------------------- who */

static bool is_job_gpu(const struct ce_share *share, unsigned index)
{
    return !share->shared || (share->gpus >> index & 1);
}

/* Does NVML name it, on one of the job's GPUs? */
static bool is_named(const struct ce_leftover_task *task, const struct ce_node *node, uint32_t pid)
{
    for (unsigned i = 0; i < node->gpu_states.count; i++) {
        const struct ce_gpu_state *state = &node->gpu_states.items[i];
        for (unsigned k = 0; k < state->process_count && is_job_gpu(task->share, i); k++)
            if (state->processes[k].pid == pid)
                return true;
    }
    return false;
}

static bool is_held(const struct leftovers *list, uint32_t pid)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].watch.pid == (pid_t)pid)
            return true;
    return false;
}

static void hold(struct leftovers *list, uint32_t pid)
{
    struct leftover *item = &list->items[list->count];
    if (list->count == PROCESSES_MAX || pid < 2 || pid > INT32_MAX || is_held(list, pid))
        return;
    *item = (struct leftover){.process = {.pid = pid}};
    if (ce_watch_open((pid_t)pid, &item->watch) == 0)
        list->watches[list->count++] = item->watch;
}

static void hold_all(const struct ce_leftover_task *task, const struct ce_node *node,
                     struct leftovers *list)
{
    for (unsigned i = 0; i < node->gpu_states.count; i++)
        for (unsigned k = 0; k < node->gpu_states.items[i].process_count; k++)
            if (is_job_gpu(task->share, i))
                hold(list, node->gpu_states.items[i].processes[k].pid);
}

static void close_all(struct leftovers *list)
{
    for (size_t i = 0; i < list->count; i++)
        ce_watch_close(&list->items[i].watch);
}

static int read_text(const struct ce_root *root, char *text, uint32_t pid, const char *name)
{
    ssize_t size = ce_root_bytes(root, text, FILE_MAX - 1, "proc/%" PRIu32 "/%s", pid, name);
    text[size > 0 ? size : 0] = '\0';
    return size > 0 && size < FILE_MAX - 1 ? 0 : -1;
}

static void look_at(const struct ce_root *root, struct ce_leftover_process *process)
{
    char text[FILE_MAX];
    if (read_text(root, text, process->pid, "status") < 0 || ce_leftover_status(text, process) < 0)
        return;
    if (read_text(root, text, process->pid, "cgroup") < 0)
        return;
    process->job = ce_leftover_cgroup(text);
    process->known = true;
}

/* ---------------------------------------------------------------- ending */

/* Once more NVML names it, we know whose it is, and all the while it lived: then it is this one. */
static void end_one(const struct ce_leftover_task *task, const struct ce_root *root,
                    const struct ce_node *node, struct leftover *item, struct ce_notes *notes)
{
    if (!ce_watch_lives(&item->watch) || !is_named(task, node, item->process.pid))
        return;
    look_at(root, &item->process);
    const char *why = ce_leftover_spare(&item->process, &task->owner);
    if (!ce_watch_lives(&item->watch))
        return;
    if (why)
        ce_note(notes, "process %" PRIu32 " (%s) on a GPU of the job is left alone: %s",
                item->process.pid, item->process.name, why);
    else
        item->doomed = ce_watch_signal(&item->watch, SIGTERM) == 0;
}

static size_t list_doomed(const struct leftovers *list, struct ce_watch *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].doomed)
            ret[count++] = list->items[i].watch;
    return count;
}

/* "4711 (python), 4712 (python)" of those that ended, or of those that did not. */
static unsigned name_doomed(const struct leftovers *list, bool alive, char words[WORDS])
{
    unsigned count = 0;
    size_t at = 0;
    words[0] = '\0';
    for (size_t i = 0; i < list->count; i++) {
        const struct leftover *item = &list->items[i];
        if (!item->doomed || ce_watch_lives(&item->watch) != alive)
            continue;
        if (at + 40 < WORDS)
            at += (size_t)snprintf(words + at, WORDS - at, "%s%" PRIu32 " (%s)", count ? ", " : "",
                                   item->process.pid, item->process.name);
        else if (at + 6 < WORDS && words[at - 1] != '.')
            at += (size_t)snprintf(words + at, WORDS - at, ", ...");
        count++;
    }
    return count;
}

static void tell(const struct ce_leftover_task *task, const struct leftovers *list,
                 struct ce_notes *notes)
{
    char words[WORDS];
    unsigned count = name_doomed(list, false, words);
    if (count)
        ce_note(notes, "ended %u process%s of user %" PRIu32 " on the job's GPUs: %s", count,
                count > 1 ? "es" : "", task->owner.uid, words);
    count = name_doomed(list, true, words);
    if (count)
        ce_note(notes, "%u process%s on the job's GPUs cannot be ended: %s", count,
                count > 1 ? "es" : "", words);
}

static void end_all(const struct ce_leftover_task *task, struct ce_node *node,
                    struct leftovers *list, struct ce_notes *notes)
{
    struct ce_root root;
    struct ce_watch doomed[PROCESSES_MAX];
    if (ce_root_open(&root, "/", NULL) < 0)
        return;
    for (size_t i = 0; i < list->count; i++)
        end_one(task, &root, node, &list->items[i], notes);
    ce_root_close(&root);
    size_t count = list_doomed(list, doomed);
    if (!count)
        return;
    if (!ce_watch_wait(doomed, count, task->term_ms)) {
        for (size_t i = 0; i < count; i++)
            ce_watch_signal(&doomed[i], SIGKILL);
        ce_watch_wait(doomed, count, task->kill_ms);
    }
    task->ask(task->ctx, node);
    tell(task, list, notes);
}

void ce_leftover_end(const struct ce_leftover_task *task, struct ce_node *node,
                     struct ce_notes *notes)
{
    struct leftovers list = {.count = 0};
    if (task->share->unsure)
        return;
    hold_all(task, node, &list);
    if (list.count) {
        ce_watch_wait(list.watches, list.count, task->wait_ms);
        task->ask(task->ctx, node);
    }
    if (list.count && task->owner.action != CE_LEFTOVERS_WARN)
        end_all(task, node, &list, notes);
    close_all(&list);
}
