/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/install.h"

#include "../unit_dir.h"

static struct ce_install_programs programs;

/* The files of a value, beside DIR/slurm.conf. */
static void look(const struct unit_dir *dir, const char *value)
{
    static struct ce_slurm_programs values;
    char conf[200];
    values.count = 1;
    snprintf(values.path[0], sizeof values.path[0], "%s", value);
    snprintf(conf, sizeof conf, "%s/slurm.conf", dir->path);
    ce_probe_programs(&values, conf, "cluster-prolog", &programs);
}

static void write_programs(const struct unit_dir *dir)
{
    assert_int_equal(mkdirat(dir->fd, "d", 0755), 0);
    unit_dir_writen(dir, "d/cluster-prolog", "ELF", 3, 0755);
    unit_dir_writen(dir, "d/script", "#!/bin/sh\nexec /usr/sbin/cluster-prolog\n", 40, 0755);
    unit_dir_writen(dir, "d/text", "cluster-prolog\n", 15, 0644);
    unit_dir_writen(dir, "d/bent", "#!/bin/sh\n", 10, 0777);
    assert_int_equal(symlinkat("cluster-prolog", dir->fd, "d/10-link"), 0);
}

static const struct row {
    const char *name, *value;
    struct ce_install_program expected;
} rows[] = {
    {"itself", "d/cluster-prolog",
     {.there = true, .regular = true, .executable = true, .safe = true, .runs = CE_RUNS_OURS}},
    {"a_link_to_it", "d/10-link",
     {.there = true, .regular = true, .executable = true, .safe = true, .runs = CE_RUNS_OURS}},
    {"a_script_that_runs_it", "d/script",
     {.there = true, .regular = true, .executable = true, .safe = true, .runs = CE_RUNS_OURS}},
    {"a_text_that_names_it", "d/text",
     {.there = true, .regular = true, .safe = true, .runs = CE_RUNS_OTHER}},
    {"one_that_others_may_write", "d/bent",
     {.there = true, .regular = true, .executable = true, .runs = CE_RUNS_OTHER}},
    {"one_that_is_gone", "d/gone", {.there = false}},
    {"a_pattern_without_a_file", "d/*.none", {.there = false}},
};

static void a_program_is_what_it_is(void **state)
{
    const struct row *row = *state;
    const struct ce_install_program *got = &programs.items[0];
    struct unit_dir dir = unit_dir_make();
    write_programs(&dir);
    look(&dir, row->value);
    unit_dir_remove(&dir);
    assert_int_equal(programs.count, 1);
    assert_int_equal(got->there, row->expected.there);
    assert_int_equal(got->regular, row->expected.regular);
    assert_int_equal(got->executable, row->expected.executable);
    assert_int_equal(got->safe, row->expected.safe && geteuid() == 0);
    assert_int_equal(got->runs, row->expected.runs);
}

static void a_pattern_is_all_its_files(void **state)
{
    struct unit_dir dir = unit_dir_make();
    (void)state;
    write_programs(&dir);
    look(&dir, "d/*");
    unit_dir_remove(&dir);
    assert_int_equal(programs.count, 5);
}

static void write_range(const struct unit_dir *dir, const char *range, const char *reserved)
{
    assert_int_equal(mkdirat(dir->fd, "proc", 0755), 0);
    assert_int_equal(mkdirat(dir->fd, "proc/sys", 0755), 0);
    assert_int_equal(mkdirat(dir->fd, "proc/sys/net", 0755), 0);
    assert_int_equal(mkdirat(dir->fd, "proc/sys/net/ipv4", 0755), 0);
    unit_dir_write(dir, "proc/sys/net/ipv4/ip_local_port_range", range);
    unit_dir_write(dir, "proc/sys/net/ipv4/ip_local_reserved_ports", reserved);
}

static void ports_are_as_the_kernel_writes_them(void **state)
{
    struct unit_dir dir = unit_dir_make();
    struct ce_install_ports ports;
    (void)state;
    write_range(&dir, "32768\t60999\n", "61000-61999,65000\n");
    ce_probe_ports(dir.path, &ports);
    unit_dir_remove(&dir);
    assert_true(ports.known && ports.first == 32768 && ports.last == 60999);
    assert_string_equal(ports.reserved, "61000-61999,65000");
}

static void ports_that_are_none_are_unknown(void **state)
{
    struct unit_dir dir = unit_dir_make();
    struct ce_install_ports ports;
    (void)state;
    write_range(&dir, "many\n", "");
    ce_probe_ports(dir.path, &ports);
    unit_dir_remove(&dir);
    assert_false(ports.known);
    ce_probe_ports("/nonexistent", &ports);
    assert_false(ports.known);
}

static void a_run_folder_is_what_it_is(void **state)
{
    struct unit_dir dir = unit_dir_make();
    struct ce_install_run run = {.there = false};
    char path[200];
    (void)state;
    assert_int_equal(fchmod(dir.fd, 0751), 0);
    unit_dir_write(&dir, "node.facts", "");
    ce_probe_run_folder(dir.path, "node.facts", &run);
    assert_true(run.there && run.folder && run.owner == geteuid() && run.mode == 0751);
    assert_true(run.space_known && run.free_bytes > 0 && run.facts_age_s < 60);
    assert_int_equal(symlinkat(".", dir.fd, "link"), 0);
    snprintf(path, sizeof path, "%s/link", dir.path);
    ce_probe_run_folder(path, "node.facts", &run);
    unit_dir_remove(&dir);
    assert_true(run.there && !run.folder);
    run = (struct ce_install_run){.there = false};
    ce_probe_run_folder("/nonexistent", "node.facts", &run);
    assert_false(run.there);
}

int main(void)
{
    UNIT_TABLE(rows, a_program_is_what_it_is);
    UNIT_RULE(a_pattern_is_all_its_files);
    UNIT_RULE(ports_are_as_the_kernel_writes_them);
    UNIT_RULE(ports_that_are_none_are_unknown);
    UNIT_RULE(a_run_folder_is_what_it_is);
    return UNIT_RUN("install");
}
