/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/parse.h"
#include "base/root.h"
#include "doctor/doctor.h"
#include "health/check_names.h"
#include "health/machine.h"
#include "health/questions.h"
#include "health/site_book.h"
#include "local/texts.h"
#include "probe/host_details.h"
#include "probe/install.h"
#include "probe/plugstack.h"
#include "probe/reach.h"
#include "survey/own.h"

/* ---------------------------------------------------------------- what Slurm says */

enum question { FILE_CONF, CONTROLLER_CONF, ROSTER, VERSION, QUESTIONS };

static const size_t output_max[QUESTIONS] = {1 << 20, 1 << 20, 64 << 20, 4096};

static void take_conf(const struct ce_child *child, struct ce_install_conf *ret)
{
    struct ce_error err;
    ret->known = ce_child_check(child, &err) == 0 &&
                 ce_slurm_conf_parse(ce_text_string(&child->output), &ret->conf, &err) == 0;
    if (!ret->known)
        ce_install_why(ret->why, child->last_words[0] ? child->last_words : err.text);
}

static void take_roster(const struct ce_child *child, struct ce_install *ret)
{
    struct ce_error err;
    if (ce_child_check(child, &err) == 0)
        ret->roster = ce_roster_parse(ce_text_string(&child->output), &err);
    if (!ret->roster)
        ce_install_why(ret->roster_why, child->last_words[0] ? child->last_words : err.text);
}

static void take_version(const struct ce_child *child, struct ce_install *ret)
{
    struct ce_error err;
    if (ce_child_check(child, &err) == 0)
        ret->slurm_version = ce_slurm_version_parse(ce_text_string(&child->output));
    else
        ce_install_why(ret->slurm_why, err.text);
}

static void ask_slurm(const struct ce_doctor *doctor, struct ce_install *ret)
{
    char helper[PATH_MAX];
    char *const questions[QUESTIONS][4] = {
        [FILE_CONF] = {helper, "config", "file"},
        [CONTROLLER_CONF] = {helper, "config", "controller"},
        [ROSTER] = {helper, "list"},
        [VERSION] = {"sinfo", "--version"},
    };
    struct ce_child children[QUESTIONS] = {{.argv = NULL}};
    snprintf(helper, sizeof helper, "%s/slurm-node", doctor->helpers);
    for (int i = 0; i < QUESTIONS; i++)
        children[i] = (struct ce_child){.argv = questions[i],
                                        .deadline_ms = doctor->deadline_ms,
                                        .output_max = output_max[i]};
    ce_children_run(children, QUESTIONS, &(struct ce_children_plan){.at_once = QUESTIONS});
    take_conf(&children[FILE_CONF], &ret->file);
    take_conf(&children[CONTROLLER_CONF], &ret->controller);
    take_roster(&children[ROSTER], ret);
    take_version(&children[VERSION], ret);
    for (int i = 0; i < QUESTIONS; i++)
        ce_child_free(&children[i]);
}

/* Where slurmctld does not say which its nodes are, who has a slurmd is one. */
static enum ce_install_role role_of(const struct ce_install *install)
{
    if (!install->roster)
        return install->slurmd.pid ? CE_ROLE_COMPUTE : CE_ROLE_HEAD;
    for (size_t i = 0; i < ce_roster_count(install->roster); i++)
        if (strcmp(ce_roster_at(install->roster, i)->name, install->node) == 0)
            return CE_ROLE_COMPUTE;
    return CE_ROLE_HEAD;
}

/* ---------------------------------------------------------------- plugstack.conf, the programs */

/* Where it is not said, it is beside slurm.conf. */
static void find_plugstack(const struct ce_slurm_conf *conf, char ret[PATH_MAX])
{
    const char *slash = strrchr(conf->path, '/');
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%.*s/plugstack.conf", slash ? (int)(slash - conf->path) : 0,
             conf->path);
    if (ce_copy(ret, PATH_MAX, conf->plugstack[0] ? conf->plugstack : path) < 0)
        ret[0] = '\0';
}

static int read_plugstack(void *ctx)
{
    ce_probe_plugstack(ctx);
    return 0;
}

static void look_at_plugstack(const struct ce_doctor *doctor, struct ce_install_plugstack *ret)
{
    struct ce_error err;
    ret->there = true;
    if (ce_probe_reach(ret->path, read_plugstack, ret, doctor->deadline_ms, &err) == 0)
        ce_probe_plugstack(ret);
    else
        ce_install_why(ret->why, err.text);
}

/* The library that a line leads to, in Slurm's folders of plugins. */
struct library {
    const char *name, *folders;
    struct ce_install_library *ret;
};

static int read_library(void *ctx)
{
    const struct library *library = ctx;
    if (ce_probe_plugin_path(library->name, library->folders, library->ret->path) == 0 &&
        library->ret->path[0])
        ce_probe_library(library->ret);
    else
        ce_copy(library->ret->path, sizeof library->ret->path, library->name);
    return 0;
}

static void look_at_library(const struct ce_doctor *doctor, struct library *library)
{
    struct ce_error err;
    library->ret->hung =
        ce_probe_reach(library->name, read_library, library, doctor->deadline_ms, &err) < 0;
    if (library->ret->hung)
        ce_install_why(library->ret->why, err.text);
    else
        read_library(library);
}

static void look_at_plugin(const struct ce_doctor *doctor, const struct ce_slurm_conf *conf,
                           struct ce_install *ret)
{
    find_plugstack(conf, ret->plugstack.path);
    if (!ret->plugstack.path[0])
        return;
    look_at_plugstack(doctor, &ret->plugstack);
    const struct ce_install_plugin *ours = ce_install_own_plugin(&ret->plugstack, NULL);
    if (ours)
        look_at_library(doctor, &(struct library){ours->path, conf->plugin_dirs, &ret->library});
}

/* What Prolog= or Epilog= leads to. */
struct programs {
    const struct ce_slurm_programs *values;
    const char *slurm_conf, *name;
    struct ce_install_programs *ret;
};

static int read_programs(void *ctx)
{
    const struct programs *programs = ctx;
    ce_probe_programs(programs->values, programs->slurm_conf, programs->name, programs->ret);
    return 0;
}

static void look_at_programs(const struct ce_doctor *doctor, struct programs *programs)
{
    struct ce_error err;
    const char *path = programs->values->count ? programs->values->path[0] : programs->name;
    if (ce_probe_reach(path, read_programs, programs, doctor->deadline_ms, &err) < 0)
        ce_install_why(programs->ret->why, err.text);
    else
        read_programs(programs);
}

/* slurmd goes by its own slurm.conf. */
static void look_at_slurm(const struct ce_doctor *doctor, struct ce_install *ret)
{
    const struct ce_slurm_conf *conf = ret->file.known         ? &ret->file.conf
                                       : ret->controller.known ? &ret->controller.conf
                                                               : NULL;
    if (!conf)
        return;
    look_at_plugin(doctor, conf, ret);
    look_at_programs(doctor,
                     &(struct programs){&conf->prolog, conf->path, "cluster-prolog", &ret->prolog});
    look_at_programs(doctor,
                     &(struct programs){&conf->epilog, conf->path, "cluster-epilog", &ret->epilog});
}

/* ---------------------------------------------------------------- the configuration, the texts */

static void look_at_book(const struct ce_doctor *doctor, struct ce_config *config,
                         struct ce_install *ret)
{
    struct ce_error err;
    const char *path;
    ret->book.book = ce_site_book_within(config, doctor->deadline_ms, &path, &ret->book.hung, &err);
    ret->book.known = ret->book.book != NULL;
    ce_copy(ret->book.path, sizeof ret->book.path, path);
    if (!ret->book.known) {
        ce_install_why(ret->book.why, err.text);
        return;
    }
    if (ret->now)
        ret->book.own_stale =
            ce_own_entry_is_stale(ret->now, &config->policy, ret->book.book, ret->node, &err);
    if (ret->book.own_stale)
        ce_install_why(ret->book.own_why, err.text);
}

/* Two texts, of which one was written by us before. */
static bool is_same(struct ce_text *a, struct ce_text *b)
{
    return ce_text_ok(a) && ce_text_ok(b) && strcmp(ce_text_string(a), ce_text_string(b)) == 0;
}

static bool is_policy_fresh(const struct ce_texts *texts, const struct ce_policy *policy,
                            const struct ce_rules *rules)
{
    ce_autotext struct ce_text then = CE_TEXT(CE_TEXT_MAX), now = CE_TEXT(CE_TEXT_MAX);
    ce_policy_write(&texts->policy, texts->rules, &then);
    ce_policy_write(policy, rules, &now);
    return is_same(&then, &now);
}

static bool is_book_fresh(const struct ce_book *then, const struct ce_book *now)
{
    ce_autotext struct ce_text a = CE_TEXT(CE_TEXT_MAX), b = CE_TEXT(CE_TEXT_MAX);
    ce_book_write(then, &a);
    ce_book_write(now, &b);
    return is_same(&a, &b);
}

static void look_at_texts(const struct ce_doctor *doctor, const struct ce_policy *policy,
                          const struct ce_rules *rules, struct ce_install *ret)
{
    struct ce_notes notes = {.count = 0};
    struct ce_texts texts;
    ce_probe_run_folder(doctor->run_dir, CE_FACTS_FILE, &ret->run);
    ce_texts_read(doctor->run_dir, &texts, &notes);
    if (notes.count)
        ce_install_why(ret->run.why, notes.line[0].text);
    ret->run.policy_known = texts.rules && rules;
    if (ret->run.policy_known)
        ret->run.policy_fresh = is_policy_fresh(&texts, policy, rules);
    ret->run.book_known = texts.book && ret->book.book;
    if (ret->run.book_known)
        ret->run.book_fresh = is_book_fresh(texts.book, ret->book.book);
    ret->run.node = ce_steal(texts.node);
    ce_texts_free(&texts);
}

static int read_config(void *ctx)
{
    const struct ce_doctor *doctor = ctx;
    ce_autosite struct ce_site site = {.file = NULL};
    ce_site_open(doctor->config, &site, NULL);
    return 0;
}

static void look_at_config(const struct ce_doctor *doctor, struct ce_site *site,
                           struct ce_install_config *ret)
{
    struct ce_doctor copy = *doctor;
    site->path = doctor->config ? doctor->config : CE_CONFIG_FILE;
    ret->hung = ce_probe_reach(site->path, read_config, &copy, doctor->deadline_ms, &ret->why) < 0;
    ret->valid = !ret->hung && ce_check_names_open(doctor->config, site, &ret->why) == 0;
    ret->there = site->file != NULL;
    ce_copy(ret->path, sizeof ret->path, site->path);
}

static void look_at_site(const struct ce_doctor *doctor, struct ce_install *ret)
{
    ce_autosite struct ce_site site = {.file = NULL};
    struct ce_config config;
    look_at_config(doctor, &site, &ret->config);
    if (ret->config.valid)
        ce_site_config(&site, ret->node, &config);
    else
        ce_config_default(&config);
    ret->config.policy = config.policy;
    ce_auto(ce_rules_destroy) struct ce_rules *rules =
        ret->config.valid ? ce_site_rules(&site, ret->node, NULL) : NULL;
    if (ret->config.valid)
        look_at_book(doctor, &config, ret);
    else
        ce_install_why(ret->book.why, "the configuration, which may name it, cannot be read");
    look_at_texts(doctor, &config.policy, rules, ret);
}

/* ---------------------------------------------------------------- this machine */

static void look_at_machine(const struct ce_doctor *doctor, struct ce_install *ret)
{
    const struct ce_machine machine = {.root = "/", .helpers = NULL};
    const struct ce_machine helped = {.root = "/", .helpers = doctor->helpers};
    struct ce_notes notes = {.count = 0};
    struct ce_host host = {.memory_kb = 0};
    struct ce_root root;
    ret->now = ce_machine_facts(&machine, NULL, &notes, NULL);
    if (!ret->now || ce_root_open(&root, "/", NULL) < 0)
        return;
    ce_machine_name(ret->now, doctor->node_name, ret->node, sizeof ret->node);
    if (ret->now->gpu_count)
        ce_questions_ask_gpus(&helped, ret->now);
    ce_probe_host_details(&root, &host);
    ce_root_close(&root);
    ret->memory_kb = host.memory_kb;
}

struct ce_install *ce_doctor_look(const struct ce_doctor *doctor, struct ce_error *err)
{
    struct ce_install *install = ce_install_create();
    if (!install) {
        ce_fail(err, "no memory");
        return NULL;
    }
    install->root = geteuid() == 0;
    look_at_machine(doctor, install);
    ask_slurm(doctor, install);
    ce_probe_slurmd(&install->slurmd);
    install->role = role_of(install);
    look_at_slurm(doctor, install);
    look_at_site(doctor, install);
    ce_probe_ports("/", &install->ports);
    install->unit = ce_probe_unit("cluster-env-facts.service");
    return install;
}
