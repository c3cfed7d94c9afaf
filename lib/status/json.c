/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json.h"

#include "status/report.h"

static json_t *text_or_null(const char *text)
{
    return ce_json_text(text && *text ? text : NULL);
}

static json_t *time_or_null(time_t when)
{
    char text[32] = "";
    struct tm utc;
    if (when && gmtime_r(&when, &utc))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text_or_null(text);
}

static json_t *number_or_null(bool known, uint32_t number)
{
    return known ? json_integer(number) : json_null();
}

/* ---------------------------------------------------------------- a line */

static json_t *findings_json(const struct ce_health_line *line)
{
    json_t *list = json_array();
    for (size_t i = 0; i < line->finding_count; i++) {
        const struct ce_line_finding *at = &line->findings[i];
        json_array_append_new(
            list, json_pack("{so so ss so so ss}", "check", ce_json_text(at->check), "subject",
                            ce_json_text(at->subject), "verdict", ce_verdict_name(at->verdict),
                            "text", ce_json_text(at->text), "remedy", ce_json_text(at->remedy),
                            "response", ce_response_name(at->response)));
    }
    return list;
}

static json_t *counts_json(const struct ce_health_line *line)
{
    json_t *counts = line->counted ? json_object() : json_null();
    for (unsigned i = 0; line->counted && i <= CE_FAIL; i++)
        json_object_set_new(counts, ce_verdict_name(i), json_integer(line->counts[i]));
    return counts;
}

static json_t *check_json(const struct ce_health_line *line)
{
    if (!line)
        return json_null();
    return json_pack("{so so so so so so so so so so so so}", "time", time_or_null(line->time),
                     "phase", ce_json_text(line->phase), "job", number_or_null(line->job, line->job),
                     "mode", text_or_null(line->mode), "checked", json_boolean(line->checked),
                     "error", text_or_null(line->error), "misconfigured",
                     json_boolean(line->misconfigured), "reason", text_or_null(line->reason), "done",
                     text_or_null(line->done), "counts", counts_json(line), "findings",
                     findings_json(line), "left_out", json_integer(line->left_out));
}

static json_t *test_json(const struct ce_health_line *line)
{
    json_t *list = json_array();
    for (size_t i = 0; i < line->measured_count; i++) {
        const struct ce_line_measured *at = &line->measured[i];
        json_array_append_new(list, json_pack("{so so so so}", "what", ce_json_text(at->what),
                                              "device", ce_json_text(at->device), "value",
                                              json_real(at->value), "unit", ce_json_text(at->unit)));
    }
    return json_pack("{so so so so}", "test", text_or_null(line->test), "time",
                     time_or_null(line->time), "measured", list, "findings", findings_json(line));
}

static json_t *bench_json(const struct ce_board_node *node)
{
    json_t *list = json_array();
    for (size_t i = 0; i < CE_LINE_TESTS; i++)
        if (node->bench[i])
            json_array_append_new(list, test_json(node->bench[i]));
    return list;
}

/* ---------------------------------------------------------------- a node */

static json_t *equipment_json(const struct ce_board_node *node, json_t *object)
{
    const struct ce_equipment has = ce_board_equipment(node);
    json_object_set_new(object, "gpus",
                        json_pack("{so so}", "found", number_or_null(has.gpus_known, has.gpus),
                                  "expected", number_or_null(has.gpus_expected, has.gpus_expected)));
    json_object_set_new(object, "rails",
                        json_pack("{so so}", "up", number_or_null(has.rails_known, has.rails_up),
                                  "expected",
                                  number_or_null(has.rails_known || has.rails_expected,
                                                 has.rails_expected)));
    return object;
}

static json_t *node_json(const struct ce_board_node *node)
{
    struct ce_error word;
    ce_board_word(node, &word);
    const char *missing = node->why[0]   ? node->why
                          : node->facts ? node->facts->error
                                        : NULL;
    json_t *object = json_pack(
        "{so ss so so so so so so so}", "name", ce_json_text(node->name), "health",
        ce_health_name(node->health), "word", text_or_null(word.text), "state",
        text_or_null(node->state), "reason", text_or_null(node->reason), "since",
        time_or_null(node->since), "missing", text_or_null(missing), "check",
        check_json(node->check), "bench", bench_json(node));
    return object ? equipment_json(node, object) : NULL;
}

/* ---------------------------------------------------------------- all of it */

static json_t *summary_json(const struct ce_board *board)
{
    json_int_t counts[CE_NODE_HEALTHS] = {0};
    json_t *object = json_object();
    for (size_t i = 0; i < board->count; i++)
        counts[board->nodes[i]->health]++;
    for (unsigned i = 0; i < CE_NODE_HEALTHS; i++)
        json_object_set_new(object, ce_health_name(i), json_integer(counts[i]));
    return object;
}

static json_t *status_json(const struct ce_status *status)
{
    json_t *nodes = json_array(), *notes = json_array();
    for (size_t i = 0; i < status->board->count; i++)
        json_array_append_new(nodes, node_json(status->board->nodes[i]));
    for (size_t i = 0; i < status->notes->count; i++)
        json_array_append_new(notes, ce_json_text(status->notes->line[i].text));
    return json_pack("{si so so so so so}", "schema", 1, "time", time_or_null(status->now), "source",
                     ce_json_text(status->source), "summary", summary_json(status->board), "nodes",
                     nodes, "notes", notes);
}

int ce_status_json(const struct ce_status *status, struct ce_text *out)
{
    return ce_json_write(status_json(status), out);
}

int ce_status_json_line(const struct ce_status *status, struct ce_text *out)
{
    return ce_json_write_line(status_json(status), out);
}
