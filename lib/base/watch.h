/* SPDX-License-Identifier: Apache-2.0 */
/* A process that is held by a pidfd: while it lives its number is nobody else's, so what is found out
 * about the number between ce_watch_open() and a ce_watch_lives() that says yes is true of it. */
#ifndef CE_BASE_WATCH_H
#define CE_BASE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ce_watch {
    pid_t pid;
    int fd; /* -1: none; it is taken to have ended */
};

/* -1: there is no such process, or the kernel (before 5.3) has no pidfd. */
int ce_watch_open(pid_t pid, struct ce_watch *ret);
void ce_watch_close(struct ce_watch *watch);

bool ce_watch_lives(const struct ce_watch *watch);
/* Until all have ended, or so long.  True: they have. */
bool ce_watch_wait(const struct ce_watch *watches, size_t count, unsigned ms);
/* 0, or -1: it has ended. */
int ce_watch_signal(const struct ce_watch *watch, int number);

#endif
