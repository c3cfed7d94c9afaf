/* SPDX-License-Identifier: Apache-2.0 */
/* Real machines, tests/fixtures/machines/NAME: from node.facts alone comes what `expected` has,
 * typed from what the provider sets by hand.  A machine that needs a rule of its own shows that the
 * rule is wrong, or that its facts do not tell; docs/machines.md has them all. */
#include <dirent.h>

#include "../probe/machine.h"
#include "scene.h"

static const struct machine_row {
    const char *name, *machine;
} machines[] = {
    {"a_1_click_cluster_keeps_its_ethernet_out", "lambda-h100"},
    {"a_1_click_cluster_of_b200_does_too", "lambda-b200"},
    {"virtual_functions_of_one_type_differ_by_link_layer", "crusoe-h100"},
    {"fast_rails_in_the_gpus_domains_are_taken", "crusoe-b300"},
    {"storage_of_the_rails_type_and_rate_is_kept_out", "dgx-h100"},
    {"bridges_of_nvlink_are_kept_out", "dgx-b200"},
    {"nothing_is_written_where_all_are_rails", "azure-nd-a100"},
    {"accelerated_networking_is_kept_out", "azure-nd-a100-accelnet"},
    {"board_ids_of_virtual_functions_do_no_harm", "azure-nd-h100"},
    {"accelerated_networking_at_100g_is_kept_out", "azure-nd-h200"},
    {"sixteen_rails_of_eight_gpus_are_listed", "oci-h100"},
    {"all_is_ethernet_of_two_rates", "oci-h200"},
    {"rails_that_are_down_stay_in_the_list", "oci-h200-two-down"},
    {"a_front_end_of_the_rails_type_is_kept_out", "oci-b200"},
    {"rails_of_two_functions_a_card_are_listed", "oci-b300"},
    {"a_front_end_of_the_rails_type_and_rate_is_kept_out", "oci-gpu4"},
    {"rails_come_in_pci_order", "oci-a100-v2"},
    {"four_rails_in_domains_of_their_own_are_listed", "oci-gb200"},
    {"eight_rails_of_four_gpus_are_listed", "oci-gb300"},
    {"rails_of_any_name_are_rails", "coreweave-h100"},
    {"rails_without_ipv4_are_told_to_nccl", "coreweave-gb300-roce"},
    {"virtual_functions_are_rails", "ibm-h100-vf"},
    {"without_rdma_all_equal_interfaces_are_nccls", "runpod-eth"},
    {"without_a_number_one_interface_is_nccls", "runpod-ens"},
    {"a_network_of_ipv6_only_is_told_to_nccl", "modal"},
    {"efa_decides_itself", "aws-p5"},
    {"efa_decides_itself_beside_other_devices", "aws-p6-b200"},
    {"tcpx_decides_itself", "gcp-a3-high"},
    {"fastrak_decides_itself", "gcp-a3-mega"},
    {"gib_decides_itself", "gcp-a3-ultra"},
    {"a_workstation_has_one_interface", "workstation"},
    {"a_bonded_bluefield_is_kept_out", "hgx-h100-bonded-bluefield"},
    {"interfaces_of_another_namespace_are_not_needed", "hgx-roce-other-namespace"},
    {"mlx5_1_is_not_mlx5_10", "hgx-prefix"},
    {"names_by_bus_come_in_pci_order", "hgx-ibp-names"},
    {"devices_that_tell_no_type_are_rails", "mi355x-ionic"},
    {"devices_of_one_type_differ_by_what_they_carry", "hgx-bnxt"},
    {"a_node_without_rails_has_none", "hgx-without-ib"},
    {"a_tie_is_not_broken", "vm-flat-tie"},
    {"rails_that_are_all_down_are_rails", "vm-rails-down-at-boot"},
    {"the_only_card_is_a_rail_and_carries_sockets", "single-roce-card"},
};

/* ---------------------------------------------------------------- a machine and what is decided */

struct judged {
    struct ce_node *node;
    struct ce_policy policy;
    struct ce_allocation allocation;
    struct ce_task task;
    struct ce_request request;
    struct ce_cluster cluster;
    struct ce_address address; /* the one node's, not in a book */
    struct ce_view view;
};

static char *read_file_of(const char *machine, const char *file)
{
    char name[256], path[PATH_MAX];
    struct unit_dir here = {.fd = AT_FDCWD};
    snprintf(name, sizeof name, "machines/%s/%s", machine, file);
    machine_path(path, sizeof path, name);
    char *text = unit_dir_read(&here, path);
    if (!text)
        fail_msg("%s: not there", path);
    return text;
}

static struct ce_node *read_node(const char *machine)
{
    struct ce_error err = {""};
    char *text = read_file_of(machine, "node.facts");
    struct ce_node *node = ce_node_parse(text, &err);
    free(text);
    if (!node)
        fail_msg("%s/node.facts: %s", machine, err.text);
    return node;
}

/* A step of one node, without a book.  It must stay where it is: the view points into it. */
static void judge(struct judged *judged, struct ce_node *node, uint32_t interfaces)
{
    struct ce_error err = {""};
    *judged = (struct judged){
        .node = node,
        .allocation = {.id = {CE_STEP_TASKS, 12, 0}, .task_count = 8},
        .task = {"n1", 0, 0, 0, 8, 8, 8},
        .request = {.on = true, .torchrun = true},
    };
    judged->allocation.nodes = ce_hostlist_parse("n1", &err);
    ce_policy_default(&judged->policy);
    judged->policy.interfaces = interfaces;
    judged->cluster.node_count = 1;
    judged->cluster.addresses = &judged->address;
    assert_int_equal(ce_rails_choose(node, &judged->cluster.rails, &err), 0);
    ce_network_choose(node, &judged->policy, NULL, &judged->cluster.rails,
                      &judged->cluster.network);
    judged->view = (struct ce_view){
        .allocation = &judged->allocation,
        .task = &judged->task,
        .cluster = &judged->cluster,
        .policy = &judged->policy,
        .request = &judged->request,
        .port = {61012, "the test"},
    };
}

static void forget(struct judged *judged)
{
    ce_rails_free(&judged->cluster.rails);
    ce_allocation_free(&judged->allocation);
    ce_node_destroy(judged->node);
}

/* ---------------------------------------------------------------- expected */

/* Its next line that is no comment: NAME=VALUE, or NAME (value ""). */
static bool next_line(char **text, char **name, char **value)
{
    while (**text) {
        char *line = *text, *end = strchrnul(line, '\n');
        *text = end + (*end != '\0');
        *end = '\0';
        if (*line == '#' || !*line)
            continue;
        char *equals = strchr(line, '=');
        if (equals)
            *equals = '\0';
        *name = line;
        *value = equals ? equals + 1 : line + strlen(line);
        return true;
    }
    return false;
}

static uint32_t interfaces_of(const char *machine)
{
    char *text = read_file_of(machine, "expected"), *at = text, *name, *value;
    uint32_t interfaces = 0;
    while (next_line(&at, &name, &value))
        if (strcmp(name, "interfaces") == 0)
            interfaces = (uint32_t)strtoul(value, NULL, 10);
    free(text);
    return interfaces;
}

/* What was decided, under a name of `expected`. */
static void decided(const struct judged *judged, const char *name, struct ce_text *out)
{
    const struct ce_rails *rails = &judged->cluster.rails;
    if (strcmp(name, "rails") == 0)
        ce_text_addf(out, "%zu", rails->count);
    else if (strcmp(name, "active") == 0)
        ce_text_addf(out, "%zu", rails->active);
    else if (strcmp(name, "verdict") == 0)
        ce_text_add(out, ce_rails_verdict_name(rails->verdict));
    else if (strcmp(name, "confidence") == 0)
        ce_text_add(out, ce_confidence_name(rails->confidence));
    else if (strcmp(name, "interfaces") == 0)
        ce_text_addf(out, "%u", (unsigned)judged->policy.interfaces);
    else
        find_variable(name)->value(&judged->view, out);
}

static void check_line(const struct judged *judged, const char *name, const char *value,
                       struct ce_text *complaints)
{
    ce_autotext struct ce_text out = CE_TEXT(CE_VALUE_MAX);
    decided(judged, name, &out);
    if (strcmp(ce_text_string(&out), value) != 0)
        ce_text_addf(complaints, "\n  %s: expected '%s', got '%s'", name, value,
                     ce_text_string(&out));
}

/* All lines that differ at once, with the decision's own reason. */
static void is_as_expected(void **state)
{
    const struct machine_row *row = *state;
    ce_autotext struct ce_text complaints = CE_TEXT(1 << 16);
    char *text = read_file_of(row->machine, "expected"), *at = text, *name, *value;
    struct judged judged;
    judge(&judged, read_node(row->machine), interfaces_of(row->machine));
    while (next_line(&at, &name, &value))
        check_line(&judged, name, value, &complaints);
    if (*ce_text_string(&complaints))
        fail_msg("%s: %s%s", row->machine, judged.cluster.rails.reason,
                 ce_text_string(&complaints));
    forget(&judged);
    free(text);
}

/* ---------------------------------------------------------------- what holds on every machine */

static char *ib_hca_of(struct ce_node *node)
{
    ce_autotext struct ce_text out = CE_TEXT(CE_VALUE_MAX);
    struct judged judged;
    judge(&judged, node, 0);
    decided(&judged, "NCCL_IB_HCA", &out);
    forget(&judged);
    char *value = ce_text_take(&out);
    assert_non_null(value);
    return value;
}

/* As sysfs shows a port whose cable is out. */
static void take_down(struct ce_hca *hca)
{
    for (size_t i = 0; i < hca->port_count; i++) {
        hca->ports[i].state = CE_PORT_DOWN;
        hca->ports[i].phys_state = CE_PHYS_POLLING;
        hca->ports[i].rate_mbps = 40000;
        hca->ports[i].gid_count = 0;
    }
}

static bool is_rail(const char *machine, size_t index)
{
    struct judged judged;
    bool found = false;
    judge(&judged, read_node(machine), 0);
    const struct ce_rails *rails = &judged.cluster.rails;
    for (size_t i = 0; i < rails->port_count; i++)
        found |= rails->ports[i].chosen && rails->ports[i].hca == &judged.node->hcas[index];
    forget(&judged);
    return found;
}

/* What is written for `node`, against what is written for the machine as it is. */
static void compare(const char *machine, const char *what, struct ce_node *node,
                    struct ce_text *complaints)
{
    char *before = ib_hca_of(read_node(machine)), *after = ib_hca_of(node);
    if (strcmp(before, after) != 0)
        ce_text_addf(complaints, "\n  %s, %s: NCCL_IB_HCA was '%s', is '%s'", machine, what, before,
                     after);
    free(before);
    free(after);
}

static void fail_with(const struct ce_text *complaints)
{
    if (*ce_text_string(complaints))
        fail_msg("%s", ce_text_string(complaints));
}

static void a_device_that_is_down_changes_no_list(void **state)
{
    ce_autotext struct ce_text complaints = CE_TEXT(1 << 20);
    (void)state;
    for (size_t m = 0; m < UNIT_COUNT(machines); m++) {
        const char *machine = machines[m].machine;
        ce_auto(ce_node_destroy) struct ce_node *all = read_node(machine);
        for (size_t i = 0; i < all->hca_count; i++) {
            struct ce_node *node = read_node(machine);
            take_down(&node->hcas[i]);
            compare(machine, all->hcas[i].name, node, &complaints);
        }
    }
    fail_with(&complaints);
}

static void all_rails_down_change_no_list(void **state)
{
    ce_autotext struct ce_text complaints = CE_TEXT(1 << 20);
    (void)state;
    for (size_t m = 0; m < UNIT_COUNT(machines); m++) {
        const char *machine = machines[m].machine;
        struct ce_node *node = read_node(machine);
        for (size_t i = 0; i < node->hca_count; i++)
            if (is_rail(machine, i))
                take_down(&node->hcas[i]);
        compare(machine, "all rails down", node, &complaints);
    }
    fail_with(&complaints);
}

static void all_devices_down_change_no_list(void **state)
{
    ce_autotext struct ce_text complaints = CE_TEXT(1 << 20);
    (void)state;
    for (size_t m = 0; m < UNIT_COUNT(machines); m++) {
        struct ce_node *node = read_node(machines[m].machine);
        for (size_t i = 0; i < node->hca_count; i++)
            take_down(&node->hcas[i]);
        compare(machines[m].machine, "all devices down", node, &complaints);
    }
    fail_with(&complaints);
}

/* A list is of devices that are there, each once. */
static void every_name_that_is_written_is_a_device(void **state)
{
    (void)state;
    for (size_t m = 0; m < UNIT_COUNT(machines); m++) {
        ce_auto(ce_node_destroy) struct ce_node *node = read_node(machines[m].machine);
        char *value = ib_hca_of(read_node(machines[m].machine)), *save = NULL;
        char *list = value + strspn(value, "^=");
        for (char *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save))
            assert_non_null(ce_node_find_hca(node, name));
        free(value);
    }
}

/* ---------------------------------------------------------------- the fixtures themselves */

/* A key that is misspelt would be skipped, and come back no more. */
static void facts_are_as_they_would_be_written(void **state)
{
    (void)state;
    for (size_t m = 0; m < UNIT_COUNT(machines); m++) {
        ce_autotext struct ce_text written = CE_TEXT(1 << 20);
        char *text = read_file_of(machines[m].machine, "node.facts");
        ce_auto(ce_node_destroy) struct ce_node *node = read_node(machines[m].machine);
        ce_node_write(node, &written);
        assert_string_equal(ce_text_string(&written), text);
        free(text);
    }
}

static void every_expectation_has_its_source_and_rule(void **state)
{
    static const char *const parts[] = {"# machine: ", "\n# source: ",  "\n# provider sets: ",
                                        "\n# rule: ",  "\nNCCL_IB_HCA", "\nverdict="};
    (void)state;
    for (size_t m = 0; m < UNIT_COUNT(machines); m++) {
        char *text = read_file_of(machines[m].machine, "expected");
        for (size_t i = 0; i < UNIT_COUNT(parts); i++)
            if (!strstr(text, parts[i]))
                fail_msg("%s/expected lacks '%s'", machines[m].machine, parts[i]);
        free(text);
    }
}

static bool is_row(const char *machine)
{
    size_t rows = 0;
    for (size_t m = 0; m < UNIT_COUNT(machines); m++)
        rows += strcmp(machines[m].machine, machine) == 0;
    return rows == 1;
}

static bool is_folder(const char *path, const char *name)
{
    char file[PATH_MAX];
    struct stat st;
    snprintf(file, sizeof file, "%.3000s/%s", path, name);
    return name[0] != '.' && stat(file, &st) == 0 && S_ISDIR(st.st_mode);
}

static void every_machine_is_a_row(void **state)
{
    char path[PATH_MAX];
    size_t folders = 0;
    (void)state;
    machine_path(path, sizeof path, "machines");
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (!is_folder(path, entry->d_name))
            continue;
        folders++;
        if (!is_row(entry->d_name))
            fail_msg("machines/%s is not one row of this test", entry->d_name);
    }
    closedir(dir);
    assert_int_equal(folders, UNIT_COUNT(machines));
}

int main(void)
{
    UNIT_TABLE(machines, is_as_expected);
    UNIT_RULE(a_device_that_is_down_changes_no_list);
    UNIT_RULE(all_rails_down_change_no_list);
    UNIT_RULE(all_devices_down_change_no_list);
    UNIT_RULE(every_name_that_is_written_is_a_device);
    UNIT_RULE(facts_are_as_they_would_be_written);
    UNIT_RULE(every_expectation_has_its_source_and_rule);
    UNIT_RULE(every_machine_is_a_row);
    return UNIT_RUN("launch/machines");
}
