/* SPDX-License-Identifier: Apache-2.0 */
#include "program/plugin/failure.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "program/plugin/expect.h"
#include "program/plugin/world.h"

int task_fails(const struct recorded_hook *task)
{
    (void)task;
    return 3;
}

int task_second_fails(const struct recorded_hook *task)
{
    return task->items[S_TASK_GLOBAL_ID].value == 1 ? 3 : 0;
}

int task_is_killed(const struct recorded_hook *task)
{
    (void)task;
    return kill(getpid(), SIGKILL);
}


struct host_result *run_tasks(struct recording *recording, const char *option,
                               int (*command)(const struct recorded_hook *),
                               const struct host_controller *controller)
{
    struct host_setup setup = world_setup(recording);
    setup.command = command;
    setup.controller = controller;
    recording_set_callbacks(recording, 1, &option);
    recording_set(recording, OPTION_VARIABLE, NULL);
    struct host_result *result = host_run(&setup);
    expect_calm(result);
    return result;
}

void expect_calls(const struct host_result *result, size_t n, unsigned questions,
                         unsigned claims, unsigned kills, unsigned requeues)
{
    const struct host_calls *calls = &result->nodes[n].calls[HOST_TASK_EXIT];
    expect(calls->questions == questions, "%u questions", calls->questions);
    expect(calls->claims == claims, "%u claims", calls->claims);
    expect(calls->kills == kills, "%u calls to end the step", calls->kills);
    expect(calls->requeues == requeues, "%u requests to requeue", calls->requeues);
}

void expect_calls_of_each(const struct host_result *result, unsigned questions,
                                 unsigned claims, unsigned kills)
{
    for (size_t n = 0; n < result->node_count; n++)
        expect_calls(result, n, questions, claims, kills, 0);
}

void expect_said(const struct host_result *result, const char *text)
{
    for (size_t i = 0; i < result->message_count; i++)
        if (strstr(result->messages[i].text, text))
            return;
    expect_lines(result, SIZE_MAX); /* shows what was said */
}
