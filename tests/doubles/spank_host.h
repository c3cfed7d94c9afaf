/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for slurmstepd: loads the real plugin and calls its hooks in the stepd's order, one
 * process per node and one forked child per task, answering from a recording.  Where it runs as
 * root it gives up its privileges where the stepd does. */
#ifndef CE_TESTS_SPANK_HOST_H
#define CE_TESTS_SPANK_HOST_H

#include <slurm/spank.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "doubles/spank_recording.h"

/* How often a refusal asks Slurm to end the step: docs/hooks.md says why. */
enum { HOST_KILL_REQUESTS = 3 };

/* The CPU time that one hook may take, in seconds; CLUSTER_ENV_TEST_CPU_SECONDS is another limit, for
 * valgrind.  No hook takes 1 % of it, so one that takes longer has a loop that does not end. */
enum { HOST_CPU_SECONDS = 1 };

enum host_hook {
    HOST_OUTSIDE, /* no hook runs */
    HOST_INIT,
    HOST_CALLBACK, /* of the option */
    HOST_LOCAL_USER_INIT,
    HOST_USER_INIT,
    HOST_TASK_INIT,
    HOST_TASK_EXIT,
    HOST_EXIT,
    HOST_HOOKS,
};

/* Who has which address: what bind() in the plugin goes by. */
struct host_machine {
    const char *node, *address;
};

/* slurm_job_step_layout_get(): which tasks run on which node of the list. */
struct host_layout {
    const char *node_list;
    uint32_t node_count;
    uint16_t tasks[4];
    uint32_t ranks[4][4];
};

/* Where srun's side of the plugin leaves it for the tasks. */
#define HOST_LAYOUT_VARIABLE "SLURM_CLUSTER_ENV_NODES"

/* The time limit by which a node claims a step's end: spank/controller.c. */
enum { HOST_CLAIMED = 7777777 };

/* What slurmctld says, and does, when a task has failed. */
struct host_controller {
    bool silent;        /* it does not answer */
    bool step_is_over;  /* it does not know the step any more */
    bool step_is_taken; /* another node has claimed the step's end */
    bool more_records;  /* it tells of another step and another component as well, not taken */
    unsigned kills_failing; /* so many requests to end the step fail, */
    int kill_error;         /* with this errno */
    uint32_t job_state; /* a value of enum job_states and flags */
    uint16_t restarts;
    uint32_t components; /* jobs of a heterogeneous one, of which the first asks; 0: it is none */
    bool keeps_job; /* as after sbatch --no-requeue */
    uint32_t array_job_id, array_task_id; /* array_job_id 0: the job is no array's task */
};

enum host_flag {
    HOST_NO_USER_INIT = 1,
    HOST_USER_INIT_TWICE = 2,
    HOST_PORTS_TAKEN = 4, /* every port is in use already */
};

struct host_setup {
    const struct recording *recording;
    spank_context_t context;             /* 0: S_CTX_REMOTE */
    const char *run_dir;                 /* run=RUN_DIR/NODE; NULL: no such argument */
    const char *directory;               /* of the job; NULL: that of this process */
    const char *arguments[4];            /* more words of the line in plugstack.conf */
    const struct host_machine *machines; /* up to one without a node */
    const char *nccl_conf;               /* what /etc/nccl.conf is; NULL: there is none */
    const struct host_layout *layout;    /* NULL: slurmctld does not answer */
    const struct host_controller *controller; /* NULL: all runs, for the first time */
    int (*command)(const struct recorded_hook *task); /* a task's, and its exit status; NULL: 0 */
    void (*hung)(const char *node, enum host_hook hook); /* a hook took too much CPU time: fails the
                                                          * test, and does not come back */
    unsigned flags;
};

/* What one hook did, over all calls of it on one node. */
struct host_calls {
    atomic_int rc; /* the first that was not 0 */
    atomic_uint runs;
    atomic_uint gets, sets, opens, binds, kills, layouts;
    atomic_uint questions, claims, requeues; /* to slurmctld, about a failure */
};

struct host_task {
    struct task_env env; /* what its command would have got */
    int status;          /* as waitpid() says */
    bool returned;       /* task_init came back */
    double microseconds; /* CPU time of task_init */
};

struct host_kill {
    uint32_t job_id, step_id;
    uint16_t signal;
};

struct host_node {
    const struct recorded_node *recorded;
    int status; /* of the stepd, as waitpid() says; sanitizers and valgrind make it 99 */
    struct host_calls calls[HOST_HOOKS];
    struct host_kill kill; /* the last one */
    char requeued[32];     /* the job of the last request to requeue */
    int mappings_left;     /* shared memory the plugin took and did not give back */
    char bound[64];        /* "address:port" of the last bind() */
    char layout[256];      /* HOST_LAYOUT_VARIABLE in srun at the end */
    struct host_task *tasks;
    size_t task_count;
};

enum host_message_kind { HOST_ERROR, HOST_LOG, HOST_OTHER };

struct host_message {
    enum host_message_kind kind;
    enum host_hook hook;
    size_t node;
    int task; /* on its node; -1: the stepd */
    char text[4096];
};

struct host_result {
    struct host_node *nodes;
    size_t node_count;
    struct host_message *messages; /* in the order of printing */
    size_t message_count;
    size_t printed; /* bytes on stdout */
};

/* Run the step: init, callbacks as recorded, user_init, then each task, task_exit, exit.  In
 * S_CTX_LOCAL and S_CTX_ALLOCATOR: init, callbacks, in the first local_user_init, exit.  A host
 * that cannot go on ends the process. */
struct host_result *host_run(const struct host_setup *setup);
void host_result_free(struct host_result *result);

const char *host_hook_name(enum host_hook hook);

#endif
