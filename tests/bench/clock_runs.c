/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program many times, one after the other, and prints the median of the times that it took.
 *
 *     clock_runs ROUNDS PROGRAM [ARGUMENT...]     what it prints is not shown
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 10001 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static double run_once(char **argv, int *status)
{
    double start = now_ms();
    pid_t pid = vfork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 1);
        dup2(null, 2);
        execv(argv[0], argv);
        _exit(127);
    }
    waitpid(pid, status, 0);
    return now_ms() - start;
}

int main(int argc, char **argv)
{
    static double ms[ROUNDS_MAX];
    struct rusage used;
    int rounds = argc > 2 ? atoi(argv[1]) : 0, status = 0;
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fputs("usage: clock_runs ROUNDS PROGRAM [ARGUMENT...]\n", stderr);
        return 2;
    }
    run_once(argv + 2, &status); /* a warm-up */
    for (int i = 0; i < rounds; i++)
        ms[i] = run_once(argv + 2, &status);
    getrusage(RUSAGE_CHILDREN, &used);
    qsort(ms, (size_t)rounds, sizeof *ms, by_value);
    printf("%d rounds: median %.1f ms (min %.1f, max %.1f), CPU %.1f ms, last status %d\n", rounds,
           ms[rounds / 2], ms[0], ms[rounds - 1],
           ((double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
            (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3) / (rounds + 1),
           WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}
