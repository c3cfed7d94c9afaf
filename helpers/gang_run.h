/* SPDX-License-Identifier: Apache-2.0 */
/* One node's part in the preflight of a job: whom it dials and who dials it, what it measures, and,
 * on the first two nodes, the board of what all of them saw.  Everything happens in one thread that
 * never waits but in poll(). */
#ifndef CE_HELPERS_GANG_RUN_H
#define CE_HELPERS_GANG_RUN_H

#include "base/clock.h"
#include "checks/gang_judge.h"
#include "gang_nccl.h"
#include "gang_rails.h"
#include "gang_seal.h"
#include "gang_talk.h"
#include "model/gang_task.h"

enum {
    GANG_JUDGES = 2,     /* the first node, and the second where the first one is silent */
    GANG_STRANGERS = 64, /* connections at once that have not said who they are, */
    GANG_STRANGERS_EACH = 8, /* and of one address */
};

enum gang_role {
    GANG_TO_JUDGE,
    GANG_TO_NEXT,
    GANG_WITNESS,   /* dialed only to see whether anything can be reached */
    GANG_STRANGER,  /* came, and has not said who it is */
    GANG_FROM_NODE, /* came to this node as a judge */
    GANG_FROM_PREV,
};
enum gang_step {
    GANG_IDLE,    /* not connected; a dial follows when it is due */
    GANG_DIALING,
    GANG_WAITING, /* dialed: for the offer; came: for the hello */
    GANG_GREETED, /* dialed: said hello, waits for the welcome */
    GANG_TALKING,
    GANG_GONE,    /* to be forgotten */
};

/* How fast data comes in: the best of some short spans, for this process may have to wait for a CPU. */
struct gang_meter {
    uint64_t begin, span_begin, span_bytes, bytes;
    uint32_t best_mbps;
};

struct gang_peer {
    enum gang_role role;
    enum gang_step step;
    uint32_t node;
    struct ce_address address;
    struct gang_talk talk;
    char own[CE_GANG_NONCE], other[CE_GANG_NONCE];
    uint64_t due;      /* ns: idle: the next dial; else: when this step is given up */
    uint64_t dialed_at; /* ns: the last time */
    unsigned attempts;
    bool dialed, tried; /* by this node; a dial has ended */
    enum gang_answer answer; /* of the last dial */
    char why[CE_GANG_WHY];   /* it does not talk */
    bool whole;              /* hello and welcome: as the other one says */
    uint32_t rails;          /* so many are measured with it; 0: the network */
    struct gang_rails between;
    bool ends_told, heard[CE_GANG_STEPS], said[CE_GANG_STEPS];
    char *ends;              /* of its rails, until they are handed on; owned */
    uint64_t opened, sends_end; /* no data go out from then on; 0: none has yet */
    struct gang_meter meter; /* of the data of a neighbour */
    bool sends, measures, told;     /* it is a judge that has this node's last view */
};

/* What a judge knows. */
struct gang_board {
    struct ce_gang_seen *seen;
    uint64_t *came_at;
    bool *heard; /* there is a view as final as it gets */
    uint64_t bound; /* the first of all nodes gives up then */
    bool called, decided;
};

struct gang_run {
    struct ce_gang_task task;
    struct gang_seal *seal;
    uint64_t began, bound; /* ns */
    int listening;
    uint64_t listen_due;
    unsigned port;
    struct gang_peer **peers;
    size_t peer_count, peer_room;
    struct gang_board board;
    struct gang_nccl nccl;
    bool done[2]; /* by ce_gang_side: there is nothing more to come of that link */
    bool over, witnessed, met; /* met: somebody of the job was talked to */
    bool deputy_heard;
    struct ce_gang_verdict deputy; /* what the second judge said, for the case that the first says nothing */
    struct ce_gang result;         /* `own` and `verdict` grow in here */
};

/* There is nothing more to come of this node's view. */
static inline bool gang_is_final(const struct gang_run *run)
{
    return run->done[CE_GANG_PREV] && run->done[CE_GANG_NEXT] &&
           run->nccl.part.ready != CE_GANG_NCCL_PREPARING;
}

/* Nanoseconds, as of base/clock.h. */
uint64_t gang_ms(uint64_t ms);

/* ---------------------------------------------------------------- gang_peer.c */

/* NULL: no memory. */
struct gang_peer *gang_peer_add(struct gang_run *run, enum gang_role role, uint32_t node,
                                const struct ce_address *address);
void gang_peer_came(struct gang_run *run, int fd, const struct ce_address *from);
/* poll() says so of it. */
void gang_peer_work(struct gang_run *run, struct gang_peer *peer, short events);
/* What is due by now. */
void gang_peer_tick(struct gang_run *run, struct gang_peer *peer, uint64_t now);
short gang_peer_wants(const struct gang_peer *peer);
void gang_peer_say(struct gang_run *run, struct gang_peer *peer, struct ce_gang_message *message);
/* It is not talked to any more, or (dialed) not now. */
void gang_peer_lose(struct gang_run *run, struct gang_peer *peer, const char *why);
void gang_peer_free(struct gang_peer *peer);
/* Who talks, in that role, of that node; NULL. */
struct gang_peer *gang_peer_find(const struct gang_run *run, enum gang_role role, uint32_t node);
/* The port of the job, or one of the others that it may have where that is taken. */
unsigned gang_port(const struct ce_gang_task *task, unsigned attempt);
enum { GANG_PORTS = 4 };

/* ---------------------------------------------------------------- gang_stranger.c */

bool gang_is_of_job(const struct ce_gang_task *task, const struct ce_address *address);
/* May one more come from there? */
bool gang_admits(const struct gang_run *run, const struct ce_address *from);

/* ---------------------------------------------------------------- gang_isolated.c */

/* Dial them: where nobody was met it is to be seen whether anything can be reached. */
void gang_witnesses_ask(struct gang_run *run);
/* In `why`, or a constant text; NULL: this node is not cut off, or that cannot be told. */
const char *gang_why_isolated(const struct gang_run *run, char why[CE_GANG_WHY]);

/* ---------------------------------------------------------------- gang_ring.c */

/* A neighbour talks; has sent data; what is due by now. */
void gang_ring_open(struct gang_run *run, struct gang_peer *peer);
void gang_ring_data(struct gang_peer *peer, uint32_t bytes);
void gang_ring_tick(struct gang_run *run, struct gang_peer *peer, uint64_t now);
/* What this node saw, as far as that is known. */
void gang_ring_view(struct gang_run *run, struct ce_gang_view *ret);
/* Tell it to the judges that have not heard it. */
void gang_ring_tell(struct gang_run *run);

/* ---------------------------------------------------------------- gang_turns.c */

/* The rails of a neighbour: it talks; it says that; it is lost; what is due by now. */
void gang_turns_open(struct gang_run *run, struct gang_peer *peer);
void gang_turns_message(struct gang_peer *peer, struct ce_gang_message *message);
void gang_turns_end(struct gang_peer *peer);
void gang_turns_tick(struct gang_run *run, struct gang_peer *peer, uint64_t now);
/* gang_ring.c: there is nothing more to come of that link. */
void gang_ring_finish(struct gang_run *run, struct gang_peer *peer, enum ce_gang_reach reach,
                      const char *why);

/* ---------------------------------------------------------------- gang_board.c */

int gang_board_begin(struct gang_run *run);
void gang_board_end(struct gang_run *run);
void gang_board_came(struct gang_run *run, const struct gang_peer *peer, uint32_t left_ms);
void gang_board_view(struct gang_run *run, uint32_t node, const struct ce_gang_view *view);
void gang_board_tick(struct gang_run *run, uint64_t now);
bool gang_is_judge(const struct gang_run *run);

#endif
