/* SPDX-License-Identifier: Apache-2.0 */
/* preflight-rails: what the rails of this node carry to the same rails of one neighbour, by RDMA writes
 * from host memory.  Run by preflight, which hands lines to and fro between the two of them:
 *
 *     out  a line for each rail: its end (model/rdma_end.h, '|' between its lines), "dead" (its port is
 *          not ACTIVE) or "none" (it cannot be used); then an empty line
 *     in   the neighbour's lines, and an empty one
 *     out  "ready": it may be written to
 *     in   "go"
 *     out  a line for each rail: Mb/s, 1 for one that nothing comes through, 0: not measured; then "done"
 *
 * It holds still, to be written to, until stdin ends.  stderr is for people; the exit status is 0, 1
 * (what came in was not understood, or it cannot write), or 2 (usage). */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "model/gang.h"
#include "model/rdma_span.h"
#include "rdma_port.h"

enum { RAIL_MS = 50, RAIL_LIMIT_MS = 1500, ALL_MS = 3500, LINE = 1024, DEAD = CE_GANG_DEAD };
/* Writes on their way at once: many times what a fast path holds, and soon over on a slow one. */
enum { WINDOW = 8 };
enum state { USABLE, STILL, NONE };

struct rail {
    char device[CE_HCA_NAME];
    struct rdma_place place;
    struct rdma_port port;
    enum state state, other;
    struct ce_rdma_end end; /* the other one's */
};

static enum state state_of(const struct ce_rdma_result *result)
{
    return result->outcome == CE_RDMA_PORT ? STILL : NONE;
}

/* ---------------------------------------------------------------- lines */

static void change(char *text, char from, char to)
{
    for (; *text; text++)
        if (*text == from)
            *text = to;
}

static void print_end(const struct rail *rail)
{
    ce_autotext struct ce_text text = CE_TEXT(CE_RDMA_TEXT_MAX);
    if (rail->state != USABLE) {
        puts(rail->state == STILL ? "dead" : "none");
        return;
    }
    ce_rdma_end_write(&rail->port.own, &text);
    char *line = ce_text_take(&text);
    if (line)
        change(line, '\n', '|');
    puts(line ? line : "none");
    free(line);
}

/* 0; -1: stdin has ended. */
static int read_line(char line[LINE])
{
    if (!fgets(line, LINE, stdin))
        return -1;
    line[strcspn(line, "\n")] = '\0';
    return 0;
}

static int read_end(struct rail *rail)
{
    char line[LINE];
    struct ce_error err;
    if (read_line(line) < 0)
        return -1;
    rail->other = strcmp(line, "dead") == 0 ? STILL : NONE;
    if (strncmp(line, "format=", 7) != 0)
        return *line ? 0 : -1;
    change(line, '|', '\n');
    if (ce_rdma_end_parse(line, &rail->end, &err) < 0)
        return fprintf(stderr, "preflight-rails: %s\n", err.text) < 0 ? -1 : -1;
    rail->other = rail->end.failed[0] ? NONE : USABLE;
    return 0;
}

static int expect(const char *word)
{
    char line[LINE];
    return read_line(line) < 0 || strcmp(line, word) != 0 ? -1 : 0;
}

/* ---------------------------------------------------------------- measuring */

static void open_rail(struct rail *rail, uint32_t index, uint32_t count)
{
    struct ce_rdma_result result = {.text = ""};
    rail->place.device = rail->device;
    if (rdma_port_open(&rail->port, &rail->place, 0, &result) < 0) {
        fprintf(stderr, "preflight-rails: %s: %s\n", rail->device, result.text);
        rail->state = state_of(&result);
    }
    rail->port.own.rail = index;
    rail->port.own.rails = count;
}

static void connect_rail(struct rail *rail)
{
    struct ce_rdma_result result = {.text = ""};
    if (rail->state == USABLE && rail->other == USABLE &&
        rdma_port_connect(&rail->port, &rail->end, &result) < 0) {
        fprintf(stderr, "preflight-rails: %s: %s\n", rail->device, result.text);
        rail->state = result.outcome == CE_RDMA_WRITE ? STILL : NONE;
    }
}

static int post(struct rdma_port *port)
{
    struct ibv_sge piece = {(uintptr_t)port->memory + RDMA_OUT, RDMA_MESSAGE, port->mr->lkey};
    struct ibv_send_wr *bad, write = {.sg_list = &piece,
                                      .num_sge = 1,
                                      .opcode = IBV_WR_RDMA_WRITE,
                                      .send_flags = IBV_SEND_SIGNALED,
                                      .wr.rdma = {port->other.address, port->other.key}};
    return ibv_post_send(port->qp, &write, &bad) ? -1 : 0;
}

/* 0; -1: one failed. */
static int count_ended(struct rdma_port *port, struct ce_rdma_span *span)
{
    struct ibv_wc done[WINDOW];
    int count = ibv_poll_cq(port->cq, WINDOW, done);
    for (int i = 0; i < count; i++)
        if (done[i].status != IBV_WC_SUCCESS)
            return -1;
    if (count < 0)
        return -1;
    port->outstanding -= (unsigned)count;
    ce_rdma_span_add(span, ce_clock_ns(), (uint64_t)count);
    return 0;
}

/* What came through until a rail that is very slow has had its time counts, too. */
static uint64_t write_for(struct rdma_port *port, uint64_t begin, uint64_t limit)
{
    struct ce_rdma_span span = {.begin = begin};
    uint64_t now = begin, stop = begin + (uint64_t)RAIL_MS * CE_NS_PER_MS;
    while (now < limit && (now < stop || !ce_rdma_span_is_known(&span))) {
        while (port->outstanding < WINDOW)
            if (post(port) < 0)
                return DEAD;
            else
                port->outstanding++;
        if (count_ended(port, &span) < 0)
            return DEAD;
        now = ce_clock_ns();
    }
    uint64_t mbps = ce_rdma_span_mbps(&span, RDMA_MESSAGE);
    return mbps == 0 ? DEAD : mbps <= DEAD ? DEAD + 1 : mbps;
}

static uint64_t measure_rail(struct rail *rail, uint64_t end)
{
    uint64_t now = ce_clock_ns();
    if (rail->state == NONE || rail->other == NONE || now >= end)
        return 0;
    if (rail->state == STILL || rail->other == STILL)
        return DEAD;
    return write_for(&rail->port, now, now + (uint64_t)RAIL_LIMIT_MS * CE_NS_PER_MS);
}

/* All ends are known to both sides before either goes on. */
static int take_part(struct rail *rails, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        open_rail(&rails[i], i, count);
    for (uint32_t i = 0; i < count; i++)
        print_end(&rails[i]);
    puts("");
    for (uint32_t i = 0; i < count; i++)
        if (read_end(&rails[i]) < 0)
            return -1;
    if (expect("") < 0)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        connect_rail(&rails[i]);
    puts("ready");
    if (expect("go") < 0)
        return -1;
    uint64_t end = ce_clock_ns() + (uint64_t)ALL_MS * CE_NS_PER_MS;
    for (uint32_t i = 0; i < count; i++)
        printf("%llu\n", (unsigned long long)measure_rail(&rails[i], end));
    puts("done");
    while (getchar() != EOF)
        continue;
    return 0;
}

/* ---------------------------------------------------------------- arguments */

/* DEVICE:PORT:GID */
static int read_rail(const char *text, struct rail *rail)
{
    char copy[CE_HCA_NAME + 16];
    if (ce_copy(copy, sizeof copy, text) < 0)
        return -1;
    char *port = strchr(copy, ':'), *gid = port ? strchr(port + 1, ':') : NULL;
    if (!gid)
        return -1;
    *port++ = *gid++ = '\0';
    return ce_copy(rail->device, sizeof rail->device, copy) < 0 ||
                   ce_parse_u32(port, 1, 255, &rail->place.port) < 0 ||
                   ce_parse_u32(gid, 0, 255, &rail->place.gid) < 0
               ? -1
               : 0;
}

static const struct option options[] = {{"rail", required_argument, NULL, 'r'}, {NULL, 0, NULL, 0}};

int main(int argc, char **argv)
{
    static struct rail rails[CE_GANG_RAILS];
    uint32_t count = 0;
    int key, bad = 0;
    while ((key = getopt_long(argc, argv, "", options, NULL)) != -1)
        bad |= key != 'r' || count == CE_GANG_RAILS || read_rail(optarg, &rails[count++]) < 0;
    if (bad || count == 0 || optind < argc) {
        fputs("usage: preflight-rails --rail=DEVICE:PORT:GID...\n", stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    int failed = take_part(rails, count);
    for (uint32_t i = 0; i < count; i++)
        rdma_port_close(&rails[i].port);
    return failed || ferror(stdout) ? 1 : 0;
}
