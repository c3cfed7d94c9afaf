/* SPDX-License-Identifier: Apache-2.0 */
#include "model/host.h"

#include "../unit.h"
#include "model/node.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"

static const char known[] =
    FRAMED("host.name=node1\nhost.memory_kb=65837124\nhost.hugepage_kb=2048\nhost.hugepages=0\n"
           "host.memlock=unlimited\nhost.nofile=4096\nhost.clock_synchronised=0\n"
           "host.clock_offset_us=0\nhost.clock_esterror_us=345\nhost.clock_maxerror_us=16000000\nhost.kernel=6.8.0\n"
           "host.nvidia=open\nhost.peermem=1\nhost.mount.0=yes /home\nhost.mount.1=no /my data\n"
           "host.stuck=1\nhost.stuck.0=4711 python\n");

static void every_fact_is_read_and_written(void **state)
{
    (void)state;
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(known, &err);
    assert_string_equal(err.text, "");
    assert_true(node->host.memlock == CE_HOST_UNLIMITED);
    assert_true(node->host.clock_told);
    assert_int_equal(node->host.mount_count, 2);
    ce_node_write(node, &text);
    assert_string_equal(ce_text_string(&text), known);
}

static const struct row {
    const char *name, *text, *error;
} rows[] = {
    {"memory_is_a_number", FRAMED("host.memory_kb=much\n"), "host.memory_kb=much: expected a"},
    {"so_is_a_limit", FRAMED("host.memlock=infinity\n"), "host.memlock=infinity: expected a"},
    {"an_offset_is_a_number", FRAMED("host.clock_offset_us=-3\n"), "host.clock_offset_us=-3: expected a"},
    {"an_answer_is_0_or_1", FRAMED("host.peermem=2\n"), "host.peermem=2: expected a"},
    {"a_mount_says_yes_or_no", FRAMED("host.mount.0=/home\n"), "host.mount.0=/home: expected 'yes"},
    {"and_has_a_path", FRAMED("host.mount.0=yes home\n"), "host.mount.0=yes home: expected 'yes"},
    {"every_stuck_process_stands_there", FRAMED("host.stuck=1\n"), "host.stuck.0=: expected one"},
    {"and_not_too_many", FRAMED("host.stuck=9\n"), "host.stuck=9: expected a"},
};

static void error_is(void **state)
{
    const struct row *row = *state;
    struct ce_error err = {""};
    assert_null(ce_node_parse(row->text, &err));
    unit_holds(err.text, row->error);
}

int main(void)
{
    UNIT_RULE(every_fact_is_read_and_written);
    UNIT_TABLE(rows, error_is);
    return UNIT_RUN("model/host");
}
