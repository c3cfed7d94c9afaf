/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/rdma_helper.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"

/* The driver opens a device, the helper says what went wrong: both before anybody ends it. */
enum { OPEN_MS = 3000, LIMIT_MS = 12000, GRACE_MS = 500, ARGUMENTS = 24, OUTPUT_MAX = 1 << 16 };

struct arguments {
    char *argv[ARGUMENTS + 1];
    size_t count;
};

static void add(struct arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct arguments *arguments, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (arguments->count < ARGUMENTS && vasprintf(&text, format, args) >= 0)
        arguments->argv[arguments->count++] = text;
    va_end(args);
}

static void add_place(struct arguments *arguments, const char *prefix,
                      const struct ce_rdma_place *place)
{
    add(arguments, "--%sdevice=%s", prefix, place->hca->name);
    add(arguments, "--%sport=%u", prefix, place->port->number);
    add(arguments, "--%sgid=%u", prefix, place->gid);
    if (place->gpu)
        add(arguments, "--%sgpu=%s", prefix, place->gpu);
}

static void add_other_node(struct arguments *arguments, const struct ce_rdma_test *test)
{
    if (test->listen)
        add(arguments, "--listen=%s", test->listen);
    if (test->peer)
        add(arguments, "--peer=%s", test->peer);
    add(arguments, "--tcp-port=%u", test->tcp_port);
    add(arguments, "--rail=%zu", test->rail);
    add(arguments, "--rails=%zu", test->rails);
    add(arguments, "--wait=%u", test->wait_ms);
}

static void fill_arguments(const struct ce_rdma_test *test, struct arguments *arguments)
{
    add(arguments, "%s/bench-rdma", test->helpers);
    add_place(arguments, "", &test->own);
    if (test->to.hca)
        add_place(arguments, "to-", &test->to);
    if (test->listen || test->peer)
        add_other_node(arguments, test);
    add(arguments, "--time=%u", test->time_ms);
    add(arguments, "--limit=%u", ce_rdma_limit_ms(test->time_ms));
}

static void free_arguments(struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        free(arguments->argv[i]);
}

void ce_rdma_test_name(const struct ce_rdma_test *test, struct ce_rdma_result *ret)
{
    const struct ce_rdma_place *own = &test->own, *to = &test->to;
    if (to->hca)
        snprintf(ret->subject, sizeof ret->subject, "%.24s/%u to %.24s/%u", own->hca->name,
                 own->port->number, to->hca->name, to->port->number);
    else
        snprintf(ret->subject, sizeof ret->subject, "%.50s/%u", own->hca->name, own->port->number);
    ret->rate_mbps = own->port->rate_mbps;
    ret->link_layer = own->port->link_layer;
    snprintf(ret->gpu, sizeof ret->gpu, "%s", own->gpu ? own->gpu : "");
}

unsigned ce_rdma_limit_ms(unsigned time_ms)
{
    return LIMIT_MS + 3 * time_ms;
}

void ce_rdma_test_run(const struct ce_rdma_test *test, struct ce_rdma_result *ret)
{
    __attribute__((cleanup(free_arguments))) struct arguments arguments = {.count = 0};
    struct ce_error err;
    bool other = test->listen || test->peer;
    struct ce_child child = {.argv = arguments.argv,
                             .deadline_ms = OPEN_MS + ce_rdma_limit_ms(test->time_ms) +
                                            (other ? test->wait_ms : 0),
                             .grace_ms = GRACE_MS,
                             .output_max = OUTPUT_MAX};
    *ret = (struct ce_rdma_result){.text = ""};
    ce_rdma_test_name(test, ret);
    fill_arguments(test, &arguments);
    ce_children_run(&child, 1, &(struct ce_children_plan){.at_once = 1});
    if (ce_child_check(&child, &err) < 0 ||
        ce_rdma_result_parse(ce_text_string(&child.output), ret, &err) < 0)
        ce_rdma_fail(ret, CE_RDMA_DEVICE, "%.150s", err.text);
    ce_child_free(&child);
}
