/* SPDX-License-Identifier: Apache-2.0 */
#include "model/kernel_event.h"

#include <stdlib.h>

#include "../unit.h"
#include "model/node.h"

static struct ce_kernel_event xid(uint32_t number, uint64_t seq)
{
    struct ce_kernel_event event = {.kind = CE_KERNEL_XID,
                                    .pci = "0000:9b:00.0",
                                    .number = number,
                                    .mig = -1,
                                    .action = CE_RECOVERY_UNKNOWN,
                                    .seq = seq,
                                    .time_us = seq * 1000};
    return event;
}

static void equal_lines_are_one_event(void **state)
{
    (void)state;
    struct ce_kernel_log log = {.read = true};
    for (uint64_t seq = 1; seq <= 3; seq++) {
        struct ce_kernel_event a = xid(45, 10 * seq), b = xid(13, 10 * seq + 1);
        ce_kernel_log_add(&log, &a);
        ce_kernel_log_add(&log, &b);
    }
    assert_int_equal(log.count, 2);
    assert_int_equal(log.events[0].number, 45);
    assert_int_equal(log.events[0].count, 3);
    assert_int_equal(log.events[0].first_seq, 10);
    assert_int_equal(log.events[0].seq, 30);
    assert_int_equal(log.events[0].first_us, 10000);
    assert_int_equal(log.events[1].seq, 31);
    ce_kernel_log_free(&log);
}

static void what_differs_stays_apart(void **state)
{
    (void)state;
    struct ce_kernel_log log = {.read = true};
    struct ce_kernel_event events[] = {xid(154, 1), xid(154, 2), xid(154, 3), xid(154, 4),
                                       xid(154, 5)};
    events[1].action = CE_RECOVERY_NONE;
    events[2].mig = 3;
    strcpy(events[3].pci, "0000:9c:00.0");
    events[4].severity = CE_SEVERITY_FATAL;
    for (size_t i = 0; i < 5; i++)
        ce_kernel_log_add(&log, &events[i]);
    assert_int_equal(log.count, 5);
    ce_kernel_log_free(&log);
}

static void links_are_counted_by_the_hour(void **state)
{
    (void)state;
    struct ce_kernel_log log = {.read = true};
    for (uint64_t i = 0; i < 180; i++) { /* every minute, three hours */
        struct ce_kernel_event event = xid(0, i + 1);
        event.kind = CE_KERNEL_LINK_DOWN;
        event.time_us = i * 60 * 1000000;
        ce_kernel_log_add(&log, &event);
    }
    assert_int_equal(log.count, 3);
    assert_int_equal(log.events[0].count, 61);
    ce_kernel_log_free(&log);
}

static void of_too_many_the_oldest_go(void **state)
{
    (void)state;
    struct ce_kernel_log log = {.read = true};
    for (uint32_t i = 0; i < CE_KERNEL_EVENTS_MAX + 5; i++) {
        struct ce_kernel_event event = xid(i, i + 1);
        ce_kernel_log_add(&log, &event);
    }
    assert_int_equal(log.count, CE_KERNEL_EVENTS_MAX);
    assert_int_equal(log.events[0].number, 5);
    assert_true(log.lost);
    ce_kernel_log_free(&log);
}

/* ---------------------------------------------------------------- text */

#define HEAD "format=1\nkernel.first_seq=7\nkernel.seq=900\nkernel.time_us=5\n"

static const struct text_row {
    const char *name, *text, *err;
} texts[] = {
    {"no_log_is_unknown", "format=1\nend=1\n", NULL},
    {"a_log_without_events", HEAD "end=1\n", NULL},
    {"an_event_with_all_of_it",
     HEAD "kernel.lost=1\nkernel.0.kind=xid\nkernel.0.pci=0000:9b:00.0\nkernel.0.number=154\n"
          "kernel.0.mig=0\nkernel.0.action=0\nkernel.0.severity=fatal\nkernel.0.pid=7\n"
          "kernel.0.first_seq=8\nkernel.0.seq=9\nkernel.0.first_us=1\nkernel.0.time_us=2\n"
          "kernel.0.count=3\nkernel.0.text=GPU recovery action changed\nend=1\n",
     NULL},
    {"a_bad_address", HEAD "kernel.0.kind=xid\nkernel.0.pci=x\nend=1\n", "kernel.0.pci=x"},
    {"a_bad_number", HEAD "kernel.0.kind=xid\nkernel.0.number=-1\nend=1\n", "kernel.0.number=-1"},
    {"a_bad_action", HEAD "kernel.0.kind=xid\nkernel.0.action=256\nend=1\n", "kernel.0.action=256"},
    {"a_bad_sequence", "format=1\nkernel.seq=x\nend=1\n", "kernel.seq=x"},
    {"a_long_text",
     HEAD "kernel.0.kind=xid\nkernel.0.text="
          "0123456789012345678901234567890123456789012345678901234567890123456789"
          "0123456789012345678901234567890123456789\nend=1\n",
     "too long, or not printable"},
};

static void a_text(void **state)
{
    const struct text_row *row = *state;
    struct ce_error err = {""};
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(row->text, &err);
    if (row->err) {
        assert_null(node);
        unit_holds(err.text, row->err);
        return;
    }
    assert_string_equal(err.text, "");
    ce_autotext struct ce_text again = CE_TEXT(1 << 16);
    ce_node_write(node, &again);
    assert_string_equal(ce_text_string(&again), row->text);
}

static void a_kind_of_a_newer_writer_is_other(void **state)
{
    (void)state;
    struct ce_error err;
    ce_auto(ce_node_destroy) struct ce_node *node =
        ce_node_parse(HEAD "kernel.0.kind=new\nend=1\n", &err);
    assert_non_null(node);
    assert_int_equal(node->kernel.count, 1);
    assert_int_equal(node->kernel.events[0].kind, CE_KERNEL_OTHER);
    assert_int_equal(node->kernel.events[0].action, CE_RECOVERY_UNKNOWN);
    assert_int_equal(node->kernel.events[0].mig, -1);
}

int main(void)
{
    UNIT_RULE(equal_lines_are_one_event);
    UNIT_RULE(what_differs_stays_apart);
    UNIT_RULE(links_are_counted_by_the_hour);
    UNIT_RULE(of_too_many_the_oldest_go);
    UNIT_TABLE(texts, a_text);
    UNIT_RULE(a_kind_of_a_newer_writer_is_other);
    return UNIT_RUN("kernel events");
}
