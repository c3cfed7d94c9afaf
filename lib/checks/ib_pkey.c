/* SPDX-License-Identifier: Apache-2.0 */
/* The partitions of an InfiniBand fabric: two limited members of one do not reach each other. */
#include <stdio.h>

#include "checks/check.h"

/* Of a port that is down ib.port.state tells; RoCE has no partitions. */
static bool is_infiniband(const struct ce_check_port *rail)
{
    return rail->port->link_layer == CE_LINK_INFINIBAND && rail->port->state == CE_PORT_ACTIVE;
}

/* The first key with full membership; count: none. */
static unsigned find_full(const struct ce_pkeys *pkeys)
{
    unsigned at = 0;
    while (at < pkeys->count && !ce_pkey_is_full(pkeys->keys[at]))
        at++;
    return at;
}

/* NCCL and MPI take the key at index 0 where nobody tells them another. */
static void judge_port(const struct ce_pkeys *pkeys, const char *subject, struct ce_findings *out)
{
    unsigned full = find_full(pkeys), first = pkeys->keys[0];
    if (pkeys->count == 0)
        ce_findings_add(out, CE_UNKNOWN, subject, "its partition keys cannot be read");
    else if (full == 0)
        ce_findings_add(out, CE_PASS, subject, "partition key 0x%04x", first);
    else if (full < pkeys->count)
        ce_findings_add(out, CE_WARN, subject,
                        "partition key 0x%04x at index 0, full membership first at index %u (0x%04x)", first,
                        full, (unsigned)pkeys->keys[full]);
    else
        ce_findings_add(out, CE_FAIL, subject, "partition key 0x%04x at index 0, and full membership of no partition",
                        first);
}

static void judge_pkeys(const struct ce_check_view *view, struct ce_findings *out)
{
    char subject[CE_SUBJECT];
    size_t before = out->count;
    for (size_t i = 0; i < view->rail_count; i++) {
        const struct ce_check_port *rail = &view->rails[i];
        snprintf(subject, sizeof subject, "%.50s/%u", rail->hca->name, rail->port->number);
        if (is_infiniband(rail))
            judge_port(&rail->port->pkeys, subject, out);
    }
    if (out->count == before)
        ce_findings_add(out, CE_SKIP, "", "there is no active InfiniBand rail");
}

const struct ce_check ce_ib_pkey_checks[] = {
    {"ib.pkey", CE_PROLOG | CE_MANUAL, CE_TELL, CE_IGNORE, CE_RECOVERABLE | CE_DETAILED, "port",
     "have the subnet manager make the port a full member, its key at index 0",
     "every InfiniBand rail is a full member of a partition", judge_pkeys},
};
const size_t ce_ib_pkey_check_count = sizeof ce_ib_pkey_checks / sizeof *ce_ib_pkey_checks;
