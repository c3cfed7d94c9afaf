/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/nccl_helper.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/child.h"

enum {
    OUTPUT_MAX = 64 << 20, /* NCCL's log of many ranks */
    ARGUMENT = 320,
    ARGUMENTS = 12,
    SLACK_MS = 5000, /* its own end, before it is ended */
};

/* The command line. */
struct line {
    char path[PATH_MAX], text[ARGUMENTS][ARGUMENT];
    char *argv[ARGUMENTS + 2];
    size_t count;
};

static unsigned end_ms(const struct ce_nccl_test *test)
{
    return test->timeout_s * 1000 +
           ce_nccl_size_count(test->bytes) * ce_nccl_size_ms(test->seconds);
}

unsigned ce_nccl_limit_ms(const struct ce_nccl_test *test)
{
    return end_ms(test) + SLACK_MS;
}

static void add(struct line *line, const char *name, const char *value)
{
    char *text = line->text[line->count];
    snprintf(text, ARGUMENT, "--%s=%s", name, value);
    line->argv[++line->count] = text;
}

static void add_number(struct line *line, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    add(line, name, text);
}

static void make_line(const struct ce_nccl_test *test, const struct ce_nccl_place *place,
                      struct line *ret)
{
    snprintf(ret->path, sizeof ret->path, "%s/bench-nccl", test->helpers);
    ret->argv[0] = ret->path;
    add(ret, "name", place->name);
    add_number(ret, "bytes", test->bytes);
    add_number(ret, "seconds", test->seconds);
    add_number(ret, "limit", end_ms(test));
    if (test->library)
        add(ret, "library", test->library);
    if (place->nodes < 2)
        return;
    add_number(ret, "nodes", place->nodes);
    add_number(ret, "node", place->node);
    add(ret, "address", place->address);
    add(ret, "port", place->port);
    add_number(ret, "meet", test->timeout_s * 1000 / 3 * 2);
}

static void take(const struct ce_child *child, struct ce_nccl_node *ret)
{
    struct ce_error err, why;
    bool whole = ce_child_check(child, &why) == 0;
    bool late = child->end == CE_CHILD_LATE || child->end == CE_CHILD_ABANDONED;
    if (ce_nccl_output_read(ce_text_string(&child->output), ret, &err) < 0) {
        *ret = (struct ce_nccl_node){.outcome = CE_NCCL_SILENT};
        why = whole ? err : why;
        whole = false;
    }
    /* It may have said how it ended, and hang in what it gives back.  A crash is nobody's fault
     * yet. */
    if (ret->outcome == CE_NCCL_SILENT || (late && ret->outcome == CE_NCCL_DONE))
        ce_nccl_node_end(ret, late ? CE_NCCL_LATE : CE_NCCL_SILENT, "%s",
                         whole ? "it does not say how it ended" : why.text);
}

void ce_nccl_test_run(const struct ce_nccl_test *test, const struct ce_nccl_place *place,
                      struct ce_nccl_node *ret)
{
    struct line line = {.count = 0};
    make_line(test, place, &line);
    struct ce_child child = {
        .argv = line.argv, .deadline_ms = ce_nccl_limit_ms(test), .output_max = OUTPUT_MAX};
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    take(&child, ret);
    ce_child_free(&child);
    snprintf(ret->name, sizeof ret->name, "%s", place->name);
}
