/* SPDX-License-Identifier: Apache-2.0 */
/* Programs, or functions of this one, run as children with a deadline, several side by side.
 * Whatever a child does - hangs, floods, crashes, leaves something running, cannot be killed -
 * ce_children_run() returns in time and says what became of it.
 *
 * A child has its own process group, default signals and an empty signal mask, /dev/null as its
 * stdin, pipes as stdout and stderr, and of a program's other files none.  It gets SIGTERM when the
 * thread that started it ends.  What it leaves running in its process group is killed. */
#ifndef CE_BASE_CHILD_H
#define CE_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"

enum { CE_CHILDREN_MAX_AT_ONCE = 64, CE_CHILD_LAST_WORDS = 320 };

enum ce_child_end {
    CE_CHILD_NOT_RUN,     /* the time for all was over before its turn came; or nothing to run */
    CE_CHILD_NOT_STARTED, /* number: errno of pipe, fork or exec */
    CE_CHILD_EXITED,      /* number: its exit status */
    CE_CHILD_SIGNALED,    /* number: the signal that ended it */
    CE_CHILD_LATE,        /* it ran past its deadline and was ended; number: the ms it was given */
    CE_CHILD_FLOODED,     /* it printed more than output_max and was ended */
    CE_CHILD_ABANDONED,   /* it did not end even after SIGKILL (a driver holds it): `pid` is still
                           * there, nothing waits for it any more; number: its state, as in 'D' */
};

struct ce_child {
    /* What to run; the caller keeps all of it valid.  Neither program nor function: nothing. */
    char *const *argv;      /* a program, searched in PATH where argv[0] has no '/'; or NULL: */
    int (*body)(void *ctx); /* a function, in a forked copy of this process: writes to fd 1 with
                             * write() or dprintf(), returns the exit status, never exec's what
                             * needs an exact set of open files */
    void *ctx;
    char *const *envp;    /* the program's environment; NULL: this process's */
    unsigned deadline_ms; /* from its start */
    unsigned grace_ms;    /* at the deadline: SIGTERM, and SIGKILL so much later; 0: SIGKILL */
    size_t output_max;    /* bytes of stdout */
    const struct ce_child *after; /* an earlier one of the array: its turn comes when that one has ended, and
                                   * what to run may be set until then; NULL: at once */
    /* What became of it; ce_child_free() frees it. */
    enum ce_child_end end;
    bool begun, over;
    int number;
    pid_t pid;
    unsigned took_ms;                     /* until it ended by itself, or somebody had to end it */
    struct ce_text output;                /* stdout up to its end, also of a child that was ended */
    char last_words[CE_CHILD_LAST_WORDS]; /* the last lines of stderr, "; " between them */
};

struct ce_children_plan {
    size_t at_once;    /* 1 to CE_CHILDREN_MAX_AT_ONCE; more is cut to that */
    unsigned total_ms; /* for all of them; 0: no such limit.  Each deadline is cut to it. */
    /* Called once for each child that ran, when it has ended, before those begin that come after
     * it; NULL: nobody is told. */
    void (*ended)(void *ctx, const struct ce_child *child);
    void *ctx;
};

/* Run them, those whose turn has come in this order.  Returns when the last has ended or was given up: at most grace_ms and
 * 50 ms after the last deadline; up to a second more where a machine is too busy to let a killed
 * process end, that is, in no case for one that a driver holds.  Not for a process that collects
 * children of its own with wait(-1) meanwhile.  Where SIGCHLD is ignored it is put to its default
 * until the return. */
void ce_children_run(struct ce_child *children, size_t count, const struct ce_children_plan *plan);

/* 0 where it exited with status 0; else -1, and err says what became of it in one line. */
int ce_child_check(const struct ce_child *child, struct ce_error *err);

void ce_child_free(struct ce_child *child);

#endif
