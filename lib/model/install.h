/* SPDX-License-Identifier: Apache-2.0 */
/* How this product is installed on one machine: the facts that `cluster-env doctor` judges.  Plain
 * data; each part says where it could not be found out, and why. */
#ifndef CE_MODEL_INSTALL_H
#define CE_MODEL_INSTALL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "model/book.h"
#include "model/node.h"
#include "model/plugstack.h"
#include "model/policy.h"
#include "model/roster.h"
#include "model/slurm_conf.h"

enum { CE_INSTALL_WHY = 140 }; /* with a few words it fits a finding */

enum ce_install_role {
    CE_ROLE_HEAD,    /* where users type, or slurmctld runs; no job */
    CE_ROLE_COMPUTE, /* slurmd runs jobs here */
};

/* Slurm's configuration from one side. */
struct ce_install_conf {
    bool known;
    char why[CE_INSTALL_WHY]; /* why not */
    struct ce_slurm_conf conf;
};

/* A file that Prolog= or Epilog= leads to. */
enum ce_install_runs { CE_RUNS_UNKNOWN, CE_RUNS_OTHER, CE_RUNS_OURS };
struct ce_install_program {
    char path[PATH_MAX]; /* of a pattern that fits no file: the pattern */
    bool hidden; /* this user may not look at it, so nothing else is known */
    bool there, regular, executable;
    bool safe; /* it is root's, and nobody else may write it */
    enum ce_install_runs runs;
};
enum { CE_INSTALL_PROGRAMS_MAX = 32 };
struct ce_install_programs {
    struct ce_install_program items[CE_INSTALL_PROGRAMS_MAX];
    size_t count;
    char why[CE_INSTALL_WHY]; /* why they could not be looked at; "": they were */
};

/* A line of plugstack.conf, or of a file that it includes. */
struct ce_install_plugin {
    enum ce_plugstack_kind kind;
    char file[PATH_MAX]; /* where it stands */
    unsigned line;
    char path[PATH_MAX]; /* as it stands there */
    char arguments[CE_PLUGSTACK_ARGUMENTS];
};
enum { CE_INSTALL_PLUGINS_MAX = 64 };
struct ce_install_plugstack {
    char path[PATH_MAX]; /* "": Slurm's configuration is not known, so where it is neither */
    bool there;
    bool read; /* all of it, with what it includes */
    char why[CE_INSTALL_WHY]; /* why not */
    struct ce_install_plugin items[CE_INSTALL_PLUGINS_MAX];
    size_t count;
};

/* The library that our line leads to. */
struct ce_install_library {
    char path[PATH_MAX]; /* "": there is no line */
    bool there;
    bool hung;                /* its file system does not answer: nothing else is known */
    char why[CE_INSTALL_WHY]; /* why its version is not known; "": it is */
    uint32_t version;         /* of the Slurm that it is built for */
    bool safe;
};

/* The run directory and its texts. */
struct ce_install_run {
    bool there, folder; /* folder: it is one, and no link */
    uid_t owner;
    mode_t mode;
    bool space_known;
    uint64_t free_bytes, free_files;
    uint64_t facts_age_s;
    struct ce_node *node;     /* node.facts; NULL: not readable */
    char why[CE_INSTALL_WHY]; /* why one of the texts is not */
    bool policy_known, policy_fresh; /* node.policy says what the configuration says now */
    bool book_known, book_fresh;     /* hosts has what the address book has now */
};

struct ce_install_book {
    bool known, hung; /* hung: as that of a library */
    char path[PATH_MAX], why[CE_INSTALL_WHY];
    struct ce_book *book;
    bool own_stale;
    char own_why[CE_INSTALL_WHY];
};

struct ce_install_config {
    bool valid, there, hung;
    char path[PATH_MAX];
    struct ce_error why;
    struct ce_policy policy; /* of this node; the default where it is not valid */
};

struct ce_install_ports {
    bool known;
    uint32_t first, last; /* the kernel's own range */
    char reserved[1024];  /* ip_local_reserved_ports: "61000-61999,65000" */
};

struct ce_install_slurmd {
    bool looked; /* through all processes; else one may run that was not seen */
    pid_t pid;   /* 0: none was found */
    uint64_t memlock; /* bytes; CE_HOST_UNLIMITED; 0: not known */
};

enum ce_install_unit { CE_UNIT_NO_SYSTEMD, CE_UNIT_OFF, CE_UNIT_ON };

struct ce_install {
    char node[256]; /* its name in Slurm */
    bool root;      /* root asked */
    enum ce_install_role role;
    struct ce_install_conf file, controller;
    uint32_t slurm_version; /* that sinfo, whose package has srun, says; 0: not known */
    char slurm_why[CE_INSTALL_WHY];
    struct ce_roster *roster; /* NULL: slurmctld did not tell */
    char roster_why[CE_INSTALL_WHY];
    struct ce_install_programs prolog, epilog;
    struct ce_install_plugstack plugstack;
    struct ce_install_library library;
    struct ce_install_config config;
    struct ce_install_book book;
    struct ce_install_run run;
    struct ce_node *now; /* this machine as it is; NULL: not known */
    uint64_t memory_kb;  /* 0: not known */
    struct ce_install_slurmd slurmd;
    struct ce_install_ports ports;
    enum ce_install_unit unit; /* cluster-env-facts.service at boot */
};

/* The first line of plugstack.conf after `previous` (NULL: of all) that loads our plugin; NULL:
 * there is none.  And the last that loads pyxis. */
const struct ce_install_plugin *ce_install_own_plugin(const struct ce_install_plugstack *stack,
                                                      const struct ce_install_plugin *previous);
const struct ce_install_plugin *ce_install_pyxis(const struct ce_install_plugstack *stack);

/* Keep a reason, cut where it does not fit. */
void ce_install_why(char ret[CE_INSTALL_WHY], const char *why);

/* Too big for a stack: made empty, NULL where there is no memory, and ended with this. */
struct ce_install *ce_install_create(void);
void ce_install_destroy(struct ce_install *install);
CE_DEFINE_CLEANUP(struct ce_install, ce_install_destroy)

#endif
