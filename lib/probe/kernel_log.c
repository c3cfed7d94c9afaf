/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "probe/kernel_line.h"

enum {
    FILE_MAX = 16 << 20,
    RECORD_MAX = 8192, /* what the kernel has for one, CONSOLE_EXT_LOG_MAX */
    RECORDS_MAX = 400000,
    READ_MS = 2000,
    OUTPUT_MAX = 1 << 20,
};

/* ---------------------------------------------------------------- lines */

static void take_line(const char *line, uint64_t number, uint64_t since, struct ce_kernel_log *log)
{
    struct ce_kernel_frame frame;
    struct ce_kernel_event event;
    if (ce_kernel_frame_parse(line, &frame) < 0)
        return;
    uint64_t seq = frame.numbered ? frame.seq : number;
    if (!log->read)
        log->first_seq = seq;
    else if (seq <= log->seq)
        return; /* the kernel counts up */
    log->read = true;
    log->seq = seq;
    if (frame.time_us > log->time_us)
        log->time_us = frame.time_us;
    if ((since && seq <= since) || !frame.by_kernel ||
        ce_kernel_event_parse(frame.text, &event) < 0)
        return;
    event.seq = seq;
    event.time_us = frame.time_us;
    ce_kernel_log_add(log, &event);
}

void ce_kernel_log_take_text(char *text, uint64_t since, struct ce_kernel_log *log)
{
    char *rest, *line = strtok_r(text, "\n", &rest);
    for (uint64_t number = 1; line; line = strtok_r(NULL, "\n", &rest), number++)
        take_line(line, number, since, log);
    log->read = true;
}

/* ---------------------------------------------------------------- the device */

/* One record for each read().  EPIPE: records were overwritten meanwhile, the next is there. */
static int read_device(int fd, uint64_t since, struct ce_kernel_log *log, struct ce_error *err)
{
    char record[RECORD_MAX + 1];
    const uint64_t began = ce_clock_ns();
    bool whole = false;
    for (unsigned i = 0; i < RECORDS_MAX && ce_clock_ms_since(began) < READ_MS; i++) {
        ssize_t n = read(fd, record, RECORD_MAX);
        if (n < 0 && (errno == EPIPE || errno == EINTR || errno == EINVAL))
            continue;
        if (n < 0 && errno != EAGAIN)
            return ce_fail(err, "/dev/kmsg: cannot read: %s", strerror(errno));
        if (n <= 0) {
            whole = true;
            break;
        }
        record[n] = '\0';
        record[strcspn(record, "\n")] = '\0';
        take_line(record, 0, since, log);
    }
    log->read = true;
    log->lost = log->lost || !whole;
    log->time_us = ce_clock_ns() / 1000;
    return 0;
}

/* ---------------------------------------------------------------- either */

static int none(struct ce_error *err, const char *why)
{
    ce_fail(err, "/dev/kmsg: no kernel log to read: %s", why);
    return 1;
}

static int read_file(const struct ce_root *root, uint64_t since, struct ce_kernel_log *log,
                     struct ce_error *err)
{
    ce_autofree char *text = malloc(FILE_MAX + 1);
    if (!text)
        return ce_fail(err, "no memory");
    ssize_t n = ce_root_bytes(root, text, FILE_MAX, "dev/kmsg");
    if (n < 0)
        return none(err, "neither a kernel log nor a file that can be read");
    for (ssize_t i = 0; i < n; i++)
        if (!text[i])
            text[i] = '?';
    text[n] = '\0';
    ce_kernel_log_take_text(text, since, log);
    log->lost = log->lost || n == FILE_MAX;
    return 0;
}

/* What stands there in a recorded tree is no device of that machine. */
int ce_probe_kernel_log(const struct ce_root *root, uint64_t since, struct ce_kernel_log *log,
                        struct ce_error *err)
{
    struct stat st;
    *log = (struct ce_kernel_log){.read = false};
    if (!root->live)
        return read_file(root, since, log, err);
    ce_autoclose int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return none(err, strerror(errno));
    if (fstat(fd, &st) < 0 || !S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, 11))
        return none(err, "neither a kernel log nor a file that can be read");
    return read_device(fd, since, log, err);
}

/* ---------------------------------------------------------------- with a deadline */

enum { NONE_TO_READ = 2 };

/* In the child. */
static int print_log(void *ctx)
{
    const struct ce_kernel_question *question = ctx;
    struct ce_error err;
    ce_autotext struct ce_text text = CE_TEXT(OUTPUT_MAX);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    int failed =
        node ? ce_probe_kernel_log(question->root, question->since, &node->kernel, &err) : -1;
    if (failed)
        dprintf(STDERR_FILENO, "%s\n", node ? err.text : "no memory");
    if (failed)
        return failed > 0 ? NONE_TO_READ : 1;
    ce_node_write(node, &text);
    for (size_t done = 0; ce_text_ok(&text) && done < text.length;) {
        ssize_t n = write(STDOUT_FILENO, text.data + done, text.length - done);
        if (n < 0 && errno != EINTR)
            return 1;
        done += n > 0 ? (size_t)n : 0;
    }
    return !ce_text_ok(&text);
}

void ce_kernel_log_ask(struct ce_kernel_question *question, unsigned deadline_ms,
                       struct ce_child *child)
{
    *child = (struct ce_child){.body = print_log,
                               .ctx = question,
                               .deadline_ms = deadline_ms,
                               .output_max = OUTPUT_MAX};
}

/* That there is none, or that only root may read it, is usual and nobody's fault: no note. */
void ce_kernel_log_answer(const struct ce_kernel_question *question, const struct ce_child *child,
                          struct ce_node *node, struct ce_notes *notes)
{
    struct ce_error err;
    ce_auto(ce_node_destroy) struct ce_node *told = NULL;
    bool none = child->end == CE_CHILD_EXITED && child->number == NONE_TO_READ;
    if (ce_child_check(child, &err) == 0)
        told = ce_node_parse(ce_text_string(&child->output), &err);
    if (told) {
        node->kernel = told->kernel;
        told->kernel = (struct ce_kernel_log){.read = false};
        return;
    }
    node->kernel.unread = question->root->live || !none; /* a recorded tree just has none */
    if (!none)
        ce_note(notes, "the kernel log stays unknown: %.300s", err.text);
}
