/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of sysfs that a test makes file by file. */
#ifndef CE_TESTS_UNIT_TREE_H
#define CE_TESTS_UNIT_TREE_H

#include <limits.h>

#include "../unit_dir.h"
#include "base/root.h"

struct tree {
    struct unit_dir dir;
    struct ce_root root;
};

static inline struct tree tree_make(void)
{
    struct tree tree = {.dir = unit_dir_make()};
    struct ce_error err;
    assert_int_equal(ce_root_open(&tree.root, tree.dir.path, &err), 0);
    return tree;
}

static inline void tree_remove(struct tree *tree)
{
    ce_root_close(&tree->root);
    unit_dir_remove(&tree->dir);
}

/* The folders above a path, and it itself where it ends in '/'. */
static inline void tree_folders(const struct tree *tree, const char *path)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdirat(tree->dir.fd, part, 0755);
        *slash = '/';
    }
}

/* FOLDER/NAME with this text; NULL: no such file, but its folder. */
static inline void tree_put(const struct tree *tree, const char *folder, const char *name,
                            const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    tree_folders(tree, path);
    if (text)
        unit_dir_write(&tree->dir, path, text);
}

static inline void tree_link(const struct tree *tree, const char *path, const char *target)
{
    tree_folders(tree, path);
    assert_int_equal(symlinkat(target, tree->dir.fd, path), 0);
}

#endif
