/* SPDX-License-Identifier: Apache-2.0 */
#include "model/install.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ce_install_why(char ret[CE_INSTALL_WHY], const char *why)
{
    bool cut = strlen(why) >= CE_INSTALL_WHY;
    snprintf(ret, CE_INSTALL_WHY, "%.*s%s", CE_INSTALL_WHY - (cut ? 4 : 1), why, cut ? "..." : "");
}

static bool loads(const struct ce_install_plugin *plugin, const char *word)
{
    const char *slash = strrchr(plugin->path, '/');
    return plugin->kind != CE_PLUGSTACK_WRONG && strstr(slash ? slash : plugin->path, word);
}

const struct ce_install_plugin *ce_install_own_plugin(const struct ce_install_plugstack *stack,
                                                      const struct ce_install_plugin *previous)
{
    for (size_t i = previous ? (size_t)(previous - stack->items) + 1 : 0; i < stack->count; i++)
        if (loads(&stack->items[i], "cluster_env"))
            return &stack->items[i];
    return NULL;
}

const struct ce_install_plugin *ce_install_pyxis(const struct ce_install_plugstack *stack)
{
    for (size_t i = stack->count; i-- > 0;)
        if (loads(&stack->items[i], "pyxis"))
            return &stack->items[i];
    return NULL;
}

struct ce_install *ce_install_create(void)
{
    struct ce_install *install = calloc(1, sizeof *install);
    if (install)
        ce_policy_default(&install->config.policy);
    return install;
}

void ce_install_destroy(struct ce_install *install)
{
    if (!install)
        return;
    ce_roster_destroy(install->roster);
    ce_book_destroy(install->book.book);
    ce_node_destroy(install->run.node);
    ce_node_destroy(install->now);
    free(install);
}
