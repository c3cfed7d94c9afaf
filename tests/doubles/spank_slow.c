/* SPDX-License-Identifier: Apache-2.0 */
/* A SPANK plugin that takes its time in task_init, as one that starts containers does.
 * Argument in plugstack.conf: milliseconds. */
#include <slurm/spank.h>
#include <stdlib.h>
#include <time.h>

SPANK_PLUGIN(slow, 1);

int slurm_spank_task_init(spank_t spank, int ac, char **av)
{
    long ms = ac > 0 ? atol(av[0]) : 0;
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    (void)spank;
    nanosleep(&pause, NULL);
    return 0;
}
