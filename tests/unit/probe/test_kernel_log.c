/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/kernel_log.h"

#include "../kernel.h"
#include "asked.h"
#include "tree.h"

static void ask(const struct ce_root *root, unsigned deadline_ms, struct ce_node *node,
                struct ce_notes *notes)
{
    struct ce_kernel_question question = {root, 0};
    struct ce_child child;
    ce_kernel_log_ask(&question, deadline_ms, &child);
    run_alone(&child);
    ce_kernel_log_answer(&question, &child, node, notes);
    ce_child_free(&child);
}

static void a_recorded_tree_has_it_as_a_file(void **state)
{
    (void)state;
    struct tree tree = tree_make();
    struct ce_notes notes = {.count = 0};
    char *text = kernel_fixture("kernel/fell-off.kmsg");
    tree_put(&tree, "dev", "kmsg", text);
    free(text);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    ask(&tree.root, 5000, node, &notes);
    assert_int_equal(notes.count, 0);
    assert_true(node->kernel.read);
    assert_false(node->kernel.lost);
    assert_int_equal(node->kernel.first_seq, 2000);
    assert_int_equal(node->kernel.seq, 2002);
    assert_int_equal(node->kernel.time_us, 100000200);
    assert_int_equal(node->kernel.count, 2);
    assert_int_equal(node->kernel.events[1].action, CE_RECOVERY_REBOOT);
    tree_remove(&tree);
}

static void dmesg_is_read_too(void **state)
{
    (void)state;
    struct ce_kernel_log log = kernel_recorded("fell-off.dmesg", 0);
    assert_true(log.read);
    assert_int_equal(log.first_seq, 1);
    assert_int_equal(log.seq, 3);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.events[0].number, 79);
    assert_int_equal(log.events[0].time_us, 100000000);
    ce_kernel_log_free(&log);
}

static void without_a_log_it_is_unknown(void **state)
{
    (void)state;
    struct tree tree = tree_make();
    struct ce_notes notes = {.count = 0};
    struct ce_error err = {""};
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    ask(&tree.root, 5000, node, &notes);
    assert_false(node->kernel.read);
    assert_int_equal(notes.count, 0);
    assert_int_equal(ce_probe_kernel_log(&tree.root, 0, &node->kernel, &err), 1);
    unit_holds(err.text, "/dev/kmsg: no kernel log to read: neither");
    tree_remove(&tree);
}

static void a_fifo_in_its_place_holds_nobody(void **state)
{
    (void)state;
    struct tree tree = tree_make();
    struct ce_error err = {""};
    struct ce_kernel_log log;
    tree_put(&tree, "dev", "x", "");
    assert_int_equal(mkfifoat(tree.dir.fd, "dev/kmsg", 0600), 0);
    assert_int_equal(ce_probe_kernel_log(&tree.root, 0, &log, &err), 1);
    tree_remove(&tree);
}

static void an_empty_log_is_known(void **state)
{
    (void)state;
    struct tree tree = tree_make();
    struct ce_notes notes = {.count = 0};
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    tree_put(&tree, "dev", "kmsg", "");
    ask(&tree.root, 5000, node, &notes);
    assert_true(node->kernel.read);
    assert_int_equal(node->kernel.count, 0);
    tree_remove(&tree);
}

static void only_what_came_since_is_taken(void **state)
{
    (void)state;
    struct ce_kernel_log log = kernel_recorded("recovered.kmsg", 2000);
    assert_int_equal(log.first_seq, 2000);
    assert_int_equal(log.seq, 2100);
    assert_int_equal(log.count, 2);
    assert_int_equal(log.events[0].seq, 2002);
    ce_kernel_log_free(&log);
}

static void garbage_is_no_event(void **state)
{
    (void)state;
    struct ce_kernel_log log = kernel_recorded("garbage.kmsg", 0);
    assert_true(log.read);
    assert_int_equal(log.count, 0);
    assert_int_equal(log.seq, 3012);
    ce_kernel_log_free(&log);
}

static void eight_thousand_lines_are_one_event(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(4 << 20);
    struct ce_kernel_log log = {.read = false};
    (void)state;
    for (unsigned i = 0; i < 8000; i++)
        ce_text_addf(&text, "4,%u,%u,-;NVRM: Xid (PCI:0000:1b:00): 45, pid=%u, name=x, Ch %u\n",
                     i + 10, i * 1000, i, i);
    char *lines = ce_text_take(&text);
    ce_kernel_log_take_text(lines, 0, &log);
    free(lines);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.events[0].count, 8000);
    assert_int_equal(log.events[0].first_seq, 10);
    assert_int_equal(log.events[0].seq, 8009);
    assert_false(log.lost);
    ce_kernel_log_free(&log);
}

static const char *needs_device(void)
{
    int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
    char record[8192];
    bool readable = fd >= 0 && read(fd, record, sizeof record) > 0;
    if (fd >= 0)
        close(fd);
    return readable ? NULL : "/dev/kmsg cannot be read here";
}

static void this_machine_is_read_to_its_end(void **state)
{
    (void)state;
    struct ce_root root;
    struct ce_notes notes = {.count = 0};
    struct ce_error err;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    assert_int_equal(ce_root_open(&root, "/", &err), 0);
    ask(&root, 10000, node, &notes);
    assert_int_equal(notes.count, 0);
    assert_true(node->kernel.read);
    assert_true(node->kernel.seq >= node->kernel.first_seq);
    assert_true(node->kernel.time_us > 0);
    ce_root_close(&root);
}

int main(void)
{
    UNIT_RULE(a_recorded_tree_has_it_as_a_file);
    UNIT_RULE(dmesg_is_read_too);
    UNIT_RULE(without_a_log_it_is_unknown);
    UNIT_RULE(a_fifo_in_its_place_holds_nobody);
    UNIT_RULE(an_empty_log_is_known);
    UNIT_RULE(only_what_came_since_is_taken);
    UNIT_RULE(garbage_is_no_event);
    UNIT_RULE(eight_thousand_lines_are_one_event);
    UNIT_RULE_UNLESS(needs_device(), this_machine_is_read_to_its_end);
    return UNIT_RUN("kernel log");
}
