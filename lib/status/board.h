/* SPDX-License-Identifier: Apache-2.0 */
/* The cluster at a glance: what is known of each node, how well that is, in the order in which
 * somebody should look.  Pure: whoever asks Slurm, the nodes or a folder brings the answers here. */
#ifndef CE_STATUS_BOARD_H
#define CE_STATUS_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "model/roster.h"
#include "status/health_line.h"

/* The worst first. */
enum ce_health {
    CE_NODE_DOWN,    /* Slurm has lost it */
    CE_NODE_FAULT,   /* the last check found what a node is drained for, or it is drained for that */
    CE_NODE_OUT,     /* Slurm starts no job there: somebody wants that */
    CE_NODE_SILENT,  /* it should have answered, and did not */
    CE_NODE_UNKNOWN, /* it could not be checked, or not all of it */
    CE_NODE_WARN,
    CE_NODE_UNSEEN, /* nothing is known of it but that Slurm has it */
    CE_NODE_OK,
};
enum { CE_NODE_HEALTHS = CE_NODE_OK + 1, CE_BOARD_WHY = 256 };

struct ce_board_node {
    char *name;
    /* What Slurm says; state "": it was not asked, or does not know the node. */
    char state[32];
    char *reason; /* "": none */
    time_t since; /* of the reason; 0: not known */
    uint32_t gpus;
    bool asked;             /* it should answer by itself */
    char why[CE_BOARD_WHY]; /* why nothing newer is known of it; "": nothing is missing */
    /* The newest lines of their kinds; NULL: none is known. */
    struct ce_health_line *check; /* of a phase that checks */
    struct ce_health_line *bench[CE_LINE_TESTS]; /* of each active test (ce_line_test()) */
    struct ce_health_line *facts; /* what it has, from a node whose log the asking user may not read */
    enum ce_health health;        /* set by ce_board_settle() */
};

struct ce_board {
    struct ce_board_node **nodes;
    size_t count, room;
    bool lost; /* there was no memory for all of it */
};

void ce_board_free(struct ce_board *board);
#define ce_autoboard __attribute__((cleanup(ce_board_free)))

/* The node of that name, made where it is not there yet.  NULL: no memory, and board->lost. */
struct ce_board_node *ce_board_node(struct ce_board *board, const char *name);
/* The same, where it may not be made. */
struct ce_board_node *ce_board_find(const struct ce_board *board, const char *name);

/* What Slurm says of one node. */
void ce_board_slurm(struct ce_board *board, const struct ce_roster_node *node);

/* A line about this node, which becomes the board's; of each kind the newest counts, of equally new
 * ones the last. */
void ce_board_line(struct ce_board *board, const char *name, struct ce_health_line *line);

/* Say of each how well it is, and put them in order: worst first, then by name. */
void ce_board_settle(struct ce_board *board);

/* Does Slurm start jobs there, or would it if there were room? */
bool ce_board_in_service(const struct ce_board_node *node);

/* GPUs and rails, by the newest line that tells; known false where none does. */
struct ce_equipment ce_board_equipment(const struct ce_board_node *node);

/* One line: what is wrong with it, "" where nothing is. */
void ce_board_word(const struct ce_board_node *node, struct ce_error *ret);

/* "down", "fault", "out", "silent", "unknown", "warn", "unseen", "ok". */
const char *ce_health_name(enum ce_health health);

#endif
