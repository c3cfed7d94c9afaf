/* SPDX-License-Identifier: Apache-2.0 */
/* An installation that is right in all, and rows of a table that change one thing of it. */
#ifndef CE_TESTS_DOCTOR_RIGHT_H
#define CE_TESTS_DOCTOR_RIGHT_H

#include <stdlib.h>

#include "../unit.h"
#include "doctor/doctor.h"

/* A change of it; `in` is the installation. */
typedef void (*change_fn)(struct ce_install *in);

/* CASES(X) has X(name, row, says, change) for each case: "VERDICT text", a line for each finding. */
struct case_row {
    const char *name, *row, *says;
    change_fn change;
};
#define CASE_CHANGE(name, row, says, ...)                                                          \
    static void change_##name(struct ce_install *in)                                               \
    {                                                                                              \
        (void)in;                                                                                  \
        __VA_ARGS__;                                                                               \
    }
#define CASE_ROW(name, row, says, ...) {#name, row, says, change_##name},

static inline void set_programs(struct ce_slurm_programs *programs, const char *path)
{
    programs->count = 1;
    snprintf(programs->path[0], sizeof programs->path[0], "%s", path);
}

static inline void set_conf(struct ce_install_conf *ret)
{
    ret->known = true;
    ret->conf = (struct ce_slurm_conf){
        .version = 0x180b05,
        .path = "/etc/slurm/slurm.conf",
        .alloc = true,
        .defer_batch = true,
        .no_hold = true,
        .requeue = true,
        .batch_start_timeout_s = 10,
        .message_timeout_s = 10,
    };
    set_programs(&ret->conf.prolog, "/usr/sbin/cluster-prolog");
    set_programs(&ret->conf.epilog, "/usr/sbin/cluster-epilog");
}

static inline void set_files(struct ce_install_programs *files, const char *path)
{
    files->count = 1;
    files->items[0] = (struct ce_install_program){
        .there = true, .regular = true, .executable = true, .safe = true, .runs = CE_RUNS_OURS};
    snprintf(files->items[0].path, sizeof files->items[0].path, "%s", path);
}

static inline void add_plugin(struct ce_install *in, enum ce_plugstack_kind kind, const char *path)
{
    struct ce_install_plugin *item = &in->plugstack.items[in->plugstack.count++];
    *item = (struct ce_install_plugin){.kind = kind, .line = (unsigned)in->plugstack.count};
    snprintf(item->file, sizeof item->file, "%s", in->plugstack.path);
    snprintf(item->path, sizeof item->path, "%s", path);
}

#define RIGHT_FACTS                                                                                \
    "format=1\nhost.name=n1\nboot.id=b1\nnetif.eth1.kind=ethernet\nnetif.eth1.up=1\n"              \
    "netif.eth1.address.0=10.20.0.11/16\ngpu.count=1\ngpu.0.pci=0000:18:00.0\n"                    \
    "gpu.0.pci_id=10de:2330\nib.mlx5_0.type=MT4129\nend=1\n"

static inline struct ce_node *parse_facts(const char *text)
{
    struct ce_error err;
    struct ce_node *node = ce_node_parse(text, &err);
    if (!node)
        fail_msg("%s", err.text);
    return node;
}

static inline void set_roster(struct ce_install *in, const char *second)
{
    char text[512];
    snprintf(text, sizeof text,
             "format=1\nnodes=2\nnode.0.name=n1\nnode.0.state=idle\nnode.1.name=%s\n"
             "node.1.state=idle\nend=1\n",
             second);
    ce_roster_destroy(in->roster);
    in->roster = ce_roster_parse(text, NULL);
    assert_non_null(in->roster);
}

static inline void set_book(struct ce_install *in, const char *text)
{
    ce_book_destroy(in->book.book);
    in->book.book = ce_book_parse(text, NULL);
    assert_non_null(in->book.book);
}

static inline struct ce_install *right(void)
{
    struct ce_install *in = ce_install_create();
    assert_non_null(in);
    snprintf(in->node, sizeof in->node, "n1");
    in->root = true;
    in->role = CE_ROLE_COMPUTE;
    in->slurm_version = 0x180b05;
    set_conf(&in->file);
    set_conf(&in->controller);
    set_roster(in, "n2");
    set_files(&in->prolog, "/usr/sbin/cluster-prolog");
    set_files(&in->epilog, "/usr/sbin/cluster-epilog");
    snprintf(in->plugstack.path, sizeof in->plugstack.path, "/etc/slurm/plugstack.conf");
    in->plugstack.there = in->plugstack.read = true;
    add_plugin(in, CE_PLUGSTACK_OPTIONAL, "cluster_env.so");
    in->library = (struct ce_install_library){.path = "/usr/lib/slurm/cluster_env.so",
                                              .there = true,
                                              .version = 0x180b00,
                                              .safe = true};
    in->config.valid = in->config.there = true;
    snprintf(in->config.path, sizeof in->config.path, "/etc/slurm/cluster-env.conf");
    in->book.known = true;
    snprintf(in->book.path, sizeof in->book.path, "/etc/slurm/cluster-env.hosts");
    set_book(in, "10.20.0.11 n1\n10.20.0.12 n2\n");
    in->run = (struct ce_install_run){.there = true,
                                      .folder = true,
                                      .mode = 0755,
                                      .space_known = true,
                                      .free_bytes = 64 << 20,
                                      .free_files = 1000,
                                      .facts_age_s = 125,
                                      .policy_known = true,
                                      .policy_fresh = true,
                                      .book_known = true,
                                      .book_fresh = true};
    in->run.node = parse_facts(RIGHT_FACTS);
    in->now = parse_facts(RIGHT_FACTS);
    snprintf(in->now->gpu_states.driver, sizeof in->now->gpu_states.driver, "570.86.15");
    in->memory_kb = 1 << 30;
    in->slurmd = (struct ce_install_slurmd){true, 4711, CE_HOST_UNLIMITED};
    in->ports = (struct ce_install_ports){.known = true, .first = 32768, .last = 60999};
    in->unit = CE_UNIT_ON;
    return in;
}

/* The findings of a row, a line each, in text. */
static inline void tell_row(const struct ce_findings *findings, const char *row, char *text,
                            size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < findings->count; i++) {
        const struct ce_finding *finding = &findings->items[i];
        size_t used = strlen(text);
        if (strcmp(finding->check, row) == 0)
            snprintf(text + used, size - used, "%s%s %s", used ? "\n" : "",
                     ce_verdict_name(finding->verdict), finding->text);
    }
}

static inline void judge_case(void **state)
{
    const struct case_row *row = *state;
    ce_autofindings struct ce_findings findings = {.items = NULL};
    ce_auto(ce_install_destroy) struct ce_install *in = right();
    char text[2048];
    row->change(in);
    ce_doctor_judge(in, &findings);
    tell_row(&findings, row->row, text, sizeof text);
    assert_string_equal(text, row->says);
}

#endif
