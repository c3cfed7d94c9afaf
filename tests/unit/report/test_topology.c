/* SPDX-License-Identifier: Apache-2.0 */
#include "report/topology.h"

#include <jansson.h>

#include "../unit.h"
#include "launch/interface.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"

/* Facts in short. */
#define PORT(name, layer, rate)                                                                    \
    "ib." name ".node_type=1\nib." name ".1.state=4\nib." name ".1.phys_state=5\nib." name         \
    ".1.rate_mbps=" rate "\nib." name ".1.link_layer=" layer "\n"
#define AT(name, address) "ib." name ".pci=" address "\n"
#define UNDER(name, path) "ib." name ".path=" path "\n"

enum { INTERFACES_MAX = 1200 };

/* What is shown of these facts, with the true decision and two variables by hand. */
struct scene {
    struct ce_node *node;
    struct ce_rails rails;
    struct ce_network network;
    struct ce_interface interfaces[INTERFACES_MAX];
    struct ce_topology topology;
};

static const struct ce_topology_variable variables[] = {
    {"NCCL_IB_HCA", "=a,b", "node.facts"},
    {"NCCL_SOCKET_FAMILY", NULL,
     "a reason that is too long for what is left of the line, so that "
     "it goes on in a second one"},
};

static void set(struct scene *scene, const char *facts)
{
    struct ce_error err = {""};
    struct ce_policy policy;
    ce_policy_default(&policy);
    scene->node = ce_node_parse(facts, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(ce_rails_choose(scene->node, &scene->rails, &err), 0);
    ce_network_choose(scene->node, &policy, NULL, &scene->rails, &scene->network);
    assert_true(scene->node->netif_count <= INTERFACES_MAX);
    for (size_t i = 0; i < scene->node->netif_count; i++)
        scene->interfaces[i] =
            ce_interface_judge(&scene->node->netifs[i], &scene->network, &scene->rails);
    scene->topology = (struct ce_topology){
        .name = "node1",
        .node = scene->node,
        .rails = &scene->rails,
        .network = &scene->network,
        .finding = "",
        .interfaces = scene->interfaces,
        .variables = variables,
        .variable_count = UNIT_COUNT(variables),
    };
}

static void clear(struct scene *scene)
{
    ce_rails_free(&scene->rails);
    ce_node_destroy(scene->node);
}

static char *show(const char *facts, bool utf8, bool colour)
{
    static struct scene scene;
    const struct ce_topology_style style = {utf8, colour};
    ce_autotext struct ce_text out = CE_TEXT(16 << 20);
    struct ce_error err;
    set(&scene, facts);
    assert_int_equal(ce_report_topology_text(&scene.topology, &style, &out, &err), 0);
    clear(&scene);
    return ce_text_take(&out);
}

/* ---------------------------------------------------------------- parts of the text */

static const struct row {
    const char *name, *facts, *holds, *lacks;
} rows[] = {
    {"a_machine_is_told_by_its_counts", "gpu.count=1\n", "node1: 1 GPU, 0 HCAs\n", NULL},
    {"gpus_that_could_not_be_counted_are_not_counted", "", "node1: 0 HCAs\n", "GPU"},
    {"a_flat_machine_is_a_list",
     "gpu.count=1\ngpu.0.pci=0000:00:05.0\ngpu.0.path=pci0000:00/0000:00:05.0\n" PORT(
         "a", "infiniband", "400000") AT("a", "0000:00:06.0") UNDER("a", "pci0000:00/0000:00:06.0"),
     "|- GPU 0  0000:00:05.0\n"
     "`- a      InfiniBand  400 Gb/s ACTIVE  rail 0  400 Gb/s InfiniBand\n",
     "ridge"},
    {"devices_without_a_place_are_a_list", PORT("a", "infiniband", "400000"), "`- a  InfiniBand",
     "NUMA"},
    {"a_numa_node_is_a_heading",
     "gpu.count=1\ngpu.0.numa=1\n" PORT("a", "infiniband", "400000") "ib.a.numa=0\n",
     "NUMA node 0\n`- a      InfiniBand  400 Gb/s ACTIVE  rail 0  400 Gb/s InfiniBand\n\n"
     "NUMA node 1\n`- GPU 0\n",
     NULL},
    {"a_switch_is_one_that_several_devices_share",
     "gpu.count=1\ngpu.0.pci=0000:0c:00.0\ngpu.0.path=pci0000:0a/0000:0a:01.0/0000:0b:00.0/"
     "0000:0b:01.0/0000:0c:00.0\n" PORT("a", "infiniband", "400000") AT("a", "0000:0d:00.0")
         UNDER("a", "pci0000:0a/0000:0a:01.0/0000:0b:00.0/0000:0b:02.0/0000:0d:00.0")
             PORT("b", "infiniband", "100000") AT("b", "0000:21:00.0")
                 UNDER("b", "pci0000:20/0000:20:01.0/0000:21:00.0"),
     "|- PCI switch 0000:0b:00.0\n"
     "|  |- GPU 0  0000:0c:00.0\n"
     "|  `- a      InfiniBand  400 Gb/s ACTIVE  rail 0\n"
     "|            400 Gb/s InfiniBand, PIX to GPU 0\n"
     "`- b         InfiniBand  100 Gb/s ACTIVE  rail 1",
     "ost bridge"},
    {"the_functions_of_a_card_share_no_switch",
     PORT("a", "infiniband", "400000") AT("a", "0000:0c:00.0")
         UNDER("a", "pci0000:0a/0000:0a:01.0/0000:0c:00.0") PORT("b", "infiniband", "400000")
             AT("b", "0000:0c:00.1") UNDER("b", "pci0000:0a/0000:0a:01.0/0000:0c:00.1"),
     "|- a  InfiniBand  400 Gb/s ACTIVE  rail 0  400 Gb/s InfiniBand\n`- b  InfiniBand", "witch"},
    {"each_port_of_several_has_a_line",
     PORT("a", "infiniband", "400000") "ib.a.2.state=4\nib.a.2.rate_mbps=200000\n"
                                       "ib.a.2.link_layer=ethernet\n",
     "|- a:1  InfiniBand  400 Gb/s ACTIVE  ", NULL},
    {"an_hca_without_ports_says_so", "ib.a.node_type=1\n", "`- a  its ports could not be read\n",
     NULL},
    {"a_port_that_is_down_has_no_rate",
     PORT("a", "infiniband", "400000") "ib.b.node_type=1\nib.b.1.state=1\nib.b.1.phys_state=2\n"
                                       "ib.b.1.rate_mbps=40000\nib.b.1.link_layer=infiniband\n",
     "`- b  InfiniBand  DOWN (Polling)   rail 1", "40 Gb/s"},
    {"a_rail_that_is_down_is_told_once_more",
     PORT("a", "infiniband", "400000") "ib.b.node_type=1\nib.b.1.state=1\nib.b.1.phys_state=2\n"
                                       "ib.b.1.link_layer=infiniband\n",
     "  DEGRADED: 1 of 2 rails down:\n    b\n", NULL},
    {"rails_that_are_up_are_not_degraded", PORT("a", "infiniband", "400000"),
     "1 rail of 400 Gb/s InfiniBand; confidence", "DEGRADED"},
    {"without_a_device_there_is_no_rail", "", "Decision\n  no rails\n  no RDMA device\n",
     "confidence"},
    {"what_is_left_to_a_provider_is_not_kept_out",
     "ib.a.node_type=1\nib.a.driver=efa\nib.a.1.state=4\nib.a.1.rate_mbps=400000\n"
     "ib.a.1.link_layer=unknown\n",
     "`- a  efa  400 Gb/s ACTIVE  left to the provider's plugin\n", "kept out"},
    {"the_cluster_interface_is_named",
     "netif.eth1.kind=ethernet\nnetif.eth1.up=1\nnetif.eth1.speed_mbps=100000\n"
     "netif.eth1.address.0=10.1.0.11/16\nnetif.eth0.kind=ethernet\nnetif.eth0.up=1\n"
     "netif.eth0.default_route=1\nnetif.eth0.address.0=172.16.0.1/16\n",
     "  eth1  Ethernet  100 Gb/s up  10.1.0.11   cluster interface\n"
     "        the fastest interface that does not carry the default route\n"
     "  eth0  Ethernet  up           172.16.0.1  management  carries the default route\n",
     NULL},
    {"an_interface_of_an_hca_stands_at_the_hca",
     PORT("a", "ethernet", "400000") "ib.a.netdev.0=rdma0\nnetif.rdma0.kind=ethernet\n",
     "ACTIVE  rdma0  rail 0", "  rdma0  Ethernet  down"},
    {"few_virtual_interfaces_are_named",
     "netif.lo.kind=other\nnetif.docker0.kind=bridge\nnetif.veth1.kind=ethernet\n",
     "  lo, docker0, veth1: virtual, not used\n", NULL},
    {"no_interface_is_said", "", "Interfaces\n  none\n", NULL},
    {"a_value_is_shown_as_it_is_written", "", "  NCCL_IB_HCA==a,b\n", NULL},
    {"a_variable_without_a_value_says_why", "",
     "  NCCL_SOCKET_FAMILY  not set: a reason that is too long for what is left of the\n"
     "                               line, so that it goes on in a second one\n",
     NULL},
    {"a_hostile_name_cannot_draw",
     PORT("m%1b%5b2J", "infiniband", "400000") "ib.m%1b%5b2J.netdev.0=%1b\n", "`- m?[2J  ", "\x1b"},
    {"a_hostile_interface_cannot_draw", "netif.e%1b%c2%9bx.kind=ethernet\n", "  e???x  Ethernet",
     "\xc2"},
    {"a_hostile_path_cannot_draw",
     PORT("a", "infiniband", "1") UNDER("a", "p/\x1b/a") PORT("b", "infiniband", "1")
         UNDER("b", "p/\x1b/b") PORT("c", "infiniband", "1") UNDER("c", "q/c"),
     "|- PCI switch ?\n", "\x1b"},
};

static void text(void **state)
{
    const struct row *row = *state;
    char facts[4096];
    snprintf(facts, sizeof facts, "format=1\n%send=1\n", row->facts);
    char *shown = show(facts, false, false);
    unit_holds(shown, row->holds);
    if (row->lacks && strstr(shown, row->lacks))
        assert_string_equal(shown, row->lacks);
    free(shown);
}

/* ---------------------------------------------------------------- the whole */

static const char small[] =
    FRAMED("gpu.count=1\ngpu.0.numa=0\n" PORT("a", "infiniband", "400000") "ib.a.numa=0\n");

static void lines_of_the_tree_are_drawn_in_utf8(void **state)
{
    (void)state;
    char *shown = show(small, true, false);
    unit_holds(shown, "NUMA node 0\n\u251c\u2500 GPU 0\n\u2514\u2500 a ");
    free(shown);
}

static void colour_is_only_where_it_is_asked_for(void **state)
{
    (void)state;
    char *shown = show(small, true, true), *plain = show(small, true, false);
    unit_holds(shown, "\033[32mrail 0\033[0m");
    assert_null(strchr(plain, '\033'));
    free(shown);
    free(plain);
}

static void what_is_not_as_expected_is_told(void **state)
{
    static struct scene scene;
    ce_autotext struct ce_text text = CE_TEXT(1 << 20), picture = CE_TEXT(1 << 20);
    struct ce_error err;
    (void)state;
    set(&scene, small);
    scene.topology.finding = "1 rail, expected 8";
    assert_int_equal(ce_report_topology_text(
                         &scene.topology, &(struct ce_topology_style){false, false}, &text, &err),
                     0);
    assert_int_equal(ce_report_topology_svg(&scene.topology, &picture, &err), 0);
    clear(&scene);
    unit_holds(ce_text_string(&text), "\n  1 rail, expected 8\n");
    unit_holds(ce_text_string(&picture), ">1 rail, expected 8</text>");
}

static void a_thousand_virtual_interfaces_are_one_line(void **state)
{
    ce_autotext struct ce_text facts = CE_TEXT(1 << 20);
    (void)state;
    ce_text_add(&facts, "format=1\n");
    for (int i = 0; i < 1000; i++)
        ce_text_addf(&facts, "netif.veth%d.kind=ethernet\n", i);
    for (int i = 0; i < 20; i++)
        ce_text_addf(&facts, "netif.eth%d.kind=ethernet\n", i);
    ce_text_add(&facts, "end=1\n");
    char *shown = show(ce_text_string(&facts), false, false);
    unit_holds(shown, "  eth15  Ethernet  down  not used  down\n  4 more, not used\n"
                      "  1,000 virtual interfaces, not used\n\n");
    free(shown);
}

/* 64 HCAs, every one below one more bridge than the last. */
static void add_nested(struct ce_text *facts)
{
    ce_text_add(facts, "format=1\ngpu.count=0\n");
    for (int i = 0; i < 64; i++) {
        ce_text_addf(facts, "ib.m%d.1.state=4\nib.m%d.1.link_layer=infiniband\nib.m%d.path=", i, i,
                     i);
        for (int k = 0; k < i; k++)
            ce_text_add(facts, "b/");
        ce_text_addf(facts, "%d\n", i);
    }
    ce_text_add(facts, "end=1\n");
}

static void bridges_nested_beyond_belief_stay_on_the_page(void **state)
{
    ce_autotext struct ce_text facts = CE_TEXT(1 << 20);
    (void)state;
    add_nested(&facts);
    char *shown = show(ce_text_string(&facts), false, false);
    unit_holds(shown, "node1: 0 GPUs, 64 HCAs\n");
    for (const char *line = shown, *end; (end = strchr(line, '\n')); line = end + 1)
        assert_true(end - line <= 140);
    free(shown);
}

/* ---------------------------------------------------------------- the other forms */

static char *draw(const char *facts)
{
    static struct scene scene;
    ce_autotext struct ce_text out = CE_TEXT(16 << 20);
    struct ce_error err;
    set(&scene, facts);
    assert_int_equal(ce_report_topology_svg(&scene.topology, &out, &err), 0);
    clear(&scene);
    return ce_text_take(&out);
}

static void names_are_escaped_in_the_picture(void **state)
{
    (void)state;
    char *picture =
        draw(FRAMED(PORT("%3cscript%3e%26%1b", "infiniband", "400000") "ib.a.node_type=1\n"));
    unit_holds(picture, ">&lt;script&gt;&amp;?</text>");
    assert_null(strstr(picture, "<script"));
    free(picture);
}

static void a_picture_of_nothing_is_a_picture(void **state)
{
    (void)state;
    char *picture = draw(FRAMED(""));
    unit_holds(picture, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1280 ");
    unit_holds(picture, "</svg>\n");
    free(picture);
}

static void a_picture_of_bridges_nested_beyond_belief_is_drawn(void **state)
{
    ce_autotext struct ce_text facts = CE_TEXT(1 << 20);
    (void)state;
    add_nested(&facts);
    char *picture = draw(ce_text_string(&facts));
    assert_null(strstr(picture, "width=\"-"));
    free(picture);
}

static void json_tells_the_same(void **state)
{
    static struct scene scene;
    ce_autotext struct ce_text out = CE_TEXT(1 << 20);
    struct ce_error err;
    (void)state;
    set(&scene, small);
    assert_int_equal(ce_report_topology_json(&scene.topology, &out, &err), 0);
    clear(&scene);
    json_t *root = json_loads(ce_text_string(&out), 0, NULL);
    const json_t *hca = json_array_get(json_object_get(root, "hcas"), 0);
    const json_t *numa = json_array_get(json_object_get(root, "tree"), 0);
    const json_t *decision = json_object_get(root, "decision");
    const json_t *unset = json_array_get(json_object_get(root, "variables"), 1);
    assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
    assert_string_equal(json_string_value(json_object_get(hca, "name")), "a");
    assert_int_equal(json_integer_value(json_object_get(hca, "rail")), 0);
    assert_true(json_is_integer(json_object_get(hca, "rail")));
    assert_int_equal(json_array_size(json_object_get(numa, "children")), 2);
    assert_string_equal(json_string_value(json_object_get(decision, "verdict")), "all");
    assert_true(json_is_false(json_object_get(decision, "degraded")));
    assert_true(json_is_null(json_object_get(unset, "value")));
    json_decref(root);
}

int main(void)
{
    UNIT_TABLE(rows, text);
    UNIT_RULE(lines_of_the_tree_are_drawn_in_utf8);
    UNIT_RULE(colour_is_only_where_it_is_asked_for);
    UNIT_RULE(what_is_not_as_expected_is_told);
    UNIT_RULE(a_thousand_virtual_interfaces_are_one_line);
    UNIT_RULE(bridges_nested_beyond_belief_stay_on_the_page);
    UNIT_RULE(names_are_escaped_in_the_picture);
    UNIT_RULE(a_picture_of_nothing_is_a_picture);
    UNIT_RULE(a_picture_of_bridges_nested_beyond_belief_is_drawn);
    UNIT_RULE(json_tells_the_same);
    return UNIT_RUN("report/topology");
}
