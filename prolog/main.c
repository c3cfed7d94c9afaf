/* SPDX-License-Identifier: Apache-2.0 */
/* cluster-prolog, for Prolog= in slurm.conf: no job starts on a sick link or GPU. */
#include "checks/check.h"
#include "phase_program.h"

int main(int argc, char **argv)
{
    int status = ce_phase_arguments(argc, argv, "cluster-prolog",
                                    "Check this node before a job: exit status 0, or 1 for a fault "
                                    "that it was drained for.");
    return status >= 0 ? status : ce_phase_program("cluster-prolog", CE_PROLOG);
}
