/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "checks/gang_nccl_plan.h"
#include "gang_run.h"

/* Before the first of the nodes gives up: views are asked for, then judged without those that are not
 * there; the second judge a little after the first. */
enum { CALL_MS = 1000, DECIDE_MS = 600, DEPUTY_MS = 250 };
/* For what comes after an all-reduce until all have given up. */
enum { NCCL_SPARE_MS = 400 };

bool gang_is_judge(const struct gang_run *run)
{
    return run->task.self < GANG_JUDGES;
}

int gang_board_begin(struct gang_run *run)
{
    struct gang_board *board = &run->board;
    board->bound = run->bound;
    if (!gang_is_judge(run))
        return 0;
    board->seen = calloc(run->task.count, sizeof *board->seen);
    board->came_at = calloc(run->task.count, sizeof *board->came_at);
    board->heard = calloc(run->task.count, sizeof *board->heard);
    return board->seen && board->came_at && board->heard ? 0 : -1;
}

void gang_board_end(struct gang_run *run)
{
    free(run->board.seen);
    free(run->board.came_at);
    free(run->board.heard);
}

void gang_board_came(struct gang_run *run, const struct gang_peer *peer, uint32_t left_ms)
{
    struct gang_board *board = &run->board;
    uint64_t now = ce_clock_ns(), bound = now + gang_ms(left_ms);
    board->seen[peer->node].came = true;
    if (!board->came_at[peer->node])
        board->came_at[peer->node] = now;
    if (bound < board->bound)
        board->bound = bound;
    board->called &= now >= board->bound; /* the newcomer is called, too */
}

/* A node that is out ends the job, so nobody is waited for. */
void gang_board_view(struct gang_run *run, uint32_t node, const struct ce_gang_view *view)
{
    struct gang_board *board = &run->board;
    if (board->decided)
        return;
    board->seen[node].view = *view;
    board->seen[node].heard = true;
    board->heard[node] = view->final || view->out || board->called;
    if (view->out && board->bound > ce_clock_ns() + gang_ms(CALL_MS))
        board->bound = ce_clock_ns() + gang_ms(CALL_MS);
}

/* ---------------------------------------------------------------- deciding */

static void call(struct gang_run *run)
{
    struct gang_board *board = &run->board;
    for (size_t i = 0; i < run->peer_count; i++) {
        struct ce_gang_message message = {.kind = CE_GANG_CALL};
        struct gang_peer *peer = run->peers[i];
        if (peer->role == GANG_FROM_NODE && peer->step == GANG_TALKING && !board->heard[peer->node])
            gang_peer_say(run, peer, &message);
    }
    board->called = true;
}

static bool all_heard(const struct gang_run *run, bool who_came)
{
    const struct gang_board *board = &run->board;
    for (uint32_t i = 0; i < run->task.count; i++)
        if (i != run->task.self && !board->heard[i] && (!who_came || board->seen[i].came))
            return false;
    return true;
}

static void tell(struct gang_run *run, const struct ce_gang_verdict *verdicts)
{
    for (size_t i = 0; i < run->peer_count; i++) {
        struct gang_peer *peer = run->peers[i];
        struct ce_gang_message message = {.kind = CE_GANG_VERDICT};
        if (peer->role != GANG_FROM_NODE || peer->step != GANG_TALKING)
            continue;
        message.verdict = verdicts[peer->node];
        gang_peer_say(run, peer, &message);
    }
}

/* The others would wait for one that is not there to begin. */
static void look_for_lost(struct gang_run *run)
{
    struct ce_gang_seen *seen = run->board.seen;
    for (uint32_t i = 1; i < run->task.count; i++)
        if (seen[i].view.nccl.ready == CE_GANG_NCCL_READY &&
            !gang_peer_find(run, GANG_FROM_NODE, i))
            seen[i].view.nccl = (struct ce_gang_nccl_part){
                .ready = CE_GANG_NCCL_UNSURE, .why = "its connection to the first node is gone"};
    gang_nccl_look(&run->nccl);
    seen[0].view.nccl = run->nccl.part;
}

/* Only the first judge's: the second one decides when no time is left. */
static void plan_nccl(struct gang_run *run, uint64_t now, struct ce_gang_verdict *verdicts)
{
    struct gang_board *board = &run->board;
    struct ce_gang_nccl_word word;
    uint64_t end = board->bound - gang_ms(NCCL_SPARE_MS);
    uint32_t count = run->task.count, left = now < end ? (uint32_t)((end - now) / gang_ms(1)) : 0;
    if (run->task.self != 0 || !run->task.nccl_mib)
        return;
    look_for_lost(run);
    ce_gang_nccl_decide(board->seen, verdicts, count, left, &word);
    if (word.plan == CE_GANG_NCCL_GO && gang_nccl_arrange(&run->nccl, &word) < 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        verdicts[i].nccl = word;
}

static void decide(struct gang_run *run, uint64_t now)
{
    struct gang_board *board = &run->board;
    const struct ce_gang_task *task = &run->task;
    struct ce_gang_verdict *verdicts = calloc(task->count, sizeof *verdicts);
    struct ce_gang *result = &run->result;
    if (!verdicts)
        return;
    for (uint32_t i = 0; i < task->count; i++)
        board->seen[i].age_ms = (uint32_t)((now - board->came_at[i]) / 1000000);
    board->seen[task->self].came = board->seen[task->self].heard = true;
    board->seen[task->self].age_ms = (uint32_t)((now - run->began) / 1000000);
    gang_ring_view(run, &board->seen[task->self].view);
    ce_gang_judge(board->seen, task->count, &task->limits, verdicts);
    plan_nccl(run, now, verdicts);
    tell(run, verdicts);
    board->decided = true;
    result->verdict = verdicts[task->self];
    result->end = CE_GANG_JUDGED;
    result->judge = task->self;
    result->requeue = ce_gang_is_held_up(&result->verdict, task->count);
    run->over = true;
    free(verdicts);
}

/* The first judge decides as soon as it knows all; the second one only where the first is not heard. */
void gang_board_tick(struct gang_run *run, uint64_t now)
{
    struct gang_board *board = &run->board;
    bool first = run->task.self == 0, final = gang_is_final(run);
    if (!gang_is_judge(run) || board->decided || run->over)
        return;
    if (first && final && all_heard(run, false))
        decide(run, now);
    else if (now + gang_ms(CALL_MS) >= board->bound && !board->called)
        call(run);
    else if (board->called && first && all_heard(run, true) && run->met)
        decide(run, now);
    else if (now + gang_ms(first ? DECIDE_MS : DEPUTY_MS) >= board->bound)
        decide(run, now);
}
