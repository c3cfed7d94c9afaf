/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a task of a Slurm step knows about its cluster.
 *
 *     cc cluster_info.c -o cluster_info $(pkg-config --cflags --libs cluster_env)
 *     srun -N4 ./cluster_info */
#include <cluster_env/cluster_env.h>
#include <stdio.h>

static void print_notes(const struct cluster_env *info)
{
    const char *note;
    for (int i = 0; (note = cluster_env_note(info, i)) != NULL; i++)
        fprintf(stderr, "cluster_info: %s\n", note);
}

static void print_nodes(const struct cluster_env *info)
{
    for (int i = 0; i < cluster_env_num_nodes(info); i++) {
        const char *address = cluster_env_node_address(info, i);
        printf("  node %d %s %s%s\n", i, cluster_env_node_name(info, i),
               address ? address : "(address not known)",
               i == cluster_env_node_rank(info) ? " (this one)" : "");
    }
}

int main(int argc, char **argv)
{
    struct cluster_env *info;
    enum cluster_env_result result = cluster_env_open(argc > 1 ? argv[1] : NULL, &info);
    if (result == CLUSTER_ENV_OK) {
        printf("rank %d of %d, local rank %d of %d, primary %s port %d\n", cluster_env_rank(info),
               cluster_env_world_size(info), cluster_env_local_rank(info),
               cluster_env_local_world_size(info), cluster_env_primary_address(info),
               cluster_env_primary_port(info));
        print_nodes(info);
        print_notes(info);
    } else if (result == CLUSTER_ENV_NO_JOB) {
        printf("not in a Slurm job: running alone\n");
    } else {
        fprintf(stderr, "cluster_info: %s\n", cluster_env_error(info));
    }
    cluster_env_close(info);
    return result == CLUSTER_ENV_FAILED;
}
