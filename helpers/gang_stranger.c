/* SPDX-License-Identifier: Apache-2.0 */
/* Who comes, and has not said who it is. */
#include "gang_run.h"

bool gang_is_of_job(const struct ce_gang_task *task, const struct ce_address *address)
{
    for (uint32_t i = 0; i < task->count; i++)
        if (ce_address_equal(&task->addresses[i], address))
            return true;
    return false;
}

/* A user of one node must not take the places of all others. */
bool gang_admits(const struct gang_run *run, const struct ce_address *from)
{
    size_t all = 0, from_there = 0;
    for (size_t i = 0; i < run->peer_count; i++) {
        const struct gang_peer *peer = run->peers[i];
        if (peer->role != GANG_STRANGER || peer->step == GANG_GONE)
            continue;
        all++;
        from_there += ce_address_equal(&peer->address, from);
    }
    return gang_is_of_job(&run->task, from) && from_there < GANG_STRANGERS_EACH &&
           all < GANG_STRANGERS + 2 * run->task.count;
}
