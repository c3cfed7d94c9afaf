/* SPDX-License-Identifier: Apache-2.0 */
#include "health/check_names.h"

#include "../unit_dir.h"
#include "checks/limit.h"
#include "health/health.h"

static const struct like_row {
    const char *name, *text, *like; /* like NULL: none */
} likes[] = {
    {"the_same", "ib.port.state", "ib.port.state"},
    {"a_letter_left_out", "ib.port.stat", "ib.port.state"},
    {"a_letter_too_many", "gpu.countt", "gpu.count"},
    {"an_underscore_for_a_dot", "ib_port_state", "ib.port.state"},
    {"two_letters_changed_places", "gpu.cuont", "gpu.count"},
    {"nothing_like_it", "disk.smart.errors", NULL},
    {"nothing", "", NULL},
};

static void is_like(void **state)
{
    const struct like_row *row = *state;
    const char *like = ce_check_names_like(row->text);
    assert_string_equal(like ? like : "(none)", row->like ? row->like : "(none)");
}

static const struct open_row {
    const char *name, *text, *error; /* error NULL: it is well */
} opens[] = {
    {"a_check", "checks = ( { name = \"gpu.count\"; fault = \"warn\"; } );", NULL},
    {"a_pattern_of_some", "checks = ( { name = \"ib.counter.*\"; fault = \"warn\"; } );", NULL},
    {"a_check_by_hand", "checks = ( { name = \"bench.gpu.p2p\"; fault = \"warn\"; } );", NULL},
    {"all_of_them", "checks = ( { name = \"bench.*\"; fault = \"warn\"; } );", NULL},
    {"none_of_them", "checks = ( { name = \"bench.gpu.p3p\"; fault = \"warn\"; } );", "conf:1: checks: no check is called 'bench.gpu.p3p'"},
    {"no_checks", "mode = \"drain\";", NULL},
    {"a_name_of_none", "\nchecks = ( { name = \"gpu.cout\"; fault = \"warn\"; } );",
     "conf:2: checks: no check is called 'gpu.cout'; did you mean 'gpu.count'?"},
    {"a_pattern_of_none", "checks = ( { name = \"disk.*\"; fault = \"warn\"; } );",
     "conf:1: checks: no check is called 'disk.*'; 'cluster-env check --list' lists them"},
    {"a_name_of_none_for_another_node",
     "nodes = ( { names = \"x\"; checks = ( { name = \"gpu.cout\"; fault = \"warn\"; } ); } );",
     "conf:1: checks: no check is called 'gpu.cout'"},
    {"a_limit", "checks = ( { name = \"ib.link_flap\"; limit = 9; } );", NULL},
    {"a_limit_of_several", "checks = ( { name = \"ib.counter.*\"; limit = 9; } );", NULL},
    {"a_limit_for_a_check_without", "checks = ( { name = \"gpu.*\"; limit = 9; } );",
     "conf:1: checks: gpu.count has no limit; 'cluster-env check --list' shows those that have one"},
    {"a_deadline", "checks = ( { name = \"*\"; deadline = 1; } );", NULL},
    {"a_deadline_for_a_check_that_asks_nothing", "checks = ( { name = \"host.*\"; deadline = 1; } );",
     "conf:1: checks: host.* has no deadline; checks of rails"},
    {"a_syntax_error", "mode =", "conf:1: syntax error"},
};

static void opens_or_not(void **state)
{
    const struct open_row *row = *state;
    struct unit_dir dir = unit_dir_make();
    char path[256];
    ce_autosite struct ce_site site = {.file = NULL};
    struct ce_error err = {""};
    snprintf(path, sizeof path, "%s/conf", dir.path);
    unit_dir_write(&dir, "conf", row->text);
    int rc = ce_check_names_open(path, &site, &err);
    unit_dir_remove(&dir);
    assert_int_equal(rc, row->error ? -1 : 0);
    unit_holds(err.text, row->error ? row->error : "");
}

/* Every name has room in a rule of the configuration. */
static void every_check_can_be_named(void **state)
{
    const struct ce_check *check;
    (void)state;
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++)
        assert_true(ce_check_rule_is_name(check->name));
}

static void every_limit_is_of_a_check(void **state)
{
    static const char *const names[] = {"ib.link_flap",    "ib.counter.symbol_error", "ib.counter.link_downed",
                                        "gpu.remap.total", "gpu.retired.total",       "gpu.memory.leftover"};
    const struct ce_check *check;
    size_t limits = 0;
    (void)state;
    for (size_t i = 0; (check = ce_health_check_at(i)) != NULL; i++)
        limits += ce_check_limit_find(check->name) != NULL;
    assert_int_equal(limits, CE_CHECK_LIMITS);
    for (size_t i = 0; i < UNIT_COUNT(names); i++)
        assert_non_null(ce_check_limit_find(names[i]));
}

int main(void)
{
    UNIT_TABLE(likes, is_like);
    UNIT_TABLE(opens, opens_or_not);
    UNIT_RULE(every_limit_is_of_a_check);
    UNIT_RULE(every_check_can_be_named);
    return UNIT_RUN("health/check_names");
}
