/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json.h"
#include "report/run.h"

enum { TIME_TEXT = 32 };

static json_t *time_json(time_t when)
{
    char text[TIME_TEXT] = "";
    struct tm utc;
    if (gmtime_r(&when, &utc))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return ce_json_text(text);
}

json_t *ce_json_finding(const struct ce_finding *finding)
{
    return json_pack("{so so so so so so}", "check", ce_json_text(finding->check), "subject",
                     ce_json_text(finding->subject), "verdict",
                     ce_json_text(ce_verdict_name(finding->verdict)), "text",
                     ce_json_text(finding->text), "remedy", ce_json_text(finding->remedy),
                     "response", ce_json_text(ce_response_name(finding->response)));
}

json_t *ce_json_counts(const struct ce_findings *findings)
{
    json_int_t counts[CE_FAIL + 1] = {0};
    json_t *object = json_object();
    for (size_t i = 0; i < findings->count; i++)
        counts[findings->items[i].verdict]++;
    for (unsigned i = 0; i <= CE_FAIL; i++)
        json_object_set_new(object, ce_verdict_name(i), json_integer(counts[i]));
    return object;
}

/* *left_out: those that there was no room for. */
static json_t *findings_json(const struct ce_findings *findings, bool all, json_int_t *left_out)
{
    json_t *list = json_array();
    *left_out = 0;
    for (size_t i = 0; i < findings->count; i++) {
        const struct ce_finding *finding = &findings->items[i];
        if (!all && (finding->verdict == CE_PASS || finding->verdict == CE_SKIP))
            continue;
        if (!all && json_array_size(list) == CE_RUN_LINE_FINDINGS)
            (*left_out)++;
        else
            json_array_append_new(list, ce_json_finding(finding));
    }
    return list;
}

static json_t *notes_json(const struct ce_notes *notes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < notes->count; i++)
        json_array_append_new(list, ce_json_text(notes->line[i].text));
    return list;
}

json_t *ce_json_measured(const struct ce_measured *measured)
{
    json_t *list = json_array();
    for (size_t i = 0; i < measured->count; i++) {
        const struct ce_measurement *item = &measured->items[i];
        json_array_append_new(list, json_pack("{ss so sf ss}", "what", item->what, "device",
                                              ce_json_text(item->device), "value", item->value,
                                              "unit", item->unit));
    }
    return list;
}

static json_t *text_or_null(const char *text)
{
    return ce_json_text(text && *text ? text : NULL);
}

static json_t *count_json(bool known, uint32_t count)
{
    return known ? json_integer(count) : json_null();
}

/* Rails that nobody counted beforehand: those that there are. */
static json_t *rails_json(const struct ce_equipment *equipment)
{
    bool expected = equipment->rails_expected > 0;
    return json_pack("{so so}", "up", count_json(equipment->rails_known, equipment->rails_up),
                     "expected",
                     count_json(expected || equipment->rails_known,
                                expected ? equipment->rails_expected : equipment->rails));
}

static json_t *gpus_json(const struct ce_equipment *equipment)
{
    return json_pack("{so so}", "found", count_json(equipment->gpus_known, equipment->gpus),
                     "expected",
                     count_json(equipment->gpus_expected > 0, equipment->gpus_expected));
}

static json_t *run_json(const struct ce_run *run, bool all)
{
    json_int_t left_out;
    json_t *findings = findings_json(run->findings, all, &left_out);
    json_t *root = json_pack(
        "{si so so so so so so so so sb so ss si so so so so sI so}", "schema", 1, "time",
        time_json(run->began), "node", ce_json_text(run->node), "phase", ce_json_text(run->phase),
        "job", run->job ? json_integer(run->job) : json_null(), "boot_id", text_or_null(run->boot_id),
        "mode", text_or_null(run->mode), "error", text_or_null(run->error), "reason",
        text_or_null(run->reason), "misconfigured", run->misconfigured, "checked",
        json_boolean(!run->error), "done", ce_done_name(run->done), "took_ms", (int)run->took_ms,
        "gpus", gpus_json(&run->equipment), "rails", rails_json(&run->equipment), "counts",
        ce_json_counts(run->findings), "findings", findings, "left_out", left_out, "notes",
        notes_json(run->notes));
    if (root && run->test)
        json_object_set_new(root, "test", ce_json_text(run->test));
    if (root && run->measured)
        json_object_set_new(root, "measured", ce_json_measured(run->measured));
    return root;
}

int ce_report_run_json(const struct ce_run *run, struct ce_text *out)
{
    return ce_json_write(run_json(run, true), out);
}

int ce_report_run_line(const struct ce_run *run, struct ce_text *out)
{
    return ce_json_write_line(run_json(run, false), out);
}
