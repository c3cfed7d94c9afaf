/* SPDX-License-Identifier: Apache-2.0 */
/* libclusterenv: who am I in this Slurm job, who are the others, where is the primary?  The same
 * answers as the variables of `srun --cluster-env` and `cluster-env info` give, with or without the
 * plugin, for steps of any size.  libclusterenv(3) is the manual; link with
 * `pkg-config --libs cluster_env`.
 *
 *     struct cluster_env *info;
 *     if (cluster_env_open(NULL, &info) == CLUSTER_ENV_OK)
 *         join(cluster_env_primary_address(info), cluster_env_primary_port(info),
 *              cluster_env_rank(info), cluster_env_world_size(info));
 *     cluster_env_close(info);
 *
 * In an srun step every answer is there.  A batch script and a salloc shell describe their job, they
 * are not a task of it: rank, world size and the local two are -1 there, and the node rank too
 * unless the job has one node.  In ranks that an MPI launcher started (mpirun), ask MPI for ranks:
 * Slurm knows only the launcher's daemons.
 *
 * Threads: cluster_env_open() reads the environment, so no other thread may change it meanwhile.
 * The answers never change afterwards; any number of threads may read one handle.  There is no
 * global state, and nothing is printed. */
#ifndef CLUSTER_ENV_CLUSTER_ENV_H
#define CLUSTER_ENV_CLUSTER_ENV_H

#ifdef __cplusplus
extern "C" {
#endif

/* One step or job, as seen by this process. */
struct cluster_env;

enum cluster_env_result {
    CLUSTER_ENV_OK = 0,
    CLUSTER_ENV_NO_JOB = 1, /* this process is in no Slurm job */
    CLUSTER_ENV_FAILED = 2  /* it is, but its place cannot be told; cluster_env_error() says why */
};

/* Find out.  Reads Slurm's variables and the files of run_dir (NULL: /run/cluster-env); where those
 * are missing, addresses may be unknown, which is no failure.  *ret is set in every case, to be
 * given to cluster_env_close(); after a failure it answers only cluster_env_error().  NULL for want
 * of memory. */
enum cluster_env_result cluster_env_open(const char *run_dir, struct cluster_env **ret);

/* NULL is allowed.  Texts that the handle gave are gone with it. */
void cluster_env_close(struct cluster_env *info);

/* Why cluster_env_open() failed, one line; "" where it did not. */
const char *cluster_env_error(const struct cluster_env *info);

/* What the user should hear though it is no failure, one line each: index 0, 1, ... until NULL. */
const char *cluster_env_note(const struct cluster_env *info, int index);

/* Of this task.  -1: none, see above. */
int cluster_env_rank(const struct cluster_env *info);
int cluster_env_world_size(const struct cluster_env *info);
int cluster_env_local_rank(const struct cluster_env *info);       /* among the tasks of its node */
int cluster_env_local_world_size(const struct cluster_env *info); /* tasks on its node */

/* Nodes of the step, else of the job; node 0 is the primary. */
int cluster_env_node_rank(const struct cluster_env *info); /* of this node; -1: none, see above */
int cluster_env_num_nodes(const struct cluster_env *info);

/* Of the node of this rank.  The name is Slurm's; the address is the IP address on the cluster
 * network.  NULL: no such node; the address is not known. */
const char *cluster_env_node_name(const struct cluster_env *info, int node_rank);
const char *cluster_env_node_address(const struct cluster_env *info, int node_rank);

/* Where the primary is met: its address, or its name where the address is not known; and the port
 * that this step should use.  An IPv6 address has no brackets.  NULL in a batch script or salloc shell of
 * several nodes if Slurm (26.05 and later) places the tasks of each step by its topology: each step has
 * its own primary, and the nodes above are the job's, in no particular order. */
const char *cluster_env_primary_address(const struct cluster_env *info);
int cluster_env_primary_port(const struct cluster_env *info);

#ifdef __cplusplus
}
#endif

#endif
