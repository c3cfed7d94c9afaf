/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a job that look at each other before it starts (helpers/preflight): what each saw, what
 * was judged of it, and what a node reports.  Nodes are numbers, their place in the job's list; each
 * has the one before and the one after it as neighbours, as in a ring. */
#ifndef CE_MODEL_GANG_H
#define CE_MODEL_GANG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/gang_nccl.h"
#include "model/record.h"

enum {
    CE_GANG_NODES_MAX = 4096,
    CE_GANG_RAILS = 32,
    CE_GANG_WORDS = 256,
    CE_GANG_WHY = 96,
    CE_GANG_SLOW_MAX = 8,
    CE_GANG_DEAD = 1,  /* Mb/s: nothing comes through */
    CE_GANG_NAMED = 4, /* silent nodes that are named; more are counted */
};

enum ce_gang_side { CE_GANG_PREV, CE_GANG_NEXT };
enum ce_gang_reach {
    CE_GANG_UNTRIED,
    CE_GANG_GOOD,
    CE_GANG_FAILED, /* for as long as there was time, though the other one may have come late */
};

struct ce_gang_link {
    enum ce_gang_reach reach;
    char why[CE_GANG_WHY];          /* failed: "no answer" */
    uint32_t mbps[CE_GANG_RAILS];   /* of each rail, or [0] of the network; 0: not measured */
};

/* What the nodes of a job should have alike. */
struct ce_gang_facts {
    bool whole;                     /* the job has the node for itself */
    uint32_t rail_count;
    uint32_t measured;              /* so many of them are measured; 0: the network is */
    char rails[CE_GANG_WORDS];      /* their names: "mlx5_1,mlx5_2" */
    char firmware[CE_GANG_WORDS];   /* of each type: "MT4129=28.39.1002" */
};

/* What one node says. */
struct ce_gang_view {
    bool final;                     /* there is nothing more to come */
    bool out;                       /* it takes no part: it has a fault of its own */
    bool sent;                      /* figures are of what it sent; else of what came in */
    struct ce_gang_facts facts;
    struct ce_gang_link links[2];   /* by ce_gang_side */
    struct ce_gang_nccl_part nccl;
};

enum ce_gang_stand {
    CE_GANG_WELL,
    CE_GANG_SICK,   /* fails toward both neighbours, who reach their other ones */
    CE_GANG_PAIR,   /* it and one neighbour fail only with each other */
    CE_GANG_UNSURE, /* something failed, or was not tried, and it cannot be told whose fault it is */
    CE_GANG_SILENT, /* never came */
    CE_GANG_OUT,
};
enum ce_gang_differs { CE_GANG_SAME, CE_GANG_COUNT, CE_GANG_NAMES, CE_GANG_FIRMWARE, CE_GANG_MIXED };
enum ce_gang_way { CE_GANG_SENDS, CE_GANG_TAKES, CE_GANG_BETWEEN };

/* A rail that carries less than it should: what this node sends to, or takes from, both neighbours; or
 * what goes between it and `other`, and which of them it is cannot be told. */
struct ce_gang_slow {
    uint32_t rail, mbps, limit_mbps, other;
    enum ce_gang_way way;
    bool floor; /* below the configured one; else below the median */
};

/* What is judged of one node. */
struct ce_gang_verdict {
    enum ce_gang_stand stand;
    uint32_t others[2], other_count; /* whom it does not reach */
    enum ce_gang_differs differs;
    char most[CE_GANG_WORDS];        /* what most of the nodes have */
    uint32_t median_mbps;            /* 0: nothing was measured */
    struct ce_gang_slow slow[CE_GANG_SLOW_MAX];
    uint32_t slow_count;
    uint32_t silent[CE_GANG_NAMED], silent_count, out_count; /* of all nodes */
    struct ce_gang_nccl_word nccl;
};

enum ce_gang_end {
    CE_GANG_JUDGED,
    CE_GANG_ISOLATED, /* nobody at all can be reached, and it is this node's end */
    CE_GANG_UNKNOWN,  /* `why` tells */
};

/* What became of it, for the node that reports. */
struct ce_gang {
    enum ce_gang_end end;
    char why[2 * CE_GANG_WHY];
    struct ce_gang_view own;
    struct ce_gang_verdict verdict;
    bool requeue; /* this node is to requeue the job: others are silent */
    uint32_t judge, took_ms;
    uint32_t refused;         /* connections that were none of the job's, */
    char refusal[CE_GANG_WHY]; /* the last of them */
    struct ce_gang_nccl nccl;
};

/* Lines of a record, without its begin and end; reading is strict. */
void ce_gang_view_write(const struct ce_gang_view *view, struct ce_text *out);
int ce_gang_view_read(const struct ce_record *record, struct ce_gang_view *ret,
                      struct ce_error *err);
/* `count`: of the job's nodes. */
void ce_gang_verdict_write(const struct ce_gang_verdict *verdict, struct ce_text *out);
int ce_gang_verdict_read(const struct ce_record *record, uint32_t count,
                         struct ce_gang_verdict *ret, struct ce_error *err);

/* A whole text: what the helper prints. */
enum { CE_GANG_TEXT_MAX = 16384 };
void ce_gang_write(const struct ce_gang *gang, struct ce_text *out);
int ce_gang_parse(const char *text, uint32_t count, struct ce_gang *ret, struct ce_error *err);

/* How many figures a link has: of each rail, or one of the network. */
static inline uint32_t ce_gang_figures(const struct ce_gang_facts *facts)
{
    return facts->measured ? facts->measured : 1;
}

#endif
