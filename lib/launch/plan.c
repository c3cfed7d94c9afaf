/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "launch/marker.h"

/* What one change is decided from. */
struct context {
    const struct ce_view *view;
    const struct ce_environ *env;
    const struct ce_conf_lookup *conf;
    const char *marker;
    struct ce_notes *notes;
};

static const char too_long[] = "too long for a variable";

static void say(struct ce_change *change, const char *reason)
{
    snprintf(change->reason, sizeof change->reason, "%s", reason);
}

/* There is no value of ours: leave what is there, but not what an outer step of ours left. */
static void withdraw(const struct context *context, struct ce_change *change, const char *reason)
{
    const char *name = change->variable->name;
    const char *found = ce_environ_get(context->env, name);
    bool stale = found && ce_marker_holds(context->marker, name, found);
    change->action = stale ? CE_UNSET : CE_LEAVE;
    say(change, found && !stale ? "set by the user" : reason);
}

static int compute(const struct context *context, struct ce_change *change, struct ce_error *err)
{
    const struct ce_variable *variable = change->variable;
    ce_autotext struct ce_text value = CE_TEXT(CE_VALUE_MAX);
    variable->value(context->view, &value);
    if (!ce_text_ok(&value)) {
        withdraw(context, change, too_long);
        return 0;
    }
    if (value.length == 0) {
        withdraw(context, change, ce_variable_absence(variable, context->view));
        return 0;
    }
    change->action = CE_SET;
    change->value = ce_text_take(&value);
    say(change, ce_variable_source(variable, context->view));
    return change->value ? 0 : ce_fail(err, "no memory");
}

static bool is_port(const struct ce_variable *variable)
{
    return strcmp(variable->name, "MASTER_PORT") == 0;
}

static int decide_identity(const struct context *context, struct ce_change *change,
                           struct ce_error *err)
{
    /* The user's own port wins; written as ours it would be lost in the next nested step. */
    if (is_port(change->variable) && ce_plan_user_port(context->env, NULL) != 0 &&
        context->view->request->port == 0) {
        change->action = CE_LEAVE;
        say(change, "set by the user");
        return 0;
    }
    return compute(context, change, err);
}

/* The site's variable, NULL: it has none here, but where an outer step ran; what the user or NCCL's
 * own files say of it wins. */
static int decide_site(const struct context *context, struct ce_change *change, const char *value,
                       struct ce_error *err)
{
    struct ce_family_block block = ce_family_find_setting(change->variable->name, context->env,
                                                          context->marker, context->conf);
    char reason[sizeof change->reason];
    snprintf(reason, sizeof reason, "set %s%.150s", block.path ? "in " : "by the user",
             block.path ? block.path : "");
    if (block.name || !value) {
        withdraw(context, change, block.name ? reason : "not set by the site on this node");
        return 0;
    }
    change->action = CE_SET;
    change->value = strdup(value);
    say(change, "variables in cluster-env.conf");
    return change->value ? 0 : ce_fail(err, "no memory");
}

/* A variable of the site's contradicts ours as the user's would. */
static const char *sets(const void *ctx, const char *name)
{
    const struct context *context = ctx;
    const char *path = context->conf->sets(context->conf->ctx, name);
    return path                                          ? path
           : ce_rules_get(context->view->rules, name) ? "variables of cluster-env.conf"
                                                         : NULL;
}

static bool is_tuned(const struct context *context, const struct ce_variable *variable)
{
    return context->view->policy->tuning >= CE_TUNING_ALL || variable->class == CE_TUNING;
}

static int decide_tuning(const struct context *context, struct ce_change *change,
                         struct ce_error *err)
{
    if (context->view->policy->tuning == CE_TUNING_OFF) {
        withdraw(context, change, "tuning = \"off\" in cluster-env.conf");
        return 0;
    }
    if (!is_tuned(context, change->variable)) {
        withdraw(context, change, "only with tuning = \"all\" in cluster-env.conf");
        return 0;
    }
    const struct ce_conf_lookup conf = {sets, context};
    struct ce_family_block block = ce_family_find_block(change->variable->name, context->env,
                                                        context->marker, &conf);
    if (!block.name)
        return compute(context, change, err);
    char reason[sizeof change->reason];
    snprintf(reason, sizeof reason, "%s is set %s%.100s", block.name,
             block.path ? "in " : "by the user", block.path ? block.path : "");
    withdraw(context, change, reason);
    return 0;
}

static bool is_asked(const struct context *context, const struct ce_variable *variable)
{
    ce_autotext struct ce_text value = CE_TEXT(CE_VALUE_MAX);
    variable->value(context->view, &value);
    return value.length > 0;
}

static int decide(const struct context *context, struct ce_change *change, struct ce_error *err)
{
    if (!ce_variable_applies(change->variable, context->view)) {
        withdraw(context, change, "not in this kind of step");
        return 0;
    }
    if (!context->view->task && change->variable->scope == CE_OWN) {
        change->action = CE_LEAVE;
        say(change, "each task's own");
        return 0;
    }
    const char *site = ce_rules_get(context->view->rules, change->variable->name);
    switch (change->variable->class) {
    case CE_IDENTITY:
        return decide_identity(context, change, err);
    case CE_ASKED:
        if (!site || is_asked(context, change->variable))
            return compute(context, change, err);
        break;
    case CE_TUNING:
    case CE_MORE_TUNING:
        if (!site)
            return decide_tuning(context, change, err);
        break;
    case CE_SITE:
        break;
    }
    return decide_site(context, change, site, err);
}

/* One note for all of them: they come together, on clusters of thousands of nodes. */
static void note_too_long(const struct ce_plan *plan, struct ce_notes *notes)
{
    ce_autotext struct ce_text names = CE_TEXT(1024);
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->changes[i].reason, too_long) == 0)
            ce_text_addf(&names, "%s%s", names.length ? ", " : "", plan->changes[i].variable->name);
    if (names.length)
        ce_note(notes, "left out, because a variable holds %d bytes at most: %s", CE_VALUE_MAX,
                ce_text_string(&names));
}

static int build_marker(struct ce_plan *plan, struct ce_error *err)
{
    ce_autotext struct ce_text marker = CE_TEXT(CE_VALUE_MAX);
    for (size_t i = 0; i < plan->count; i++)
        if (plan->changes[i].action == CE_SET)
            ce_marker_add(&marker, plan->changes[i].variable->name, plan->changes[i].value);
    plan->marker = ce_text_take(&marker);
    return plan->marker ? 0 : ce_fail(err, "no memory");
}

static void add_row(struct ce_plan *plan, const char *name)
{
    struct ce_variable *row = &plan->site[plan->count - ce_variable_count];
    *row = (struct ce_variable){.name = name, .class = CE_SITE, .doc = "set by the site"};
    plan->changes[plan->count++].variable = row;
}

/* Rows for the site's variables that the table does not have. */
static void add_site(const struct context *context, struct ce_plan *plan)
{
    const struct ce_rules *rules = context->view->rules;
    for (size_t i = 0; rules && i < rules->variable_count; i++) {
        const struct ce_variable *known = ce_variable_find(rules->variables[i].name);
        if (known && known->class == CE_IDENTITY)
            ce_note(context->notes, "%s in the variables of cluster-env.conf is passed over: it is "
                    "computed for every step", known->name);
        if (!known)
            add_row(plan, rules->variables[i].name);
    }
}

/* Rows for what the site sets where an outer step ran, but not here. */
static void add_outer(const struct context *context, struct ce_plan *plan)
{
    char *rest = NULL;
    size_t room = CE_RULES_VARIABLES_MAX;
    for (char *name = strtok_r(plan->outer, ",", &rest); name && room > 0;
         name = strtok_r(NULL, ",", &rest)) {
        name[strcspn(name, ":")] = '\0';
        if (!ce_rules_is_name(name) || ce_variable_find(name) ||
            ce_rules_get(context->view->rules, name))
            continue;
        add_row(plan, name);
        room--;
    }
}

static int add_rows(const struct context *context, struct ce_plan *plan, struct ce_error *err)
{
    const struct ce_rules *rules = context->view->rules;
    size_t count = rules ? rules->variable_count : 0;
    if (context->marker)
        count += CE_RULES_VARIABLES_MAX;
    plan->changes = calloc(ce_variable_count + count, sizeof *plan->changes);
    plan->site = calloc(count + 1, sizeof *plan->site);
    plan->outer = strdup(context->marker ? context->marker : "");
    if (!plan->changes || !plan->site || !plan->outer)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i < ce_variable_count; i++)
        plan->changes[i].variable = &ce_variables[i];
    plan->count = ce_variable_count;
    add_site(context, plan);
    add_outer(context, plan);
    return 0;
}

static int fill(const struct context *context, struct ce_plan *plan, struct ce_error *err)
{
    if (add_rows(context, plan, err) < 0)
        return -1;
    ce_step_id_format(&context->view->allocation->id, plan->step);
    ce_request_format(context->view->request, plan->option);
    for (size_t i = 0; i < plan->count; i++)
        if (decide(context, &plan->changes[i], err) < 0)
            return -1;
    note_too_long(plan, context->notes);
    return build_marker(plan, err);
}

uint32_t ce_plan_user_port(const struct ce_environ *env, struct ce_notes *notes)
{
    const char *text = ce_environ_get(env, "MASTER_PORT");
    uint32_t port = 0;
    if (!text || ce_marker_holds(ce_environ_get(env, CE_MARKER), "MASTER_PORT", text))
        return 0;
    if (ce_parse_u32(text, 1, 65535, &port) < 0 && notes)
        ce_note(notes, "MASTER_PORT=%.40s is not a port from 1 to 65535; it is replaced", text);
    return port;
}

struct ce_plan *ce_plan_create(const struct ce_view *view, const struct ce_environ *env,
                               const struct ce_conf_lookup *conf, struct ce_notes *notes,
                               struct ce_error *err)
{
    const struct context context = {view, env, conf, ce_environ_get(env, CE_MARKER), notes};
    ce_auto(ce_plan_destroy) struct ce_plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        ce_fail(err, "no memory");
        return NULL;
    }
    return fill(&context, plan, err) < 0 ? NULL : ce_steal(plan);
}

void ce_plan_destroy(struct ce_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->count; i++)
        free(plan->changes[i].value);
    free(plan->changes);
    free(plan->site);
    free(plan->outer);
    free(plan->marker);
    free(plan);
}

static int set_if_new(const struct ce_environ *env, const char *name, const char *value)
{
    const char *found = ce_environ_get(env, name);
    return found && strcmp(found, value) == 0 ? 0 : env->set(env->ctx, name, value);
}

static int apply_one(const struct ce_change *change, const struct ce_environ *env)
{
    switch (change->action) {
    case CE_SET:
        return set_if_new(env, change->variable->name, change->value);
    case CE_UNSET:
        return env->unset(env->ctx, change->variable->name);
    case CE_LEAVE:
        break;
    }
    return 0;
}

int ce_plan_apply(const struct ce_plan *plan, const struct ce_environ *env, struct ce_error *err)
{
    const char *const own[][2] = {
        {CE_MARKER, plan->marker},
        {CE_STEP_VARIABLE, plan->step},
        {CE_OPTION_VARIABLE, plan->option},
    };
    const char *refused = NULL;
    for (size_t i = 0; i < plan->count; i++)
        if (apply_one(&plan->changes[i], env) < 0 && !refused)
            refused = plan->changes[i].variable->name;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (set_if_new(env, own[i][0], own[i][1]) < 0 && !refused)
            refused = own[i][0];
    return refused ? ce_fail(err, "cannot set %s in the task's environment", refused) : 0;
}
