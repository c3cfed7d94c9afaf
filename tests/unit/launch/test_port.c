/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/port.h"

#include "../unit.h"

enum { FIRST = 61000, LAST = 65535, SIZE = LAST - FIRST + 1 };

static uint32_t choose(uint32_t first, uint32_t last, struct ce_step_id id)
{
    const struct ce_policy policy = {.port_first = first, .port_last = last};
    const struct ce_request request = {.on = true};
    const struct ce_allocation allocation = {.id = id};
    struct ce_port port = ce_port_choose(&allocation, &policy, &request, 0);
    assert_string_equal(port.source, "job and step id in the port window");
    return port.number;
}

#define STEP(job, step) {CE_STEP_TASKS, job, step}
#define BATCH(job) {CE_STEP_BATCH, job, 0}

/* first + (job + 619 x step) mod size; a batch script has step -1. */
static const struct port_row {
    const char *name;
    uint32_t first, last;
    struct ce_step_id id;
    uint32_t port;
} ports[] = {
    {"the_first_step_of_a_job", FIRST, LAST, STEP(12, 0), 61012},
    {"the_next_step_is_619_on", FIRST, LAST, STEP(12, 1), 61631},
    {"the_next_job_is_one_on", FIRST, LAST, STEP(13, 0), 61013},
    {"steps_wrap_in_the_window", FIRST, LAST, STEP(12, 8), 61000 + (12 + 8 * 619) % SIZE},
    {"jobs_wrap_in_the_window", FIRST, LAST, STEP(SIZE, 0), 61000},
    {"the_last_port_is_used", FIRST, LAST, STEP(SIZE - 1, 0), 65535},
    {"a_batch_script_is_619_back", FIRST, LAST, BATCH(1000), 61381},
    {"a_batch_script_wraps_in_the_window", FIRST, LAST, BATCH(12), 61012 - 619 + SIZE},
    {"a_window_of_one_port_has_one_port", 7000, 7000, STEP(12, 3), 7000},
    {"a_window_of_one_port_has_one_port_for_batch_scripts", 7000, 7000, BATCH(12), 7000},
    {"a_window_of_two_ports", 7000, 7001, STEP(3, 0), 7001},
    {"a_window_of_all_ports", 1, 65535, STEP(65535, 0), 1},
};

static void port(void **state)
{
    const struct port_row *row = *state;
    assert_int_equal(choose(row->first, row->last, row->id), row->port);
}

static void the_steps_and_the_script_of_a_job_differ_until_the_window_is_full(void **state)
{
    static const uint32_t jobs[] = {1, 4711, 4294967295u};
    (void)state;
    for (size_t j = 0; j < UNIT_COUNT(jobs); j++) {
        bool taken[SIZE] = {false};
        taken[choose(FIRST, LAST, (struct ce_step_id)BATCH(jobs[j])) - FIRST] = true;
        for (uint32_t step = 0; step < SIZE - 1; step++) {
            uint32_t number = choose(FIRST, LAST, (struct ce_step_id)STEP(jobs[j], step));
            assert_in_range(number, FIRST, LAST);
            assert_false(taken[number - FIRST]);
            taken[number - FIRST] = true;
        }
    }
}

static void the_same_step_of_neighbouring_jobs_differs_until_the_window_is_full(void **state)
{
    static const uint32_t steps[] = {0, 7, 4294967039u};
    (void)state;
    for (size_t s = 0; s < UNIT_COUNT(steps); s++) {
        bool taken[SIZE] = {false};
        for (uint32_t job = 90000; job < 90000 + SIZE; job++) {
            uint32_t number = choose(FIRST, LAST, (struct ce_step_id)STEP(job, steps[s]));
            assert_in_range(number, FIRST, LAST);
            assert_false(taken[number - FIRST]);
            taken[number - FIRST] = true;
        }
    }
}

static void every_port_of_any_window_is_inside_it(void **state)
{
    (void)state;
    for (uint32_t size = 1; size <= 1300; size++)
        for (uint32_t step = 0; step < 5; step++) {
            const struct ce_step_id id = STEP(4294967295u, 4294967039u - step);
            const struct ce_step_id batch = BATCH(4294967295u - step);
            assert_in_range(choose(2000, 1999 + size, id), 2000, 1999 + size);
            assert_in_range(choose(2000, 1999 + size, batch), 2000, 1999 + size);
        }
}

static const struct source_row {
    const char *name;
    uint32_t requested, user, reserved, port;
    const char *source;
} sources[] = {
    {"the_option_comes_first", 7000, 8000, 9000, 7000, "--cluster-env=port=N"},
    {"the_users_own_port_comes_next", 0, 8000, 9000, 8000, "MASTER_PORT of the user"},
    {"reserved_ports_come_before_the_window", 0, 0, 9000, 9000, "SLURM_STEP_RESV_PORTS"},
    {"the_window_comes_last", 0, 0, 0, 61012, "job and step id in the port window"},
};

static void comes_from(void **state)
{
    const struct source_row *row = *state;
    const struct ce_policy policy = {.port_first = FIRST, .port_last = LAST};
    const struct ce_request request = {.on = true, .port = row->requested};
    const struct ce_allocation allocation = {.id = STEP(12, 0), .reserved_port = row->reserved};
    struct ce_port chosen = ce_port_choose(&allocation, &policy, &request, row->user);
    assert_int_equal(chosen.number, row->port);
    assert_string_equal(chosen.source, row->source);
}

static const struct next_row {
    const char *name;
    uint32_t first, last, port, next;
} nexts[] = {
    {"the_next_port_is_one_on", FIRST, LAST, 61012, 61013},
    {"behind_the_last_port_comes_the_first", 7000, 7099, 7099, 7000},
    {"behind_65535_comes_the_first", FIRST, LAST, 65535, FIRST},
    {"a_port_of_the_users_own_has_its_neighbour", FIRST, LAST, 29500, 29501},
    {"the_greatest_port_of_the_users_own_wraps_too", 7000, 7099, 65535, 7000},
};

static void next(void **state)
{
    const struct next_row *row = *state;
    const struct ce_policy policy = {.port_first = row->first, .port_last = row->last};
    assert_int_equal(ce_port_next(&policy, row->port), row->next);
}

int main(void)
{
    UNIT_TABLE(ports, port);
    UNIT_RULE(the_steps_and_the_script_of_a_job_differ_until_the_window_is_full);
    UNIT_RULE(the_same_step_of_neighbouring_jobs_differs_until_the_window_is_full);
    UNIT_RULE(every_port_of_any_window_is_inside_it);
    UNIT_TABLE(sources, comes_from);
    UNIT_TABLE(nexts, next);
    return UNIT_RUN("launch/port");
}
