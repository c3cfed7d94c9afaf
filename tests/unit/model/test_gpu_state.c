/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gpu_state.h"

#include <stdlib.h>

#include "../unit.h"
#include "model/node.h"

#define FRAMED(lines) "format=1\n" lines "end=1\n"
#define TWO "gpu.count=2\ngpu.0.pci=0000:1b:00.0\ngpu.1.pci=0000:43:00.0\n"

static const char full[] = FRAMED(
    TWO "nvml.driver=570.86.15\nnvml.error=probe-gpu: no answer in 10 s\n"
        "gpu.0.nvml.asked=answered\ngpu.0.nvml.name=NVIDIA H100 80GB HBM3\n"
        "gpu.0.nvml.uuid=GPU-1\ngpu.0.nvml.vbios=96.00\ngpu.0.nvml.ecc.mode=1\n"
        "gpu.0.nvml.sram.exceeded=old\ngpu.0.nvml.remap.pending=error:999\n"
        "gpu.0.nvml.fabric.state=none\ngpu.0.nvml.memory.total=18446744073709551615\n"
        "gpu.0.nvml.processes=2\ngpu.0.nvml.links=2\ngpu.0.nvml.link.active=1 0\n"
        "gpu.0.nvml.link.speed_mbytes=26562 unknown\ngpu.0.nvml.link.replays=none error:15\n"
        "gpu.0.nvml.process.0=4711 1048576\ngpu.0.nvml.process.1=4712\n"
        "gpu.1.nvml.asked=late\ngpu.1.nvml.error=15\n");

static void what_is_written_is_read_again(void **state)
{
    struct ce_error err = {""};
    ce_autotext struct ce_text out = CE_TEXT(1 << 16);
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(full, &err);
    assert_string_equal(err.text, "");
    ce_node_write(node, &out);
    assert_int_equal(strlen(ce_text_string(&out)), strlen(full));
    const struct ce_gpu_state *gpu = &node->gpu_states.items[0];
    assert_int_equal(gpu->facts[CE_GPU_SRAM_EXCEEDED].answer, CE_GPU_OLD);
    assert_int_equal(gpu->facts[CE_GPU_REMAP_PENDING].answer, CE_GPU_FAILED);
    assert_int_equal(gpu->facts[CE_GPU_REMAP_PENDING].number, 999);
    assert_int_equal(gpu->facts[CE_GPU_REMAP_FAILURE].answer, CE_GPU_UNKNOWN);
    assert_int_equal(gpu->links[CE_GPU_LINK_REPLAYS][1].number, 15);
    assert_int_equal(gpu->process_count, 2);
    assert_true(gpu->processes[1].memory == UINT64_MAX);
    assert_int_equal(node->gpu_states.items[1].asked, CE_GPU_LATE);
}

static void who_was_not_asked_has_no_states(void **state)
{
    struct ce_error err = {""};
    (void)state;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(FRAMED(TWO), &err);
    assert_non_null(node);
    assert_null(node->gpu_states.items);
    assert_int_equal(node->gpu_states.count, 0);
}

static const struct bad_row {
    const char *name, *lines, *part;
} bads[] = {
    {"a_value_that_is_none", "gpu.0.nvml.ecc.mode=yes\n", "gpu.0.nvml.ecc.mode=yes"},
    {"a_negative_value", "gpu.0.nvml.ecc.mode=-1\n", "not a value of NVML"},
    {"an_error_without_a_code", "gpu.0.nvml.ecc.mode=error:\n", "not a value of NVML"},
    {"an_error_of_code_0", "gpu.0.nvml.ecc.mode=error:0\n", "not a value of NVML"},
    {"a_word_with_a_control_character", "gpu.0.nvml.name=a\033[2J\n", "not a word of NVML"},
    {"too_few_links", "gpu.0.nvml.links=2\ngpu.0.nvml.link.active=1\n", "values of 2 links"},
    {"too_many_links", "gpu.0.nvml.links=2\ngpu.0.nvml.link.active=1 1 1\n", "values of 2 links"},
    {"more_links_than_there_are", "gpu.0.nvml.links=37\n", "gpu.0.nvml.links"},
    {"a_process_without_a_pid", "gpu.0.nvml.process.0=python 3\n", "expected a pid"},
};

static void is_refused(void **state)
{
    const struct bad_row *row = *state;
    struct ce_error err = {""};
    char text[512];
    snprintf(text, sizeof text, FRAMED(TWO "gpu.0.nvml.asked=answered\n%s"), row->lines);
    assert_null(ce_node_parse(text, &err));
    unit_holds(err.text, row->part);
}

static void every_fact_has_a_name(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CE_GPU_FACTS; i++)
        assert_non_null(ce_gpu_fact_name((enum ce_gpu_fact)i));
}

int main(void)
{
    UNIT_RULE(what_is_written_is_read_again);
    UNIT_RULE(who_was_not_asked_has_no_states);
    UNIT_TABLE(bads, is_refused);
    UNIT_RULE(every_fact_has_a_name);
    return UNIT_RUN("gpu_state");
}
