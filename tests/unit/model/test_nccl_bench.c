/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nccl_bench.h"

#include "../unit.h"

/* ---------------------------------------------------------------- NCCL's log */

#define LINE(text) "node1:4711:4720 [0] NCCL INFO " text "\n"

static const struct log_row {
    const char *name, *text, *network, *via, *warning;
} log_rows[] = {
    {"nothing", "", "", "", ""},
    {"a_network", LINE("Using network IB"), "IB", "", ""},
    {"the_last_one_counts", LINE("Using network IB") LINE("Using network AWS Libfabric"), "AWS Libfabric", "", ""},
    {"sockets", LINE("NET/IB : No device found.") LINE("Using network Socket"), "Socket", "", ""},
    {"peer_to_peer", LINE("Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read"), "", "P2P/CUMEM", ""},
    {"an_older_form", LINE("Channel 01 : 3[43000] -> 2[1b000] via SHM/direct/direct"), "", "SHM/direct", ""},
    {"direct_pointer", LINE("Channel 00/01 : 0[0] -> 1[1] via P2P/direct pointer"), "", "P2P/direct", ""},
    {"network_into_the_gpu", LINE("Channel 02/0 : 8[0] -> 0[0] [receive] via NET/IB/3/GDRDMA"), "",
     "NET/IB,GDRDMA", ""},
    {"with_the_proxys_rank", LINE("Channel 02/0 : 8[0] -> 0[0] [send] via NET/IB/3(1)/GDRDMA"), "", "NET/IB,GDRDMA", ""},
    {"each_way_once", LINE("Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read")
     LINE("Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM/read") LINE("Channel 01/0 : 0[0] -> 8[0] [send] via NET/Socket/1"),
     "", "P2P/CUMEM,NET/Socket", ""},
    {"not_a_part_of_another", LINE("Channel 00/0 : 0[0] -> 1[1] via NET/IBext/0")
     LINE("Channel 00/0 : 0[0] -> 1[1] via NET/IB/0"), "", "NET/IBext,NET/IB", ""},
    {"nvls", LINE("NVLS comm 0x5581 headRank 0 nHeads 8 buffSize 1048576"), "", "NVLS", ""},
    {"collnet", LINE("CollNet 00/0 : 1 [send] via COLLNET/SHARP/0/GDRDMA"), "", "COLLNET/SHARP,GDRDMA", ""},
    {"a_warning", "[2026-11-21 18:22:17] n:1:2 misc/ibvwrap.cc:95 NCCL WARN Call to ibv_open_device failed\n"
     "n:1:2 x.cc:1 NCCL WARN another\n", "", "", "Call to ibv_open_device failed"},
    {"control_characters", "n:1:2 x.cc:1 NCCL WARN \033[31mred\n", "", "", "?[31mred"},
    {"what_is_not_nccls", "Using network IB\nChannel 00 via NET/IB/0\n", "", "", ""},
    {"a_line_without_end", "n:1:2 [0] NCCL INFO Using network IB", "IB", "", ""},
};

static void check_log(void **state)
{
    const struct log_row *row = *state;
    struct ce_nccl_log log;
    ce_nccl_log_read(row->text, &log);
    assert_string_equal(log.network, row->network);
    assert_string_equal(log.via, row->via);
    assert_string_equal(log.warning, row->warning);
}

static void ways_that_do_not_fit_are_left_out(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    struct ce_nccl_log log;
    (void)state;
    for (int i = 0; i < 100; i++)
        ce_text_addf(&text, LINE("Channel 00/0 : 0[0] -> 1[1] via NET/Network%d/0"), i);
    ce_nccl_log_read(ce_text_string(&text), &log);
    assert_true(strlen(log.via) < sizeof log.via && strlen(log.via) > sizeof log.via / 2);
    assert_int_not_equal(log.via[strlen(log.via) - 1], ',');
}

/* ---------------------------------------------------------------- texts */

static const struct ce_nccl_node whole = {
    .name = "node1",
    .gpu = "NVIDIA H100 80GB HBM3",
    .gpus = 8,
    .ranks = 32,
    .version = 22809,
    .at = CE_NCCL_MEASURE,
    .outcome = CE_NCCL_LATE,
    .reason = "an all-reduce does not end",
    .sizes = {{1 << 20, 100, 0}, {4 << 20, 400, 3}},
    .size_count = 2,
    .rails = 8,
    .asked = "NCCL_NET=Socket",
    .log = {"IB", "P2P/CUMEM,NET/IB", "a warning"},
};

static void what_is_written_is_read(void **state)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 16);
    struct ce_nccl_node read;
    struct ce_error err;
    (void)state;
    ce_nccl_node_write(&whole, &text);
    assert_int_equal(ce_nccl_node_read(ce_text_string(&text), &read, &err), 0);
    assert_string_equal(read.name, whole.name);
    assert_string_equal(read.gpu, whole.gpu);
    assert_string_equal(read.reason, whole.reason);
    assert_string_equal(read.asked, whole.asked);
    assert_memory_equal(&read.log, &whole.log, sizeof read.log);
    assert_int_equal(read.gpus * 100 + read.ranks, 832);
    assert_int_equal(read.version, 22809);
    assert_int_equal(read.at, CE_NCCL_MEASURE);
    assert_int_equal(read.outcome, CE_NCCL_LATE);
    assert_int_equal(read.rails, 8);
    assert_int_equal(read.size_count, 2);
    assert_memory_equal(read.sizes, whole.sizes, 2 * sizeof *read.sizes);
}

static const struct bad_row {
    const char *name, *text, *says;
} bad_rows[] = {
    {"empty", "", "format"},
    {"cut_short", "format=1\nnccl.outcome=late\n", "end=1"},
    {"an_outcome_that_there_is_not", "format=1\nnccl.outcome=well\nend=1\n", "nccl.outcome=well: expected done"},
    {"too_many_gpus", "format=1\nnccl.gpus=65\nend=1\n", "65"},
    {"a_number_that_is_none", "format=1\nnccl.size.0.bytes=x\nend=1\n", "nccl.size.0.bytes"},
    {"done_without_sizes", "format=1\nnccl.outcome=done\nend=1\n", "expected sizes"},
    {"twice", "format=1\nnccl.gpus=1\nnccl.gpus=1\nend=1\n", "nccl.gpus"},
};

static void check_bad(void **state)
{
    const struct bad_row *row = *state;
    struct ce_nccl_node node;
    struct ce_error err;
    assert_int_equal(ce_nccl_node_read(row->text, &node, &err), -1);
    unit_holds(err.text, row->says);
}

static void a_helpers_output_is_read_up_to_where_it_was_ended(void **state)
{
    static const char output[] = "nccl.began.start=1\nnccl.gpus=2\nnccl.began.meet=1\nnccl.began.init=1\n"
                                 LINE("Using network IB")
                                 "nccl.size.0.bytes=1048576\nnccl.size.0.ns=9\nnccl.size.0.wrong=0\nnccl.size.1.by";
    struct ce_nccl_node node;
    struct ce_error err;
    (void)state;
    assert_int_equal(ce_nccl_output_read(output, &node, &err), 0);
    assert_int_equal(node.outcome, CE_NCCL_SILENT);
    assert_int_equal(node.at, CE_NCCL_INIT);
    assert_int_equal(node.gpus, 2);
    assert_int_equal(node.size_count, 1);
    assert_string_equal(node.log.network, "IB");
}

/* ---------------------------------------------------------------- numbers */

static const struct rate_row {
    const char *name;
    uint64_t bytes, ns;
    uint32_t ranks;
    uint64_t mbytes;
} rate_rows[] = {
    {"two_ranks_bus_is_the_messages", 1000000, 1000000, 2, 1000},
    {"eight", 4294967296, 16000000, 8, 469762},
    {"one_has_no_bus", 1000000, 1000, 1, 0},
    {"no_time", 1000000, 0, 8, 0},
    {"slower_than_a_megabyte_a_second_is_not_nothing", 1048576, 2000000000, 8, 1},
};

static void check_rate(void **state)
{
    const struct rate_row *row = *state;
    assert_int_equal(ce_nccl_bus_mbytes(row->bytes, row->ns, row->ranks), row->mbytes);
}

static const struct version_row {
    const char *name;
    uint32_t version;
} version_rows[] = {{"2.28.9", 22809}, {"2.9.6", 20906}, {"2.8.4", 2804}, {"3.0.1", 30001}, {"0.0.0", 0}};

static void check_version(void **state)
{
    const struct version_row *row = *state;
    char text[CE_NCCL_VERSION_TEXT];
    assert_string_equal(ce_nccl_version_text(row->version, text), row->name);
}

static void the_slowest_node_is_the_gangs(void **state)
{
    struct ce_nccl_node parts[2] = {
        {.ranks = 2, .sizes = {{1 << 20, 1000, 0}, {4 << 20, 4000, 0}}, .size_count = 2},
        {.ranks = 2, .sizes = {{1 << 20, 2000, 0}}, .size_count = 1},
    };
    (void)state;
    assert_int_equal(ce_nccl_largest(parts, 2), 1 << 20);
    assert_int_equal(ce_nccl_rate(parts, 2, 1 << 20), 524288);
    assert_int_equal(ce_nccl_rate(parts, 2, 4 << 20), 0);
    assert_int_equal(ce_nccl_largest(parts, 1), 4 << 20);
    assert_int_equal(ce_nccl_largest(parts, 0), 0);
}

static void sizes_are_counted(void **state)
{
    (void)state;
    assert_int_equal(ce_nccl_size_count(4), 1);
    assert_int_equal(ce_nccl_size_count(1 << 20), 1);
    assert_int_equal(ce_nccl_size_count(4 << 20), 2);
    assert_int_equal(ce_nccl_size_count(UINT64_C(4) << 30), 7);
}

int main(void)
{
    UNIT_TABLE(log_rows, check_log);
    UNIT_RULE(ways_that_do_not_fit_are_left_out);
    UNIT_RULE(what_is_written_is_read);
    UNIT_TABLE(bad_rows, check_bad);
    UNIT_RULE(a_helpers_output_is_read_up_to_where_it_was_ended);
    UNIT_TABLE(rate_rows, check_rate);
    UNIT_TABLE(version_rows, check_version);
    UNIT_RULE(the_slowest_node_is_the_gangs);
    UNIT_RULE(sizes_are_counted);
    return UNIT_RUN("model/nccl_bench");
}
