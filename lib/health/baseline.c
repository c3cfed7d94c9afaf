/* SPDX-License-Identifier: Apache-2.0 */
#include "health/baseline.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/parse.h"
#include "base/replace.h"
#include "health/folder.h"

enum { FACTS_MAX = 4 << 20, NAME = 32 };

static const char *file_name(uint32_t job, char name[NAME])
{
    snprintf(name, NAME, "%" PRIu32 ".facts", job);
    return name;
}

int ce_baseline_open(const char *run_dir, struct ce_error *err)
{
    return ce_folder_open(run_dir, CE_BASELINE_DIR, err);
}

int ce_baseline_store(int dir, uint32_t job, const struct ce_node *node, struct ce_error *err)
{
    char name[NAME];
    ce_autotext struct ce_text text = CE_TEXT(FACTS_MAX);
    ce_node_write(node, &text);
    file_name(job, name);
    int failed = ce_text_ok(&text) ? ce_file_replace(dir, name, ce_text_string(&text), 0600, err)
                                   : ce_fail(err, "%s: too long, or no memory", name);
    /* An older one is of an earlier run of a requeued job. */
    if (failed)
        unlinkat(dir, name, 0);
    return failed ? -1 : 0;
}

/* ---------------------------------------------------------------- reading */

static struct ce_node *read_file(int dir, const char *name, struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(FACTS_MAX);
    if (ce_file_read(dir, name, CE_TRUST_OWNER, &text, err) != CE_READ_OK)
        return NULL;
    struct ce_node *node = ce_node_parse(ce_text_string(&text), err);
    if (!node)
        ce_fail_in(err, "%s", name);
    return node;
}

static bool same_boot(const struct ce_node *a, const struct ce_node *b)
{
    return a->boot_id && b->boot_id && strcmp(a->boot_id, b->boot_id) == 0;
}

struct ce_node *ce_baseline_take(int dir, uint32_t job, const struct ce_node *now,
                                 struct ce_error *err)
{
    char name[NAME];
    ce_auto(ce_node_destroy) struct ce_node *node = read_file(dir, file_name(job, name), err);
    unlinkat(dir, name, 0);
    if (!node)
        return NULL;
    if (!same_boot(node, now))
        ce_fail(err, "%s: of another boot", name);
    else if (!node->uptime_ms || node->uptime_ms > now->uptime_ms)
        ce_fail(err, "%s: of no moment before now", name);
    else
        return ce_steal(node);
    return NULL;
}

/* ---------------------------------------------------------------- sweeping */

static bool is_stale(int dir, const char *name, const void *ctx)
{
    const struct ce_node *now = ctx;
    ce_auto(ce_node_destroy) struct ce_node *node = read_file(dir, name, NULL);
    return !node || (now->boot_id && !same_boot(node, now));
}

/* One that cannot be read may be another job's. */
static bool is_others(int dir, const char *name, const char *own, const struct ce_node *now)
{
    if (name[0] == '.' || strcmp(name, own) == 0)
        return false;
    ce_auto(ce_node_destroy) struct ce_node *node = read_file(dir, name, NULL);
    return !node || !node->boot_id || !now->boot_id || same_boot(node, now);
}

bool ce_baseline_others(int dir, uint32_t job, const struct ce_node *now)
{
    char own[NAME];
    bool found = false;
    DIR *stream = ce_folder_list(dir);
    file_name(job, own);
    for (const struct dirent *entry; stream && !found && (entry = readdir(stream)) != NULL;)
        found = is_others(dir, entry->d_name, own, now);
    if (stream)
        closedir(stream);
    return !stream || found;
}

void ce_baseline_sweep(int dir, const struct ce_node *now)
{
    const struct ce_folder_rule rule = {
        .days = CE_BASELINE_DAYS, .many = CE_BASELINE_MANY, .is_stale = is_stale, .ctx = now};
    ce_folder_sweep(dir, &rule);
}
