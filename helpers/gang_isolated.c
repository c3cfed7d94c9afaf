/* SPDX-License-Identifier: Apache-2.0 */
/* Is it this node's end?  Only what the node itself, or its network, says of it counts: a filter, or
 * others that are off, are another matter. */
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "gang_run.h"

enum { ALONE_MIN = 4 }; /* different ones of the job that are off at once, where nobody else was asked */

static bool is_dialed(const struct gang_run *run, const struct ce_address *address)
{
    for (size_t i = 0; i < run->peer_count; i++)
        if (run->peers[i]->dialed && ce_address_equal(&run->peers[i]->address, address))
            return true;
    return false;
}

/* Who is dialed anyway would tell nothing new; and a second dial joins the first one's neighbour lookup,
 * whose end then looks like the answer of a filter. */
void gang_witnesses_ask(struct gang_run *run)
{
    const struct ce_gang_task *task = &run->task;
    run->witnessed = true;
    for (uint32_t i = 0; i < task->witness_count; i++)
        if (!is_dialed(run, &task->witnesses[i]))
            gang_peer_add(run, GANG_WITNESS, UINT32_MAX, &task->witnesses[i]);
}

enum link { LINK_UNKNOWN, LINK_UP, LINK_DOWN };

/* The interface that has this node's address: packets may go another way all the same, to no end. */
static enum link look_at(const char *interface)
{
    struct ifreq request = {.ifr_flags = 0};
    ce_autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (!*interface || fd < 0 ||
        ce_copy(request.ifr_name, sizeof request.ifr_name, interface) < 0 ||
        ioctl(fd, SIOCGIFFLAGS, &request) < 0)
        return LINK_UNKNOWN;
    return request.ifr_flags & IFF_UP && request.ifr_flags & IFF_RUNNING ? LINK_UP : LINK_DOWN;
}

/* Without its address while the link is up it has been given another one. */
static bool has_no_way(const struct gang_peer *peer, enum link link)
{
    return peer->tried && (peer->answer == GANG_NO_PATH ||
                           (peer->answer == GANG_NO_ADDRESS && link != LINK_UP));
}

static bool is_dialed_before(const struct gang_run *run, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (run->peers[i]->dialed &&
            ce_address_equal(&run->peers[i]->address, &run->peers[index]->address))
            return true;
    return false;
}

/* There is no way to any of those that were dialed; and they are not just two of the job that are off. */
static bool is_isolated(const struct gang_run *run, enum link link)
{
    unsigned dialed = 0;
    bool outside = false;
    for (size_t i = 0; i < run->peer_count; i++) {
        const struct gang_peer *peer = run->peers[i];
        if (!peer->dialed)
            continue;
        if (!has_no_way(peer, link))
            return false;
        dialed += !is_dialed_before(run, i);
        outside |= !gang_is_of_job(&run->task, &peer->address);
    }
    return dialed >= ALONE_MIN || (dialed >= 2 && outside);
}

const char *gang_why_isolated(const struct gang_run *run, char why[CE_GANG_WHY])
{
    enum link link = look_at(run->task.interface);
    if (run->met || run->task.out)
        return NULL;
    if (link == LINK_DOWN) {
        snprintf(why, CE_GANG_WHY, "%s is down", run->task.interface);
        return why;
    }
    return is_isolated(run, link) ? "there is no path to them, nor to other nodes" : NULL;
}
