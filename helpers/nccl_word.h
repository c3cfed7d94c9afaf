/* SPDX-License-Identifier: Apache-2.0 */
/* What the nodes of a gang say to one another: words of one size, since all run the same release. */
#ifndef CE_HELPERS_NCCL_WORD_H
#define CE_HELPERS_NCCL_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "nccl_gang.h"

struct word {
    char magic[16];
    char token[GANG_TOKEN];
    uint32_t node, gpus, version;
    uint32_t ranks, first, unused;
    uint64_t step, value;
    nc_id id;
    char name[64];
    char failed[160]; /* why the sender gives up, or whom it gives up for; "": it does not */
};

void word_init(const struct gang *gang, struct word *ret);

/* A whole word by the deadline (ce_clock_ns()).  0, or -1: closed, too late, not a word of this
 * gang. */
int word_send(int fd, const struct word *word, uint64_t deadline);
int word_receive(const struct gang *gang, int fd, struct word *ret, uint64_t deadline);

enum word_state { WORD_NONE, WORD_THERE, WORD_CLOSED, WORD_WRONG };
/* Does not wait; WORD_THERE: it is in *ret, and still to be received. */
enum word_state word_peek(const struct gang *gang, int fd, struct word *ret);

/* The content of a word of this gang.  word_fits(), for node 0: may the node that sent it take part with
 * this one?  word_place(), for the others: the place among all GPUs that node 0 assigns, into *part.
 * Both return 0, or -1 with err. */
int word_fits(const struct gang *gang, const struct gang_part *part, const struct word *word,
              struct ce_error *err);
int word_place(const struct gang *gang, const struct word *word, struct gang_part *part,
               struct ce_error *err);

#endif
