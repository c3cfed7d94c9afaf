/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_rails.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/parse.h"
#include "gang_beside.h"

/* A child that does not stop writing must not hold up the others: at most TURN pieces are read at once. */
enum { ENDS_MAX = 12000, OPTION = CE_HCA_NAME + 32, TURN = 16 };

static void run_program(const struct ce_gang_task *task, uint32_t count, int fd)
{
    char path[GANG_PATH], words[CE_GANG_RAILS][OPTION], *argv[CE_GANG_RAILS + 2] = {path};
    if (gang_beside("preflight-rails", path) < 0)
        _exit(127);
    for (uint32_t i = 0; i < count; i++) {
        snprintf(words[i], OPTION, "--rail=%s:%u:%u", task->rails[i].device, task->rails[i].port,
                 task->rails[i].gid);
        argv[i + 1] = words[i];
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(fd, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
        _exit(127);
    execv(path, argv);
    _exit(127);
}

void gang_rails_begin(struct gang_rails *rails, const struct ce_gang_task *task, uint32_t count)
{
    int pair[2];
    *rails = (struct gang_rails){.fd = -1, .count = count, .ends = CE_TEXT(ENDS_MAX)};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return;
    rails->pid = fork();
    if (rails->pid == 0)
        run_program(task, count, pair[1]);
    close(pair[1]);
    rails->fd = pair[0];
    if (rails->pid < 0 || fcntl(rails->fd, F_SETFL, O_NONBLOCK) < 0)
        gang_rails_end(rails);
    else
        rails->state = GANG_RAILS_OPENS;
}

void gang_rails_end(struct gang_rails *rails)
{
    if (rails->fd >= 0)
        close(rails->fd);
    if (rails->pid > 0) {
        kill(rails->pid, SIGKILL);
        waitpid(rails->pid, NULL, WNOHANG); /* a driver may hold it: whoever runs this collects it */
    }
    ce_text_free(&rails->ends);
    rails->fd = -1;
    rails->pid = 0;
    if (rails->state != GANG_RAILS_DONE)
        rails->state = GANG_RAILS_NONE;
}

/* ---------------------------------------------------------------- what it says */

static void hear_line(struct gang_rails *rails, const char *line)
{
    switch (rails->state) {
    case GANG_RAILS_OPENS:
        if (*line)
            ce_text_addf(&rails->ends, "%s\n", line);
        else
            rails->state = GANG_RAILS_ENDS;
        break;
    case GANG_RAILS_ENDS:
        if (strcmp(line, "ready") == 0)
            rails->state = GANG_RAILS_READY;
        break;
    case GANG_RAILS_BUSY:
        if (strcmp(line, "done") == 0)
            rails->state = GANG_RAILS_DONE;
        else if (rails->lines < rails->count)
            ce_parse_u32(line, 0, UINT32_MAX, &rails->mbps[rails->lines++]);
        break;
    case GANG_RAILS_NONE:
    case GANG_RAILS_READY:
    case GANG_RAILS_DONE:
        break;
    }
}

void gang_rails_take(struct gang_rails *rails, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n') {
            if (rails->length < sizeof rails->line - 1)
                rails->line[rails->length++] = bytes[i];
            continue;
        }
        rails->line[rails->length] = '\0';
        rails->length = 0;
        hear_line(rails, rails->line);
    }
}

void gang_rails_hear(struct gang_rails *rails)
{
    char bytes[4096];
    ssize_t n = 1;
    for (unsigned i = 0; i < TURN && n > 0; i++) {
        n = read(rails->fd, bytes, sizeof bytes);
        gang_rails_take(rails, bytes, n > 0 ? (size_t)n : 0);
    }
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        gang_rails_end(rails);
}

/* It reads at once, and its socket takes more than there is. */
static void say(struct gang_rails *rails, const char *text)
{
    size_t length = strlen(text);
    if (send(rails->fd, text, length, MSG_NOSIGNAL) != (ssize_t)length)
        gang_rails_end(rails);
}

void gang_rails_connect(struct gang_rails *rails, const char *ends)
{
    say(rails, ends);
    if (rails->fd >= 0)
        say(rails, "\n");
}

void gang_rails_go(struct gang_rails *rails)
{
    rails->state = GANG_RAILS_BUSY;
    say(rails, "go\n");
}
