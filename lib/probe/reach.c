/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/reach.h"

#include "base/child.h"

/* Any other end than a late one is for the look itself to tell. */
int ce_probe_reach(const char *path, int (*look)(void *ctx), void *ctx, unsigned deadline_ms,
                   struct ce_error *err)
{
    struct ce_child child = {
        .body = look, .ctx = ctx, .deadline_ms = deadline_ms, .output_max = 1 << 16};
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    enum ce_child_end end = child.end;
    ce_child_free(&child);
    if (end != CE_CHILD_LATE && end != CE_CHILD_ABANDONED)
        return 0;
    return ce_fail(err, "%.80s: not read within %u s; its file system hangs, mount it again", path,
                   deadline_ms / 1000);
}
