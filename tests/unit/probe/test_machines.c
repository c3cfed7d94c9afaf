/* SPDX-License-Identifier: Apache-2.0 */
/* Whole machines: tests/fixtures/machines/NAME.tree gives NAME.facts. */
#include "machine.h"
#include "probe/host.h"
#include "probe/ib.h"
#include "probe/netif.h"

static const struct machine_row {
    const char *name;
} machines[] = {
    {"runpod"}, {"lambda"}, {"bits"}, {"container"}, {"oneclick"}, {"roce"}, {"odd"},
};

static char *write_node(const struct ce_node *node)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    ce_node_write(node, &text);
    char *written = ce_text_take(&text);
    assert_non_null(written);
    return written;
}

static void machine(void **state)
{
    const struct machine_row *row = *state;
    struct machine found = machine_unpack(row->name);
    struct ce_error err = {""};
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    assert_non_null(node);
    ce_probe_host(&found.root, node);
    assert_int_equal(ce_probe_netifs(&found.root, node, &err), 0);
    assert_int_equal(ce_probe_ib(&found.root, node, &err), 0);
    machine_remove(&found);
    char *written = write_node(node), *expected = machine_expected(row->name);
    assert_string_equal(written, expected);
    ce_auto(ce_node_destroy) struct ce_node *again = ce_node_parse(written, &err);
    assert_string_equal(err.text, "");
    free(written);
    written = write_node(again);
    assert_string_equal(written, expected);
    free(written);
    free(expected);
}

int main(void)
{
    UNIT_TABLE(machines, machine);
    return UNIT_RUN("probe/machines");
}
