/* SPDX-License-Identifier: Apache-2.0 */
/* What of Slurm's configuration matters to us, as slurm.conf on one machine says it or as slurmctld
 * has it; the text is a record (model/record.h). */
#ifndef CE_MODEL_SLURM_CONF_H
#define CE_MODEL_SLURM_CONF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum { CE_SLURM_PROGRAMS_MAX = 8, CE_SLURM_VERSION = 16 };

/* The values of Prolog= or Epilog=: files, or patterns of files. */
struct ce_slurm_programs {
    char path[CE_SLURM_PROGRAMS_MAX][PATH_MAX];
    size_t count;
};

struct ce_slurm_conf {
    uint32_t version; /* that slurm-node is built for; 0x160508 is 22.05.8 */
    char path[PATH_MAX], plugstack[PATH_MAX];
    char plugin_dirs[PATH_MAX]; /* ':' between them */
    struct ce_slurm_programs prolog, epilog;
    bool alloc, defer_batch, serial;       /* of PrologFlags */
    bool no_hold;                          /* SchedulerParameters=nohold_on_prolog_fail */
    bool requeue;                          /* JobRequeue */
    bool orders_by_topology; /* tasks of steps are not placed in the order of the list of nodes */
    uint32_t prolog_timeout_s, epilog_timeout_s; /* 0: none */
    uint32_t batch_start_timeout_s, message_timeout_s;
};

void ce_slurm_conf_write(const struct ce_slurm_conf *conf, struct ce_text *out);
/* -1 with err: not such a record. */
int ce_slurm_conf_parse(const char *text, struct ce_slurm_conf *ret, struct ce_error *err);

/* Does a list such as SchedulerParameters has, "a,b=1", hold this word?  Case does not count. */
bool ce_slurm_list_has(const char *list, const char *word);

/* "22.05" and "22.05.8" of a version. */
const char *ce_slurm_series(uint32_t version, char text[CE_SLURM_VERSION]);
const char *ce_slurm_release(uint32_t version, char text[CE_SLURM_VERSION]);
/* The version in what Slurm's programs print for --version, "slurm-wlm 22.05.8"; 0: none. */
uint32_t ce_slurm_version_parse(const char *text);
/* Plugins of one series load into no other. */
bool ce_slurm_same_series(uint32_t a, uint32_t b);

#endif
