/* SPDX-License-Identifier: Apache-2.0 */
/* A SPANK plugin that does to a task what pyxis does: in task_init it imports the container's
 * environment, overwriting, and then enters another mount namespace.
 *
 * The container's environment is made once per node, by whichever task comes first: enroot clears
 * the environment, then image, environ.d and hooks write theirs, and these see that first task's.
 * So any variable may come from that one task, but Slurm's own do not; the stand-in takes all the
 * others.
 *
 * plugstack arguments: dir=DIR, a folder that everybody may write; hide=PATH (may be repeated):
 * what the container does not have, munge's socket first of all; slurm: import SLURM_* as well. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

SPANK_PLUGIN(pyxis_standin, 1);

static const char *argument(int ac, char **av, const char *key)
{
    for (int i = 0; i < ac; i++)
        if (strncmp(av[i], key, strlen(key)) == 0)
            return av[i] + strlen(key);
    return NULL;
}

/* ---------------------------------------------------------------- the container's environment */

/* One file per step and node; the tasks come side by side, so it is locked. */
static int open_container(spank_t spank, const char *dir)
{
    uint32_t job = 0, step = 0;
    char node[HOST_NAME_MAX + 1] = "", path[PATH_MAX];
    spank_get_item(spank, S_JOB_ID, &job);
    spank_get_item(spank, S_JOB_STEPID, &step);
    gethostname(node, sizeof(node) - 1);
    snprintf(path, sizeof(path), "%s/container.%u.%u.%s", dir, job, step, node);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        flock(fd, LOCK_EX);
    return fd;
}

static int start_container(spank_t spank, int fd, bool with_slurm)
{
    char **env = NULL;
    if (spank_get_item(spank, S_JOB_ENV, &env) != ESPANK_SUCCESS)
        return -1;
    for (; *env != NULL; env++) {
        size_t size = strlen(*env) + 1;
        if ((with_slurm || strncmp(*env, "SLURM", 5) != 0) &&
            write(fd, *env, size) != (ssize_t)size)
            return -1;
    }
    return 0;
}

static char *read_container(int fd, size_t *size)
{
    struct stat st;
    char *text = NULL;
    if (fstat(fd, &st) == 0 && (text = calloc(1, (size_t)st.st_size + 1)) != NULL &&
        pread(fd, text, (size_t)st.st_size, 0) == st.st_size) {
        *size = (size_t)st.st_size;
        return text;
    }
    free(text);
    return NULL;
}

static void import(spank_t spank, char *text, size_t size)
{
    size_t length;
    for (char *name = text; name < text + size; name += length) {
        length = strlen(name) + 1;
        char *value = strchr(name, '=');
        if (value != NULL) {
            *value++ = '\0';
            spank_setenv(spank, name, value, 1);
        }
    }
}

static int import_environment(spank_t spank, int ac, char **av)
{
    const char *dir = argument(ac, av, "dir=");
    struct stat st;
    size_t size = 0;
    char *text = NULL;
    int fd = dir != NULL ? open_container(spank, dir) : -1;
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 &&
        (st.st_size > 0 || start_container(spank, fd, argument(ac, av, "slurm") != NULL) == 0) &&
        (text = read_container(fd, &size)) != NULL)
        import(spank, text, size);
    close(fd);
    free(text);
    return text != NULL ? 0 : -1;
}

/* ---------------------------------------------------------------- the container's files */

static int set_capabilities(uint32_t mask)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{mask, mask, 0}, {0, 0, 0}};
    return (int)syscall(SYS_capset, &header, data);
}

/* pyxis gets the right to do this by joining enroot's user namespace.  A user namespace cannot be
 * had in a chroot, so the stand-in keeps a capability across Slurm's change of user instead. */
int slurm_spank_task_init_privileged(spank_t spank, int ac, char **av)
{
    (void)spank;
    if (argument(ac, av, "hide=") != NULL)
        prctl(PR_SET_KEEPCAPS, 1);
    return 0;
}

static int enter_mount_namespace(int ac, char **av)
{
    if (argument(ac, av, "hide=") == NULL)
        return 0;
    if (set_capabilities(1u << CAP_SYS_ADMIN) < 0 || unshare(CLONE_NEWNS) < 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return -1;
    for (int i = 0; i < ac; i++)
        if (strncmp(av[i], "hide=", 5) == 0 &&
            mount("none", av[i] + 5, "tmpfs", 0, "mode=0755") < 0)
            return -1;
    return set_capabilities(0);
}

int slurm_spank_task_init(spank_t spank, int ac, char **av)
{
    if (import_environment(spank, ac, av) == 0 && enter_mount_namespace(ac, av) == 0)
        return 0;
    slurm_error("pyxis stand-in: %s", strerror(errno));
    _exit(1);
}
