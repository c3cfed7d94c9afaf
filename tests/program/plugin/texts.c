/* SPDX-License-Identifier: Apache-2.0 */
/* Trouble with the three texts of the run directory: one line from rank 0 that names the file and
 * the remedy, what can be set is set, the step runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/plugin/cases.h"
#include "program/plugin/expect.h"
#include "program/plugin/world.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const char *const names[] = {WORLD_FACTS, WORLD_POLICY, WORLD_BOOK};

/* ---------------------------------------------------------------- damages */

/* Do something to one file; what the line says of it. */
struct damage {
    void (*apply)(const char *path);
    const char *says;
};

static void must_do(int rc)
{
    if (rc < 0)
        abort();
}

static void put(const char *path, const char *text)
{
    FILE *file = must(fopen(path, "we"));
    fputs(text, file);
    if (fclose(file) != 0)
        abort();
}

static void remove_it(const char *path)
{
    must_do(unlink(path));
}

/* The last line of each text is its end mark. */
static void truncate_it(const char *path)
{
    struct stat st;
    must_do(stat(path, &st));
    must_do(truncate(path, st.st_size - 7));
}

static void empty_it(const char *path)
{
    must_do(truncate(path, 0));
}

/* For root's own files the user is another; an ordinary user could read his own 0600 file. */
static void hide_it(const char *path)
{
    must_do(chmod(path, geteuid() == 0 ? 0600 : 0));
}

static void let_all_write(const char *path)
{
    must_do(chmod(path, 0666));
}

static void let_group_write(const char *path)
{
    must_do(chmod(path, 0664));
}

static void make_fifo(const char *path)
{
    must_do(unlink(path));
    must_do(mkfifo(path, 0644));
}

static void make_directory(const char *path)
{
    must_do(unlink(path));
    must_do(mkdir(path, 0755));
}

static void put_nul(const char *path)
{
    struct stat st;
    must_do(stat(path, &st));
    must_do(truncate(path, st.st_size + 1));
}

static void put_garbage(const char *path)
{
    put(path, "%n%s%n\x1b[2J = \x07\n");
}

static void put_huge(const char *path)
{
    static char line[4096];
    FILE *file = must(fopen(path, "we"));
    memset(line, '#', sizeof line - 1);
    line[sizeof line - 2] = '\n';
    for (size_t i = 0; i < 4200; i++)
        fputs(line, file);
    if (fclose(file) != 0)
        abort();
}

static void clean_up(const char *path)
{
    rmdir(path);
}

/* ---------------------------------------------------------------- what is left to set */

/* Names stand in where no address is known. */
static void expect_set_without(const struct host_node *node, size_t task, const char *name,
                               const char *first)
{
    bool book = strcmp(name, WORLD_BOOK) != 0;
    expect_variable(node, task, "RANK", recorded_env(node->recorded, task, "SLURM_PROCID"));
    expect_variable(node, task, "MASTER_ADDR", book ? world_address(first) : first);
    expect_variable(node, task, "PRIMARY_IP", book ? world_address(first) : NULL);
    expect(variable(node, task, "MASTER_PORT") != NULL, "no MASTER_PORT");
    expect(variable(node, task, "NODE_ADDR") != NULL, "no NODE_ADDR");
    expect_variable(node, task, "GLOO_SOCKET_IFNAME",
                    strcmp(name, WORLD_FACTS) == 0 ? NULL : "eth1");
    expect_kept(node, task);
}

static void damage_all(const struct recording *recording, const char *name,
                       const struct damage *damage)
{
    for (size_t n = 0; n < recording->node_count; n++)
        damage->apply(world_path(recording->nodes[n].name, name));
}

static void restore_all(const struct recording *recording, const char *name)
{
    for (size_t n = 0; n < recording->node_count; n++)
        clean_up(world_path(recording->nodes[n].name, name));
    for (const struct host_machine *m = world_machines; m->node; m++)
        world_write_node(m);
    world_write_book(NULL, NULL);
}

static void expect_one_line(const struct recording *recording, const char *name,
                            const struct damage *damage)
{
    struct host_setup setup = world_setup(recording);
    damage_all(recording, name, damage);
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_line_of_rank_0(result, damage->says);
    expect(strstr(result->messages[0].text, world_path(recording->nodes[0].name, name)) != NULL,
           "the line does not name %s", name);
    expect(strstr(result->messages[0].text, "run 'cluster-env facts --write' as root") != NULL,
           "the line does not tell what to do");
    for (size_t n = 0; n < result->node_count; n++)
        for (size_t t = 0; t < result->nodes[n].task_count; t++)
            expect_set_without(&result->nodes[n], t, name, recording->nodes[0].name);
    expect_done(result);
    restore_all(recording, name);
}

static const struct damage *current;

static void damage_each_text(struct recording *recording)
{
    for (size_t i = 0; i < LENGTH(names); i++)
        expect_one_line(recording, names[i], current);
}

static void check_damage(void (*apply)(const char *path), const char *says)
{
    const struct damage damage = {apply, says};
    current = &damage;
    world_one_series("srun-8x4", damage_each_text);
}

#define DAMAGE_CASE(name, apply, says)                                                             \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        check_damage(apply, says);                                                                 \
    }
DAMAGE_CASE(missing, remove_it, "No such file")
DAMAGE_CASE(truncated, truncate_it, "")
DAMAGE_CASE(empty, empty_it, "")
DAMAGE_CASE(unreadable, hide_it, "Permission denied")
DAMAGE_CASE(world_writable, let_all_write, "mode 0666 lets others write it")
DAMAGE_CASE(group_writable, let_group_write, "mode 0664 lets others write it")
DAMAGE_CASE(fifo, make_fifo, "not a regular file")
DAMAGE_CASE(directory, make_directory, "not a regular file")
DAMAGE_CASE(nul_byte, put_nul, "NUL")
DAMAGE_CASE(garbage, put_garbage, "")
DAMAGE_CASE(huge, put_huge, "longer than")

/* ---------------------------------------------------------------- the directory */

static void no_run_dir_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    setup.run_dir = "/nonexistent";
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_line_of_rank_0(result, "/nonexistent/");
    for (size_t n = 0; n < result->node_count; n++)
        expect_variable(&result->nodes[n], 0, "MASTER_ADDR", recording->nodes[0].name);
    expect_done(result);
}

static void no_run_dir(void **state)
{
    (void)state;
    world_one_series("srun-8x4", no_run_dir_in);
}

/* Rank 0 tells of its own node; a line per node would be thousands. */
static void others_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    remove_it(world_path(recording->nodes[1].name, WORLD_FACTS));
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_lines(result, 0);
    expect_done(result);
    restore_all(recording, WORLD_FACTS);
}

static void trouble_on_another_node(void **state)
{
    (void)state;
    world_one_series("srun-8x4", others_in);
}

static void incomplete_book_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    world_write_book(recording->nodes[2].name, NULL);
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_line_of_rank_0(result, recording->nodes[2].name);
    for (size_t n = 0; n < result->node_count; n++) {
        expect_variable(&result->nodes[n], 0, "MASTER_ADDR",
                        world_address(recording->nodes[0].name));
        expect_variable(&result->nodes[n], 0, "CLUSTER_IPS", NULL);
    }
    expect_done(result);
    restore_all(recording, WORLD_BOOK);
}

static void incomplete_book(void **state)
{
    (void)state;
    world_one_series("srun-8x4", incomplete_book_in);
}

/* ---------------------------------------------------------------- what else rank 0 says */

static void taken_port_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    setup.flags = HOST_PORTS_TAKEN;
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_line_of_rank_0(result, "is taken already");
    expect_recorded(result);
    expect_done(result);
}

static void taken_port(void **state)
{
    (void)state;
    world_each_series("srun-8x4", taken_port_in);
}

static void no_port_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    recording_set(recording, "MASTER_PORT", "some port");
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_line_of_rank_0(result, "MASTER_PORT=some port is not a port");
    expect_recorded(result);
    expect_done(result);
}

static void no_port(void **state)
{
    (void)state;
    world_each_series("srun-8x4", no_port_in);
}

static void hidden_gpus_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    recording_set(recording, "SLURM_GPUS_ON_NODE", "8");
    recording_set(recording, "CUDA_VISIBLE_DEVICES", "0");
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_line_of_rank_0(result, "each task sees 1 of the 8 GPUs");
    expect_recorded(result);
    expect_done(result);
}

static void hidden_gpus(void **state)
{
    (void)state;
    world_each_series("srun-8x4", hidden_gpus_in);
}

/* The text of an nccl.conf, and the variable that names it; NULL: it is the site's. */
static const char *conf_text, *conf_variable;

static void nccl_conf_in(struct recording *recording)
{
    struct host_setup setup = world_setup(recording);
    world_write("alpha", conf_variable ? ".nccl.conf" : "nccl.conf", conf_text);
    char *path = must(strdup(world_path("alpha", conf_variable ? ".nccl.conf" : "nccl.conf")));
    char *home = must(strdup(world_path("alpha", "")));
    if (!conf_variable)
        setup.nccl_conf = path;
    else
        recording_set(recording, conf_variable, strcmp(conf_variable, "HOME") == 0 ? home : path);
    struct host_result *result = host_run(&setup);
    expect_launched(result);
    expect_lines(result, 0);
    for (size_t n = 0; n < result->node_count; n++) {
        expect_variable(&result->nodes[n], 0, "NCCL_SOCKET_IFNAME", NULL);
        expect_variable(&result->nodes[n], 0, "GLOO_SOCKET_IFNAME", "eth1");
    }
    expect_done(result);
    free(path);
    free(home);
}

static void run_nccl_conf(const char *variable, const char *text)
{
    conf_variable = variable;
    conf_text = text;
    world_one_series("srun-1x4", nccl_conf_in);
}

static void nccl_conf(void **state)
{
    (void)state;
    run_nccl_conf(NULL, "# the site's\nNCCL_SOCKET_IFNAME = bond0\n");
}

static void empty_line_of_site(void **state)
{
    (void)state;
    run_nccl_conf(NULL, "\nNCCL_SOCKET_IFNAME=eth1\n");
}

static void empty_line_of_home(void **state)
{
    (void)state;
    run_nccl_conf("HOME", "\n\nNCCL_SOCKET_IFNAME=eth1\n");
}

static void empty_line_of_named_file(void **state)
{
    (void)state;
    run_nccl_conf("NCCL_CONF_FILE", "\nNCCL_SOCKET_IFNAME=eth1\n");
}

const struct plugin_case text_cases[] = {
    {"a text is missing: one line, the rest is set", missing},
    {"a text is cut short: one line, the rest is set", truncated},
    {"a text is empty: one line, the rest is set", empty},
    {"a text is unreadable: one line, the rest is set", unreadable},
    {"a text can be written by all: one line, it is not read", world_writable},
    {"a text can be written by a group: one line, it is not read", group_writable},
    {"a text is a FIFO: one line, nothing hangs", fifo},
    {"a text is a directory: one line, the rest is set", directory},
    {"a text holds a NUL byte: one line, the rest is set", nul_byte},
    {"a text is garbage: one line, the rest is set", garbage},
    {"a text is huge: one line, the rest is set", huge},
    {"no run directory: one line, names stand in for addresses", no_run_dir},
    {"rank 0 speaks of its own node only", trouble_on_another_node},
    {"a node missing from the book: one line names it", incomplete_book},
    {"a port that is taken: one line, the step runs", taken_port},
    {"a MASTER_PORT that is none: one line, it is replaced", no_port},
    {"tasks that see fewer GPUs than their node has: one line, LOCAL_RANK stays", hidden_gpus},
    {"what the site's nccl.conf sets is not written", nccl_conf},
    {"an empty first line of /etc/nccl.conf hides nothing", empty_line_of_site},
    {"an empty first line of ~/.nccl.conf hides nothing", empty_line_of_home},
    {"an empty first line of NCCL_CONF_FILE hides nothing", empty_line_of_named_file},
    {NULL, NULL},
};
