/* SPDX-License-Identifier: Apache-2.0 */
#include "local/texts_write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/replace.h"

static int write_one(int dir, const char *name, struct ce_text *text, struct ce_error *err)
{
    if (!ce_text_ok(text))
        return ce_fail(err, "%s: longer than %zu bytes, or no memory", name, text->limit);
    return ce_file_replace(dir, name, ce_text_string(text), 0644, err);
}

/* What only the checks look at is no job's, old after a moment, and the kernel's log may be root's
 * alone. */
static struct ce_node without_health(const struct ce_node *node)
{
    struct ce_node told = *node;
    told.kernel = (struct ce_kernel_log){.read = false};
    told.gpu_states = (struct ce_gpu_states){.items = NULL};
    told.detailed = false;
    told.host = (struct ce_host){.memory_kb = 0};
    return told;
}

static int write_all(int dir, const struct ce_node *node, const struct ce_policy *policy,
                     const struct ce_rules *rules, const struct ce_book *book, struct ce_error *err)
{
    ce_autotext struct ce_text facts = CE_TEXT(CE_TEXT_MAX);
    ce_autotext struct ce_text rows = CE_TEXT(CE_TEXT_MAX);
    ce_autotext struct ce_text hosts = CE_TEXT(CE_TEXT_MAX);
    const struct ce_node told = without_health(node);
    ce_node_write(&told, &facts);
    ce_policy_write(policy, rules, &rows);
    ce_book_write(book, &hosts);
    if (write_one(dir, CE_FACTS_FILE, &facts, err) < 0 ||
        write_one(dir, CE_POLICY_FILE, &rows, err) < 0)
        return -1;
    return write_one(dir, CE_BOOK_FILE, &hosts, err);
}

/* Readable for every user, whatever this process's umask. */
static int make_dir(const char *path)
{
    if (mkdir(path, 0755) == 0)
        return chmod(path, 0755);
    return errno == EEXIST ? 0 : -1;
}

int ce_texts_write(const char *run_dir, const struct ce_node *node, const struct ce_policy *policy,
                   const struct ce_rules *rules, const struct ce_book *book, struct ce_error *err)
{
    if (make_dir(run_dir) < 0)
        return ce_fail(err, "%s: cannot create: %s", run_dir, strerror(errno));
    ce_autoclose int dir = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return ce_fail(err, "%s: cannot open: %s", run_dir, strerror(errno));
    return write_all(dir, node, policy, rules, book, err) < 0 ? ce_fail_in(err, "%s", run_dir) : 0;
}
