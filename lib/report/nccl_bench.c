/* SPDX-License-Identifier: Apache-2.0 */
#include "report/nccl_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"

/* ---------------------------------------------------------------- rates */

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Of nodes that were alone, those that were measured. */
static uint64_t median_rate(const struct ce_nccl_run *run, uint64_t bytes)
{
    uint64_t *rates = calloc((size_t)run->nodes + 1, sizeof *rates), median = 0;
    size_t count = 0;
    for (uint32_t i = 0; rates && i < run->nodes; i++) {
        uint64_t rate = ce_nccl_rate(&run->parts[i], 1, bytes);
        if (run->parts[i].outcome == CE_NCCL_DONE && rate)
            rates[count++] = rate;
    }
    if (count) {
        qsort(rates, count, sizeof *rates, compare);
        median = (rates[(count - 1) / 2] + rates[count / 2]) / 2;
    }
    free(rates);
    return median;
}

static uint64_t rate_of(const struct ce_nccl_run *run, uint64_t bytes)
{
    if (run->not_run[0] || !bytes)
        return 0;
    return run->alone ? median_rate(run, bytes) : ce_nccl_rate(run->parts, run->nodes, bytes);
}

static uint64_t largest_of(const struct ce_nccl_run *run)
{
    uint64_t most = 0;
    if (run->not_run[0] || !run->alone)
        return run->not_run[0] ? 0 : ce_nccl_largest(run->parts, run->nodes);
    for (uint32_t i = 0; i < run->nodes; i++) {
        uint64_t bytes = ce_nccl_largest(&run->parts[i], 1);
        most = run->parts[i].outcome == CE_NCCL_DONE && bytes > most ? bytes : most;
    }
    return most;
}

/* Nodes of which it is: of those that were alone each is one. */
static uint32_t nodes_of(const struct ce_nccl_run *run)
{
    return run->alone ? 1 : run->nodes;
}

static uint32_t ranks_of(const struct ce_nccl_run *run)
{
    for (uint32_t i = 0; i < run->nodes && !run->not_run[0]; i++)
        if (run->parts[i].outcome == CE_NCCL_DONE)
            return run->parts[i].ranks;
    return 0;
}

/* ---------------------------------------------------------------- tables */

static void add_size(uint64_t bytes, struct ce_text *out)
{
    if (bytes >> 30 && bytes % (1 << 30) == 0)
        ce_text_addf(out, "%6" PRIu64 " GiB", bytes >> 30);
    else if (bytes >> 20)
        ce_text_addf(out, "%6" PRIu64 " MiB", bytes >> 20);
    else
        ce_text_addf(out, "%6" PRIu64 " B  ", bytes);
}

static void add_rate(uint64_t mbytes, struct ce_text *out)
{
    if (mbytes)
        ce_text_addf(out, "  %12.2f", (double)(mbytes / 10) / 100); /* cut, as findings have it */
    else
        ce_text_addf(out, "  %12s", "-");
}

/* Each size that anybody measured, once. */
static size_t list_sizes(const struct ce_nccl_run *runs, size_t count,
                         uint64_t sizes[4 * CE_NCCL_SIZES_MAX])
{
    size_t known = 0;
    for (size_t r = 0; r < count; r++)
        for (uint32_t i = 0; i < runs[r].nodes && !runs[r].not_run[0]; i++)
            for (unsigned s = 0; s < runs[r].parts[i].size_count; s++) {
                uint64_t bytes = runs[r].parts[i].sizes[s].bytes;
                size_t at = 0;
                while (at < known && sizes[at] != bytes)
                    at++;
                if (at == known && known < 4 * (size_t)CE_NCCL_SIZES_MAX)
                    sizes[known++] = bytes;
            }
    qsort(sizes, known, sizeof *sizes, compare);
    return known;
}

static void add_sizes(const struct ce_nccl_run *runs, size_t count, const uint64_t *sizes,
                      size_t known, struct ce_text *out)
{
    ce_text_add(out, "\nBus bandwidth of all-reduces, GB/s\n\n   message");
    for (size_t r = 0; r < count; r++)
        ce_text_addf(out, "  %5u node%s", nodes_of(&runs[r]), nodes_of(&runs[r]) == 1 ? " " : "s");
    ce_text_add(out, "\n");
    for (size_t i = 0; i < known; i++) {
        add_size(sizes[i], out);
        for (size_t r = 0; r < count; r++)
            add_rate(rate_of(&runs[r], sizes[i]), out);
        ce_text_add(out, "\n");
    }
}

static const char *ways_of(const struct ce_nccl_run *run)
{
    for (uint32_t i = 0; i < run->nodes && !run->not_run[0]; i++)
        if (run->parts[i].outcome == CE_NCCL_DONE && run->parts[i].log.via[0])
            return run->parts[i].log.via;
    return "-";
}

/* What one node has is 100 %. */
static void add_scaling(const struct ce_nccl_run *runs, size_t count, struct ce_text *out)
{
    uint64_t one = 0;
    ce_text_add(out, "\n   nodes    GPUs          GB/s  of one node  by\n");
    for (size_t r = 0; r < count; r++) {
        uint64_t rate = rate_of(&runs[r], largest_of(&runs[r]));
        if (runs[r].alone)
            one = rate;
        ce_text_addf(out, "%8u%8u", nodes_of(&runs[r]), ranks_of(&runs[r]));
        add_rate(rate, out);
        if (rate && one)
            ce_text_addf(out, "  %9.0f %%", 100.0 * (double)rate / (double)one);
        else
            ce_text_addf(out, "  %11s", "-");
        ce_text_addf(out, "  %s\n", ways_of(&runs[r]));
    }
}

void ce_report_nccl_bench_tables(const struct ce_nccl_run *runs, size_t count, struct ce_text *out)
{
    uint64_t sizes[4 * CE_NCCL_SIZES_MAX];
    size_t known = list_sizes(runs, count, sizes);
    if (!known)
        return;
    add_sizes(runs, count, sizes, known, out);
    if (count > 1)
        add_scaling(runs, count, out);
}

/* ---------------------------------------------------------------- JSON */

static json_t *sizes_json(const struct ce_nccl_node *part)
{
    json_t *sizes = json_array();
    for (unsigned i = 0; i < part->size_count; i++) {
        const struct ce_nccl_size *size = &part->sizes[i];
        json_array_append_new(
            sizes, json_pack("{sI sI sI sI}", "bytes", (json_int_t)size->bytes, "ns",
                             (json_int_t)size->ns, "bus_mbytes",
                             (json_int_t)ce_nccl_bus_mbytes(size->bytes, size->ns, part->ranks),
                             "wrong", (json_int_t)size->wrong));
    }
    return sizes;
}

static json_t *text_or_null(const char *text)
{
    return ce_json_text(*text ? text : NULL);
}

static json_t *part_json(const struct ce_nccl_node *part)
{
    char version[CE_NCCL_VERSION_TEXT];
    ce_nccl_version_text(part->version, version);
    return json_pack(
        "{so ss ss so so si so so so so si so}", "node", ce_json_text(part->name), "outcome",
        ce_nccl_outcome_name(part->outcome), "stage", ce_nccl_stage_name(part->at), "reason",
        text_or_null(part->reason), "gpu", text_or_null(part->gpu), "gpus", (int)part->gpus, "nccl",
        text_or_null(part->version ? version : ""), "network", text_or_null(part->log.network),
        "via", text_or_null(part->log.via), "warning", text_or_null(part->log.warning), "rails",
        (int)part->rails, "sizes", sizes_json(part));
}

static json_t *rate_json(uint64_t rate)
{
    return rate ? json_integer((json_int_t)rate) : json_null();
}

static json_t *run_json(const struct ce_nccl_run *run, uint64_t one)
{
    json_t *parts = json_array();
    uint64_t rate = rate_of(run, largest_of(run));
    for (uint32_t i = 0; i < run->nodes && !run->not_run[0]; i++)
        json_array_append_new(parts, part_json(&run->parts[i]));
    return json_pack("{si si sb so so so so}", "nodes", (int)nodes_of(run), "gpus",
                     (int)ranks_of(run), "alone", run->alone, "not_run", text_or_null(run->not_run),
                     "bus_mbytes", rate_json(rate), "efficiency",
                     rate && one ? json_real((double)rate / (double)one) : json_null(), "parts",
                     parts);
}

int ce_report_nccl_bench_json(const struct ce_nccl_run *runs, size_t count,
                              const struct ce_findings *findings, const char *node_name,
                              const char *reason, struct ce_text *out)
{
    json_t *list = json_array(), *found = json_array();
    uint64_t one = 0;
    for (size_t i = 0; i < count; i++) {
        one = runs[i].alone ? rate_of(&runs[i], largest_of(&runs[i])) : one;
        json_array_append_new(list, run_json(&runs[i], one));
    }
    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(found, ce_json_finding(&findings->items[i]));
    return ce_json_write(json_pack("{si so so so so}", "schema", 1, "node", ce_json_text(node_name),
                                   "runs", list, "findings", found, "reason", ce_json_text(reason)),
                         out);
}
