/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded machine of tests/fixtures/machines as a root. */
#ifndef CE_TESTS_UNIT_MACHINE_H
#define CE_TESTS_UNIT_MACHINE_H

#include <limits.h>

#include "../unit_dir.h"
#include "base/root.h"

struct machine {
    struct unit_dir dir;
    struct ce_root root;
};

/* `make check` says where the sources are; by hand they are here. */
static inline void machine_path(char *path, size_t size, const char *name)
{
    const char *srcdir = getenv("srcdir");
    snprintf(path, size, "%s/tests/fixtures/%s", srcdir ? srcdir : ".", name);
}

static inline struct machine machine_unpack(const char *name)
{
    char program[PATH_MAX], file[64], tree[PATH_MAX], command[2 * PATH_MAX + 200];
    struct machine machine = {.dir = unit_dir_make()};
    struct ce_error err;
    snprintf(file, sizeof file, "machines/%s.tree", name);
    machine_path(program, sizeof program, "unpack");
    machine_path(tree, sizeof tree, file);
    snprintf(command, sizeof command, "sh '%s' '%s' '%s'", program, tree, machine.dir.path);
    assert_int_equal(system(command), 0);
    assert_int_equal(ce_root_open(&machine.root, machine.dir.path, &err), 0);
    return machine;
}

static inline void machine_remove(struct machine *machine)
{
    ce_root_close(&machine->root);
    unit_dir_remove(&machine->dir);
}

/* The facts that are expected of it, to be freed. */
static inline char *machine_expected(const char *name)
{
    char file[64], path[PATH_MAX];
    snprintf(file, sizeof file, "machines/%s.facts", name);
    machine_path(path, sizeof path, file);
    struct unit_dir here = {.fd = AT_FDCWD};
    char *text = unit_dir_read(&here, path);
    assert_non_null(text);
    return text;
}

#endif
