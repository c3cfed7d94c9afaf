/* SPDX-License-Identifier: Apache-2.0 */
/* Two stop-watches around the plugin under test, in the real slurmstepd: built once as bench_start
 * (its line stands before the plugin's in plugstack.conf) and once as bench_stop (after it).  The
 * second appends "HOOK microseconds" to the file that its argument names.  CPU time of the thread,
 * not time on the wall. */
#include <fcntl.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef BENCH_START
SPANK_PLUGIN(bench_start, 1);
#else
SPANK_PLUGIN(bench_stop, 1);
#endif

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The start travels in the process's own environment: a call of spank_setenv() would pay, in place of
 * the plugin, for the pages that its first call in a forked task has to copy. */
#ifdef BENCH_START
static int mark(const char *hook, int ac, char **av)
{
    char text[32];
    (void)hook;
    (void)ac;
    (void)av;
    snprintf(text, sizeof text, "%lld", now_ns());
    return setenv("BENCH_CLOCK", text, 1);
}
#else
static int mark(const char *hook, int ac, char **av)
{
    char line[64];
    long long end = now_ns();
    const char *start = getenv("BENCH_CLOCK");
    int fd = ac > 0 ? open(av[0], O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (fd >= 0 && start) {
        int n = snprintf(line, sizeof line, "%s %.1f\n", hook, (double)(end - atoll(start)) / 1e3);
        if (write(fd, line, (size_t)n) != n)
            slurm_error("bench: cannot write %s", av[0]);
    }
    if (fd >= 0)
        close(fd);
    return 0;
}
#endif

int slurm_spank_user_init(spank_t spank, int ac, char **av)
{
    return spank_remote(spank) == 1 ? mark("user_init", ac, av) : 0;
}

int slurm_spank_task_init(spank_t spank, int ac, char **av)
{
    return spank_remote(spank) == 1 ? mark("task_init", ac, av) : 0;
}
