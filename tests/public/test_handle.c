/* SPDX-License-Identifier: Apache-2.0 */
/* libclusterenv with handles and indexes that are none, and from many threads. TAP, without cmocka:
 * it is a program as other people's are. */
#include <cluster_env/cluster_env.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count, failed;

static void check(const char *name, int holds)
{
    printf("%sok %d - %s\n", holds ? "" : "not ", ++count, name);
    failed += !holds;
}

static int answers_nothing(const struct cluster_env *info)
{
    return cluster_env_rank(info) == -1 && cluster_env_world_size(info) == -1 &&
           cluster_env_local_rank(info) == -1 && cluster_env_local_world_size(info) == -1 &&
           cluster_env_node_rank(info) == -1 && cluster_env_num_nodes(info) == -1 &&
           !cluster_env_node_name(info, 0) && !cluster_env_node_address(info, 0) &&
           !cluster_env_primary_address(info) && cluster_env_primary_port(info) == -1 &&
           !cluster_env_note(info, 0);
}

static void set_task(void)
{
    static const char *const variables[][2] = {
        {"SLURM_JOB_ID", "7"},           {"SLURM_STEP_ID", "1"},
        {"SLURM_STEP_NODELIST", "n[1-2]"}, {"SLURM_STEP_NUM_TASKS", "2"},
        {"SLURM_NODEID", "1"},           {"SLURM_PROCID", "1"},
        {"SLURM_LOCALID", "0"},          {"SLURMD_NODENAME", "n2"},
    };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        setenv(variables[i][0], variables[i][1], 1);
}

static void check_null(void)
{
    check("NULL: close does nothing, no answer, the error is the want of memory",
          (cluster_env_close(NULL), answers_nothing(NULL)) &&
              strcmp(cluster_env_error(NULL), "no memory") == 0);
}

static void check_no_job(void)
{
    struct cluster_env *info = NULL;
    clearenv();
    check("outside a job: CLUSTER_ENV_NO_JOB", cluster_env_open(NULL, &info) == CLUSTER_ENV_NO_JOB);
    check("after a failure: a handle that answers only its error",
          info && answers_nothing(info) && *cluster_env_error(info));
    cluster_env_close(info);
}

static void check_bad_job(void)
{
    struct cluster_env *info = NULL;
    set_task();
    unsetenv("SLURM_STEP_NUM_TASKS");
    check("a step without its size: CLUSTER_ENV_FAILED",
          cluster_env_open("/nonexistent", &info) == CLUSTER_ENV_FAILED);
    check("its error names the variable",
          answers_nothing(info) && strstr(cluster_env_error(info), "SLURM_STEP_NUM_TASKS"));
    cluster_env_close(info);
}

static void check_indexes(struct cluster_env *info)
{
    check("no error in an open handle", strcmp(cluster_env_error(info), "") == 0);
    check("node ranks outside the step: NULL",
          !cluster_env_node_name(info, -1) && !cluster_env_node_name(info, 2) &&
              !cluster_env_node_address(info, -1) && !cluster_env_node_address(info, 2));
    check("notes end in NULL", cluster_env_note(info, 0) && !cluster_env_note(info, 1) &&
                                   !cluster_env_note(info, -1) && !cluster_env_note(info, 1 << 30));
}

static void *read_all(void *arg)
{
    const struct cluster_env *info = arg;
    int right = 1;
    for (int i = 0; i < 10000; i++)
        right &= cluster_env_rank(info) == 1 && cluster_env_num_nodes(info) == 2 &&
                 strcmp(cluster_env_node_name(info, 0), "n1") == 0 &&
                 strcmp(cluster_env_primary_address(info), "n1") == 0;
    return right ? arg : NULL;
}

static void check_threads(struct cluster_env *info)
{
    pthread_t threads[4];
    int right = 1;
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, read_all, info) != 0)
            abort();
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        right &= result != NULL;
    }
    check("four threads read one handle", right);
}

int main(void)
{
    struct cluster_env *info = NULL;
    check_null();
    check_no_job();
    check_bad_job();
    set_task();
    check("in a task: CLUSTER_ENV_OK", cluster_env_open("/nonexistent", &info) == CLUSTER_ENV_OK);
    check_indexes(info);
    check_threads(info);
    cluster_env_close(info);
    printf("1..%d\n", count);
    return failed != 0;
}
