/* SPDX-License-Identifier: Apache-2.0 */
/* What the first node tells all of an all-reduce, when it has heard all of them. */
#include "../../../helpers/gang_run.h"

#include "../unit.h"

enum { NODES = 3 };

/* ---------------------------------------------------------------- what the board asks of others */

uint64_t gang_ms(uint64_t ms)
{
    return ms * 1000000;
}

struct gang_peer *gang_peer_find(const struct gang_run *run, enum gang_role role, uint32_t node)
{
    for (size_t i = 0; i < run->peer_count; i++)
        if (run->peers[i]->role == role && run->peers[i]->node == node)
            return run->peers[i];
    return NULL;
}

void gang_peer_say(struct gang_run *run, struct gang_peer *peer, struct ce_gang_message *message)
{
    (void)run, (void)peer, (void)message;
}

void gang_ring_view(struct gang_run *run, struct ce_gang_view *ret)
{
    *ret = run->result.own;
    ret->nccl = run->nccl.part;
}

/* Its child has ended where it has no stdin. */
void gang_nccl_look(struct gang_nccl *nccl)
{
    if (nccl->in < 0)
        nccl->part = (struct ce_gang_nccl_part){.ready = CE_GANG_NCCL_UNSURE, .why = "it ended"};
}

int gang_nccl_arrange(const struct gang_nccl *nccl, struct ce_gang_nccl_word *word)
{
    (void)nccl;
    word->port = 4711;
    return 0;
}

/* ---------------------------------------------------------------- who is told to begin */

static const struct row {
    const char *name;
    uint32_t lost; /* 0: its own child has ended; NODES: none */
    enum ce_gang_nccl_plan plan;
    const char *why;
} rows[] = {
    {"all_are_there", NODES, CE_GANG_NCCL_GO, ""},
    {"one_is_gone_since_it_said_that_it_can", 1, CE_GANG_NCCL_NOT_KNOWN, "its connection to the first node is gone"},
    {"its_own_has_ended", 0, CE_GANG_NCCL_NOT_KNOWN, "it ended"},
};

static void tells_who_is_lost(void **state)
{
    const struct row *row = *state;
    const struct ce_gang_view view = {.links = {{.reach = CE_GANG_GOOD}, {.reach = CE_GANG_GOOD}},
                                      .final = true,
                                      .nccl.ready = CE_GANG_NCCL_READY};
    struct gang_peer connections[NODES], *peers[NODES];
    struct gang_run run = {.task = {.count = NODES, .nccl_mib = 1},
                           .bound = ce_clock_ns() + gang_ms(60000),
                           .peers = peers,
                           .result.own = view,
                           .nccl = {.part = view.nccl, .in = row->lost == 0 ? -1 : 0},
                           .done = {true, true}};
    assert_int_equal(gang_board_begin(&run), 0);
    for (uint32_t i = 1; i < NODES; i++) {
        connections[i] = (struct gang_peer){.role = GANG_FROM_NODE, .step = GANG_TALKING, .node = i};
        gang_board_came(&run, &connections[i], 60000);
        gang_board_view(&run, i, &view);
        if (row->lost != i)
            peers[run.peer_count++] = &connections[i];
    }
    gang_board_tick(&run, ce_clock_ns());
    assert_int_equal(run.result.verdict.nccl.plan, row->plan);
    assert_string_equal(run.result.verdict.nccl.why, row->why);
    assert_int_equal(run.result.verdict.nccl.named, row->plan != CE_GANG_NCCL_GO);
    if (row->plan != CE_GANG_NCCL_GO)
        assert_int_equal(run.result.verdict.nccl.node, row->lost);
    gang_board_end(&run);
}

int main(void)
{
    UNIT_TABLE(rows, tells_who_is_lost);
    return cmocka_run_group_tests_name("helpers/gang_board", unit_tests, NULL, NULL);
}
