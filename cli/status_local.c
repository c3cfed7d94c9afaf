/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "command.h"
#include "health/equipment.h"
#include "health/machine.h"
#include "local/texts.h"
#include "report/run.h"
#include "status/health_log.h"
#include "status_gather.h"

enum { TAIL = 4 << 20, OUTPUT_MAX = 4 << 20, KINDS = 1 + CE_LINE_TESTS };

/* The last line of a check, and that of each active test, as they stand in the log. */
struct last {
    char *text[KINDS];
    bool equipped; /* the first tells what the node has */
};

static void free_last(struct last *last)
{
    for (size_t i = 0; i < KINDS; i++)
        free(last->text[i]);
}

static void take(void *ctx, const char *name, struct ce_health_line *line, const char *text,
                 size_t length)
{
    struct last *last = ctx;
    int kind = 1 + ce_line_test(line);
    char *copy = strndup(text, length);
    (void)name;
    if (copy) {
        free(last->text[kind]);
        last->text[kind] = copy;
    }
    if (kind == 0)
        last->equipped = line->equipment.gpus_known || line->equipment.rails_known;
    ce_health_line_destroy(line);
}

/* Here they are nobody's fault: who asks counts what it gets. */
static void skip_bad(void *ctx, const char *path, size_t lines, const char *why)
{
    (void)ctx;
    (void)path;
    (void)lines;
    (void)why;
}

/* What the node has, from texts that everybody may read; why: no check is told. */
static int add_facts(const char *run_dir, const char *name, const char *why, struct ce_text *out)
{
    struct ce_notes notes = {.count = 0};
    struct ce_texts texts;
    struct stat st = {.st_mtime = 0};
    struct ce_findings none = {.count = 0};
    char path[4096], node[256] = "";
    snprintf(path, sizeof path, "%s/" CE_FACTS_FILE, run_dir);
    ce_texts_read(run_dir, &texts, &notes);
    struct ce_run run = {.phase = "facts",
                         .node = node,
                         .error = why,
                         .reason = "",
                         .findings = &none,
                         .notes = &notes,
                         .began = stat(path, &st) == 0 ? st.st_mtime : time(NULL)};
    if (texts.node) {
        ce_machine_name(texts.node, name, node, sizeof node);
        ce_equipment_count(texts.node, &texts.policy, &run.equipment);
    }
    int failed = ce_report_run_line(&run, out);
    ce_texts_free(&texts);
    return failed;
}

static void read_log(const char *run_dir, struct last *last, struct ce_error *why)
{
    struct ce_notes notes = {.count = 0};
    struct ce_texts texts;
    const struct ce_log_reader reader = {.take = take, .bad = skip_bad, .ctx = last, .tail = TAIL};
    ce_texts_read(run_dir, &texts, &notes);
    ce_fail(why, "there was no check yet");
    if (!texts.policy.log[0])
        ce_fail(why, "reports.log is off");
    else
        ce_health_log_read(&reader, AT_FDCWD, texts.policy.log, "", why);
    ce_texts_free(&texts);
}

int ce_status_local(const char *run_dir, const char *name)
{
    __attribute__((cleanup(free_last))) struct last last = {.equipped = false};
    ce_autotext struct ce_text out = CE_TEXT(OUTPUT_MAX);
    struct ce_error why;
    read_log(run_dir, &last, &why);
    for (size_t i = 0; i < KINDS; i++)
        if (last.text[i])
            ce_text_addf(&out, "%s\n", last.text[i]);
    if ((!last.text[0] || !last.equipped) && add_facts(run_dir, name, why.text, &out) < 0)
        out.failed = true;
    return ce_print("status", &out);
}
