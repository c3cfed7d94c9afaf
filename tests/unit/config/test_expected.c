/* SPDX-License-Identifier: Apache-2.0 */
/* What a node is expected to have: the keys that only the checks know. */
#include "config/config.h"

#include "../unit.h"

static struct ce_policy read_for(const char *text, const char *node, struct ce_error *err)
{
    struct ce_config config;
    ce_config_default(&config);
    ce_config_parse(text, "c", node, &config, err);
    return config.policy;
}

static void every_key_is_understood(void **state)
{
    (void)state;
    struct ce_error err = {""};
    const struct ce_policy policy =
        read_for("firmware = [ \"MT4129=28.39.1002\", \"20.1\" ];\nmemory = 1000;\n"
                 "hugepages = 64;\nmounts = [ \"/home//\", \"/my data\", \"/\", \"/.a/..b\" ];\n",
                 "node1", &err);
    assert_string_equal(err.text, "");
    assert_int_equal(policy.firmware_count, 2);
    assert_string_equal(policy.firmware[0].type, "MT4129");
    assert_string_equal(policy.firmware[0].version, "28.39.1002");
    assert_string_equal(policy.firmware[1].type, "");
    assert_string_equal(policy.firmware[1].version, "20.1");
    assert_int_equal(policy.memory_gb, 1000);
    assert_int_equal(policy.hugepages, 64);
    assert_int_equal(policy.mount_count, 4);
    assert_string_equal(policy.mounts[0], "/home"); /* as the kernel has it */
    assert_string_equal(policy.mounts[1], "/my data");
    assert_string_equal(policy.mounts[2], "/");
    assert_string_equal(policy.mounts[3], "/.a/..b");
}

static void gpus_and_leftovers_are_understood(void **state)
{
    (void)state;
    struct ce_error err = {""};
    const struct ce_policy none = read_for("", "node1", &err);
    const struct ce_policy policy =
        read_for("driver = \"570.86.15\";\nvbios = [ \"96.1\", \"96.2\" ];\nmig = \"off\";\n"
                 "ecc = \"on\";\npower = 700;\n"
                 "leftovers = { action = \"end-shared\"; wait = 10; };\n"
                 "nodes = ( { names = \"node1\"; vbios = [ \"97\" ]; } );\n",
                 "node1", &err);
    assert_string_equal(err.text, "");
    assert_string_equal(policy.driver, "570.86.15");
    assert_int_equal(policy.vbios_count, 1);
    assert_string_equal(policy.vbios[0], "97");
    assert_int_equal(policy.mig, CE_ANSWER_NO);
    assert_int_equal(policy.ecc, CE_ANSWER_YES);
    assert_int_equal(policy.power_watts, 700);
    assert_int_equal(policy.leftovers, CE_LEFTOVERS_END_SHARED);
    assert_int_equal(policy.leftovers_wait, 10);
    assert_int_equal(none.leftovers, CE_LEFTOVERS_WARN);
    assert_int_equal(none.leftovers_wait, 3);
}

static void a_section_says_what_its_nodes_have(void **state)
{
    (void)state;
    const char *text = "firmware = [ \"1\" ];\nmounts = [ \"/home\" ];\nmemory = 500;\n"
                       "nodes = ( { names = \"gpu[1-2]\"; firmware = [ \"A=2\", \"B=3\" ];\n"
                       "            mounts = [ ]; memory = 2000; } );\n";
    struct ce_error err = {""};
    const struct ce_policy other = read_for(text, "gpu3", &err), own = read_for(text, "gpu2", &err);
    assert_string_equal(err.text, "");
    assert_int_equal(other.firmware_count, 1);
    assert_int_equal(other.mount_count, 1);
    assert_int_equal(own.firmware_count, 2);
    assert_string_equal(own.firmware[0].type, "A");
    assert_int_equal(own.mount_count, 0);
    assert_int_equal(own.memory_gb, 2000);
}

static const struct row {
    const char *name, *text, *error;
} rows[] = {
    {"a_firmware_without_a_version", "firmware = [ \"MT4129=\" ];", "expected one like"},
    {"a_firmware_without_a_type", "firmware = [ \"=1\" ];", "expected one like"},
    {"an_empty_firmware", "firmware = [ \"\" ];", "expected one like"},
    {"nine_versions",
     "firmware = [ \"1\", \"1\", \"1\", \"1\", \"1\", \"1\", \"1\", \"1\", \"1\" ];",
     "more than 8 versions"},
    {"a_mount_that_is_no_path", "mounts = [ \"home\" ];", "expected an absolute path"},
    {"a_mount_of_two_lines", "mounts = [ \"/home\\n\" ];", "expected an absolute path"},
    {"a_mount_with_two_slashes", "mounts = [ \"/a//b\" ];", "expected a path without"},
    {"a_mount_with_a_dot", "mounts = [ \"/a/./b\" ];", "expected a path without"},
    {"a_mount_that_goes_back", "mounts = [ \"/a/b/..\" ];", "expected a path without"},
    {"a_driver_of_two_lines", "driver = \"1\\n2\";", "expected a version"},
    {"an_empty_vbios", "vbios = [ \"\" ];", "expected a version"},
    {"a_mig_that_is_neither", "mig = \"yes\";", "expected \"on\" or \"off\""},
    {"a_power_below_zero", "power = -1;", "expected a number from 0"},
    {"leftovers_that_are_killed", "leftovers = { action = \"kill\"; };", "expected \"warn\", \"end\""},
    {"leftovers_that_are_waited_for_too_long", "leftovers = { wait = 11; };",
     "expected a number from 0 to 10"},
    {"memory_below_zero", "memory = -1;", "expected a number from 0"},
    {"no_number_of_pages", "hugepages = \"many\";", "expected a number"},
};

static void error_is(void **state)
{
    const struct row *row = *state;
    struct ce_error err = {""};
    read_for(row->text, "node1", &err);
    unit_holds(err.text, row->error);
}

int main(void)
{
    UNIT_RULE(every_key_is_understood);
    UNIT_RULE(gpus_and_leftovers_are_understood);
    UNIT_RULE(a_section_says_what_its_nodes_have);
    UNIT_TABLE(rows, error_is);
    return UNIT_RUN("config/expected");
}
