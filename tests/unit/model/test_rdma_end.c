/* SPDX-License-Identifier: Apache-2.0 */
#include "model/rdma_end.h"

#include "../unit.h"

#define GID "gid=fe800000000000000000ffff0a140001\n"
#define REST                                                                                       \
    "link_layer=ethernet\naddress=140737488355328\nlid=0\nqueue_pair=17\npacket=5\nmtu=3\nkey=9\n" \
    "room=65536\n"
#define FRAMED(lines) "format=1\n" lines "end=1\n"

static void an_end_reads_as_it_was_written(void **state)
{
    struct ce_rdma_end end, again;
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(CE_RDMA_TEXT_MAX);
    (void)state;
    const char *written = FRAMED("rail=1\nrails=8\n" GID REST);
    assert_int_equal(ce_rdma_end_parse(written, &end, &err), 0);
    assert_int_equal(end.rail, 1);
    assert_int_equal(end.gid[0], 0xfe);
    assert_int_equal(end.gid[15], 1);
    assert_int_equal(end.queue_pair, 17);
    ce_rdma_end_write(&end, &text);
    assert_string_equal(ce_text_string(&text), written);
    assert_int_equal(ce_rdma_end_parse(ce_text_string(&text), &again, &err), 0);
    assert_memory_equal(&end, &again, sizeof end);
}

static void an_end_in_the_memory_of_a_gpu(void **state)
{
    struct ce_rdma_end end, again;
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(CE_RDMA_TEXT_MAX);
    (void)state;
    assert_int_equal(ce_rdma_end_parse(FRAMED("rail=0\nrails=1\n" GID REST "gpu_address=4096\ngpu_key=11\n"), &end, &err), 0);
    assert_true(end.gpu);
    assert_int_equal(end.gpu_address, 4096);
    assert_int_equal(end.gpu_key, 11);
    ce_rdma_end_write(&end, &text);
    assert_int_equal(ce_rdma_end_parse(ce_text_string(&text), &again, &err), 0);
    assert_memory_equal(&end, &again, sizeof end);
    assert_int_equal(ce_rdma_end_parse(FRAMED("rail=0\nrails=1\n" GID REST), &again, &err), 0);
    assert_false(again.gpu);
}

static void an_end_that_failed_says_why(void **state)
{
    struct ce_rdma_end end = {.rail = 2, .rails = 3, .failed = "DOWN (Polling), expected ACTIVE"};
    struct ce_rdma_end read;
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(CE_RDMA_TEXT_MAX);
    (void)state;
    ce_rdma_end_write(&end, &text);
    assert_int_equal(ce_rdma_end_parse(ce_text_string(&text), &read, &err), 0);
    assert_string_equal(read.failed, end.failed);
    assert_int_equal(read.rail, 2);
}

static const struct row {
    const char *name, *text, *says;
} wrong[] = {
    {"nothing", "", "line 1: expected format=1"},
    {"garbage", "GET / HTTP/1.0\r\n\r\n", "line 1: expected"},
    {"cut_short", "format=1\nrail=0\nrails=1\n", "end=1"},
    {"no_rail", FRAMED("rails=1\n" GID REST), "rail is missing"},
    {"a_rail_past_the_last", FRAMED("rail=8\nrails=8\n" GID REST), "rail=8: expected"},
    {"no_rails_at_all", FRAMED("rail=0\nrails=0\n" GID REST), "rails=0: expected"},
    {"memory_of_a_gpu_without_its_key", FRAMED("rail=0\nrails=1\n" GID REST "gpu_address=1\n"), "gpu_key is missing"},
    {"no_gid", FRAMED("rail=0\nrails=1\n" REST), "gid=: not a GID"},
    {"a_short_gid", FRAMED("rail=0\nrails=1\ngid=fe80\n" REST), "gid=fe80: not a GID"},
    {"a_link_layer_of_its_own", FRAMED("rail=0\nrails=1\n" GID "link_layer=token ring\n"),
     "link_layer=token ring: not a link layer"},
    {"an_mtu_of_6", FRAMED("rail=0\nrails=1\n" GID "link_layer=ethernet\naddress=1\nlid=0\nqueue_pair=1\npacket=0\nmtu=6\nkey=0\nroom=0\n"),
     "mtu=6: expected"},
};

static void check_wrong(void **state)
{
    const struct row *row = *state;
    struct ce_rdma_end end = {.rail = 77};
    struct ce_error err = {""};
    assert_int_equal(ce_rdma_end_parse(row->text, &end, &err), -1);
    unit_holds(err.text, row->says);
    assert_int_equal(end.rail, 77);
}

static void a_step_reads_as_it_was_written(void **state)
{
    struct ce_rdma_step step = {.step = 3, .failed = "a write failed"}, read;
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(CE_RDMA_TEXT_MAX);
    (void)state;
    ce_rdma_step_write(&step, &text);
    assert_int_equal(ce_rdma_step_parse(ce_text_string(&text), &read, &err), 0);
    assert_int_equal(read.step, 3);
    assert_string_equal(read.failed, "a write failed");
    assert_int_equal(ce_rdma_step_parse(FRAMED("step=1\n"), &read, &err), 0);
    assert_string_equal(read.failed, "");
    assert_int_equal(ce_rdma_step_parse(FRAMED("failed=x\n"), &read, &err), -1);
}

static void what_the_other_node_says_cannot_draw_on_a_terminal(void **state)
{
    struct ce_rdma_step step;
    struct ce_error err = {""};
    (void)state;
    assert_int_equal(ce_rdma_step_parse(FRAMED("step=1\nfailed=a\033[2Jb\n"), &step, &err), 0);
    assert_string_equal(step.failed, "a?[2Jb");
}

int main(void)
{
    UNIT_RULE(an_end_reads_as_it_was_written);
    UNIT_RULE(an_end_in_the_memory_of_a_gpu);
    UNIT_RULE(an_end_that_failed_says_why);
    UNIT_TABLE(wrong, check_wrong);
    UNIT_RULE(a_step_reads_as_it_was_written);
    UNIT_RULE(what_the_other_node_says_cannot_draw_on_a_terminal);
    return UNIT_RUN("model/rdma_end");
}
