/* SPDX-License-Identifier: Apache-2.0 */
/* What a refusal is: tasks leave with status 1, one line of their node tells why, and its stepd asks
 * for the step's end. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "program/plugin/expect.h"

static bool refused(const struct host_task *task)
{
    return !task->returned && WIFEXITED(task->status) && WEXITSTATUS(task->status) == 1;
}

static size_t count_lines(const struct host_result *result, size_t node, const char *says)
{
    size_t lines = 0;
    for (size_t i = 0; i < result->message_count; i++) {
        const struct host_message *message = &result->messages[i];
        if (message->node != node)
            continue;
        lines++;
        expect(message->kind == HOST_ERROR && message->hook == HOST_TASK_INIT &&
                   strstr(message->text, says) && strstr(message->text, "the step ends here"),
               "node %zu does not say '%s'", node, says);
        expect(strstr(message->text, result->nodes[node].recorded->name) != NULL,
               "the line does not name its node");
    }
    return lines;
}

static void expect_step_ended(const struct host_node *node, bool ended)
{
    const struct recorded_item *items = node->recorded->user_init.items;
    unsigned kills = node->calls[HOST_TASK_EXIT].kills;
    expect(kills == (ended ? HOST_KILL_REQUESTS : 0), "%s asked %u times to end the step",
           node->recorded->name, kills);
    expect(!ended ||
               (node->kill.job_id == items[S_JOB_ID].value &&
                node->kill.step_id == items[S_JOB_STEPID].value && node->kill.signal == SIGKILL),
           "%s ended step %u.%u with signal %u", node->recorded->name, node->kill.job_id,
           node->kill.step_id, node->kill.signal);
}

void expect_refusal(const struct host_result *result, const size_t *wanted, const char *says)
{
    expect_calm(result);
    for (size_t n = 0; n < result->node_count; n++) {
        const struct host_node *node = &result->nodes[n];
        size_t left = 0;
        for (size_t t = 0; t < node->task_count; t++) {
            left += refused(&node->tasks[t]);
            expect(refused(&node->tasks[t]) || node->tasks[t].status == 0,
                   "task %zu of %s ended with status %x", t, node->recorded->name,
                   (unsigned)node->tasks[t].status);
        }
        expect(left == wanted[n], "%zu tasks of %s left, expected %zu", left, node->recorded->name,
               wanted[n]);
        size_t lines = count_lines(result, n, says);
        expect(lines == (left > 0), "%zu lines of %s", lines, node->recorded->name);
        expect_step_ended(node, left > 0);
    }
}
