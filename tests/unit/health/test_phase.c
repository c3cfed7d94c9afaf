/* SPDX-License-Identifier: Apache-2.0 */
#include "health/phase.h"

#include "../unit_dir.h"
#include "checks/check.h"

#define RAIL(name, state)                                                                          \
    "ib." name ".type=MT4129\nib." name ".1.state=" state "\nib." name ".1.phys_state=2\n"         \
    "ib." name ".1.link_layer=infiniband\n"
#define WELL "format=1\nhost.name=gpu3.cluster\n" RAIL("mlx5_0", "4") RAIL("mlx5_1", "4") "end=1\n"
#define DOWN "format=1\nhost.name=gpu3.cluster\n" RAIL("mlx5_0", "4") RAIL("mlx5_1", "1") "end=1\n"
#define REASON                                                                                     \
    "mlx5_1/1 DOWN (Polling), expected ACTIVE; check cable and switch port "                       \
    "[cluster-env ib.port.state]"

static struct unit_dir dir;
static char facts[256], config[256];

static int make_dir(void **state)
{
    (void)state;
    dir = unit_dir_make();
    snprintf(facts, sizeof facts, "%s/facts", dir.path);
    snprintf(config, sizeof config, "%s/conf", dir.path);
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    unit_dir_remove(&dir);
    return 0;
}

static const struct row {
    const char *name, *facts, *config, *only; /* facts, config NULL: no such file */
    int rc;
    bool misconfigured;
    const char *text; /* the reason; after a failure: part of the error */
} rows[] = {
    {"a_node_that_is_well_has_no_reason", WELL, "", NULL, 0, false, ""},
    {"a_fault_is_the_reason", DOWN, "mode = \"drain\";", NULL, 0, false, REASON},
    {"observing_finds_the_same_reason", DOWN, "", NULL, 0, false, REASON},
    {"a_section_of_the_node_counts", WELL,
     "nodes = ( { names = \"gpu[1-8]\"; rails = { count = 3; }; } );", NULL, 0, false,
     "2 rails, expected 3; look for an HCA that is missing on the PCI bus, then power-cycle the "
     "node [cluster-env ib.rail.count]"},
    {"a_section_of_another_node_does_not", WELL,
     "nodes = ( { names = \"gpu[4-8]\"; rails = { count = 3; }; } );", NULL, 0, false, ""},
    {"one_check_alone", DOWN, "rails = { count = 3; };", "ib.port.state", 0, false, REASON},
    {"a_check_that_is_none_is_an_error", DOWN, "", "ib.port", -1, true,
     "'ib.port' is not a check"},
    {"a_broken_configuration_is_no_fault", DOWN, "mode = \"drain\"\nx", NULL, -1, true,
     "conf:2: syntax error"},
    {"a_mode_that_is_none_is_no_fault", DOWN, "mode = \"Drain\";", NULL, -1, true,
     "mode: 'Drain': expected \"observe\" or \"drain\""},
    {"a_configuration_that_is_not_there_is_no_fault", DOWN, NULL, NULL, -1, true, "conf"},
    {"facts_that_are_not_there_are_no_fault", NULL, "", NULL, -1, false, "facts"},
    {"facts_that_are_broken_are_no_fault", "format=1\nib.mlx5_0.1.state=x\nend=1\n", "", NULL, -1,
     false, "facts"},
    {"devices_that_were_not_read_are_no_fault", "format=1\nhost.name=gpu3\nrdma.unread=1\nend=1\n",
     "mode = \"drain\"; rails = { count = 8; };", NULL, 0, false, ""},
};

static void write_or_remove(const char *name, const char *text)
{
    if (text)
        unit_dir_write(&dir, name, text);
    else
        unlinkat(dir.fd, name, 0);
}

static void runs(void **state)
{
    const struct row *row = *state;
    const struct ce_phase phase = {.phase = CE_PROLOG,
                                   .only = row->only,
                                   .machine = {.facts = facts, .root = "/"},
                                   .config = config};
    ce_autophase struct ce_phase_result result;
    struct ce_error err = {""};
    write_or_remove("facts", row->facts);
    write_or_remove("conf", row->config);
    assert_int_equal(ce_phase_run(&phase, &result, &err), row->rc);
    assert_int_equal(result.misconfigured, row->misconfigured);
    if (row->rc < 0) {
        unit_holds(err.text, row->text);
        assert_string_equal(result.reason.text, "");
    } else {
        assert_string_equal(result.reason.text, row->text);
        assert_string_equal(result.node_name, "gpu3");
    }
}

static void a_reason_that_is_too_long_is_cut(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    const struct ce_phase phase = {
        .phase = CE_PROLOG, .machine = {.facts = facts, .root = "/"}, .config = config};
    ce_autophase struct ce_phase_result result;
    struct ce_error err = {""};
    (void)state;
    ce_text_add(&text, "format=1\n");
    for (int i = 0; i < 32; i++)
        ce_text_addf(&text,
                     "ib.a_rather_long_name_%d.type=MT4129\nib.a_rather_long_name_%d.1.state=1\n"
                     "ib.a_rather_long_name_%d.1.link_layer=infiniband\n",
                     i, i, i);
    ce_text_add(&text, "end=1\n");
    unit_dir_write(&dir, "facts", ce_text_string(&text));
    unit_dir_write(&dir, "conf", "");
    assert_int_equal(ce_phase_run(&phase, &result, &err), 0);
    unit_holds(result.reason.text, "32 ports: a_rather_long_name_0/1, ");
    assert_int_equal(strlen(result.reason.text), sizeof result.reason.text - 1);
    unit_holds(result.reason.text, "... [cluster-env ib.port.state]");
}

static void the_texts_are_kept_where_devices_answer(void **state)
{
    char run_dir[256];
    struct ce_phase phase = {.phase = CE_PROLOG,
                             .machine = {.facts = facts, .root = "/", .run_dir = run_dir},
                             .config = config,
                             .keep = true};
    struct ce_error err = {""};
    (void)state;
    snprintf(run_dir, sizeof run_dir, "%s/run", dir.path);
    unit_dir_write(&dir, "facts", DOWN);
    unit_dir_write(&dir, "conf", "gpus = 8;");
    for (int i = 0; i < 2; i++) {
        ce_autophase struct ce_phase_result result;
        assert_int_equal(ce_phase_run(&phase, &result, &err), 0);
        assert_int_equal(result.notes.count, 0);
        char *kept = unit_dir_read(&dir, "run/node.facts");
        char *policy = unit_dir_read(&dir, "run/node.policy");
        assert_non_null(kept);
        assert_non_null(policy);
        unit_holds(kept, "ib.mlx5_1.1.state=1\n");
        unit_holds(policy, "gpus=8\n");
        free(kept);
        free(policy);
        unit_dir_write(&dir, "facts", "format=1\nrdma.unread=1\nend=1\n"); /* the second time */
    }
}

static void a_run_directory_that_cannot_be_written_is_a_note(void **state)
{
    const struct ce_phase phase = {
        .phase = CE_PROLOG,
        .machine = {.facts = facts, .root = "/", .run_dir = "/proc/nonexistent"},
        .config = config,
        .keep = true};
    ce_autophase struct ce_phase_result result;
    struct ce_error err = {""};
    (void)state;
    unit_dir_write(&dir, "facts", DOWN);
    unit_dir_write(&dir, "conf", "");
    assert_int_equal(ce_phase_run(&phase, &result, &err), 0);
    assert_int_equal(result.notes.count, 1);
    unit_holds(result.notes.line[0].text, "/proc/nonexistent");
    assert_string_equal(result.reason.text, REASON);
}

int main(void)
{
    UNIT_TABLE(rows, runs);
    UNIT_RULE(a_reason_that_is_too_long_is_cut);
    UNIT_RULE(the_texts_are_kept_where_devices_answer);
    UNIT_RULE(a_run_directory_that_cannot_be_written_is_a_note);
    return cmocka_run_group_tests_name("health/phase", unit_tests, make_dir, remove_dir);
}
