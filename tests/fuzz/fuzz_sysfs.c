/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of sysfs and /proc: a tree is made from the input, a line for each file ("PATH=TEXT")
 * or link ("PATH>TARGET"), and read as a machine. */
#include "fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/node.h"
#include "probe/host.h"
#include "probe/host_details.h"
#include "probe/ib.h"
#include "probe/netif.h"
#include "probe/rail.h"

const char fuzz_name[] = "sysfs";
const unsigned fuzz_runs = 500;

enum { LINES = 64, PARTS = 16 };

/* The folder above the path's last part, made where it is missing, and that part.  Never through a
 * link: what the input names must not be outside.  -1: not possible. */
static int open_above(int tree, char *path, char **last)
{
    char *rest, *part = strtok_r(path, "/", &rest), *next;
    int fd = dup(tree), parts = 0;
    for (; part && fd >= 0 && (next = strtok_r(NULL, "/", &rest)) != NULL; part = next) {
        mkdirat(fd, part, 0755);
        int below = strcmp(part, "..") == 0 || ++parts > PARTS
                        ? -1
                        : openat(fd, part, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);
        close(fd);
        fd = below;
    }
    *last = part;
    if (fd >= 0 && (!part || strcmp(part, "..") == 0 || strcmp(part, ".") == 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void make_file(int folder, const char *name, const char *text)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd >= 0) {
        FUZZ_CHECK(write(fd, text, strlen(text)) >= 0);
        close(fd);
    }
}

/* It may be there already, or have an odd name. */
static void make_link(int folder, const char *name, const char *target)
{
    int rc = *target == '/' ? 0 : symlinkat(target, folder, name);
    (void)rc;
}

static void make_one(int tree, char *line)
{
    char *separator = strpbrk(line, "=>"), *last;
    if (!separator)
        return;
    bool is_link = *separator == '>';
    *separator = '\0';
    int folder = open_above(tree, line, &last);
    if (folder < 0)
        return;
    (is_link ? make_link : make_file)(folder, last, separator + 1);
    close(folder);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

static void check_node(const struct ce_node *node)
{
    struct ce_error err = {""};
    ce_autotext struct ce_text text = CE_TEXT(16 << 20), again = CE_TEXT(16 << 20);
    ce_node_write(node, &text);
    FUZZ_CHECK(ce_text_ok(&text));
    ce_auto(ce_node_destroy) struct ce_node *read = ce_node_parse(ce_text_string(&text), &err);
    FUZZ_CHECK(read);
    ce_node_write(read, &again);
    FUZZ_CHECK(strcmp(ce_text_string(&text), ce_text_string(&again)) == 0);
    for (size_t i = 1; i < node->hca_count; i++)
        FUZZ_CHECK(strverscmp(node->hcas[i - 1].name, node->hcas[i].name) < 0);
    for (unsigned i = 1; i < node->gpu_count; i++)
        FUZZ_CHECK(ce_pci_compare(&node->gpus[i - 1], &node->gpus[i]) <= 0);
}

/* What the checks read besides: every port is a rail here. */
static void read_details(const struct ce_root *root, struct ce_node *node)
{
    static const char paths[][CE_HOST_PATH] = {"/home", "/my data"};
    for (size_t i = 0; i < node->hca_count; i++)
        for (size_t k = 0; k < node->hcas[i].port_count; k++)
            ce_probe_rails(root, &(struct ce_rail_place){i, k}, 1, node);
    ce_probe_uptime(root, node);
    ce_probe_host_details(root, &node->host);
    ce_probe_mounts(root, paths, 2, &node->host);
    ce_probe_stuck(root, &node->host);
    FUZZ_CHECK(node->host.mount_count == 2 && node->host.stuck_count <= CE_HOST_STUCK_MAX);
}

static void read_tree(const char *path)
{
    struct ce_root root;
    struct ce_error err = {""};
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    FUZZ_CHECK(node && ce_root_open(&root, path, &err) == 0);
    ce_probe_host(&root, node);
    if (ce_probe_netifs(&root, node, &err) < 0)
        fuzz_check_error(err.text);
    FUZZ_CHECK(ce_probe_ib(&root, node, &err) == 0);
    read_details(&root, node);
    ce_root_close(&root);
    check_node(node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[128], *text = fuzz_text(data, size), *rest;
    const char *base = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.90s/cluster-env-fuzz.XXXXXX", base ? base : "/tmp");
    FUZZ_CHECK(mkdtemp(path));
    int tree = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), lines = 0;
    FUZZ_CHECK(tree >= 0);
    for (char *line = strtok_r(text, "\n", &rest); line && lines++ < LINES;
         line = strtok_r(NULL, "\n", &rest))
        make_one(tree, line);
    close(tree);
    read_tree(path);
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(text);
    return 0;
}
