/* SPDX-License-Identifier: Apache-2.0 */
#include "preflight/nccl_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/plan.h"
#include "local/nccl_conf.h"

/* It is nobody's job yet: no user has set anything. */
static const char *get_nothing(void *ctx, const char *name)
{
    (void)ctx, (void)name;
    return NULL;
}

static const char *conf_sets(const void *ctx, const char *name)
{
    return ce_nccl_conf_sets(ctx, name);
}

static struct ce_plan *make_plan(const struct ce_cluster *cluster,
                                 const struct ce_allocation *allocation,
                                 const struct ce_texts *texts, struct ce_error *err)
{
    const struct ce_environ env = {.get = get_nothing};
    const struct ce_request request = {.on = true};
    const struct ce_view view = {.allocation = allocation,
                                 .cluster = cluster,
                                 .policy = &texts->policy,
                                 .rules = texts->rules,
                                 .request = &request};
    struct ce_notes notes = {.count = 0};
    struct ce_nccl_conf files;
    ce_nccl_conf_read(CE_NCCL_SITE_CONF, &env, &files);
    const struct ce_conf_lookup conf = {conf_sets, &files};
    struct ce_plan *plan = ce_plan_create(&view, &env, &conf, &notes, err);
    ce_nccl_conf_free(&files);
    return plan;
}

/* The nodes meet as they do here, not at an address of the site's. */
static bool is_wanted(const struct ce_change *change)
{
    const char *name = change->variable->name;
    return change->action == CE_SET && strncmp(name, "NCCL_", strlen("NCCL_")) == 0 &&
           strcmp(name, "NCCL_COMM_ID") != 0;
}

/* Without a variable there is no list: cluster-prolog has cleared it. */
static int fill(char **settings, const struct ce_plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; environ && environ[i]; i++)
        if (!(settings[count++] = strdup(environ[i])))
            return -1;
    for (size_t i = 0; i < plan->count; i++) {
        const struct ce_change *change = &plan->changes[i];
        if (is_wanted(change) &&
            asprintf(&settings[count++], "%s=%s", change->variable->name, change->value) < 0) {
            settings[count - 1] = NULL;
            return -1;
        }
    }
    return 0;
}

char **ce_nccl_settings(const struct ce_cluster *cluster, const struct ce_allocation *allocation,
                        const struct ce_texts *texts, struct ce_error *err)
{
    size_t count = 0;
    ce_auto(ce_plan_destroy) struct ce_plan *plan = make_plan(cluster, allocation, texts, err);
    if (!plan)
        return NULL;
    while (environ && environ[count])
        count++;
    char **settings = calloc(count + plan->count + 1, sizeof *settings);
    if (settings && fill(settings, plan) == 0)
        return settings;
    ce_nccl_settings_free(settings);
    ce_fail(err, "no memory");
    return NULL;
}

void ce_nccl_settings_free(char **settings)
{
    for (size_t i = 0; settings && settings[i]; i++)
        free(settings[i]);
    free(settings);
}
