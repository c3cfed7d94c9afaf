/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/host_details.h"

#include "tree.h"

static struct ce_host probe(const struct tree *tree)
{
    struct ce_host host = {.memory_kb = 0};
    ce_probe_host_details(&tree->root, &host);
    return host;
}

static const struct memory_row {
    const char *name, *text;
    uint64_t kb, pages, page_kb;
} memories[] = {
    {"a_node_with_huge_pages",
     "MemTotal:       65837124 kB\nMemFree:  1 kB\nHugePages_Total:      64\n"
     "Hugepagesize:       2048 kB\n",
     65837124, 64, 2048},
    {"a_kernel_without_them", "MemTotal: 1024 kB\n", 1024, 0, 0},
    {"a_key_that_ends_alike", "XMemTotal: 1024 kB\n", 0, 0, 0},
    {"no_number", "MemTotal: much\nHugePages_Total: -1\nHugepagesize: 2048 kB\n", 0, 0, 0},
    {"empty", "", 0, 0, 0},
    {"none", NULL, 0, 0, 0},
};

static void memory_is(void **state)
{
    const struct memory_row *row = *state;
    struct tree tree = tree_make();
    tree_put(&tree, "proc", "meminfo", row->text);
    struct ce_host host = probe(&tree);
    assert_true(host.memory_kb == row->kb && host.hugepages == row->pages &&
                host.hugepage_kb == row->page_kb);
    assert_int_equal(host.memlock, 0);
    assert_int_equal(host.clock_synchronised, CE_ANSWER_UNKNOWN);
    tree_remove(&tree);
}

static const struct module_row {
    const char *name, *modules, *version;
    enum ce_host_driver driver;
    enum ce_answer peermem;
} modules[] = {
    {"the_open_driver", "ib_uverbs 1 1 - Live 0x0\nnvidia 9 2 - Live 0x0\n",
     "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15\n", CE_DRIVER_OPEN,
     CE_ANSWER_NO},
    {"the_closed_one_with_peermem", "nvidia_peermem 1 0 - Live\nnvidia 9 2 nvidia_peermem, Live\n",
     "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15\n", CE_DRIVER_CLOSED,
     CE_ANSWER_YES},
    {"the_forerunner", "nv_peer_mem 1 0 - Live\nnvidia 9 2 - Live\n", "NVRM version: x\n",
     CE_DRIVER_CLOSED, CE_ANSWER_YES},
    {"one_that_only_uses_it", "foo 1 0 nvidia_peermem, Live 0x0\n", NULL, CE_DRIVER_NONE,
     CE_ANSWER_NO},
    {"a_driver_without_a_version", "nvidia 9 2 - Live\n", NULL, CE_DRIVER_UNKNOWN, CE_ANSWER_NO},
    {"no_list", NULL, NULL, CE_DRIVER_UNKNOWN, CE_ANSWER_UNKNOWN},
};

static void modules_are(void **state)
{
    const struct module_row *row = *state;
    struct tree tree = tree_make();
    tree_put(&tree, "proc", "modules", row->modules);
    tree_put(&tree, "proc/driver/nvidia", "version", row->version);
    tree_put(&tree, "proc/sys/kernel", "osrelease", "6.8.0-45-generic\n");
    struct ce_host host = probe(&tree);
    assert_int_equal(host.driver, row->driver);
    assert_int_equal(host.peermem, row->peermem);
    assert_string_equal(host.kernel, "6.8.0-45-generic");
    tree_remove(&tree);
}

static const char mounts[] = "proc /proc proc rw 0 0\nserver:/home /home nfs4 rw 0 0\n"
                             "/dev/sda1 /my\\040data ext4 ro 0 0\n/home /elsewhere none rw 0 0\n";

static const struct mount_row {
    const char *name, *path, *text;
    enum ce_answer is;
} mount_rows[] = {
    {"one_that_is_mounted", "/home", mounts, CE_ANSWER_YES},
    {"one_with_a_blank", "/my data", mounts, CE_ANSWER_YES},
    {"one_below_it_is_another", "/home/data", mounts, CE_ANSWER_NO},
    {"so_is_one_above", "/hom", mounts, CE_ANSWER_NO},
    {"a_source_is_no_place", "/dev/sda1", mounts, CE_ANSWER_NO},
    {"nothing_is_mounted", "/home", "", CE_ANSWER_NO},
    {"lines_that_are_none", "/home", "\n\n/home\n /home", CE_ANSWER_NO},
    {"no_list_of_mounts", "/home", NULL, CE_ANSWER_UNKNOWN},
};

static void mount_is(void **state)
{
    const struct mount_row *row = *state;
    struct tree tree = tree_make();
    struct ce_host host = {.memory_kb = 0};
    char paths[1][CE_HOST_PATH];
    snprintf(paths[0], CE_HOST_PATH, "%s", row->path);
    tree_put(&tree, "proc/self", "mounts", row->text);
    ce_probe_mounts(&tree.root, (const char(*)[CE_HOST_PATH])paths, 1, &host);
    assert_int_equal(host.mount_count, 1);
    assert_string_equal(host.mounts[0].path, row->path);
    assert_int_equal(host.mounts[0].mounted, row->is);
    tree_remove(&tree);
}

static const struct stuck_row {
    const char *name, *stat, *file, *is; /* NULL: not stuck */
} stuck_rows[] = {
    {"one_that_a_driver_holds", "4711 (python) D 1 1\n", "/dev/nvidia0", "4711 python"},
    {"one_with_an_odd_name", "4711 (a) D (b) D 1 1\n", "/dev/nvidiactl", "4711 a) D (b"},
    {"one_whose_name_only_looks_so", "4711 (a) D 1) S 1 1\n", "/dev/nvidia0", NULL},
    {"one_with_a_newline_in_its_name", "4711 (a\nb) D 1 1\n", "/dev/nvidia0", "4711 a?b"},
    {"one_with_an_escape_in_its_name", "4711 (a\x1b[2Jb) D 1 1\n", "/dev/nvidia0", "4711 a?[2Jb"},
    {"one_that_sleeps", "4711 (python) S 1 1\n", "/dev/nvidia0", NULL},
    {"one_without_a_gpu", "4711 (nfsd) D 1 1\n", "/dev/null", NULL},
    {"cut_short", "4711 (python\n", "/dev/nvidia0", NULL},
    {"brackets_the_wrong_way", "4711 )python( D 1 1\n", "/dev/nvidia0", NULL},
    {"empty", "", "/dev/nvidia0", NULL},
};

static void stuck_is(void **state)
{
    const struct stuck_row *row = *state;
    struct tree tree = tree_make();
    struct ce_host host = {.memory_kb = 0};
    tree_put(&tree, "proc/4711", "stat", row->stat);
    tree_link(&tree, "proc/4711/fd/3", row->file);
    tree_put(&tree, "proc/bus", "stat", row->stat);
    ce_probe_stuck(&tree.root, &host);
    assert_int_equal(host.stuck_known, CE_ANSWER_YES);
    assert_int_equal(host.stuck_count, row->is ? 1 : 0);
    assert_string_equal(host.stuck[0], row->is ? row->is : "");
    tree_remove(&tree);
}

static const struct zombie_row {
    const char *name, *stat, *thread, *file, *is; /* NULL: not stuck */
} zombies[] = {
    {"a_zombie_with_a_thread_that_a_driver_holds", "4711 (python) Z 1 1\n", "4712 (pt_autograd) D 1 1\n", "/dev/nvidia3", "4711 python"},
    {"a_zombie_whose_thread_still_runs", "4711 (python) Z 1 1\n", "4712 (pt_autograd) R 1 1\n", "/dev/nvidia3", NULL},
    {"one_without_a_gpu_left", "4711 (python) Z 1 1\n", "4712 (pt_autograd) D 1 1\n", "/dev/null", NULL},
    {"a_thread_of_one_that_lives_waits_for_its_disk", "4711 (python) S 1 1\n", "4712 (loader) D 1 1\n", "/dev/nvidia3", NULL},
};

static void zombie_is(void **state)
{
    const struct zombie_row *row = *state;
    struct tree tree = tree_make();
    struct ce_host host = {.memory_kb = 0};
    tree_put(&tree, "proc/4711", "stat", row->stat);
    tree_put(&tree, "proc/4711/task/4711", "stat", row->stat);
    tree_put(&tree, "proc/4711/task/4712", "stat", row->thread);
    tree_link(&tree, "proc/4711/task/4712/fd/3", row->file);
    ce_probe_stuck(&tree.root, &host);
    assert_int_equal(host.stuck_count, row->is ? 1 : 0);
    assert_string_equal(host.stuck[0], row->is ? row->is : "");
    tree_remove(&tree);
}

static void the_machine_itself_tells_more(void **state)
{
    (void)state;
    struct ce_root root;
    struct ce_error err;
    struct ce_host host = {.memory_kb = 0};
    assert_int_equal(ce_root_open(&root, "/", &err), 0);
    ce_probe_host_details(&root, &host);
    ce_root_close(&root);
    assert_true(host.memory_kb > 0);
    assert_true(host.memlock > 0);
    assert_int_not_equal(host.clock_synchronised, CE_ANSWER_UNKNOWN);
    assert_true(host.clock_told && host.clock_maxerror_us <= CE_HOST_ERROR_US);
}

int main(void)
{
    UNIT_TABLE(memories, memory_is);
    UNIT_TABLE(modules, modules_are);
    UNIT_TABLE(mount_rows, mount_is);
    UNIT_TABLE(stuck_rows, stuck_is);
    UNIT_TABLE(zombies, zombie_is);
    UNIT_RULE(the_machine_itself_tells_more);
    return UNIT_RUN("probe/host_details");
}
