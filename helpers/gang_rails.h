/* SPDX-License-Identifier: Apache-2.0 */
/* The rails between this node and one neighbour: preflight-rails, which measures them, as a child that
 * this process talks with, and never waits for. */
#ifndef CE_HELPERS_GANG_RAILS_H
#define CE_HELPERS_GANG_RAILS_H

#include <sys/types.h>

#include "base/text.h"
#include "model/gang_task.h"

enum gang_rails_state {
    GANG_RAILS_NONE,   /* not started, or it ended too early */
    GANG_RAILS_OPENS,
    GANG_RAILS_ENDS,   /* its ends are in `ends` */
    GANG_RAILS_READY,  /* it may be written to */
    GANG_RAILS_BUSY,   /* it writes */
    GANG_RAILS_DONE,   /* `mbps` holds */
};

struct gang_rails {
    enum gang_rails_state state;
    pid_t pid;
    int fd; /* -1: none */
    uint32_t count, lines;
    char line[1024];
    size_t length;
    struct ce_text ends;
    uint32_t mbps[CE_GANG_RAILS];
};

/* count: of task->rails, the first of them.  The state tells whether it runs. */
void gang_rails_begin(struct gang_rails *rails, const struct ce_gang_task *task, uint32_t count);
/* Read what it has said; the state follows. */
void gang_rails_hear(struct gang_rails *rails);
/* The same for these bytes instead of what can be read. */
void gang_rails_take(struct gang_rails *rails, const char *bytes, size_t count);
/* The neighbour's ends, as its `ends`; and: write now. */
void gang_rails_connect(struct gang_rails *rails, const char *ends);
void gang_rails_go(struct gang_rails *rails);
/* It ends, and is collected, where it can be. */
void gang_rails_end(struct gang_rails *rails);

#endif
