/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pci.h"

#include "../unit.h"

static struct ce_pci at(const char *path, int numa)
{
    struct ce_pci pci = {.numa = numa};
    snprintf(pci.path, sizeof pci.path, "%s", path);
    return pci;
}

#define SWITCH "pci0000:15/0000:15:01.0/0000:16:00.0"

static const struct distance_row {
    const char *name, *a, *b;
    int numa_a, numa_b;
    enum ce_distance distance;
} distances[] = {
    {"two_below_one_switch_are_pix", SWITCH "/0000:17:00.0/0000:18:00.0",
     SWITCH "/0000:17:02.0/0000:1b:00.0", 0, 0, CE_PIX},
    {"two_functions_of_one_card_are_pix", SWITCH "/0000:17:00.0/0000:18:00.0",
     SWITCH "/0000:17:00.0/0000:18:00.1", 0, 0, CE_PIX},
    {"a_switch_between_is_pxb", SWITCH "/0000:17:00.0/0000:18:00.0",
     SWITCH "/0000:17:02.0/0000:1b:00.0/0000:1c:00.0/0000:1d:00.0", 0, 0, CE_PXB},
    {"two_root_ports_of_one_host_bridge_are_phb", "pci0000:00/0000:00:01.0/0000:01:00.0",
     "pci0000:00/0000:00:02.0/0000:02:00.0", 0, 0, CE_PHB},
    {"two_host_bridges_of_one_numa_node_are_node", "pci0000:15/0000:15:01.0/0000:16:00.0",
     "pci0000:3d/0000:3d:01.0/0000:3e:00.0", 1, 1, CE_NODE},
    {"two_numa_nodes_are_sys", "pci0000:15/0000:15:01.0/0000:16:00.0",
     "pci0000:97/0000:97:01.0/0000:98:00.0", 0, 1, CE_SYS},
    {"two_host_bridges_of_unknown_numa_nodes_are_unknown", "pci0000:15/0000:15:01.0/0000:16:00.0",
     "pci0000:97/0000:97:01.0/0000:98:00.0", 0, CE_NUMA_UNKNOWN, CE_DISTANCE_UNKNOWN},
    {"paths_that_are_not_known_leave_the_numa_nodes", "", "", 0, 1, CE_SYS},
    {"nothing_known_is_unknown", "", "", CE_NUMA_UNKNOWN, CE_NUMA_UNKNOWN, CE_DISTANCE_UNKNOWN},
    {"one_path_that_is_not_known_leaves_the_numa_nodes", SWITCH "/0000:17:00.0/0000:18:00.0", "", 1,
     1, CE_NODE},
    {"a_longer_name_is_another_bridge", "pci0000:1/0000:01:00.0", "pci0000:15/0000:15:01.0", 0, 1,
     CE_SYS},
};

static void distance(void **state)
{
    const struct distance_row *row = *state;
    struct ce_pci a = at(row->a, row->numa_a), b = at(row->b, row->numa_b);
    assert_string_equal(ce_distance_name(ce_pci_distance(&a, &b)), ce_distance_name(row->distance));
    assert_string_equal(ce_distance_name(ce_pci_distance(&b, &a)), ce_distance_name(row->distance));
}

static void every_distance_has_a_name_and_is_read_by_it(void **state)
{
    enum ce_distance read;
    (void)state;
    for (int i = CE_PIX; i <= CE_SYS; i++) {
        assert_int_equal(ce_distance_parse(ce_distance_name((enum ce_distance)i), &read), 0);
        assert_int_equal(read, i);
    }
    assert_int_equal(ce_distance_parse("unknown", &read), -1);
    assert_int_equal(ce_distance_parse("pix", &read), -1);
    assert_int_equal(ce_distance_parse("", &read), -1);
}

static const struct order_row {
    const char *name, *a, *b;
    int order;
    bool same_card;
} orders[] = {
    {"a_lower_bus_comes_first", "0000:18:00.0", "0000:1b:00.0", -1, false},
    {"a_lower_domain_comes_first", "0000:ff:00.0", "0001:00:00.0", -1, false},
    {"a_domain_of_five_digits_comes_behind_four", "10000:01:00.0", "f000:01:00.0", 1, false},
    {"a_lower_function_comes_first", "0000:18:00.0", "0000:18:00.1", -1, true},
    {"functions_of_two_devices_are_two_cards", "0000:18:00.1", "0000:18:01.0", -1, false},
    {"the_same_device_is_equal", "0000:18:00.0", "0000:18:00.0", 0, true},
    {"a_device_without_an_address_comes_last", "", "ffff:ff:1f.7", 1, false},
    {"two_without_an_address_are_no_card", "", "", 0, false},
    {"what_is_no_address_comes_last", "0000:18:00.0.1", "ffff:ff:1f.7", 1, false},
};

static void order(void **state)
{
    const struct order_row *row = *state;
    struct ce_pci a = at("", 0), b = at("", 0);
    snprintf(a.address, sizeof a.address, "%s", row->a);
    snprintf(b.address, sizeof b.address, "%s", row->b);
    assert_int_equal(ce_pci_compare(&a, &b), row->order);
    assert_int_equal(ce_pci_compare(&b, &a), -row->order);
    assert_int_equal(ce_pci_same_card(&a, &b), row->same_card);
}

static int read_pci(const char *lines, struct ce_pci *pci, struct ce_error *err)
{
    char text[1024];
    snprintf(text, sizeof text, "format=1\n%send=1\n", lines);
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    assert_non_null(record);
    return ce_pci_read(record, "gpu.0", pci, err);
}

static const struct text_row {
    const char *name, *lines, *written;
} texts[] = {
    {"every_fact_is_read_and_written",
     "gpu.0.pci=0000:1b:00.0\ngpu.0.pci_id=10de:2330\n"
     "gpu.0.path=pci0000:15/0000:15:01.0/0000:1b:00.0\ngpu.0.numa=1\n",
     NULL},
    {"no_fact_is_no_line", "", NULL},
    {"numa_node_0_is_known", "gpu.0.numa=0\n", NULL},
    {"an_id_of_capitals_is_written_small", "gpu.0.pci_id=10DE:00AB\n", "gpu.0.pci_id=10de:00ab\n"},
    {"a_key_of_a_newer_writer_is_passed_over", "gpu.0.power=700\n", ""},
};

static void reads_as(void **state)
{
    const struct text_row *row = *state;
    struct ce_error err = {""};
    struct ce_pci pci;
    ce_autotext struct ce_text text = CE_TEXT(1024);
    assert_int_equal(read_pci(row->lines, &pci, &err), 0);
    assert_string_equal(err.text, "");
    ce_pci_write(&pci, "gpu.0", &text);
    assert_string_equal(ce_text_string(&text), row->written ? row->written : row->lines);
}

static const struct error_row {
    const char *name, *lines, *reason;
} errors[] = {
    {"an_address_that_is_too_long_is_an_error", "gpu.0.pci=0000:1b:00.0.0000000000\n",
     "gpu.0.pci=0000:1b:00.0.0000000000: not a PCI address"},
    {"an_id_without_a_colon_is_an_error", "gpu.0.pci_id=10de2330\n", "gpu.0.pci_id=10de2330"},
    {"an_id_with_more_behind_it_is_an_error", "gpu.0.pci_id=10de:2330:1\n",
     "a form like 15b3:1021"},
    {"a_numa_node_below_zero_is_an_error", "gpu.0.numa=-1\n", "gpu.0.numa=-1"},
    {"a_numa_node_past_all_is_an_error", "gpu.0.numa=1024\n", "from 0 to 1023"},
};

static void is_an_error(void **state)
{
    const struct error_row *row = *state;
    struct ce_error err = {""};
    struct ce_pci pci = {.numa = 77};
    assert_int_equal(read_pci(row->lines, &pci, &err), -1);
    unit_holds(err.text, row->reason);
    assert_int_equal(pci.numa, 77);
}

static void a_path_that_is_too_long_is_an_error(void **state)
{
    char lines[600] = "gpu.0.path=";
    struct ce_error err = {""};
    struct ce_pci pci;
    (void)state;
    memset(lines + strlen(lines), 'p', CE_PCI_PATH);
    lines[strlen(lines)] = '\n';
    assert_int_equal(read_pci(lines, &pci, &err), -1);
    unit_holds(err.text, "the path is too long");
}

int main(void)
{
    UNIT_TABLE(distances, distance);
    UNIT_RULE(every_distance_has_a_name_and_is_read_by_it);
    UNIT_TABLE(orders, order);
    UNIT_TABLE(texts, reads_as);
    UNIT_TABLE(errors, is_an_error);
    UNIT_RULE(a_path_that_is_too_long_is_an_error);
    return UNIT_RUN("model/pci");
}
