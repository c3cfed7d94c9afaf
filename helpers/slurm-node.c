/* SPDX-License-Identifier: Apache-2.0 */
/* slurm-node VERB: what the other programs need to know of slurmctld, or want it to do.  The only
 * program that links libslurm, so that only it is of one Slurm series.  Run by them as a child with
 * a deadline: libslurm ends the process where slurm.conf is missing and waits long for a slurmctld
 * that is down.  stdout is a record (lib/model/record.h); stderr is for people; the exit status is
 * 0, 1 (slurmctld did not tell), 2 (usage), or of those in slurm_drain.h. */
#include <errno.h>
#include <slurm/slurm.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "health/guard.h"
#include "model/gres.h"
#include "model/record.h"
#include "model/roster.h"
#include "slurm_config.h"
#include "slurm_drain.h"
#include "slurm_job.h"

enum { OUTPUT_MAX = 64 << 20 };

/* ---------------------------------------------------------------- the state of a node */

/* The first flag that holds says why a node takes no job now, or may not. */
static const struct {
    uint32_t flag;
    const char *word;
} flags[] = {
    {NODE_STATE_INVALID_REG, "invalid"},       {NODE_STATE_FAIL, "failing"},
    {NODE_STATE_POWERED_DOWN, "powered_down"}, {NODE_STATE_POWERING_DOWN, "powering_down"},
    {NODE_STATE_POWER_DOWN, "powering_down"},  {NODE_STATE_POWERING_UP, "powering_up"},
    {NODE_STATE_REBOOT_ISSUED, "rebooting"},   {NODE_STATE_NO_RESPOND, "not_responding"},
    {NODE_STATE_MAINT, "maintenance"},         {NODE_STATE_RES, "reserved"},
#ifdef NODE_STATE_BLOCKED
    {NODE_STATE_BLOCKED, "blocked"},
#endif
#ifdef NODE_STATE_EXTERNAL
    {NODE_STATE_EXTERNAL, "external"},
#endif
};

static bool is_at_work(uint32_t state)
{
    uint32_t base = state & NODE_STATE_BASE;
    return base == NODE_STATE_ALLOCATED || base == NODE_STATE_MIXED ||
           (state & NODE_STATE_COMPLETING);
}

static const char *base_word(uint32_t state)
{
    switch (state & NODE_STATE_BASE) {
    case NODE_STATE_IDLE:
        return "idle";
    case NODE_STATE_ALLOCATED:
        return "allocated";
    case NODE_STATE_MIXED:
        return "mixed";
    case NODE_STATE_FUTURE:
        return "future";
    default:
        return "unknown";
    }
}

static const char *state_word(uint32_t state)
{
    if ((state & NODE_STATE_BASE) == NODE_STATE_DOWN)
        return "down";
    if (state & NODE_STATE_DRAIN)
        return is_at_work(state) ? "draining" : "drained";
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (state & flags[i].flag)
            return flags[i].word;
    return base_word(state);
}

/* ---------------------------------------------------------------- the partition of a node */

static bool holds(const partition_info_t *partition, int32_t index)
{
    for (const int32_t *range = partition->node_inx; range && range[0] >= 0; range += 2)
        if (range[0] <= index && index <= range[1])
            return true;
    return false;
}

/* One that is up and has this node: the default one, else the first. */
static const char *partition_of(const partition_info_msg_t *partitions, int32_t index)
{
    const char *found = "";
    for (uint32_t i = 0; i < partitions->record_count; i++) {
        const partition_info_t *partition = &partitions->partition_array[i];
        if (!partition->name || partition->state_up != PARTITION_UP || !holds(partition, index))
            continue;
        if (partition->flags & PART_FLAG_DEFAULT)
            return partition->name;
        if (!*found)
            found = partition->name;
    }
    return found;
}

/* ---------------------------------------------------------------- list */

/* Places of nodes that were removed while slurmctld ran have no name. */
static bool is_there(const node_info_t *node)
{
    return node->name && *node->name && (node->node_state & NODE_STATE_BASE) != NODE_STATE_FUTURE;
}

/* A reason is whatever somebody typed: as one line. */
static void add_node(const node_info_t *node, const char *partition, size_t index,
                     struct ce_text *out)
{
    struct ce_error reason;
    ce_fail(&reason, "%s", node->reason ? node->reason : "");
    const struct ce_roster_node entry = {
        .name = node->name,
        .address = node->node_addr ? node->node_addr : node->name,
        .state = state_word(node->node_state),
        .partition = partition,
        .reason = reason.text,
        .since = reason.text[0] && node->reason_time > 0 ? (uint64_t)node->reason_time : 0,
        .gpus = ce_gres_gpus(node->gres),
    };
    ce_roster_add(out, index, &entry);
}

static void write_roster(const node_info_msg_t *nodes, const partition_info_msg_t *partitions,
                         struct ce_text *out)
{
    size_t count = 0, written = 0;
    for (uint32_t i = 0; i < nodes->record_count; i++)
        count += is_there(&nodes->node_array[i]);
    ce_roster_begin(out, count);
    for (uint32_t i = 0; i < nodes->record_count; i++) {
        const node_info_t *node = &nodes->node_array[i];
        if (is_there(node))
            add_node(node, partition_of(partitions, (int32_t)i), written++, out);
    }
    ce_roster_end(out);
}

static int print(struct ce_text *out)
{
    if (!ce_text_ok(out)) {
        fputs("slurm-node: the list does not fit, or holds a newline\n", stderr);
        return 1;
    }
    if (fputs(ce_text_string(out), stdout) == EOF || fflush(stdout) == EOF) {
        fprintf(stderr, "slurm-node: cannot write: %s\n", strerror(errno));
        return 1;
    }
    return 0;
}

static int list(char **arguments)
{
    ce_autotext struct ce_text out = CE_TEXT(OUTPUT_MAX);
    partition_info_msg_t *partitions = NULL;
    node_info_msg_t *nodes = NULL;
    (void)arguments;
    if (slurm_load_node(0, &nodes, SHOW_ALL | SHOW_MIXED) != SLURM_SUCCESS)
        return ce_slurm_complain("slurmctld does not tell its nodes");
    if (slurm_load_partitions(0, &partitions, SHOW_ALL) != SLURM_SUCCESS) {
        slurm_free_node_info_msg(nodes);
        return ce_slurm_complain("slurmctld does not tell its partitions");
    }
    write_roster(nodes, partitions, &out);
    slurm_free_partition_info_msg(partitions);
    slurm_free_node_info_msg(nodes);
    return print(&out);
}

/* ---------------------------------------------------------------- conf */

/* AuthInfo: "socket=/run/munge/munge.socket.2,ttl=300". */
static void add_socket(const char *info, struct ce_text *out)
{
    static const char key[] = "socket=";
    char path[256];
    for (; info && *info; info += *info == ',') {
        size_t length = strcspn(info, ",");
        if (strncmp(info, key, sizeof key - 1) == 0) {
            snprintf(path, sizeof path, "%.*s", (int)(length - sizeof key + 1), info + sizeof key - 1);
            ce_record_add(out, path, "munge.socket");
            return;
        }
        info += length;
    }
}

static int conf(char **arguments)
{
    ce_autotext struct ce_text out = CE_TEXT(OUTPUT_MAX);
    const slurm_conf_t *file = ce_slurm_file_conf();
    (void)arguments;
    if (!file) {
        fputs("slurm-node: this libslurm does not tell what slurm.conf says\n", stderr);
        return 1;
    }
    ce_record_begin(&out);
    ce_record_add_number(&out, (file->prolog_flags & PROLOG_FLAG_ALLOC) != 0, "prolog.alloc");
    ce_record_add_number(&out, (file->prolog_flags & PROLOG_FLAG_SERIAL) != 0, "prolog.serial");
    add_socket(file->authinfo, &out);
    ce_record_end(&out);
    return print(&out);
}

/* ---------------------------------------------------------------- verbs */

static const struct {
    const char *name;
    int arguments;
    int (*run)(char **arguments);
} verbs[] = {
    {"list", 0, list},
    {"config", 1, ce_slurm_config},
    {"drain", 4, ce_slurm_drain},
    {"resume", 2, ce_slurm_resume},
    {"requeue", 1, ce_slurm_requeue},
    {"refuse", 2, ce_slurm_refuse},
    {"conf", 0, conf},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(argv[1], verbs[i].name) == 0 && argc == 2 + verbs[i].arguments) {
            slurm_init(NULL);
            int status = verbs[i].run(argv + 2);
            slurm_fini();
            return status;
        }
    fputs("usage: slurm-node list\n"
          "       slurm-node config file|controller\n"
          "       slurm-node drain NODE REASON PERCENT HOURS\n"
          "       slurm-node resume NODE REASON\n"
          "       slurm-node requeue JOB\n"
          "       slurm-node refuse JOB WORDS\n"
          "       slurm-node conf\n",
          stderr);
    return 2;
}
