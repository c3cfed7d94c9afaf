/* SPDX-License-Identifier: Apache-2.0 */
/* What these tests assert about a run.  A failure names the recording, the node and the task, and
 * shows what the plugin said. */
#ifndef CE_TESTS_EXPECT_H
#define CE_TESTS_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "doubles/spank_host.h"

/* What the following failures are about; NULL: nothing to name. */
void expect_where(const char *where);

void expect_failed(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
#define expect(condition, ...)                                                                     \
    ((condition) ? (void)0 : expect_failed(__FILE__, __LINE__, __VA_ARGS__))

/* Fails the row: host_setup's `hung`. */
void expect_no_hang(const char *node, enum host_hook hook) __attribute__((noreturn));

/* The end of a run; NULL is none. */
void expect_done(struct host_result *result);

/* Holds of every run: each hook returned 0, each stepd ended well (no leak, no error of a
 * sanitizer), nothing on stdout, lines that cannot draw on a terminal, Slurm called from task_exit
 * only. */
void expect_calm(const struct host_result *result);

/* And each task came to its command, and nobody asked for the step's end. */
void expect_launched(const struct host_result *result);

/* No variable written, no file opened, no line. */
void expect_nothing_done(const struct host_result *result);

/* value NULL: not set. */
void expect_variable(const struct host_node *node, size_t task, const char *name,
                     const char *value);
void expect_number(const struct host_node *node, size_t task, const char *name,
                   unsigned long value);
const char *variable(const struct host_node *node, size_t task, const char *name);

/* Every variable the recording has is there, with its value. */
void expect_kept(const struct host_node *node, size_t task);
/* And no other. */
void expect_unchanged(const struct host_result *result);

/* The variables are right, by the recording. */
void expect_recorded(const struct host_result *result);

/* Also whether there should be any: the option as recorded, an order of nodes that is none. */
void expect_as_recorded(const struct host_result *result);

/* How many lines at all; one line, by task 0 of node 0 in task_init, that holds `text`. */
void expect_lines(const struct host_result *result, size_t count);
void expect_line_of_rank_0(const struct host_result *result, const char *text);

/* Each task leaves or comes to its command, and nodes whose tasks leave say why; `wanted`: how many of
 * each node leave. */
void expect_refusal(const struct host_result *result, const size_t *wanted, const char *says);

/* Sum over all nodes. */
unsigned expect_count_opens(const struct host_result *result);
unsigned expect_count_binds(const struct host_result *result);

bool recorded_is_step(const struct recorded_node *node);

#endif
