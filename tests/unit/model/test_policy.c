/* SPDX-License-Identifier: Apache-2.0 */
#include "model/policy.h"

#include "../unit.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"

static const char whole[] =
    FRAMED("port.first=50000\nport.last=50999\nnetwork.suffix=-hsn\nnetwork.interface=eth1\n"
           "network.interfaces=8\nnetwork.family=ipv6\nnetwork.prefix.0=10.1.0.0/16\n"
           "network.prefix.1=fd00::/8\ntuning=off\nrails.count=8\nrails.link_layer=infiniband\n"
           "rails.rate_gbps=400\nrails.differ=refuse\nmode=observe\n"
           "deadline=60\nreports.log=\nreports.metrics=/m\n");
static const char usual[] =
    FRAMED("port.first=61000\nport.last=65535\nnetwork.suffix=\nnetwork.interface=\n"
           "network.interfaces=0\nnetwork.family=auto\ntuning=default\nrails.differ=warn\nmode=observe\n");

static struct ce_policy parse(const char *text)
{
    struct ce_policy policy;
    struct ce_error err = {""};
    int rc = ce_policy_parse(text, &policy, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
    return policy;
}

static void writes_as(const struct ce_policy *policy, const char *expected)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    ce_policy_write(policy, NULL, &text);
    assert_true(ce_text_ok(&text));
    assert_string_equal(ce_text_string(&text), expected);
}

static void every_key_is_read(void **state)
{
    (void)state;
    struct ce_policy policy = parse(whole);
    assert_int_equal(policy.port_first, 50000);
    assert_int_equal(policy.port_last, 50999);
    assert_string_equal(policy.suffix, "-hsn");
    assert_string_equal(policy.interface, "eth1");
    assert_int_equal(policy.interfaces, 8);
    assert_int_equal(policy.family, CE_FAMILY_IPV6);
    assert_int_equal(policy.prefix_count, 2);
    assert_int_equal(policy.prefixes[1].length, 8);
    assert_int_equal(policy.tuning, CE_TUNING_OFF);
    assert_int_equal(policy.rails.count, 8);
    assert_int_equal(policy.rails.link_layer, CE_LINK_INFINIBAND);
    assert_int_equal(policy.rails.rate_gbps, 400);
    assert_int_equal(policy.differ, CE_DIFFER_REFUSE);
    assert_int_equal(policy.deadline_s, 60);
    assert_string_equal(policy.log, "");
    assert_string_equal(policy.metrics, "/m");
    writes_as(&policy, whole);
}

static void what_is_absent_is_the_default(void **state)
{
    struct ce_policy policy;
    (void)state;
    ce_policy_default(&policy);
    writes_as(&policy, usual);
    policy = parse(FRAMED(""));
    writes_as(&policy, usual);
}

static void keys_of_a_newer_writer_are_skipped(void **state)
{
    (void)state;
    struct ce_policy policy = parse(FRAMED("port.stride=7\nnetwork.rails=8\nrdma=auto\n"));
    writes_as(&policy, usual);
}

static void a_policy_cut_at_any_byte_is_an_error(void **state)
{
    char text[sizeof whole];
    struct ce_policy policy;
    (void)state;
    memcpy(text, whole, sizeof whole);
    for (size_t length = strlen(text); length-- > 0;) {
        text[length] = '\0';
        assert_int_equal(ce_policy_parse(text, &policy, NULL), -1);
    }
}

static void as_many_prefixes_as_are_allowed_come_back(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    struct ce_policy policy;
    (void)state;
    ce_policy_default(&policy);
    policy.prefix_count = CE_POLICY_PREFIXES_MAX;
    for (unsigned i = 0; i < CE_POLICY_PREFIXES_MAX; i++)
        policy.prefixes[i] =
            (struct ce_prefix){{AF_INET, {10, (unsigned char)i}}, 16};
    ce_policy_write(&policy, NULL, &text);
    struct ce_policy again = parse(ce_text_string(&text));
    assert_int_equal(again.prefix_count, CE_POLICY_PREFIXES_MAX);
    assert_int_equal(again.prefixes[31].address.bytes[1], 31);
}

static const struct error_row {
    const char *name, *lines, *reason;
} errors[] = {
    {"a_port_of_zero_is_an_error", "port.first=0\n", "port.first=0"},
    {"a_port_past_65535_is_an_error", "port.last=65536\n", "port.last=65536"},
    {"a_window_that_runs_backwards_is_an_error", "port.first=2000\nport.last=1999\n",
     "first <= last"},
    {"a_window_past_the_default_end_is_an_error", "port.last=60999\n", "first <= last"},
    {"a_suffix_that_cannot_end_a_name_is_an_error", "network.suffix=;reboot\n",
     "network.suffix=;reboot"},
    {"a_suffix_that_is_too_long_is_an_error",
     "network.suffix=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
     "network.suffix="},
    {"an_interface_name_that_is_too_long_is_an_error", "network.interface=abcdefghijklmnop\n",
     "network.interface="},
    {"a_count_of_interfaces_that_is_none_is_an_error", "network.interfaces=all\n",
     "network.interfaces=all"},
    {"a_family_that_is_none_is_an_error", "network.family=IPv4\n", "network.family=IPv4"},
    {"a_prefix_that_is_none_is_an_error", "network.prefix.0=10.1.0.0/33\n",
     "network.prefix.0=10.1.0.0/33"},
    {"a_tuning_that_is_none_is_an_error", "tuning=all-of-it\n", "tuning=all-of-it"},
    {"more_rails_than_devices_are_an_error", "rails.count=1025\n", "rails.count=1025"},
    {"a_rate_that_is_none_is_an_error", "rails.rate_gbps=400G\n", "rails.rate_gbps=400G"},
    {"a_rate_past_all_rates_is_an_error", "rails.rate_gbps=100001\n", "rails.rate_gbps=100001"},
    {"a_link_layer_that_is_none_is_an_error", "rails.link_layer=roce\n", "rails.link_layer=roce"},
    {"a_way_to_differ_that_is_none_is_an_error", "rails.differ=stop\n", "rails.differ=stop"},
    {"a_deadline_out_of_bounds_is_an_error", "deadline=61\n", "deadline=61"},
    {"a_log_that_is_no_path_is_an_error", "reports.log=x\n", "reports.log=x: not an absolute path"},
    {"a_folder_that_is_no_path_is_an_error", "reports.metrics=../x\n", "reports.metrics=../x: not"},
    {"a_key_twice_is_an_error", "tuning=off\ntuning=off\n", "twice"},
};

static void is_an_error(void **state)
{
    const struct error_row *row = *state;
    char text[256];
    struct ce_error err = {""};
    struct ce_policy policy = {.port_first = 4711};
    snprintf(text, sizeof text, FRAMED("%s"), row->lines);
    assert_int_equal(ce_policy_parse(text, &policy, &err), -1);
    unit_holds(err.text, row->reason);
    assert_int_equal(policy.port_first, 4711);
}

static const struct suffix_row {
    const char *name, *text;
    int rc;
} suffixes[] = {
    {"a_suffix_may_be_empty", "", 0},
    {"a_suffix_may_be_a_domain", ".fabric.example.com", 0},
    {"a_suffix_of_63_bytes_fits",
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0},
    {"a_suffix_of_64_bytes_does_not_fit",
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", -1},
    {"a_space_cannot_end_a_name", "-hsn ", -1},
    {"a_newline_cannot_end_a_name", "-hsn\n", -1},
    {"a_bracket_cannot_end_a_name", "[1-2]", -1},
};

static void suffix(void **state)
{
    const struct suffix_row *row = *state;
    char text[CE_POLICY_SUFFIX_MAX] = "";
    assert_int_equal(ce_suffix_parse(row->text, text), row->rc);
    if (row->rc == 0)
        assert_string_equal(text, row->text);
}

static void words_that_are_no_choice_change_nothing(void **state)
{
    enum ce_family family = CE_FAMILY_IPV6;
    enum ce_tuning tuning = CE_TUNING_OFF;
    enum ce_differ differ = CE_DIFFER_COMMON;
    (void)state;
    assert_int_equal(ce_family_parse("ipv5", &family), -1);
    assert_int_equal(ce_family_parse("", &family), -1);
    assert_int_equal(family, CE_FAMILY_IPV6);
    assert_int_equal(ce_tuning_parse("on", &tuning), -1);
    assert_int_equal(tuning, CE_TUNING_OFF);
    assert_int_equal(ce_differ_parse("Common", &differ), -1);
    assert_int_equal(differ, CE_DIFFER_COMMON);
}

static void words_that_are_a_choice_are_taken(void **state)
{
    enum ce_tuning tuning = CE_TUNING_OFF;
    enum ce_differ differ = CE_DIFFER_WARN;
    (void)state;
    assert_int_equal(ce_tuning_parse("all", &tuning), 0);
    assert_int_equal(tuning, CE_TUNING_ALL);
    assert_int_equal(ce_tuning_parse("default", &tuning), 0);
    assert_int_equal(tuning, CE_TUNING_DEFAULT);
    assert_int_equal(ce_differ_parse("common", &differ), 0);
    assert_int_equal(differ, CE_DIFFER_COMMON);
    assert_int_equal(ce_differ_parse("warn", &differ), 0);
    assert_int_equal(differ, CE_DIFFER_WARN);
}

int main(void)
{
    UNIT_RULE(every_key_is_read);
    UNIT_RULE(what_is_absent_is_the_default);
    UNIT_RULE(keys_of_a_newer_writer_are_skipped);
    UNIT_RULE(a_policy_cut_at_any_byte_is_an_error);
    UNIT_RULE(as_many_prefixes_as_are_allowed_come_back);
    UNIT_TABLE(errors, is_an_error);
    UNIT_TABLE(suffixes, suffix);
    UNIT_RULE(words_that_are_no_choice_change_nothing);
    UNIT_RULE(words_that_are_a_choice_are_taken);
    return UNIT_RUN("model/policy");
}
