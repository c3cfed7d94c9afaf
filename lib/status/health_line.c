/* SPDX-License-Identifier: Apache-2.0 */
#include "status/health_line.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

/* ---------------------------------------------------------------- members */

static int wrong(struct ce_error *err, const char *key, const char *expected)
{
    return ce_fail(err, "%s: expected %s", key, expected);
}

/* NULL where it is not there or null. */
static const json_t *member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value && !json_is_null(value) ? value : NULL;
}

static int take_text(const json_t *object, const char *key, const char **ret, struct ce_error *err)
{
    const json_t *value = member(object, key);
    *ret = value ? json_string_value(value) : "";
    return *ret ? 0 : wrong(err, key, "a text");
}

static int take_bool(const json_t *object, const char *key, bool *ret, struct ce_error *err)
{
    const json_t *value = member(object, key);
    if (value && !json_is_boolean(value))
        return wrong(err, key, "true or false");
    *ret = value && json_is_true(value);
    return 0;
}

static int take_number(const json_t *object, const char *key, uint32_t *ret, bool *there,
                       struct ce_error *err)
{
    const json_t *value = member(object, key);
    json_int_t number = value ? json_integer_value(value) : 0;
    if (value && (!json_is_integer(value) || number < 0 || number > UINT32_MAX))
        return wrong(err, key, "a number from 0 to 4294967295");
    *ret = (uint32_t)number;
    if (there)
        *there = value != NULL;
    return 0;
}

/* 0 and *ret NULL where there is none. */
static int take_object(const json_t *object, const char *key, const json_t **ret,
                       struct ce_error *err)
{
    *ret = member(object, key);
    return *ret && !json_is_object(*ret) ? wrong(err, key, "an object") : 0;
}

static int take_list(const json_t *object, const char *key, const json_t **ret,
                     struct ce_error *err)
{
    *ret = member(object, key);
    if (*ret && (!json_is_array(*ret) || json_array_size(*ret) > CE_LINE_LIST_MAX))
        return wrong(err, key, "a list of at most 4096");
    return 0;
}

/* ---------------------------------------------------------------- time */

/* Days since 1970-01-01 of a day in the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = year / 400, of_era = year % 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "2026-11-21T15:10:38Z": digits where it has 0, from least to most. */
static int take_time(const json_t *object, time_t *ret, struct ce_error *err)
{
    static const char form[] = "0000-00-00T00:00:00Z";
    static const struct {
        unsigned at, digits;
        int64_t least, most;
    } parts[] = {{0, 4, 1970, 9999}, {5, 2, 1, 12},  {8, 2, 1, 31},
                 {11, 2, 0, 23},     {14, 2, 0, 59}, {17, 2, 0, 60}};
    const char *text = json_string_value(json_object_get(object, "time"));
    int64_t value[6] = {0};
    if (!text || strlen(text) != sizeof form - 1)
        return wrong(err, "time", "one like 2026-11-21T15:10:38Z");
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return wrong(err, "time", "one like 2026-11-21T15:10:38Z");
    for (size_t i = 0; i < 6; i++) {
        for (unsigned k = 0; k < parts[i].digits; k++)
            value[i] = 10 * value[i] + text[parts[i].at + k] - '0';
        if (value[i] < parts[i].least || value[i] > parts[i].most)
            return wrong(err, "time", "one like 2026-11-21T15:10:38Z");
    }
    *ret = (time_t)(((days_of(value[0], value[1], value[2]) * 24 + value[3]) * 60 + value[4]) * 60 +
                    value[5]);
    return 0;
}

/* ---------------------------------------------------------------- lists */

static int take_verdict(const json_t *object, enum ce_verdict *ret, struct ce_error *err)
{
    const char *text = json_string_value(json_object_get(object, "verdict"));
    for (unsigned i = 0; text && i <= CE_FAIL; i++)
        if (strcmp(text, ce_verdict_name(i)) == 0) {
            *ret = i;
            return 0;
        }
    return wrong(err, "verdict", "pass, skip, unknown, warn or fail");
}

static int take_finding(const json_t *object, struct ce_line_finding *ret, struct ce_error *err)
{
    const char *response;
    if (!json_is_object(object))
        return wrong(err, "findings", "objects");
    if (take_text(object, "check", &ret->check, err) < 0 ||
        take_text(object, "subject", &ret->subject, err) < 0 ||
        take_text(object, "text", &ret->text, err) < 0 ||
        take_text(object, "remedy", &ret->remedy, err) < 0 ||
        take_text(object, "response", &response, err) < 0 ||
        take_verdict(object, &ret->verdict, err) < 0)
        return -1;
    if (!*ret->check)
        return wrong(err, "check", "a name");
    return ce_response_parse(response, &ret->response) < 0
               ? wrong(err, "response", "ignore, warn or drain")
               : 0;
}

static int take_findings(const json_t *root, struct ce_health_line *line, struct ce_error *err)
{
    const json_t *list;
    if (take_list(root, "findings", &list, err) < 0)
        return -1;
    size_t count = json_array_size(list);
    line->findings = calloc(count + 1, sizeof *line->findings);
    if (!line->findings)
        return ce_fail(err, "no memory");
    for (; line->finding_count < count; line->finding_count++)
        if (take_finding(json_array_get(list, line->finding_count),
                         &line->findings[line->finding_count], err) < 0)
            return -1;
    return 0;
}

static int take_one_measured(const json_t *object, struct ce_line_measured *ret,
                             struct ce_error *err)
{
    const json_t *value = json_object_get(object, "value");
    if (!json_is_object(object))
        return wrong(err, "measured", "objects");
    if (take_text(object, "what", &ret->what, err) < 0 ||
        take_text(object, "device", &ret->device, err) < 0 ||
        take_text(object, "unit", &ret->unit, err) < 0)
        return -1;
    ret->value = json_number_value(value);
    if (!*ret->what)
        return wrong(err, "what", "a name");
    return json_is_number(value) && isfinite(ret->value) ? 0 : wrong(err, "value", "a number");
}

static int take_measured(const json_t *root, struct ce_health_line *line, struct ce_error *err)
{
    const json_t *list;
    if (take_list(root, "measured", &list, err) < 0)
        return -1;
    size_t count = json_array_size(list);
    line->measured = calloc(count + 1, sizeof *line->measured);
    if (!line->measured)
        return ce_fail(err, "no memory");
    for (; line->measured_count < count; line->measured_count++)
        if (take_one_measured(json_array_get(list, line->measured_count),
                              &line->measured[line->measured_count], err) < 0)
            return -1;
    return 0;
}

/* ---------------------------------------------------------------- the line */

static int take_counts(const json_t *root, struct ce_health_line *line, struct ce_error *err)
{
    const json_t *counts;
    if (take_object(root, "counts", &counts, err) < 0)
        return -1;
    line->counted = counts != NULL;
    for (unsigned i = 0; i <= CE_FAIL; i++)
        if (take_number(counts, ce_verdict_name(i), &line->counts[i], NULL, err) < 0)
            return -1;
    return 0;
}

static int take_equipment(const json_t *root, struct ce_equipment *ret, struct ce_error *err)
{
    const json_t *gpus, *rails;
    if (take_object(root, "gpus", &gpus, err) < 0 || take_object(root, "rails", &rails, err) < 0 ||
        take_number(gpus, "found", &ret->gpus, &ret->gpus_known, err) < 0 ||
        take_number(gpus, "expected", &ret->gpus_expected, NULL, err) < 0 ||
        take_number(rails, "up", &ret->rails_up, &ret->rails_known, err) < 0 ||
        take_number(rails, "expected", &ret->rails_expected, NULL, err) < 0)
        return -1;
    return 0;
}

static int take_members(const json_t *root, struct ce_health_line *line, struct ce_error *err)
{
    if (take_time(root, &line->time, err) < 0 || take_text(root, "node", &line->node, err) < 0 ||
        take_text(root, "phase", &line->phase, err) < 0 ||
        take_text(root, "test", &line->test, err) < 0 ||
        take_text(root, "mode", &line->mode, err) < 0 ||
        take_text(root, "error", &line->error, err) < 0 ||
        take_text(root, "reason", &line->reason, err) < 0 ||
        take_text(root, "done", &line->done, err) < 0 ||
        take_number(root, "job", &line->job, NULL, err) < 0 ||
        take_number(root, "took_ms", &line->took_ms, NULL, err) < 0 ||
        take_number(root, "left_out", &line->left_out, NULL, err) < 0 ||
        take_bool(root, "checked", &line->checked, err) < 0 ||
        take_bool(root, "misconfigured", &line->misconfigured, err) < 0)
        return -1;
    if (!*line->phase)
        return wrong(err, "phase", "a name");
    return take_counts(root, line, err) < 0 || take_equipment(root, &line->equipment, err) < 0 ||
                   take_findings(root, line, err) < 0 || take_measured(root, line, err) < 0
               ? -1
               : 0;
}

static int take_root(const json_t *root, struct ce_health_line *line, struct ce_error *err)
{
    if (!json_is_object(root))
        return ce_fail(err, "not a JSON object");
    const json_t *schema = json_object_get(root, "schema");
    if (!json_is_integer(schema) || json_integer_value(schema) != 1)
        return wrong(err, "schema", "1");
    return take_members(root, line, err);
}

struct ce_health_line *ce_health_line_parse(const char *text, size_t length, struct ce_error *err)
{
    struct ce_health_line *line = calloc(1, sizeof *line);
    if (!line) {
        ce_fail(err, "no memory");
        return NULL;
    }
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    line->document = root;
    if (!root)
        ce_fail(err, "not JSON");
    if (root && take_root(root, line, err) == 0)
        return line;
    ce_health_line_destroy(line);
    return NULL;
}

void ce_health_line_destroy(struct ce_health_line *line)
{
    if (!line)
        return;
    json_decref(line->document);
    free(line->findings);
    free(line->measured);
    free(line);
}

int ce_line_test(const struct ce_health_line *line)
{
    static const char *const names[CE_LINE_TESTS - 1] = {"rdma", "gpu", "nccl"};
    if (strcmp(line->phase, "bench") != 0)
        return -1;
    for (int i = 0; i < CE_LINE_TESTS - 1; i++)
        if (strcmp(line->test, names[i]) == 0)
            return i;
    return CE_LINE_TESTS - 1;
}

bool ce_line_finding_matters(const struct ce_line_finding *finding)
{
    return finding->response != CE_IGNORE &&
           (finding->verdict == CE_FAIL || finding->verdict == CE_WARN ||
            finding->verdict == CE_UNKNOWN);
}
