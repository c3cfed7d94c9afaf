/* SPDX-License-Identifier: Apache-2.0 */
/* A loop that does not end fails its row, and the next row runs. */
#ifndef CE_TESTS_UNIT_WORK_H
#define CE_TESTS_UNIT_WORK_H

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "unit.h"

static inline void unit_work_over(int number)
{
    (void)number;
    fail_msg("too much CPU time: a loop does not end");
}

/* From now on, the row may take this many seconds of CPU time (of this process: other processes on the
 * machine do not count); more if CLUSTER_ENV_TEST_CPU_SECONDS says so, for valgrind.  0: the limit ends. */
static inline void unit_limit_work(unsigned seconds)
{
    const struct sigaction action = {.sa_handler = unit_work_over, .sa_flags = SA_NODEFER};
    const char *text = getenv("CLUSTER_ENV_TEST_CPU_SECONDS");
    int slow = text ? atoi(text) : 0, most = (int)seconds;
    const struct itimerval limit = {.it_value.tv_sec = most && slow > most ? slow : most};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &limit, NULL);
}

#endif
