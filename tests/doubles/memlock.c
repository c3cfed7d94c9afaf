/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before libc: every process's limit of locked memory is what /run/memlock says, unlimited where
 * there is no such file.  A machine that runs the tests may have another, and may not let root raise it. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int prlimit(pid_t pid, int resource, const struct rlimit *new_limit, struct rlimit *old_limit);
int prlimit64(pid_t pid, int resource, const struct rlimit *new_limit, struct rlimit *old_limit);

int prlimit64(pid_t pid, int resource, const struct rlimit *new_limit, struct rlimit *old_limit)
{
    unsigned long long bytes;
    long result = syscall(SYS_prlimit64, pid, resource, new_limit, old_limit);
    if (result < 0 || resource != RLIMIT_MEMLOCK || !old_limit)
        return (int)result;
    FILE *file = fopen("/run/memlock", "re");
    old_limit->rlim_max = RLIM_INFINITY;
    if (file && fscanf(file, "%llu", &bytes) == 1)
        old_limit->rlim_max = bytes;
    if (file)
        fclose(file);
    return 0;
}

int prlimit(pid_t pid, int resource, const struct rlimit *new_limit, struct rlimit *old_limit)
{
    return prlimit64(pid, resource, new_limit, old_limit);
}
