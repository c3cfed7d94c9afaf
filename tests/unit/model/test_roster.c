/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roster.h"

#include "../unit.h"
#include "model/hostlist.h"

static const struct ce_roster_node zeta = {"zeta1", "10.1.0.11", "idle", "all"};
static const struct ce_roster_node n9 = {"n9", "n9-mgmt", "drained", "", "a = b", 1795273838, 8};

static void write_two(struct ce_text *out)
{
    ce_roster_begin(out, 2);
    ce_roster_add(out, 0, &zeta);
    ce_roster_add(out, 1, &n9);
    ce_roster_end(out);
}

static void assert_same(const struct ce_roster_node *a, const struct ce_roster_node *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->address, b->address);
    assert_string_equal(a->state, b->state);
    assert_string_equal(a->partition, b->partition);
    assert_string_equal(a->reason, b->reason ? b->reason : "");
    assert_int_equal(a->since, b->since);
    assert_int_equal(a->gpus, b->gpus);
}

static void what_is_written_is_read(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(4096);
    struct ce_error err;
    (void)state;
    write_two(&text);
    ce_auto(ce_roster_destroy) struct ce_roster *roster =
        ce_roster_parse(ce_text_string(&text), &err);
    assert_non_null(roster);
    assert_int_equal(ce_roster_count(roster), 2);
    assert_same(ce_roster_at(roster, 0), &zeta);
    assert_same(ce_roster_at(roster, 1), &n9);
}

/* A newer slurm-node may tell more, an older one less. */
static void unknown_keys_are_skipped_and_missing_ones_empty(void **state)
{
    struct ce_error err;
    (void)state;
    ce_auto(ce_roster_destroy) struct ce_roster *roster = ce_roster_parse(
        "format=1\ncluster=x\nnodes=1\nnode.0.name=a\nnode.0.gres=gpu:8\nend=1\n", &err);
    assert_non_null(roster);
    assert_same(ce_roster_at(roster, 0), &(struct ce_roster_node){"a", "", "", ""});
}

static const struct bad_row {
    const char *name, *text, *message;
} bad_rows[] = {
    {"cut_short_is_an_error", "format=1\nnodes=1\nnode.0.name=a\n", "cut short"},
    {"no_number_is_an_error", "format=1\nnodes=many\nend=1\n", "nodes=many"},
    {"more_nodes_than_can_be_is_an_error", "format=1\nnodes=65537\nend=1\n", "nodes=65537"},
    {"fewer_names_than_nodes_is_an_error", "format=1\nnodes=2\nnode.0.name=a\nend=1\n",
     "node.1.name="},
    {"a_list_in_place_of_a_name_is_an_error", "format=1\nnodes=1\nnode.0.name=a[1-2]\nend=1\n",
     "node.0.name="},
    {"an_odd_name_is_an_error", "format=1\nnodes=1\nnode.0.name=a;b\nend=1\n", "node.0.name="},
    {"an_option_in_place_of_a_name_is_an_error", "format=1\nnodes=1\nnode.0.name=a b\nend=1\n",
     "node.0.name="},
};

static void is_an_error(void **state)
{
    const struct bad_row *row = *state;
    struct ce_error err = {""};
    assert_null(ce_roster_parse(row->text, &err));
    unit_holds(err.text, row->message);
}

static void the_largest_cluster_fits(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(64 << 20);
    struct ce_error err;
    (void)state;
    ce_roster_begin(&text, CE_HOSTLIST_MAX);
    for (size_t i = 0; i < CE_HOSTLIST_MAX; i++)
        ce_roster_add(&text, i, &zeta);
    ce_roster_end(&text);
    assert_true(ce_text_ok(&text));
    ce_auto(ce_roster_destroy) struct ce_roster *roster =
        ce_roster_parse(ce_text_string(&text), &err);
    assert_non_null(roster);
    assert_int_equal(ce_roster_count(roster), CE_HOSTLIST_MAX);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    UNIT_TABLE(bad_rows, is_an_error);
    UNIT_RULE(what_is_written_is_read);
    UNIT_RULE(unknown_keys_are_skipped_and_missing_ones_empty);
    UNIT_RULE(the_largest_cluster_fits);
    return UNIT_RUN("roster");
}
