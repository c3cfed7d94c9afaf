/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/gang_nccl_plan.h"

#include <stdio.h>

#include "../unit.h"

enum { NODES = 4, PLENTY = 9000 };

/* Each node as two letters: how it stands, w(ell), x (not), s(low), '-' (never came), ? (came, not heard); and whether it
 * can: r(eady), o(ff), p(reparing), c(annot), u(nsure). */
static const struct row {
    const char *name, *nodes;
    uint32_t left_ms;
    enum ce_gang_nccl_plan plan;
    int node; /* -1: none is named */
    const char *why;
} rows[] = {
    {"all_can", "wr wr wr wr", PLENTY, CE_GANG_NCCL_GO, -1, ""},
    {"just_enough_time", "wr wr wr wr", CE_GANG_NCCL_LEAST_MS, CE_GANG_NCCL_GO, -1, ""},
    {"too_little_time", "wr wr wr wr", CE_GANG_NCCL_LEAST_MS - 1, CE_GANG_NCCL_NOT_KNOWN, -1,
     "1999 ms are left of preflight.deadline, too little"},
    {"one_cannot", "wr wr wc wr", PLENTY, CE_GANG_NCCL_SKIP, 2, "no GPU"},
    {"the_first_that_cannot_is_named", "wr wc wc wu", PLENTY, CE_GANG_NCCL_SKIP, 1, "no GPU"},
    {"of_one_it_is_not_known", "wu wr wr wr", PLENTY, CE_GANG_NCCL_NOT_KNOWN, 0, "no GPU"},
    {"one_is_not_ready", "wr wr wr wp", PLENTY, CE_GANG_NCCL_NOT_KNOWN, 3, "it was not ready in time"},
    {"one_is_in_another_mode", "wr wo wr wr", PLENTY, CE_GANG_NCCL_SKIP, 1,
     "it has not preflight.mode \"nccl\""},
    {"one_is_not_well", "wr xr wr wr", PLENTY, CE_GANG_NCCL_SKIP, -1,
     "the nodes did not find each other well before"},
    {"one_has_a_slow_rail", "wr wr wr sr", PLENTY, CE_GANG_NCCL_SKIP, -1,
     "the nodes did not find each other well before"},
    {"one_never_came", "wr wr -r wr", PLENTY, CE_GANG_NCCL_SKIP, -1,
     "the nodes did not find each other well before"},
    {"one_was_not_heard", "wr ?r wr wr", PLENTY, CE_GANG_NCCL_SKIP, -1,
     "the nodes did not find each other well before"},
    {"what_is_wrong_comes_first", "wc wr wr xr", PLENTY, CE_GANG_NCCL_SKIP, -1,
     "the nodes did not find each other well before"},
};

static enum ce_gang_nccl_ready ready_of(char letter)
{
    return letter == 'r'   ? CE_GANG_NCCL_READY
           : letter == 'p' ? CE_GANG_NCCL_PREPARING
           : letter == 'c' ? CE_GANG_NCCL_CANNOT
           : letter == 'u' ? CE_GANG_NCCL_UNSURE
                           : CE_GANG_NCCL_OFF;
}

static void decides(void **state)
{
    const struct row *row = *state;
    struct ce_gang_seen seen[NODES] = {{.came = false}};
    struct ce_gang_verdict verdicts[NODES] = {{.stand = CE_GANG_WELL}};
    struct ce_gang_nccl_word word;
    for (uint32_t i = 0; i < NODES; i++) {
        char stand = row->nodes[3 * i];
        seen[i].came = stand != '-';
        seen[i].heard = stand != '-' && stand != '?';
        seen[i].view.nccl.ready = ready_of(row->nodes[3 * i + 1]);
        snprintf(seen[i].view.nccl.why, CE_GANG_NCCL_WHY, "no GPU");
        verdicts[i].stand = stand == 'x' ? CE_GANG_UNSURE : CE_GANG_WELL;
        verdicts[i].slow_count = stand == 's';
    }
    ce_gang_nccl_decide(seen, verdicts, NODES, row->left_ms, &word);
    assert_int_equal(word.plan, row->plan);
    assert_int_equal(word.named ? (int)word.node : -1, row->node);
    assert_string_equal(word.why, row->why);
    if (word.plan == CE_GANG_NCCL_GO)
        assert_int_equal(word.left_ms, row->left_ms);
}

int main(void)
{
    UNIT_TABLE(rows, decides);
    return UNIT_RUN("checks/gang_nccl_plan");
}
