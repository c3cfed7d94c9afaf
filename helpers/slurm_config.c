/* SPDX-License-Identifier: Apache-2.0 */
#include "slurm_config.h"

#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"
#include "model/slurm_conf.h"
#include "slurm_drain.h"
#include "slurm/nodes.h"

enum { OUTPUT_MAX = 1 << 20 };

/* libslurm's own, of the file that slurm_init() has read.  Not declared for others, so it is looked for:
 * a series that hides it is told of, and does not keep the helper from starting. */
const slurm_conf_t *ce_slurm_file_conf(void)
{
    return dlsym(RTLD_DEFAULT, "slurm_conf");
}

static void copy_path(char ret[PATH_MAX], const char *path)
{
    ce_copy(ret, PATH_MAX, path ? path : "");
}

static void add_program(struct ce_slurm_programs *ret, const char *path)
{
    if (path && *path && ret->count < CE_SLURM_PROGRAMS_MAX)
        copy_path(ret->path[ret->count++], path);
}

/* Not set, or without end: both are no limit. */
static uint32_t seconds(uint16_t timeout)
{
    return timeout == NO_VAL16 || timeout == INFINITE16 ? 0 : timeout;
}

static void take_programs(const slurm_conf_t *from, struct ce_slurm_conf *ret)
{
#ifdef HAVE_SLURM_CONF_T_PROLOG_CNT /* several Prolog= lines */
    for (uint32_t i = 0; i < from->prolog_cnt; i++)
        add_program(&ret->prolog, from->prolog[i]);
    for (uint32_t i = 0; i < from->epilog_cnt; i++)
        add_program(&ret->epilog, from->epilog[i]);
#else
    add_program(&ret->prolog, from->prolog);
    add_program(&ret->epilog, from->epilog);
#endif
}

static void take_timeouts(const slurm_conf_t *from, struct ce_slurm_conf *ret)
{
#ifdef HAVE_SLURM_CONF_T_PROLOG_EPILOG_TIMEOUT
    ret->prolog_timeout_s = ret->epilog_timeout_s = seconds(from->prolog_epilog_timeout);
#else
    ret->prolog_timeout_s = seconds(from->prolog_timeout);
    ret->epilog_timeout_s = seconds(from->epilog_timeout);
#endif
    ret->batch_start_timeout_s = from->batch_start_timeout;
    ret->message_timeout_s = from->msg_timeout;
}

static void take(const slurm_conf_t *from, struct ce_slurm_conf *ret)
{
    *ret = (struct ce_slurm_conf){
        .version = SLURM_VERSION_NUMBER, /* libslurm's file name keeps other series away */
        .alloc = from->prolog_flags & PROLOG_FLAG_ALLOC,
        .defer_batch = from->prolog_flags & PROLOG_FLAG_DEFER_BATCH,
        .serial = from->prolog_flags & PROLOG_FLAG_SERIAL,
        .no_hold = from->sched_params &&
                   ce_slurm_list_has(from->sched_params, "nohold_on_prolog_fail"),
        .requeue = from->job_requeue,
        .orders_by_topology =
            ce_slurm_orders_by_topology(SLURM_VERSION_NUMBER, from->slurm_conf,
                                        from->topology_plugin, from->select_type_param),
    };
    copy_path(ret->path, from->slurm_conf);
    copy_path(ret->plugstack, from->plugstack);
    copy_path(ret->plugin_dirs, from->plugindir);
    take_programs(from, ret);
    take_timeouts(from, ret);
}

static int print(const slurm_conf_t *from)
{
    ce_autotext struct ce_text out = CE_TEXT(OUTPUT_MAX);
    static struct ce_slurm_conf conf;
    take(from, &conf);
    ce_slurm_conf_write(&conf, &out);
    if (!ce_text_ok(&out) || fputs(ce_text_string(&out), stdout) == EOF || fflush(stdout) == EOF) {
        fputs("slurm-node: the configuration cannot be written\n", stderr);
        return 1;
    }
    return 0;
}

int ce_slurm_config(char **arguments)
{
    if (strcmp(arguments[0], "file") == 0) {
        const slurm_conf_t *conf = ce_slurm_file_conf();
        if (conf)
            return print(conf);
        fputs("slurm-node: this libslurm does not tell what slurm.conf says\n", stderr);
        return 1;
    }
    if (strcmp(arguments[0], "controller") == 0) {
        slurm_conf_t *conf = NULL;
        if (slurm_load_ctl_conf(0, &conf) != SLURM_SUCCESS)
            return ce_slurm_complain("slurmctld does not tell its configuration");
        return print(conf); /* this process ends: its freeing is called otherwise in each series */
    }
    fputs("slurm-node: config: expected file or controller\n", stderr);
    return 2;
}
