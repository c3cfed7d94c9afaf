/* SPDX-License-Identifier: Apache-2.0 */
#include "program/plugin/world.h"

#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/plugin/expect.h"

const struct host_machine world_machines[] = {
    {"zeta1", "10.9.0.11"}, {"n10", "10.9.0.12"}, {"n9", "10.9.0.13"},
    {"alpha", "10.9.0.14"}, {NULL, NULL},
};

static char run_dir[PATH_MAX / 2], job_dir[PATH_MAX / 2 + 8];

const char *world_address(const char *node)
{
    for (const struct host_machine *m = world_machines; m->node; m++)
        if (strcmp(m->node, node) == 0)
            return m->address;
    return NULL;
}

const char *world_run_dir(void)
{
    return run_dir;
}

const char *world_path(const char *node, const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/%s", run_dir, node, name);
    return path;
}

void world_write(const char *node, const char *name, const char *text)
{
    const char *path = world_path(node, name);
    unlink(path);
    FILE *file = must(fopen(path, "we"));
    fputs(text, file);
    if (fclose(file) != 0 || chmod(path, 0644) < 0)
        abort();
}

static const char facts[] = "format=1\n"
                            "host.name=%s\n"
                            "netif.lo.index=1\n"
                            "netif.lo.kind=other\n"
                            "netif.lo.up=1\n"
                            "netif.lo.address.0=127.0.0.1/8\n"
                            "netif.eth0.index=2\n"
                            "netif.eth0.kind=ethernet\n"
                            "netif.eth0.up=1\n"
                            "netif.eth0.speed_mbps=100000\n"
                            "netif.eth0.default_route=1\n"
                            "netif.eth0.address.0=192.168.77.2/24\n"
                            "netif.eth1.index=3\n"
                            "netif.eth1.kind=ethernet\n"
                            "netif.eth1.up=1\n"
                            "netif.eth1.speed_mbps=10000\n"
                            "netif.eth1.address.0=%s/24\n"
                            "gpu.count=8\n"
                            "%s"
                            "end=1\n";

static const char policy[] = "format=1\n"
                             "port.first=61000\n"
                             "port.last=65535\n"
                             "%s"
                             "end=1\n";

void world_write_more(const struct host_machine *machine, const char *more_facts,
                      const char *more_policy)
{
    char text[16384];
    snprintf(text, sizeof text, facts, machine->node, machine->address, more_facts);
    world_write(machine->node, WORLD_FACTS, text);
    snprintf(text, sizeof text, policy, more_policy);
    world_write(machine->node, WORLD_POLICY, text);
}

void world_write_node(const struct host_machine *machine)
{
    world_write_more(machine, "", "");
}

void world_write_book(const char *node, const char *address)
{
    char text[1024] = "127.0.0.1 localhost\n";
    for (const struct host_machine *m = world_machines; m->node; m++) {
        const char *entry = node && strcmp(m->node, node) == 0 ? address : m->address;
        size_t length = strlen(text);
        if (entry)
            snprintf(text + length, sizeof text - length, "%s %s\n", entry, m->node);
    }
    strcat(text, "# end of the address book\n");
    for (const struct host_machine *m = world_machines; m->node; m++)
        world_write(m->node, WORLD_BOOK, text);
}

int world_create(void **state)
{
    const char *parent = getenv("TMPDIR");
    (void)state;
    expect_where(NULL);
    snprintf(run_dir, sizeof run_dir, "%s/cluster-env-plugin.XXXXXX", parent ? parent : "/tmp");
    must(mkdtemp(run_dir));
    if (chmod(run_dir, 0755) < 0) /* the tasks run as another user where the test is root */
        abort();
    for (const struct host_machine *m = world_machines; m->node; m++) {
        const char *path = world_path(m->node, "");
        if (mkdir(path, 0755) < 0 || chmod(path, 0755) < 0)
            abort();
        world_write_node(m);
    }
    world_write_book(NULL, NULL);
    snprintf(job_dir, sizeof job_dir, "%s/job", run_dir);
    return mkdir(job_dir, 0777) < 0 || chmod(job_dir, 0777) < 0 ? -1 : 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int world_destroy(void **state)
{
    static const char *const names[] = {WORLD_FACTS, WORLD_POLICY, WORLD_BOOK, "nccl.conf", ".nccl.conf"};
    (void)state;
    for (const struct host_machine *m = world_machines; m->node; m++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            remove(world_path(m->node, names[i]));
        rmdir(world_path(m->node, ""));
    }
    if (nftw(job_dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS) < 0)
        return -1;
    return rmdir(run_dir);
}

const char *world_job_file(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", job_dir, name);
    return path;
}

struct host_setup world_setup(const struct recording *recording)
{
    return (struct host_setup){
        .recording = recording, .run_dir = run_dir, .directory = job_dir, .machines = world_machines,
        .hung = expect_no_hang};
}

char **world_recordings(void)
{
    static glob_t found;
    char pattern[PATH_MAX];
    const char *srcdir = getenv("srcdir");
    snprintf(pattern, sizeof pattern, "%s/tests/fixtures/spank/*/*.txt", srcdir ? srcdir : ".");
    if (!found.gl_pathv && glob(pattern, 0, NULL, &found) != 0)
        fprintf(stderr, "%s: no recordings\n", pattern);
    static char *none[] = {NULL};
    return found.gl_pathv ? found.gl_pathv : none;
}

static bool is_named(const char *path, const char *name)
{
    const char *base = strrchr(path, '/');
    size_t length = strlen(name);
    return base && strncmp(base + 1, name, length) == 0 && strcmp(base + 1 + length, ".txt") == 0;
}

const char *world_recording(const char *name)
{
    char **path = world_recordings();
    while (*path && !is_named(*path, name))
        path++;
    expect(*path != NULL, "no recording of %s", name);
    return *path;
}

static void run_on(const char *path, void (*test)(struct recording *recording))
{
    struct recording *recording = recording_read(path);
    expect(recording != NULL, "%s cannot be read", path);
    expect_where(recording->name);
    /* Tasks that do not see all GPUs are a line of their own. */
    recording_set(recording, "CUDA_VISIBLE_DEVICES", NULL);
    test(recording);
    expect_where(NULL);
    recording_free(recording);
}

void world_each_series(const char *name, void (*test)(struct recording *recording))
{
    world_recording(name); /* at least one */
    for (char **path = world_recordings(); *path; path++) {
        if (!is_named(*path, name))
            continue;
        run_on(*path, test);
        if (getenv("CLUSTER_ENV_TEST_ONE_SERIES"))
            return;
    }
}

void world_one_series(const char *name, void (*test)(struct recording *recording))
{
    run_on(world_recording(name), test);
}
