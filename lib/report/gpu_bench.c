/* SPDX-License-Identifier: Apache-2.0 */
#include "report/gpu_bench.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/json.h"

static json_t *number_json(uint64_t number)
{
    return number == CE_NOT_MEASURED ? json_null() : json_integer((json_int_t)number);
}

static json_t *numbers_json(const struct ce_gpu_bench *gpu)
{
    json_t *numbers = json_object();
    for (int i = 0; i < CE_GPU_NUMBERS; i++)
        if (i != CE_NUMBER_BITS)
            json_object_set_new(numbers, ce_gpu_number_name((enum ce_gpu_number)i),
                                number_json(gpu->numbers[i]));
    return numbers;
}

static json_t *peers_json(const struct ce_gpu_bench *gpu)
{
    json_t *peers = json_array();
    for (unsigned i = 0; i < gpu->peer_count; i++)
        json_array_append_new(peers, json_pack("{so so}", "address",
                                               ce_json_text(gpu->peers[i].address), "mbytes",
                                               number_json(gpu->peers[i].mbytes)));
    return peers;
}

/* JSON's numbers end before 64 bits do. */
static json_t *hex_json(uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016" PRIx64, number);
    return json_string(text);
}

static json_t *wrong_json(const struct ce_gpu_bench *gpu)
{
    json_t *wrong = json_array();
    for (unsigned i = 0; i < gpu->wrong_count; i++)
        json_array_append_new(wrong, json_pack("{so so so}", "address",
                                               hex_json(gpu->wrong[i].address), "expected",
                                               hex_json(gpu->wrong[i].expected), "found",
                                               hex_json(gpu->wrong[i].found)));
    return wrong;
}

static json_t *gpu_json(const struct ce_gpu_bench *gpu)
{
    uint64_t bits = gpu->numbers[CE_NUMBER_BITS];
    return json_pack("{so so so so so so}", "address", ce_json_text(gpu->address), "name",
                     ce_json_text(gpu->name), "measured", numbers_json(gpu), "peers",
                     peers_json(gpu), "wrong_words", wrong_json(gpu), "wrong_bits",
                     bits == CE_NOT_MEASURED ? json_null() : hex_json(bits));
}

int ce_report_gpu_bench_json(const struct ce_gpu_bench *gpus, size_t count,
                             const struct ce_findings *findings, const char *node_name,
                              const char *reason, struct ce_text *out)
{
    json_t *list = json_array(), *found = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, gpu_json(&gpus[i]));
    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(found, ce_json_finding(&findings->items[i]));
    return ce_json_write(json_pack("{si so so so so}", "schema", 1, "node", ce_json_text(node_name),
                                   "gpus", list, "findings", found, "reason", ce_json_text(reason)),
                         out);
}
