/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/netif.h"

#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "../unit_dir.h"
#include "probe/host.h"

/* ---------------------------------------------------------------- one interface */

static const struct state_row {
    const char *name, *flags, *carrier, *speed; /* NULL: no such file */
    bool up;
    unsigned mbps;
} states[] = {
    {"an_interface_with_link_is_up", "0x1003", "1", "100000", true, 100000},
    {"an_interface_without_link_is_down", "0x1003", "0", "-1", false, 0},
    {"an_interface_that_the_admin_took_down_is_down", "0x1002", "1", "100000", false, 100000},
    {"an_interface_whose_link_cannot_be_read_is_down", "0x1003", NULL, "100000", false, 100000},
    {"an_interface_whose_flags_cannot_be_read_is_down", NULL, "1", "100000", false, 100000},
    {"a_speed_that_is_not_told_is_unknown", "0x1003", "1", NULL, true, 0},
    {"a_speed_of_all_ones_is_unknown", "0x1003", "1", "4294967295", true, 0},
    {"a_speed_below_zero_is_unknown", "0x1003", "1", "-1", true, 0},
    {"a_speed_past_all_numbers_is_unknown", "0x1003", "1", "99999999999999999999999", true, 0},
};

static const struct kind_row {
    const char *name, *type, *folder, *file;
    enum ce_netif_kind kind;
} kinds[] = {
    {"type_1_is_ethernet", "1", NULL, NULL, CE_NETIF_ETHERNET},
    {"type_32_is_infiniband", "32", NULL, NULL, CE_NETIF_INFINIBAND},
    {"loopback_is_something_else", "772", NULL, NULL, CE_NETIF_OTHER},
    {"a_tunnel_is_something_else", "65534", NULL, NULL, CE_NETIF_OTHER},
    {"an_unreadable_type_is_something_else", NULL, NULL, NULL, CE_NETIF_OTHER},
    {"a_bridge_is_no_ethernet", "1", "bridge", NULL, CE_NETIF_BRIDGE},
    {"a_tap_is_no_ethernet", "1", NULL, "tun_flags", CE_NETIF_TUN},
};

static void put(const struct unit_dir *dir, const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "sys/class/net/eth7/%s", name);
    if (text)
        unit_dir_write(dir, path, text);
}

static struct unit_dir one_interface(void)
{
    static const char *const folders[] = {"sys", "sys/class", "sys/class/net",
                                          "sys/class/net/eth7", "proc", "proc/net"};
    struct unit_dir dir = unit_dir_make();
    for (size_t i = 0; i < UNIT_COUNT(folders); i++)
        assert_int_equal(mkdirat(dir.fd, folders[i], 0755), 0);
    put(&dir, "ifindex", "7\n");
    return dir;
}

static struct ce_node *probe(const struct unit_dir *dir)
{
    struct ce_root root;
    struct ce_error err = {""};
    struct ce_node *node = ce_node_create();
    assert_non_null(node);
    assert_int_equal(ce_root_open(&root, dir->path, &err), 0);
    int rc = ce_probe_netifs(&root, node, &err);
    ce_root_close(&root);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
    return node;
}

static void has_state(void **state)
{
    const struct state_row *row = *state;
    struct unit_dir dir = one_interface();
    put(&dir, "type", "1\n");
    put(&dir, "flags", row->flags);
    put(&dir, "carrier", row->carrier);
    put(&dir, "speed", row->speed);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&dir);
    unit_dir_remove(&dir);
    assert_int_equal(node->netif_count, 1);
    assert_int_equal(node->netifs[0].index, 7);
    assert_int_equal(node->netifs[0].up, row->up);
    assert_int_equal(node->netifs[0].speed_mbps, row->mbps);
    assert_int_equal(node->netifs[0].address_count, 0);
}

static void has_kind(void **state)
{
    const struct kind_row *row = *state;
    struct unit_dir dir = one_interface();
    put(&dir, "type", row->type);
    if (row->folder)
        assert_int_equal(mkdirat(dir.fd, "sys/class/net/eth7/bridge", 0755), 0);
    if (row->file)
        put(&dir, row->file, "0x5002\n");
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&dir);
    unit_dir_remove(&dir);
    assert_string_equal(ce_netif_kind_name(node->netifs[0].kind), ce_netif_kind_name(row->kind));
}

/* ---------------------------------------------------------------- routes */

#define HEAD "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
#define REST "\t0\t0\t0\n"
#define Z8 "00000000"
#define Z32 Z8 Z8 Z8 Z8

static const struct route_row {
    const char *name, *ipv4, *ipv6; /* NULL: no such file */
    bool gateway;
} routes[] = {
    {"a_default_route_is_seen", HEAD "eth7\t" Z8 "\t0101A8C0\t0003\t0\t0\t0\t" Z8 REST, NULL, true},
    {"a_default_route_behind_others_is_seen",
     HEAD "eth7\t0001A8C0\t" Z8 "\t0001\t0\t0\t0\t00FFFFFF" REST
          "eth7\t" Z8 "\t0101A8C0\t0003\t0\t0\t0\t" Z8 REST,
     NULL, true},
    {"a_route_to_a_network_is_none", HEAD "eth7\t0001A8C0\t" Z8 "\t0001\t0\t0\t0\t00FFFFFF" REST,
     NULL, false},
    {"a_route_to_half_of_everything_is_none",
     HEAD "eth7\t" Z8 "\t0101A8C0\t0003\t0\t0\t0\t00000080" REST, NULL, false},
    {"a_default_route_of_another_interface_is_none",
     HEAD "eth70\t" Z8 "\t0101A8C0\t0003\t0\t0\t0\t" Z8 REST, NULL, false},
    {"a_line_cut_short_is_none", HEAD "eth7\t" Z8 "\t0101A8C0\t0003\t0\t0", NULL, false},
    {"a_default_route_of_ipv6_is_seen", NULL,
     Z32 " 00 " Z32 " 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003"
         "     eth7\n", true},
    {"a_route_of_ipv6_to_a_network_is_none", NULL,
     "fe800000000000000000000000000000 40 " Z32 " 00 " Z32
     " 00000100 00000001 00000000 00000001     eth7\n", false},
    {"a_route_of_ipv6_to_one_address_is_none", NULL,
     Z32 " 80 " Z32 " 00 " Z32 " 00000100 00000001 00000000 00000001     eth7\n", false},
    {"no_routes_are_none", NULL, NULL, false},
    {"empty_lists_are_none", HEAD, "", false},
    {"empty_lines_are_none", "\n\n \n\t\n", "\n \n", false},
};

static void has_route(void **state)
{
    const struct route_row *row = *state;
    struct unit_dir dir = one_interface();
    put(&dir, "type", "1\n");
    if (row->ipv4)
        unit_dir_write(&dir, "proc/net/route", row->ipv4);
    if (row->ipv6)
        unit_dir_write(&dir, "proc/net/ipv6_route", row->ipv6);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&dir);
    unit_dir_remove(&dir);
    assert_int_equal(node->netifs[0].default_route, row->gateway);
}

/* ---------------------------------------------------------------- the rest */

static void the_driver_of_an_interface_is_told(void **state)
{
    struct unit_dir dir = one_interface();
    (void)state;
    assert_int_equal(mkdirat(dir.fd, "sys/class/net/eth7/device", 0755), 0);
    assert_int_equal(symlinkat("../../../bus/pci/drivers/gve", dir.fd,
                               "sys/class/net/eth7/device/driver"), 0);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&dir);
    unit_dir_remove(&dir);
    assert_string_equal(node->netifs[0].driver, "gve");
}

static void a_name_that_is_too_long_or_odd_is_unknown(void **state)
{
    struct unit_dir dir = one_interface();
    (void)state;
    assert_int_equal(mkdirat(dir.fd, "sys/class/net/eth7/device", 0755), 0);
    assert_int_equal(symlinkat("../drivers/one\ntwo", dir.fd, "sys/class/net/eth7/device/driver"),
                     0);
    assert_int_equal(symlinkat("../a-name-longer-than-any", dir.fd, "sys/class/net/eth7/master"),
                     0);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&dir);
    unit_dir_remove(&dir);
    assert_string_equal(node->netifs[0].driver, "");
    assert_string_equal(node->netifs[0].master, "");
}

static void a_speed_that_never_answers_is_unknown(void **state)
{
    struct unit_dir dir = one_interface();
    (void)state;
    assert_int_equal(mkfifoat(dir.fd, "sys/class/net/eth7/speed", 0644), 0);
    int writer = openat(dir.fd, "sys/class/net/eth7/speed", O_RDWR | O_CLOEXEC);
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&dir);
    close(writer);
    unit_dir_remove(&dir);
    assert_int_equal(node->netifs[0].speed_mbps, 0);
}

/* Containers' interfaces: as many as a node may have. */
static void a_thousand_interfaces_are_all_there_by_index(void **state)
{
    enum { VETHS = 1000 };
    struct unit_dir dir = one_interface();
    char path[64], text[16];
    (void)state;
    for (int i = 0; i < VETHS; i++) {
        snprintf(path, sizeof path, "sys/class/net/veth%d", i);
        assert_int_equal(mkdirat(dir.fd, path, 0755), 0);
        snprintf(path, sizeof path, "sys/class/net/veth%d/ifindex", i);
        snprintf(text, sizeof text, "%d\n", 5000 - i);
        unit_dir_write(&dir, path, text);
    }
    ce_auto(ce_node_destroy) struct ce_node *node = probe(&dir);
    unit_dir_remove(&dir);
    assert_int_equal(node->netif_count, VETHS + 1);
    assert_string_equal(node->netifs[0].name, "eth7");
    assert_string_equal(node->netifs[1].name, "veth999");
    assert_string_equal(node->netifs[VETHS].name, "veth0");
}

static void a_machine_without_sysfs_is_an_error(void **state)
{
    struct unit_dir dir = unit_dir_make();
    struct ce_root root;
    struct ce_error err = {""};
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    assert_non_null(node);
    assert_int_equal(ce_root_open(&root, dir.path, &err), 0);
    assert_int_equal(ce_probe_netifs(&root, node, &err), -1);
    unit_holds(err.text, "/sys/class/net: cannot be read");
    ce_root_close(&root);
    unit_dir_remove(&dir);
}

static struct ce_node *probe_this_machine(void)
{
    struct ce_root root;
    struct ce_error err;
    struct ce_node *node = ce_node_create();
    if (!node || ce_root_open(&root, "/", &err) < 0 || ce_probe_netifs(&root, node, &err) < 0) {
        ce_node_destroy(node);
        return NULL;
    }
    ce_root_close(&root);
    return node;
}

/* Only what holds on every machine. */
static void the_facts_of_this_machine_can_be_written_and_read(void **state)
{
    ce_autotext struct ce_text first = CE_TEXT(16 << 20), second = CE_TEXT(16 << 20);
    struct ce_error err = {""};
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = probe_this_machine();
    assert_non_null(node);
    assert_non_null(ce_node_find_netif(node, "lo"));
    for (size_t i = 1; i < node->netif_count; i++)
        assert_true(node->netifs[i - 1].index < node->netifs[i].index);
    ce_node_write(node, &first);
    ce_auto(ce_node_destroy) struct ce_node *again = ce_node_parse(ce_text_string(&first), &err);
    assert_string_equal(err.text, "");
    assert_non_null(again);
    ce_node_write(again, &second);
    assert_string_equal(ce_text_string(&first), ce_text_string(&second));
}

/* In a network of its own: give lo the address 10.9.8.7 under the label lo:7. */
static int add_labelled_address(void)
{
    struct ifreq request = {.ifr_name = "lo:7"};
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a090807)};
    int flags = CLONE_NEWNET | (getuid() == 0 ? 0 : CLONE_NEWUSER);
    memcpy(&request.ifr_addr, &in, sizeof in);
    if (unshare(flags) < 0)
        return -1;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int rc = ioctl(fd, SIOCSIFADDR, &request);
    close(fd);
    return rc;
}

static bool finds_labelled_address(void)
{
    struct ce_address wanted;
    bool found = false;
    struct ce_node *node = probe_this_machine();
    const struct ce_netif *lo = node ? ce_node_find_netif(node, "lo") : NULL;
    for (size_t i = 0; lo && i < lo->address_count; i++)
        found |= ce_address_parse("10.9.8.7", &wanted) == 0 &&
                 ce_address_equal(&lo->addresses[i].address, &wanted);
    ce_node_destroy(node);
    return found;
}

enum { FOUND = 0, NOT_FOUND = 1, NO_NETWORK = 2 };

static int try_labelled_address(void)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(add_labelled_address() < 0 ? NO_NETWORK
                                         : finds_labelled_address() ? FOUND : NOT_FOUND);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static int labelled_address;

static void an_address_with_a_label_is_the_interfaces(void **state)
{
    (void)state;
    assert_int_equal(labelled_address, FOUND);
}

int main(void)
{
    labelled_address = try_labelled_address();
    UNIT_TABLE(states, has_state);
    UNIT_TABLE(kinds, has_kind);
    UNIT_TABLE(routes, has_route);
    UNIT_RULE(the_driver_of_an_interface_is_told);
    UNIT_RULE(a_name_that_is_too_long_or_odd_is_unknown);
    UNIT_RULE(a_speed_that_never_answers_is_unknown);
    UNIT_RULE(a_thousand_interfaces_are_all_there_by_index);
    UNIT_RULE(a_machine_without_sysfs_is_an_error);
    UNIT_RULE(the_facts_of_this_machine_can_be_written_and_read);
    UNIT_RULE_UNLESS(labelled_address == NO_NETWORK ? "needs a network namespace" : NULL,
                     an_address_with_a_label_is_the_interfaces);
    return UNIT_RUN("probe/netif");
}
