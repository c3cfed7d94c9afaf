/* SPDX-License-Identifier: Apache-2.0 */
/* What a RoCE rail needs besides its link: a GID, an address, an MTU. */
#include <stdio.h>
#include <string.h>

#include "checks/check.h"
#include "checks/sibling.h"

/* Of a port that is down ib.port.state tells; its table is empty then. */
static bool is_roce(const struct ce_check_port *rail)
{
    return rail->port->link_layer == CE_LINK_ETHERNET && rail->port->state == CE_PORT_ACTIVE;
}

static void judge_each(const struct ce_check_view *view, struct ce_findings *out,
                       void (*judge)(const struct ce_check_view *view,
                                     const struct ce_check_port *rail, const char *subject,
                                     struct ce_findings *out))
{
    char subject[CE_SUBJECT];
    size_t count = 0;
    for (size_t i = 0; i < view->rail_count; i++) {
        if (!is_roce(&view->rails[i]))
            continue;
        snprintf(subject, sizeof subject, "%.50s/%u", view->rails[i].hca->name,
                 view->rails[i].port->number);
        judge(view, &view->rails[i], subject, out);
        count++;
    }
    if (count == 0)
        ce_findings_add(out, CE_SKIP, "", "there is no active RoCE rail");
}

static bool is_link_local(const struct ce_address *address)
{
    const unsigned char *bytes = address->bytes;
    return address->family == AF_INET6 ? bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80
                                       : bytes[0] == 169 && bytes[1] == 254;
}

/* How many GIDs of the second version it has; those of an address that leads further. */
static size_t count_gids(const struct ce_hca_port *port, bool with_address)
{
    size_t count = 0;
    for (size_t i = 0; i < port->gid_count; i++)
        count += port->gids[i].type == CE_GID_ROCE_V2 &&
                 (!with_address || !is_link_local(&port->gids[i].address));
    return count;
}

static bool knows_types(const struct ce_hca_port *port)
{
    for (size_t i = 0; i < port->gid_count; i++)
        if (port->gids[i].type == CE_GID_UNKNOWN)
            return false;
    return true;
}

static void judge_gid(const struct ce_check_view *view, const struct ce_check_port *rail,
                      const char *subject, struct ce_findings *out)
{
    (void)view;
    size_t count = count_gids(rail->port, false);
    if (count)
        ce_findings_add(out, CE_PASS, subject, "%zu RoCE v2 GIDs", count);
    else if (!knows_types(rail->port))
        ce_findings_add(out, CE_UNKNOWN, subject, "the types of its GIDs cannot be read");
    else
        ce_findings_add(out, CE_FAIL, subject, "no RoCE v2 GID");
}

static void judge_address(const struct ce_check_view *view, const struct ce_check_port *rail,
                          const char *subject, struct ce_findings *out)
{
    (void)view;
    if (count_gids(rail->port, true))
        ce_findings_add(out, CE_PASS, subject, "it has an IP address");
    else if (!knows_types(rail->port))
        ce_findings_add(out, CE_UNKNOWN, subject, "the types of its GIDs cannot be read");
    else
        ce_findings_add(out, CE_WARN, subject, "no IP address but a link-local one");
}

static unsigned mtu_of(const struct ce_check_port *rail)
{
    return rail->port->mtu;
}

static void judge_mtu(const struct ce_check_view *view, const struct ce_check_port *rail,
                      const char *subject, struct ce_findings *out)
{
    unsigned usual = ce_sibling_number(view, mtu_of), mtu = rail->port->mtu;
    if (!mtu)
        ce_findings_add(out, CE_UNKNOWN, subject, "its MTU cannot be read");
    else if (usual && mtu != usual)
        ce_findings_add(out, CE_WARN, subject, "MTU %u, its siblings have %u", mtu, usual);
    else
        ce_findings_add(out, CE_PASS, subject, "MTU %u", mtu);
}

static void judge_gids(const struct ce_check_view *view, struct ce_findings *out)
{
    judge_each(view, out, judge_gid);
}

static void judge_addresses(const struct ce_check_view *view, struct ce_findings *out)
{
    judge_each(view, out, judge_address);
}

static void judge_mtus(const struct ce_check_view *view, struct ce_findings *out)
{
    judge_each(view, out, judge_mtu);
}

const struct ce_check ce_ib_roce_checks[] = {
    {"ib.roce.gid", CE_EVERY_PHASE, CE_DRAIN, CE_TELL, CE_RECOVERABLE, "port",
     "bring the rail's interface up, look at its RoCE mode", "every RoCE rail has a GID of RoCE v2",
     judge_gids},
    {"ib.roce.address", CE_EVERY_PHASE, CE_TELL, CE_TELL, CE_RECOVERABLE, "port",
     "give the rail's interface its address", "every RoCE rail has an IP address", judge_addresses},
    {"ib.roce.mtu", CE_EVERY_PHASE, CE_TELL, CE_IGNORE, CE_RECOVERABLE | CE_DETAILED, "port",
     "give all rails' interfaces the same MTU", "the RoCE rails have one MTU", judge_mtus},
};
const size_t ce_ib_roce_check_count = sizeof ce_ib_roce_checks / sizeof *ce_ib_roce_checks;
