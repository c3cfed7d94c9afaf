/* SPDX-License-Identifier: Apache-2.0 */
#include "report/plan.h"

#include <string.h>

#include "launch/marker.h"
#include "report/json.h"

static const char *const action_names[] = {
    [CE_SET] = "set",
    [CE_UNSET] = "unset",
    [CE_LEAVE] = "leave",
};

static const char *value_of(const struct ce_change *change, const struct ce_environ *env)
{
    switch (change->action) {
    case CE_SET:
        return change->value;
    case CE_LEAVE:
        return ce_environ_get(env, change->variable->name);
    case CE_UNSET:
        break;
    }
    return NULL;
}

/* A value of several lines stays on one line of the table, as "\n" between them. */
static const char NEWLINE[] = "\\n";

/* In columns: of a letter of several bytes only the first counts. */
static size_t cell_width(const char *value)
{
    size_t width = 0;
    while (*value) {
        size_t control = ce_control_length(value);
        bool starts = (*value & 0xc0) != 0x80;
        width += *value == '\n' ? strlen(NEWLINE) : starts;
        value += control ? control : 1;
    }
    return width;
}

static size_t longest_value(const struct ce_plan *plan, const struct ce_environ *env)
{
    size_t longest = 5;
    for (size_t i = 0; i < plan->count; i++) {
        const char *value = value_of(&plan->changes[i], env);
        size_t width = value ? cell_width(value) : 0;
        longest = width > longest && width <= 32 ? width : longest;
    }
    return longest;
}

static void add_cell(struct ce_text *out, const char *value, size_t width)
{
    size_t used = cell_width(value);
    while (*value) {
        size_t control = ce_control_length(value);
        if (control)
            ce_text_add(out, *value == '\n' ? NEWLINE : "?");
        else
            ce_text_addn(out, value, 1);
        value += control ? control : 1;
    }
    ce_text_addf(out, "%*s", (int)(used < width ? width - used : 0), "");
}

void ce_report_plan_text(const struct ce_plan *plan, const struct ce_environ *env, bool all,
                         struct ce_text *out)
{
    size_t width = longest_value(plan, env);
    ce_text_addf(out, "%-26s  %-*s  %s\n", "VARIABLE", (int)width, "VALUE", "FROM");
    for (size_t i = 0; i < plan->count; i++) {
        const struct ce_change *change = &plan->changes[i];
        const char *value = value_of(change, env);
        if (!value && !all)
            continue;
        ce_text_addf(out, "%-26s  ", change->variable->name);
        add_cell(out, value ? value : "-", width);
        ce_text_add(out, "  ");
        add_cell(out, change->reason, 0);
        ce_text_add(out, "\n");
    }
}

static json_t *variables_to_json(const struct ce_plan *plan, const struct ce_environ *env)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < plan->count; i++) {
        const struct ce_change *change = &plan->changes[i];
        json_array_append_new(rows,
                              json_pack("{s:s, s:o, s:s, s:s, s:o}", "name", change->variable->name,
                                        "value", ce_json_text(value_of(change, env)), "action",
                                        action_names[change->action], "class",
                                        ce_class_name(change->variable->class), "source",
                                        ce_json_text(change->reason)));
    }
    return rows;
}

int ce_report_plan_json(const struct ce_plan *plan, const struct ce_environ *env,
                        const struct ce_notes *notes, struct ce_text *out)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < notes->count; i++)
        json_array_append_new(lines, ce_json_text(notes->line[i].text));
    json_t *root =
        json_pack("{s:i, s:s, s:s, s:o, s:o}", "schema", 1, "step", plan->step, "option",
                  plan->option, "variables", variables_to_json(plan, env), "notes", lines);
    return ce_json_write(root, out);
}

/* In single quotes nothing is special but the quote itself. */
static void add_export(struct ce_text *out, const char *name, const char *value)
{
    ce_text_addf(out, "export %s='", name);
    for (; *value; value++)
        if (*value == '\'')
            ce_text_add(out, "'\\''");
        else
            ce_text_addn(out, value, 1);
    ce_text_add(out, "'\n");
}

void ce_report_plan_export(const struct ce_plan *plan, struct ce_text *out)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct ce_change *change = &plan->changes[i];
        if (change->action == CE_SET)
            add_export(out, change->variable->name, change->value);
        else if (change->action == CE_UNSET)
            ce_text_addf(out, "unset %s\n", change->variable->name);
    }
    add_export(out, CE_MARKER, plan->marker);
    add_export(out, CE_STEP_VARIABLE, plan->step);
    add_export(out, CE_OPTION_VARIABLE, plan->option);
}
