/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rdma_bench.h"

#include "report/json.h"

/* What was not measured is null, not 0. */
static json_t *figure(const struct ce_rdma_result *result, double value)
{
    return result->outcome == CE_RDMA_DONE ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return ce_json_text(*text ? text : NULL);
}

static json_t *rail_json(const struct ce_rdma_result *result)
{
    json_t *rail = json_pack("{so so so so so}", "rail", ce_json_text(result->subject), "outcome",
                     ce_json_text(ce_rdma_outcome_name(result->outcome)), "write_gbps",
                     figure(result, (double)result->write_mbps / 1000), "latency_us",
                     figure(result, (double)result->latency_ns / 1000), "mtu",
                     result->outcome == CE_RDMA_DONE ? json_integer(result->mtu) : json_null());
    if (rail && result->gpu[0])
        json_object_set_new(rail, "gpu", json_pack("{so so so}", "address", ce_json_text(result->gpu), "name",
                                                   text_or_null(result->gpu_name), "way",
                                                   text_or_null(result->gpu_way)));
    return rail;
}

int ce_report_rdma_bench_json(const struct ce_rdma_result *results, size_t count,
                              const struct ce_findings *findings, const char *node_name,
                              const char *reason, struct ce_text *out)
{
    json_t *rails = json_array(), *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(rails, rail_json(&results[i]));
    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(list, ce_json_finding(&findings->items[i]));
    json_t *root = json_pack("{si so so so so}", "schema", 1, "node", ce_json_text(node_name),
                             "rails", rails, "findings", list, "reason", ce_json_text(reason));
    return ce_json_write(root, out);
}
