/* SPDX-License-Identifier: Apache-2.0 */
#include "judged.h"

enum { PORTS = 4, ACTIVE = CE_PORT_ACTIVE, UP = CE_PHYS_LINK_UP };
#define IB CE_LINK_INFINIBAND

#define GOOD {1, ACTIVE, UP, 400000, 4, IB, {{0}}, 0}
#define RATE(mbps, lanes) {1, ACTIVE, UP, mbps, lanes, IB, {{0}}, 0}
#define STATE(state, phys) {1, state, phys, 40000, 4, IB, {{0}}, 0}
#define LAYER(layer) {1, ACTIVE, UP, 400000, 4, layer, {{0}}, 0}

/* Rails mlx5_0, mlx5_1, ...; a port without a number ends them. */
static const struct row {
    const char *name, *check;
    struct ce_hca_port ports[PORTS];
    struct ce_rails_expected expected;
    const char *unsure, *findings;
} rows[] = {
    {"as_many_rails_as_expected_pass", "ib.rail.count", {GOOD, GOOD}, {2, CE_LINK_UNKNOWN, 0}, NULL,
     "pass 2 rails, expected 2\n"},
    {"a_missing_rail_fails", "ib.rail.count", {GOOD}, {2, CE_LINK_UNKNOWN, 0}, NULL,
     "fail 1 rail, expected 2\n"},
    {"no_rail_at_all_fails_where_some_are_expected", "ib.rail.count", {{0}}, {8, CE_LINK_UNKNOWN, 0}, NULL,
     "fail 0 rails, expected 8\n"},
    {"more_rails_than_expected_are_no_fault", "ib.rail.count", {GOOD, GOOD}, {1, CE_LINK_UNKNOWN, 0}, NULL,
     "warn 2 rails, expected 1 | correct rails.count in cluster-env.conf\n"},
    {"without_an_expectation_rails_are_not_counted", "ib.rail.count", {GOOD}, {0, CE_LINK_UNKNOWN, 0}, NULL,
     "skip no number of rails is expected (rails.count in cluster-env.conf)\n"},
    {"nor_where_they_could_not_be_read", "ib.rail.count", {{0}}, {0, CE_LINK_UNKNOWN, 0},
     "no answer", "skip no number of rails is expected (rails.count in cluster-env.conf)\n"},
    {"rails_that_could_not_be_read_are_not_zero_rails", "ib.rail.count", {{0}}, {8, CE_LINK_UNKNOWN, 0},
     "no answer", "unknown no answer\n"},

    {"an_active_port_passes", "ib.port.state", {GOOD}, {0, CE_LINK_UNKNOWN, 0}, NULL, "pass mlx5_0/1 ACTIVE\n"},
    {"a_port_that_is_down_fails_with_what_the_cable_does", "ib.port.state",
     {GOOD, STATE(1, 2)}, {0, CE_LINK_UNKNOWN, 0}, NULL,
     "pass mlx5_0/1 ACTIVE\nfail mlx5_1/1 DOWN (Polling), expected ACTIVE\n"},
    {"every_port_that_is_down_is_named", "ib.port.state",
     {STATE(1, 2), STATE(1, 2), GOOD, STATE(1, 2)}, {0, CE_LINK_UNKNOWN, 0}, NULL,
     "fail mlx5_0/1 DOWN (Polling), expected ACTIVE\nfail mlx5_1/1 DOWN (Polling), expected ACTIVE\n"
     "pass mlx5_2/1 ACTIVE\nfail mlx5_3/1 DOWN (Polling), expected ACTIVE\n"},
    {"a_disabled_port_is_nobodys_cable", "ib.port.state", {STATE(1, 3)}, {0, CE_LINK_UNKNOWN, 0}, NULL,
     "fail mlx5_0/1 DOWN (Disabled), expected ACTIVE | somebody disabled the port: enable it\n"},
    {"a_link_that_waits_wants_the_subnet_manager", "ib.port.state", {STATE(2, 5)}, {0, CE_LINK_UNKNOWN, 0}, NULL,
     "fail mlx5_0/1 INIT (LinkUp), expected ACTIVE | the link is up: check the subnet manager\n"},
    {"an_ethernet_port_waits_for_no_subnet_manager", "ib.port.state",
     {{1, CE_PORT_INIT, UP, 0, 0, CE_LINK_ETHERNET, {{0}}, 0}}, {0, CE_LINK_UNKNOWN, 0}, NULL,
     "fail mlx5_0/1 INIT (LinkUp), expected ACTIVE\n"},
    {"a_state_that_cannot_be_read_is_unknown", "ib.port.state", {STATE(0, 0)}, {0, CE_LINK_UNKNOWN, 0}, NULL,
     "unknown mlx5_0/1 its state cannot be read\n"},
    {"without_rails_the_state_is_skipped", "ib.port.state", {{0}}, {0, CE_LINK_UNKNOWN, 0}, NULL,
     "skip there are no rails\n"},
    {"rails_that_could_not_be_read_have_no_known_state", "ib.port.state", {{0}}, {0, CE_LINK_UNKNOWN, 0},
     "no answer", "unknown no answer\n"},

    {"the_expected_rate_passes", "ib.port.rate", {RATE(400000, 4)}, {0, CE_LINK_UNKNOWN, 400}, NULL,
     "pass mlx5_0/1 400 Gb/s\n"},
    {"a_greater_rate_passes", "ib.port.rate", {RATE(800000, 4)}, {0, CE_LINK_UNKNOWN, 400}, NULL,
     "pass mlx5_0/1 800 Gb/s\n"},
    {"a_missing_lane_is_told_from", "ib.port.rate", {RATE(100000, 1)}, {0, CE_LINK_UNKNOWN, 400}, NULL,
     "fail mlx5_0/1 100 Gb/s (1X: lanes are missing), expected 400 Gb/s\n"},
    {"a_lower_speed", "ib.port.rate", {RATE(200000, 4)}, {0, CE_LINK_UNKNOWN, 400}, NULL,
     "fail mlx5_0/1 200 Gb/s (4X: lower speed), expected 400 Gb/s\n"},
    {"lanes_that_are_not_known_are_not_told", "ib.port.rate", {RATE(200000, 0)}, {0, CE_LINK_UNKNOWN, 400}, NULL,
     "fail mlx5_0/1 200 Gb/s, expected 400 Gb/s\n"},
    {"a_broken_number_stays_one", "ib.port.rate", {RATE(2500, 1)}, {0, CE_LINK_UNKNOWN, 10}, NULL,
     "fail mlx5_0/1 2.5 Gb/s (1X: lanes are missing), expected 10 Gb/s\n"},
    {"siblings_that_agree_only_warn", "ib.port.rate", {GOOD, GOOD, RATE(200000, 4), GOOD},
     {0, CE_LINK_UNKNOWN, 0}, NULL,
     "pass mlx5_0/1 400 Gb/s\npass mlx5_1/1 400 Gb/s\n"
     "warn mlx5_2/1 200 Gb/s (4X: lower speed), its siblings have 400 Gb/s\n"
     "pass mlx5_3/1 400 Gb/s\n"},
    {"siblings_that_disagree_say_nothing", "ib.port.rate", {GOOD, RATE(200000, 4)}, {0, CE_LINK_UNKNOWN, 0}, NULL,
     "pass mlx5_0/1 400 Gb/s\npass mlx5_1/1 200 Gb/s\n"},
    {"one_that_is_faster_makes_the_others_no_fault", "ib.port.rate", {GOOD, RATE(800000, 4), GOOD},
     {0, CE_LINK_UNKNOWN, 0}, NULL, "pass mlx5_0/1 400 Gb/s\npass mlx5_1/1 800 Gb/s\npass mlx5_2/1 400 Gb/s\n"},
    {"the_rate_of_a_port_that_is_down_means_nothing", "ib.port.rate", {STATE(1, 2), GOOD},
     {0, CE_LINK_UNKNOWN, 400}, NULL, "pass mlx5_1/1 400 Gb/s\n"},
    {"all_down_is_skipped", "ib.port.rate", {STATE(1, 2)}, {0, CE_LINK_UNKNOWN, 400}, NULL,
     "skip no rail is ACTIVE\n"},
    {"a_rate_that_cannot_be_read_is_unknown", "ib.port.rate", {RATE(0, 0)}, {0, CE_LINK_UNKNOWN, 400}, NULL,
     "unknown mlx5_0/1 its rate cannot be read\n"},
    {"without_rails_the_rate_is_skipped", "ib.port.rate", {{0}}, {0, CE_LINK_UNKNOWN, 400}, NULL,
     "skip there are no rails\n"},

    {"the_expected_link_layer_passes", "ib.port.link_layer", {LAYER(IB)}, {0, IB, 0}, NULL,
     "pass mlx5_0/1 infiniband\n"},
    {"another_link_layer_fails", "ib.port.link_layer", {LAYER(CE_LINK_ETHERNET)}, {0, IB, 0}, NULL,
     "fail mlx5_0/1 ethernet, expected infiniband\n"},
    {"a_link_layer_that_cannot_be_read_is_unknown", "ib.port.link_layer",
     {LAYER(CE_LINK_UNKNOWN)}, {0, IB, 0}, NULL,
     "unknown mlx5_0/1 its link layer cannot be read\n"},
    {"without_an_expectation_the_link_layer_is_skipped", "ib.port.link_layer", {LAYER(IB)},
     {0, CE_LINK_UNKNOWN, 0}, NULL,
     "skip no link layer is expected (rails.link_layer in cluster-env.conf)\n"},
    {"without_rails_the_link_layer_is_skipped", "ib.port.link_layer", {{0}}, {0, IB, 0}, NULL,
     "skip there are no rails\n"},
};

static void judges(void **state)
{
    const struct row *row = *state;
    struct ce_hca hcas[PORTS] = {{.name = "mlx5_0"}, {.name = "mlx5_1"}, {.name = "mlx5_2"},
                                 {.name = "mlx5_3"}};
    struct ce_check_port rails[PORTS];
    struct ce_check_view view = {
        .rails = rails, .expected = row->expected, .rails_unsure = row->unsure};
    for (; view.rail_count < PORTS && row->ports[view.rail_count].number; view.rail_count++)
        rails[view.rail_count] =
            (struct ce_check_port){&hcas[view.rail_count], &row->ports[view.rail_count]};
    judged_are(judged_check(ce_ib_checks, ce_ib_check_count, row->check), &view, row->findings);
}

int main(void)
{
    UNIT_TABLE(rows, judges);
    return UNIT_RUN("checks/ib");
}
