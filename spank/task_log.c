/* SPDX-License-Identifier: Apache-2.0 */
#include "task_log.h"

#include <errno.h>
#include <fcntl.h>
#include <slurm/spank.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/tail.h"

enum { SHOWN_LINES = 10, SHOWN_BYTES = 4096 };

/* What comes with the descriptor. */
struct handed {
    uint32_t local_rank, rank;
    off_t start;
};

/* ---------------------------------------------------------------- descriptors that stay */

static struct ce_kept_file keep(int fd)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return (struct ce_kept_file){.fd = -1};
    return (struct ce_kept_file){fd, st.st_dev, st.st_ino};
}

static int find(const struct ce_kept_file *file)
{
    struct stat st;
    bool same = file->fd >= 0 && fstat(file->fd, &st) == 0 && st.st_dev == file->device &&
                st.st_ino == file->inode;
    return same ? file->fd : -1;
}

void ce_task_logs_open(struct ce_task_logs *logs)
{
    int ends[2] = {-1, -1};
    /* not a stream: one message is one task's, however many write; not datagrams: ten would fill it */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
        ends[0] = ends[1] = -1;
    logs->directory = keep(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    logs->tasks_end = keep(ends[0]);
    logs->stepd_end = keep(ends[1]);
}

static void drop(struct ce_kept_file *file)
{
    if (find(file) >= 0)
        close(file->fd);
    file->fd = -1;
}

void ce_task_logs_close(struct ce_task_logs *logs)
{
    drop(&logs->directory);
    drop(&logs->tasks_end);
    drop(&logs->stepd_end);
}

/* ---------------------------------------------------------------- in the task */

/* Others may write in the job's directory, /tmp for one: what stands there in the folder's or file's
 * place must be the user's own. */
static int check_own(int fd, mode_t kind, const char *path, struct ce_error *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return ce_fail(err, "%s: %s", path, strerror(errno));
    if ((st.st_mode & S_IFMT) != kind || st.st_uid != geteuid())
        return ce_fail(err, "%s: expected %s of your own; remove it", path,
                       kind == S_IFDIR ? "a folder" : "a file");
    return 0;
}

static int open_folder(int job_directory, const char *name, struct ce_error *err)
{
    if (mkdirat(job_directory, name, 0777) < 0 && errno != EEXIST)
        return ce_fail(err, "cannot make %s: %s", name, strerror(errno));
    int fd = openat(job_directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return ce_fail(err, "cannot open %s: %s", name, strerror(errno));
    if (check_own(fd, S_IFDIR, name, err) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* For reading too, by the stepd.  O_NONBLOCK is for a pipe in its place only. */
static int open_log(int job_directory, const char *folder, uint32_t rank, struct ce_error *err)
{
    char name[16], path[80];
    ce_autoclose int directory = open_folder(job_directory, folder, err);
    if (directory < 0)
        return -1;
    snprintf(name, sizeof name, "%u.log", rank);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = openat(directory, name,
                    O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                    0666);
    if (fd < 0)
        return ce_fail(err, "cannot open %s: %s", path, strerror(errno));
    if (check_own(fd, S_IFREG, path, err) < 0 || fcntl(fd, F_SETFL, O_APPEND) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void hand_over(int socket, int fd, const struct handed *handed)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof fd)];
    } control = {.room = {0}};
    struct handed copy = *handed;
    struct iovec bytes = {&copy, sizeof copy};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    sendmsg(socket, &message, MSG_NOSIGNAL); /* should it fail, the last lines are not shown */
}

int ce_task_log_begin(const struct ce_task_logs *logs, const struct ce_step_id *id,
                      const struct ce_task *task, struct ce_error *err)
{
    char step[CE_STEP_ID_TEXT], folder[64];
    int directory = find(&logs->directory), socket = find(&logs->tasks_end);
    struct stat st;
    snprintf(folder, sizeof folder, "cluster-env-%s", ce_step_id_format(id, step));
    ce_autoclose int fd = open_log(directory < 0 ? AT_FDCWD : directory, folder, task->rank, err);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
        return ce_fail(err, "%s: %s", folder, strerror(errno));
    if (socket >= 0)
        hand_over(socket, fd, &(struct handed){task->local_rank, task->rank, st.st_size});
    return 0;
}

/* ---------------------------------------------------------------- in the stepd */

/* The next log that a task handed over; -1: no more. */
static int receive(int socket, struct handed *ret)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec bytes = {ret, sizeof *ret};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    int fd = -1;
    if (recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *ret)
        return -1;
    const struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    if (rights && rights->cmsg_type == SCM_RIGHTS && rights->cmsg_len == CMSG_LEN(sizeof fd))
        memcpy(&fd, CMSG_DATA(rights), sizeof fd);
    return fd;
}

/* Put back what is another task's, for the time when that one fails. */
static void put_back(const struct ce_task_logs *logs, int fd, const struct handed *handed)
{
    int socket = find(&logs->tasks_end);
    if (socket >= 0)
        hand_over(socket, fd, handed);
    close(fd);
}

int ce_task_log_take(const struct ce_task_logs *logs, uint32_t local_rank, uint32_t *ret_rank,
                     off_t *ret_start)
{
    enum { TASKS_MAX = 1024 }; /* of a node; what is put back comes again */
    struct handed handed;
    int socket = find(&logs->stepd_end), fd;
    for (int i = 0; i < TASKS_MAX && socket >= 0 && (fd = receive(socket, &handed)) >= 0; i++) {
        if (handed.local_rank == local_rank) {
            *ret_rank = handed.rank;
            *ret_start = handed.start;
            return fd;
        }
        put_back(logs, fd, &handed);
    }
    return -1;
}

void ce_task_log_show(int fd, off_t start, const char *before)
{
    char text[SHOWN_BYTES + 1];
    struct ce_error line;
    struct stat st;
    int64_t from;
    bool cut;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
        !ce_tail_span(st.st_size, start, SHOWN_BYTES, &from, &cut))
        return;
    ssize_t length = pread(fd, text, SHOWN_BYTES, from);
    if (length <= 0)
        return;
    text[length] = '\0';
    const char *at = ce_tail(text, (size_t)length, SHOWN_LINES, cut), *end = text + length;
    while (ce_tail_line(&at, end, &line))
        slurm_error("%s%s", before, line.text);
}
