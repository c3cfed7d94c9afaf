/* SPDX-License-Identifier: Apache-2.0 */
/* What the technician is sent to do depends on what the port does. */
#include "checks/check.h"

#include "report/findings.h"
#include "view.h"

#define PORT(n, state, phys)                                                                       \
    "ib.mlx5_" #n ".type=MT4129\nib.mlx5_" #n ".pci=0000:1" #n ":00.0\nib.mlx5_" #n                \
    ".1.state=" #state "\nib.mlx5_" #n ".1.phys_state=" #phys "\nib.mlx5_" #n                      \
    ".1.link_layer=infiniband\n"

static const struct row {
    const char *name, *now, *reason;
} rows[] = {
    {"a_port_that_polls", FRAMED(PORT(0, 1, 2)),
     "mlx5_0/1 DOWN (Polling), expected ACTIVE; check cable and switch port "
     "[cluster-env ib.port.state]"},
    {"a_port_that_is_switched_off", FRAMED(PORT(0, 1, 3)),
     "mlx5_0/1 DOWN (Disabled), expected ACTIVE; enable the port: it was switched off "
     "[cluster-env ib.port.state]"},
    {"a_port_without_a_subnet_manager", FRAMED(PORT(0, 2, 5)),
     "mlx5_0/1 INIT (LinkUp), expected ACTIVE; look at the subnet manager: the link itself is up "
     "[cluster-env ib.port.state]"},
    {"each_remedy_stands_once", FRAMED(PORT(0, 1, 2) PORT(1, 1, 3) PORT(2, 1, 2)),
     "2 ports: mlx5_0/1, mlx5_2/1 DOWN (Polling), expected ACTIVE, mlx5_1/1 DOWN (Disabled), "
     "expected ACTIVE; check cable and switch port; enable the port: it was switched off "
     "[cluster-env ib.port.state]"},
};

static void reason_is(void **state)
{
    const struct row *row = *state;
    struct ce_error err = {""};
    struct ce_policy policy;
    ce_autotext struct ce_text out = CE_TEXT(1 << 12);
    ce_autofindings struct ce_findings findings = {.items = NULL};
    ce_auto(ce_node_destroy) struct ce_node *node = view_node(row->now);
    ce_policy_default(&policy);
    assert_int_equal(ce_health_judge(node, &policy, CE_PROLOG, "ib.port.state", &findings, &err),
                     0);
    ce_report_reason(&findings, &out);
    assert_string_equal(ce_text_string(&out), row->reason);
}

int main(void)
{
    UNIT_TABLE(rows, reason_is);
    return UNIT_RUN("checks/ib_state");
}
