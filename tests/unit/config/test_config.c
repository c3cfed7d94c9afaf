/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config.h"

#include "../unit_dir.h"
#include "config/options.h"

#define DEFAULTS                                                                                   \
    "port.first=61000\nport.last=65535\nnetwork.suffix=\nnetwork.interface=\n"                     \
    "network.interfaces=0\nnetwork.family=auto\n"
#define WARN "rails.differ=warn\nmode=observe\n"

/* What a configuration means for node "gpu3", as node.policy says it; "..." stands for the default
 * of the keys before. */
static const struct meaning_row {
    const char *name, *text, *policy;
} meanings[] = {
    {"an_empty_configuration_is_the_default", "", DEFAULTS "tuning=default\n" WARN},
    {"comments_are_passed_over", "# one\n// two\n/* three */\n", DEFAULTS "tuning=default\n" WARN},
    {"every_key_is_understood",
     "address_book = \"/etc/hosts\";\n"
     "network = { interface = \"eth1\"; interfaces = 8; prefixes = [ \"10.1.0.0/16\", \"fd00::/8\" ];\n"
     "  family = \"ipv6\"; suffix = \"-hsn\"; };\nport = { first = 50000; last = 50099; };\n"
     "tuning = \"off\";\n",
     "port.first=50000\nport.last=50099\nnetwork.suffix=-hsn\nnetwork.interface=eth1\n"
     "network.interfaces=8\nnetwork.family=ipv6\nnetwork.prefix.0=10.1.0.0/16\n"
     "network.prefix.1=fd00::/8\ntuning=off\n" WARN},
    {"a_list_may_stand_in_parentheses", "network = { prefixes = ( \"10.1.0.0/16\" ); };\n",
     DEFAULTS "network.prefix.0=10.1.0.0/16\ntuning=default\n" WARN},
    {"a_section_of_this_node_counts", "nodes = ( { names = \"gpu[1-8]\"; tuning = \"off\"; } );\n",
     DEFAULTS "tuning=off\n" WARN},
    {"a_section_of_another_node_does_not", "nodes = ( { names = \"cpu[1-8]\"; tuning = \"off\"; } );\n",
     DEFAULTS "tuning=default\n" WARN},
    {"a_section_overrides_what_is_general",
     "tuning = \"off\";\nnodes = ( { names = \"gpu3\"; tuning = \"default\"; } );\n",
     DEFAULTS "tuning=default\n" WARN},
    {"a_section_that_stands_first_overrides_too",
     "nodes = ( { names = \"gpu3\"; tuning = \"off\"; } );\ntuning = \"default\";\n",
     DEFAULTS "tuning=off\n" WARN},
    {"a_later_section_overrides_an_earlier",
     "nodes = ( { names = \"gpu[1-8]\"; tuning = \"off\"; }, { names = \"gpu3\"; tuning = \"default\"; } );\n",
     DEFAULTS "tuning=default\n" WARN},
    {"sections_add_up_key_by_key",
     "nodes = ( { names = \"gpu[1-8]\"; tuning = \"off\"; network = { suffix = \"-a\"; }; },\n"
     "          { names = \"gpu3\"; network = { family = \"ipv4\"; }; } );\n",
     "port.first=61000\nport.last=65535\nnetwork.suffix=-a\nnetwork.interface=\n"
     "network.interfaces=0\nnetwork.family=ipv4\ntuning=off\n" WARN},
    {"prefixes_of_a_section_replace_the_general_ones",
     "network = { prefixes = [ \"10.1.0.0/16\", \"10.2.0.0/16\" ]; };\n"
     "nodes = ( { names = \"gpu3\"; network = { prefixes = [ \"10.9.0.0/16\" ]; }; } );\n",
     DEFAULTS "network.prefix.0=10.9.0.0/16\ntuning=default\n" WARN},
    {"a_section_may_empty_the_prefixes",
     "network = { prefixes = [ \"10.1.0.0/16\" ]; };\n"
     "nodes = ( { names = \"gpu3\"; network = { prefixes = [ ]; }; } );\n",
     DEFAULTS "tuning=default\n" WARN},
    {"no_sections_are_sections", "nodes = ( );\n", DEFAULTS "tuning=default\n" WARN},
    {"rails_are_understood",
     "rails = { count = 8; link_layer = \"infiniband\"; rate = 400; differ = \"common\"; };\n",
     DEFAULTS "tuning=default\nrails.count=8\nrails.link_layer=infiniband\nrails.rate_gbps=400\n"
     "rails.differ=common\nmode=observe\n"},
    {"rails_of_a_section_are_added_key_by_key",
     "rails = { count = 8; link_layer = \"infiniband\"; };\n"
     "nodes = ( { names = \"gpu3\"; rails = { count = 4; }; },\n"
     "          { names = \"gpu[1-8]\"; rails = { rate = 200; }; } );\n",
     DEFAULTS "tuning=default\nrails.count=4\nrails.link_layer=infiniband\nrails.rate_gbps=200\n" WARN},
    {"a_section_may_say_that_nothing_is_known",
     "rails = { count = 8; link_layer = \"infiniband\"; };\n"
     "nodes = ( { names = \"gpu3\"; rails = { count = 0; link_layer = \"\"; }; } );\n",
     DEFAULTS "tuning=default\n" WARN},
    {"tuning_may_be_all", "tuning = \"all\";\n", DEFAULTS "tuning=all\n" WARN},
    {"variables_are_no_part_of_the_policy", "variables = { NCCL_IB_TC = \"41\"; };\n",
     DEFAULTS "tuning=default\n" WARN},
    {"a_window_of_one_port_is_a_window", "port = { first = 7000; last = 7000; };\n",
     "port.first=7000\nport.last=7000\nnetwork.suffix=\nnetwork.interface=\n"
     "network.interfaces=0\nnetwork.family=auto\ntuning=default\n" WARN},
};

static int parse(const char *text, struct ce_config *config, struct ce_error *err)
{
    return ce_config_parse(text, "test.conf", "gpu3", config, err);
}

static void means(void **state)
{
    const struct meaning_row *row = *state;
    struct ce_config config;
    struct ce_error err = {""};
    ce_autotext struct ce_text written = CE_TEXT(1 << 16);
    int rc = parse(row->text, &config, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
    ce_policy_write(&config.policy, NULL, &written);
    char expected[1024];
    snprintf(expected, sizeof expected, "format=1\n%send=1\n", row->policy);
    assert_string_equal(ce_text_string(&written), expected);
}

/* One file, asked for one node after the other. */
#define TWO_SECTIONS                                                                               \
    "network = { suffix = \"-a\"; interface = \"eth0\"; };\n"                                       \
    "nodes = ( { names = \"gpu[1-3]\"; network = { suffix = \"-b\"; interface = \"eth1\"; }; },\n"   \
    "          { names = \"gpu3,gpu5,gpu3\"; network = { suffix = \"-c\"; }; } );\n"

static const struct node_row {
    const char *name, *node, *suffix, *interface;
} node_rows[] = {
    {"a_node_of_both_sections_has_the_later_ones_keys", "gpu3", "-c", "eth1"},
    {"a_node_of_the_first_section_has_its_keys", "gpu1", "-b", "eth1"},
    {"a_node_of_the_second_section_has_nothing_of_the_first", "gpu5", "-c", "eth0"},
    {"a_node_of_no_section_has_what_is_general", "gpu4", "-a", "eth0"},
    {"the_start_of_a_nodes_name_is_no_node_of_a_section", "gpu", "-a", "eth0"},
    {"a_name_in_other_letters_is_no_node_of_a_section", "GPU3", "-a", "eth0"},
    {"no_name_is_no_node_of_a_section", "", "-a", "eth0"},
};

static void means_for_the_node(void **state)
{
    const struct node_row *row = *state;
    struct ce_config config;
    ce_auto(ce_config_close) struct ce_config_file *file =
        ce_config_open(TWO_SECTIONS, "test.conf", NULL);
    assert_non_null(file);
    for (size_t i = 0; i < UNIT_COUNT(node_rows); i++) /* none leaves anything to the next */
        ce_config_for(file, node_rows[i].node, &config);
    ce_config_for(file, row->node, &config);
    assert_string_equal(config.policy.suffix, row->suffix);
    assert_string_equal(config.policy.interface, row->interface);
}

static void the_book_is_a_path_or_none(void **state)
{
    struct ce_config config;
    (void)state;
    assert_int_equal(parse("address_book = \"/shared/hosts\";", &config, NULL), 0);
    assert_string_equal(config.address_book, "/shared/hosts");
    assert_int_equal(parse("address_book = \"\";", &config, NULL), 0);
    assert_string_equal(config.address_book, "");
}

static const struct error_row {
    const char *name, *text, *line, *reason;
} errors[] = {
    {"bad_syntax_is_an_error", "tuning = ;\n", "test.conf:1:", "syntax error"},
    {"an_error_names_its_line", "\n\ntuning = \"no\";\n", "test.conf:3:", "tuning: 'no'"},
    {"an_unknown_key_is_an_error", "\ntunning = \"off\";\n", "test.conf:2:",
     "'tunning' is not a key"},
    {"an_unknown_key_of_a_group_is_an_error", "network = {\n  speed = 1; };\n", "test.conf:2:",
     "'network.speed' is not a key"},
    {"a_key_in_the_wrong_group_is_an_error", "port = { family = \"ipv4\"; };\n", "test.conf:1:",
     "'port.family' is not a key"},
    {"a_key_outside_its_group_is_an_error", "family = \"ipv4\";\n", "test.conf:1:",
     "'family' is not a key"},
    {"a_group_in_a_group_is_an_error", "network = { network = { family = \"ipv4\"; }; };\n",
     "test.conf:1:", "'network.network' is not a key"},
    {"a_group_that_is_none_is_an_error", "network = \"eth1\";\n", "test.conf:1:",
     "'network' is not a key"},
    {"a_key_twice_is_an_error", "tuning = \"off\";\ntuning = \"off\";\n", "test.conf:2:",
     "duplicate"},
    {"a_group_twice_is_an_error", "port = { first = 2000; };\nport = { last = 3000; };\n",
     "test.conf:2:", "duplicate"},
    {"a_number_in_place_of_a_text_is_an_error", "tuning = 1;\n", "test.conf:1:",
     "tuning: expected a text in quotes"},
    {"a_text_in_place_of_a_number_is_an_error", "port = { first = \"2000\"; };\n", "test.conf:1:",
     "port.first: expected a number"},
    {"a_fraction_is_no_number", "port = { first = 2000.5; };\n", "test.conf:1:",
     "port.first: expected a number"},
    {"a_truth_is_no_number", "network = { interfaces = true; };\n", "test.conf:1:",
     "network.interfaces: expected a number"},
    {"a_number_past_32_bits_is_an_error", "port = { first = 99999999999; };\n", "test.conf:1:",
     "port.first: "},
    {"a_text_in_place_of_a_list_is_an_error", "network = { prefixes = \"10.1.0.0/16\"; };\n",
     "test.conf:1:", "network.prefixes: expected a list"},
    {"a_number_in_a_list_of_texts_is_an_error", "network = { prefixes = ( 7 ); };\n",
     "test.conf:1:", "expected a text in quotes"},
    {"a_list_in_a_list_is_an_error", "network = { prefixes = ( ( \"10.1.0.0/16\" ) ); };\n",
     "test.conf:1:", "expected a text in quotes"},
    {"a_group_in_place_of_a_text_is_an_error", "tuning = { a = 1; };\n", "test.conf:1:",
     "tuning: expected a text in quotes"},
    {"a_prefix_that_is_none_is_an_error", "network = { prefixes = [ \"10.1.0.0/99\" ]; };\n",
     "test.conf:1:", "'10.1.0.0/99' is not a prefix"},
    {"a_family_that_is_none_is_an_error", "network = { family = \"ipx\"; };\n", "test.conf:1:",
     "network.family: 'ipx'"},
    {"a_suffix_that_cannot_end_a_name_is_an_error", "network = { suffix = \"-a b\"; };\n",
     "test.conf:1:", "network.suffix: '-a b'"},
    {"an_interface_with_a_slash_is_an_error", "network = { interface = \"../eth1\"; };\n",
     "test.conf:1:", "'../eth1' is not an interface name"},
    {"an_interface_name_that_is_too_long_is_an_error",
     "network = { interface = \"abcdefghijklmnop\"; };\n", "test.conf:1:",
     "is not an interface name"},
    {"more_interfaces_than_nccl_takes_are_an_error", "network = { interfaces = 17; };\n",
     "test.conf:1:", "17: expected a number from 0 to 16"},
    {"a_negative_count_is_an_error", "network = { interfaces = -1; };\n", "test.conf:1:",
     "-1: expected a number from 0 to 16"},
    {"a_port_of_root_is_an_error", "port = { first = 1023; };\n", "test.conf:1:",
     "1023: expected a number from 1024 to 65535"},
    {"a_port_past_65535_is_an_error", "port = { last = 65536; };\n", "test.conf:1:",
     "65536: expected a number from 1024 to 65535"},
    {"a_guard_that_would_drain_nobody", "max_drained = 0;", "test.conf:1:",
     "max_drained: 0: expected a number from 1 to 100"},
    {"a_guard_of_more_than_all", "max_drained = 101;", "test.conf:1:",
     "101: expected a number from 1 to 100"},
    {"a_guard_of_no_time", "max_drained_hours = 0;", "test.conf:1:",
     "max_drained_hours: 0: expected a number from 1 to 8760"},
    {"a_recovery_that_is_neither_on_nor_off", "recover = \"yes\";", "test.conf:1:",
     "recover: 'yes': expected \"off\" or \"on\""},
    {"a_guard_of_some_nodes", "nodes = ( { names = \"n1\"; max_drained = 5; } );", "test.conf:1:",
     "'max_drained' is not a key of a nodes section"},
    {"a_window_that_runs_backwards_is_an_error", "port = { first = 3000; last = 2999; };\n",
     "test.conf:", "port.first = 3000 is greater than port.last = 2999"},
    {"a_window_past_the_default_end_is_an_error", "port = { last = 60000; };\n", "test.conf:",
     "port.first = 61000 is greater than port.last = 60000"},
    {"a_relative_book_is_an_error", "address_book = \"hosts\";\n", "test.conf:1:",
     "'hosts': expected an absolute path"},
    {"a_book_in_a_section_is_an_error",
     "nodes = ( { names = \"gpu3\"; address_book = \"/etc/hosts\"; } );\n", "test.conf:1:",
     "'address_book' is not a key of a nodes section"},
    {"a_port_in_a_section_is_an_error",
     "nodes = (\n { names = \"gpu3\"; port = { first = 2000; }; } );\n", "test.conf:2:",
     "'port.first' is not a key of a nodes section"},
    {"an_unknown_key_in_a_section_is_an_error", "nodes = ( { names = \"gpu3\"; speed = 1; } );\n",
     "test.conf:1:", "'speed' is not a key"},
    {"sections_in_a_section_are_an_error",
     "nodes = ( { names = \"gpu3\"; nodes = ( { names = \"gpu3\"; } ); } );\n", "test.conf:1:",
     "'nodes' is not a key"},
    {"an_error_in_another_nodes_section_is_an_error",
     "nodes = ( { names = \"cpu1\"; tuning = \"no\"; } );\n", "test.conf:1:", "tuning: 'no'"},
    {"a_section_without_names_is_an_error", "nodes = ( { tuning = \"off\"; } );\n", "test.conf:1:",
     "expected nodes = ("},
    {"names_that_are_no_text_are_an_error", "nodes = ( { names = 3; } );\n", "test.conf:1:",
     "expected nodes = ("},
    {"names_that_are_no_list_are_an_error", "nodes = ( { names = \"gpu[1-\"; } );\n",
     "test.conf:1:", "nodes: names: host list:"},
    {"a_section_that_is_no_group_is_an_error", "nodes = ( \"gpu3\" );\n", "test.conf:1:",
     "expected nodes = ("},
    {"sections_that_are_no_list_are_an_error", "nodes = { names = \"gpu3\"; };\n", "test.conf:1:",
     "expected nodes = ("},
    {"names_outside_a_section_are_an_error", "names = \"gpu3\";\n", "test.conf:1:",
     "'names' is not a key"},
    {"more_rails_than_devices_are_an_error", "rails = { count = 1025; };\n", "test.conf:1:",
     "rails.count: 1025: expected a number from 0 to 1024"},
    {"a_link_layer_that_is_none_is_an_error", "rails = {\n link_layer = \"roce\"; };\n",
     "test.conf:2:", "rails.link_layer: 'roce': expected \"infiniband\" or \"ethernet\""},
    {"a_rate_that_is_no_number_is_an_error", "rails = { rate = \"400G\"; };\n", "test.conf:1:",
     "rails.rate: expected a number"},
    {"a_way_to_differ_that_is_none_is_an_error", "rails = { differ = \"stop\"; };\n",
     "test.conf:1:", "rails.differ: 'stop'"},
    {"a_way_to_differ_in_a_section_is_an_error",
     "nodes = ( { names = \"gpu3\"; rails = { differ = \"warn\"; }; } );\n", "test.conf:1:",
     "'rails.differ' is not a key of a nodes section"},
    {"a_preflights_floor_in_a_section_is_an_error",
     "nodes = ( { names = \"gpu3\"; preflight = { floor = 100; }; } );\n", "test.conf:1:",
     "'preflight.floor' is not a key of a nodes section"},
    {"a_preflights_median_in_a_section_is_an_error",
     "nodes = ( { names = \"gpu3\"; preflight = { below_median = 9; }; } );\n", "test.conf:1:",
     "'preflight.below_median' is not a key of a nodes section"},
    {"variables_that_are_no_group_are_an_error", "variables = \"A=1\";\n", "test.conf:1:",
     "expected variables = {"},
    {"a_variable_that_is_no_text_is_an_error", "variables = {\n A = 1.5;\n};\n", "test.conf:2:",
     "variables: A: expected a text in quotes, or a number"},
    {"a_truth_is_no_value_of_a_variable", "variables = { A = true; };\n", "test.conf:1:",
     "variables: A: expected a text"},
    {"a_list_is_no_value_of_a_variable", "variables = { A = [ \"1\" ]; };\n", "test.conf:1:",
     "variables: A: expected a text"},
    {"a_variable_with_a_dash_is_an_error", "variables = {\n\n NCCL-IB = \"1\";\n};\n",
     "test.conf:3:", "variables: 'NCCL-IB' is not the name of a variable"},
    {"a_variable_of_two_lines_is_an_error", "variables = { A = \"1\\n2\"; };\n", "test.conf:1:",
     "variables: A: expected a value of one line"},
    {"a_variable_twice_is_an_error", "variables = { A = \"1\";\n A = \"2\"; };\n",
     "test.conf:2:", "duplicate"},
    {"an_error_in_another_nodes_variables_is_an_error",
     "nodes = (\n { names = \"cpu1\"; variables = { A = 1.5; }; } );\n", "test.conf:2:",
     "variables: A: expected a text"},
    {"variables_in_a_group_are_an_error", "network = { variables = { A = \"1\"; }; };\n",
     "test.conf:1:", "'network.variables' is not a key"},
    {"another_file_cannot_be_included", "# one\n@include \"/etc/hosts\"\n", "test.conf:2:",
     "@include"},
    {"another_file_cannot_be_included_behind_spaces", "\n\n \t@include \"x.conf\"\n",
     "test.conf:3:", "@include"},
};

static void is_an_error(void **state)
{
    const struct error_row *row = *state;
    struct ce_config config = {.address_book = "untouched"};
    struct ce_error err = {""};
    assert_int_equal(parse(row->text, &config, &err), -1);
    assert_int_equal(strncmp(err.text, row->line, strlen(row->line)), 0);
    unit_holds(err.text, row->reason);
    assert_string_equal(config.address_book, "untouched");
}

static void as_many_prefixes_as_are_allowed(void **state)
{
    (void)state;
    for (unsigned count = CE_POLICY_PREFIXES_MAX; count <= CE_POLICY_PREFIXES_MAX + 1; count++) {
        ce_autotext struct ce_text text = CE_TEXT(1 << 16);
        struct ce_config config;
        struct ce_error err = {""};
        ce_text_add(&text, "network = { prefixes = [");
        for (unsigned i = 0; i < count; i++)
            ce_text_addf(&text, "%s\"10.%u.0.0/16\"", i ? ", " : " ", i);
        ce_text_add(&text, " ]; };\n");
        int rc = parse(ce_text_string(&text), &config, &err);
        assert_int_equal(rc, count == CE_POLICY_PREFIXES_MAX ? 0 : -1);
        if (rc == 0)
            assert_int_equal(config.policy.prefix_count, count);
        else
            unit_holds(err.text, "more than 32 prefixes");
    }
}

/* ---------------------------------------------------------------- rules */

/* What a file means beside the policy, as node.policy says it. */
static const struct rule_row {
    const char *name, *node, *text, *rules;
} rule_rows[] = {
    {"no_file_has_no_rules", "gpu3", "", ""},
    {"a_variable_is_a_text", "gpu3", "variables = { NCCL_IB_TC = \"41\"; };", "variable.NCCL_IB_TC=41\n"},
    {"a_variable_may_be_a_number", "gpu3", "variables = { A = 41; B = -1; C = 99999999999L; D = 0x10; };",
     "variable.A=41\nvariable.B=-1\nvariable.C=99999999999\nvariable.D=16\n"},
    {"a_variable_may_be_empty", "gpu3", "variables = { A = \"\"; };", "variable.A=\n"},
    {"variables_may_be_none", "gpu3", "variables = { };", ""},
    {"a_section_of_this_node_adds_its_variables", "gpu3",
     "variables = { A = 1; B = 2; };\n"
     "nodes = ( { names = \"gpu[1-8]\"; variables = { B = 3; C = 4; }; } );",
     "variable.A=1\nvariable.B=3\nvariable.C=4\n"},
    {"a_section_of_another_node_does_not", "cpu1",
     "variables = { A = 1; };\nnodes = ( { names = \"gpu[1-8]\"; variables = { A = 3; }; } );",
     "variable.A=1\n"},
    {"a_later_sections_variable_counts", "gpu3",
     "nodes = ( { names = \"gpu[1-8]\"; variables = { A = 1; }; },\n"
     "          { names = \"gpu3\"; variables = { A = 2; }; } );", "variable.A=2\n"},
    {"rails_are_of_all_nodes", "cpu1",
     "rails = { count = 8; link_layer = \"infiniband\"; };\n"
     "nodes = ( { names = \"gpu[31-32]\"; rails = { count = 4; }; } );",
     "rails.general.count=8\nrails.general.link_layer=infiniband\n"
     "rails.group.0.names=gpu[31-32]\nrails.group.0.count=4\n"},
    {"a_section_without_rails_is_no_group", "gpu3",
     "rails = { count = 8; };\nnodes = ( { names = \"gpu3\"; tuning = \"off\"; } );",
     "rails.general.count=8\n"},
    {"a_section_that_says_the_general_again_is_a_group", "gpu3",
     "rails = { count = 8; };\nnodes = ( { names = \"gpu[1-3]\"; rails = { count = 4; }; },\n"
     "  { names = \"gpu3\"; rails = { count = 8; rate = 0; }; } );",
     "rails.general.count=8\nrails.group.0.names=gpu[1-3]\nrails.group.0.count=4\n"
     "rails.group.1.names=gpu3\nrails.group.1.count=8\nrails.group.1.rate_gbps=0\n"},
};

static void rules_are(void **state)
{
    const struct rule_row *row = *state;
    struct ce_error err = {""};
    ce_autotext struct ce_text written = CE_TEXT(1 << 16);
    ce_auto(ce_config_close) struct ce_config_file *file =
        ce_config_open(row->text, "test.conf", &err);
    assert_string_equal(err.text, "");
    ce_auto(ce_rules_destroy) struct ce_rules *rules = ce_config_rules(file, row->node, &err);
    assert_non_null(rules);
    ce_rules_write(rules, &written);
    assert_string_equal(ce_text_string(&written), row->rules);
}

/* The limit is of one node, but a node must not find out when it boots. */
static void as_many_variables_as_are_allowed(void **state)
{
    (void)state;
    for (unsigned count = CE_RULES_VARIABLES_MAX; count <= CE_RULES_VARIABLES_MAX + 1; count++) {
        ce_autotext struct ce_text text = CE_TEXT(1 << 16);
        struct ce_error err = {""};
        ce_text_add(&text, "variables = {");
        for (unsigned i = 0; i < count / 2; i++)
            ce_text_addf(&text, " A%u = 1;", i);
        ce_text_add(&text, " };\nnodes = (\n { names = \"other\"; variables = {");
        for (unsigned i = count / 2; i < count; i++)
            ce_text_addf(&text, " A%u = 1;", i);
        ce_text_add(&text, " }; } );\n");
        ce_auto(ce_config_close) struct ce_config_file *file =
            ce_config_open(ce_text_string(&text), "test.conf", &err);
        assert_int_equal(file != NULL, count == CE_RULES_VARIABLES_MAX);
        if (file)
            assert_int_equal(ce_config_variables(file)->variable_count, count);
        else
            unit_holds(err.text, "test.conf:3: variables: A64: more than 64 variables");
    }
}

static void as_many_sections_with_rails_as_are_allowed(void **state)
{
    (void)state;
    for (unsigned count = CE_RULES_GROUPS_MAX; count <= CE_RULES_GROUPS_MAX + 1; count++) {
        ce_autotext struct ce_text text = CE_TEXT(1 << 16);
        struct ce_error err = {""};
        ce_text_add(&text, "nodes = (");
        for (unsigned i = 0; i < count; i++)
            ce_text_addf(&text, "%s{ names = \"n%u\"; rails = { count = 8; }; }", i ? ", " : " ", i);
        ce_text_add(&text, " );\n");
        ce_auto(ce_config_close) struct ce_config_file *file =
            ce_config_open(ce_text_string(&text), "test.conf", &err);
        assert_int_equal(file != NULL, count == CE_RULES_GROUPS_MAX);
        if (!file)
            unit_holds(err.text, "more than 256 nodes sections with rails");
    }
}

/* ---------------------------------------------------------------- files */

static struct unit_dir dir;

static int read_file(const char *name, struct ce_error *err)
{
    char path[200];
    struct ce_config config;
    snprintf(path, sizeof path, "%s/%s", dir.path, name);
    return ce_config_read(path, "gpu3", &config, err);
}

static void a_file_is_read(void **state)
{
    struct ce_error err = {""};
    (void)state;
    unit_dir_write(&dir, "good.conf", "tuning = \"off\";\n");
    assert_int_equal(read_file("good.conf", &err), 0);
}

static void an_error_in_a_file_names_file_and_line(void **state)
{
    struct ce_error err = {""};
    (void)state;
    unit_dir_write(&dir, "bad.conf", "\ntuning = \"no\";\n");
    assert_int_equal(read_file("bad.conf", &err), -1);
    unit_holds(err.text, dir.path);
    unit_holds(err.text, "/bad.conf:2: tuning: 'no'");
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
    struct ce_error err = {""};
    (void)state;
    assert_int_equal(read_file("no.conf", &err), -1);
    unit_holds(err.text, "/no.conf: cannot open");
}

static void a_file_that_others_may_write_is_an_error(void **state)
{
    struct ce_error err = {""};
    (void)state;
    unit_dir_writen(&dir, "open.conf", "", 0, 0664);
    assert_int_equal(read_file("open.conf", &err), -1);
    unit_holds(err.text, "not trusted");
}

static void a_file_of_two_megabytes_is_an_error(void **state)
{
    struct ce_error err = {""};
    char *text = calloc(1, 2 << 20);
    (void)state;
    assert_non_null(text);
    memset(text, '\n', 2 << 20);
    unit_dir_writen(&dir, "long.conf", text, 2 << 20, 0644);
    free(text);
    assert_int_equal(read_file("long.conf", &err), -1);
    unit_holds(err.text, "longer than 1048576 bytes");
}

int main(void)
{
    dir = unit_dir_make();
    UNIT_TABLE(meanings, means);
    UNIT_RULE(the_book_is_a_path_or_none);
    UNIT_TABLE(node_rows, means_for_the_node);
    UNIT_TABLE(errors, is_an_error);
    UNIT_RULE(as_many_prefixes_as_are_allowed);
    UNIT_TABLE(rule_rows, rules_are);
    UNIT_RULE(as_many_variables_as_are_allowed);
    UNIT_RULE(as_many_sections_with_rails_as_are_allowed);
    UNIT_RULE(a_file_is_read);
    UNIT_RULE(an_error_in_a_file_names_file_and_line);
    UNIT_RULE(a_file_that_is_not_there_is_an_error);
    UNIT_RULE(a_file_that_others_may_write_is_an_error);
    UNIT_RULE(a_file_of_two_megabytes_is_an_error);
    int failed = UNIT_RUN("config/config");
    unit_dir_remove(&dir);
    return failed;
}
