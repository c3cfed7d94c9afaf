/* SPDX-License-Identifier: Apache-2.0 */
/* What the nodes of a job say to each other before it starts (helpers/preflight).
 *
 * A connection is a row of frames: a header of CE_GANG_HEADER bytes, "CEP1", a letter, seven digits: the
 * length of what follows.  Frames of 'c' hold one message each, sealed so that nobody but root of this
 * cluster can have made it or read it; 'h', the first of who listens, is open: whose port this is, and
 * a number used once.  'd' is data that is only counted.  Messages are records (model/record.h). */
#ifndef CE_MODEL_GANG_MESSAGE_H
#define CE_MODEL_GANG_MESSAGE_H

#include "model/gang.h"

enum {
    CE_GANG_HEADER = 12,
    CE_GANG_FRAME_MAX = 16384, /* of 'h' and 'c' */
    CE_GANG_DATA_MAX = 65536,  /* of 'd' */
    CE_GANG_NONCE = 33,        /* 32 hexadecimal digits */
};

enum ce_gang_frame { CE_GANG_OPEN = 'h', CE_GANG_SEALED = 'c', CE_GANG_DATA = 'd' };

void ce_gang_header_write(enum ce_gang_frame type, uint32_t length, char header[CE_GANG_HEADER + 1]);
/* -1: not such a header, or a length that is not allowed. */
int ce_gang_header_parse(const char header[CE_GANG_HEADER], enum ce_gang_frame *type,
                         uint32_t *length);

/* The first frame of who listens. */
struct ce_gang_offer {
    uint32_t job, from;
    char nonce[CE_GANG_NONCE];
};
void ce_gang_offer_write(const struct ce_gang_offer *offer, struct ce_text *out);
int ce_gang_offer_parse(const char *text, struct ce_gang_offer *ret, struct ce_error *err);

enum ce_gang_kind {
    CE_GANG_HELLO,    /* who dialed: to the node after it, or to a judge */
    CE_GANG_WELCOME,  /* the answer */
    CE_GANG_VIEW,     /* to a judge */
    CE_GANG_CALL,     /* a judge wants the view now */
    CE_GANG_VERDICT,  /* a judge's */
    CE_GANG_ENDS,     /* between neighbours: the ends of the rails' connections, in `text` */
    CE_GANG_STEP,     /* between neighbours: how far this side is with the rails */
};

/* First every node writes to the one after it, then to the one before it: no port carries two at once. */
enum ce_gang_step {
    CE_GANG_READY,   /* this side may be written to */
    CE_GANG_WRITTEN, /* it has written to the one after it, who hears it */
    CE_GANG_TURN,    /* so has the one before it: it may be written to from the other side */
    CE_GANG_BACK,    /* it has written to the one before it, who hears it */
    CE_GANG_STEPS
};

struct ce_gang_message {
    enum ce_gang_kind kind;
    uint32_t job, from, to;
    char nonce[CE_GANG_NONCE];  /* that of who reads it: this is no old message */
    char own[CE_GANG_NONCE];    /* hello: that of who writes it */
    bool ring;                  /* hello: as a neighbour; else to a judge */
    bool whole;                 /* hello and welcome: measure, if both say so, */
    uint32_t rails;             /* so many rails; 0: the network */
    uint32_t step;              /* CE_GANG_READY... */
    uint32_t left_ms;           /* hello: until this node gives up */
    struct ce_gang_view view;
    struct ce_gang_verdict verdict;
    char *text;                 /* of ends, in lines; owned */
};

void ce_gang_message_write(const struct ce_gang_message *message, struct ce_text *out);
/* `count`: of the job's nodes.  0; -1 with err.  Free with ce_gang_message_free(), also after a failure. */
int ce_gang_message_parse(const char *text, uint32_t count, struct ce_gang_message *ret,
                          struct ce_error *err);
void ce_gang_message_free(struct ce_gang_message *message);

#endif
