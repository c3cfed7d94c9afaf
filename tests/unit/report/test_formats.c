/* SPDX-License-Identifier: Apache-2.0 */
/* docs/frameworks.md has a table of what frameworks read that no test runs: each row is held
 * against what is set. */
#include <regex.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/cluster.h"

#include "../launch/scene.h"

#define BOOK4 "10.1.0.1 n-1.x\n10.1.0.2 n-2.x\n"
#define BOOK6 "fd00::1 n-1.x\nfd00::2 n-2.x\n"

/* A step with a task for each GPU, on nodes whose names have all that a name may have. */
#define TASK_ON_TWO_NODES                                                                          \
    .kind = CE_STEP_TASKS, .nodes = "n-[1-2].x", .tasks = 16, .task = {"n-2.x", 1, 9, 1, 8, 8, 8}

static const struct situation {
    const char *name;
    struct scene scene;
    unsigned rails;
    enum ce_rdma rdma;
} situations[] = {
    {"IPv4",
     {TASK_ON_TWO_NODES, .address = "10.1.0.2/16", .book = BOOK4, .port = 61012}, 8, CE_RDMA_AUTO},
    {"IPv6",
     {TASK_ON_TWO_NODES, .address = "fd00::2/64", .book = BOOK6, .port = 65535}, 1, CE_RDMA_AUTO},
    {"without an address book",
     {TASK_ON_TWO_NODES, .address = "10.1.0.2/16", .port = 61012}, 30, CE_RDMA_AUTO},
    {"without RDMA",
     {TASK_ON_TWO_NODES, .address = "10.1.0.2/16", .book = BOOK4, .port = 61012}, 0, CE_RDMA_OFF},
};

/* ---------------------------------------------------------------- the table */

enum { ROWS_MAX = 64 };

static struct row {
    const char *name; /* is `value` */
    char framework[32], value[64], form[128];
} rows[ROWS_MAX];
static size_t row_count;

/* The next cell without its `quotes`. */
static bool take_cell(const char **line, char *cell, size_t size)
{
    size_t length = 0;
    *line += strspn(*line, "| `");
    for (; **line && **line != '|'; (*line)++)
        if (length + 1 < size)
            cell[length++] = **line;
    while (length && strchr(" `", cell[length - 1]))
        length--;
    cell[length] = '\0';
    return length > 0;
}

static void take_row(const char *line)
{
    struct row *row = &rows[row_count];
    if (row_count < ROWS_MAX && take_cell(&line, row->framework, sizeof row->framework) &&
        take_cell(&line, row->value, sizeof row->value) &&
        take_cell(&line, row->form, sizeof row->form)) {
        row->name = row->value;
        row_count++;
    }
}

static void take_table(FILE *file)
{
    char line[1000];
    bool inside = false;
    while (fgets(line, sizeof line, file)) {
        if (inside && line[0] != '|')
            break;
        if (inside && line[1] != '-')
            take_row(line);
        inside |= strncmp(line, "| framework ", 12) == 0;
    }
}

/* ---------------------------------------------------------------- what is set */

static void add_value(const char *name, const struct ce_view *view, struct ce_text *out)
{
    static const char hostfile[] = "hostfile --format=";
    static const uint32_t slots[] = {8, 8};
    struct ce_error err = {""};
    enum ce_hostfile format;
    const struct ce_variable *variable = ce_variable_find(name);
    if (strncmp(name, hostfile, strlen(hostfile)) == 0) {
        assert_int_equal(ce_hostfile_parse(name + strlen(hostfile), &format), 0);
        assert_int_equal(ce_report_hostfile(view, format, slots, out, &err), 0);
    } else if (variable) {
        variable->value(view, out);
    }
}

/* A list that is not needed is not set: that is no value. */
static void has_the_form(const struct row *row, const struct situation *situation, char *text)
{
    regex_t form;
    text[strcspn(text, "\n")] = '\0';
    if (strcmp(row->form, "none") == 0) {
        assert_string_equal(text, "");
        return;
    }
    assert_int_equal(regcomp(&form, row->form, REG_EXTENDED | REG_NOSUB), 0);
    int differs = *text ? regexec(&form, text, 0, NULL, 0) : 0;
    regfree(&form);
    if (differs)
        fail_msg("%s, %s: '%s' is not of the form that %s reads: %s", row->name, situation->name,
                 text, row->framework, row->form);
}

static void value_has_its_form(void **state)
{
    const struct row *row = *state;
    bool was_set = false;
    for (size_t i = 0; i < UNIT_COUNT(situations); i++) {
        ce_autotext struct ce_text out = CE_TEXT(10000);
        struct stage stage;
        stage_set(&stage, &situations[i].scene);
        stage_add_rails(&stage, situations[i].rails, situations[i].rails > 0);
        stage.request.rdma = situations[i].rdma;
        add_value(row->value, &stage.view, &out);
        was_set |= *ce_text_string(&out) != '\0';
        char *text = ce_text_take(&out);
        has_the_form(row, &situations[i], text);
        free(text);
        stage_clear(&stage);
    }
    assert_int_equal(was_set, strcmp(row->form, "none") != 0);
}

/* ---------------------------------------------------------------- all */

static void the_table_is_there(void **state)
{
    (void)state;
    assert_true(row_count >= 15 && row_count < ROWS_MAX);
}

int main(void)
{
    const char *srcdir = getenv("srcdir");
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/frameworks.md", srcdir ? srcdir : "..");
    FILE *file = fopen(path, "r");
    if (file) {
        take_table(file);
        fclose(file);
    }
    UNIT_RULE(the_table_is_there);
    unit_add_rows(rows, row_count, sizeof *rows, value_has_its_form);
    return UNIT_RUN("formats");
}
