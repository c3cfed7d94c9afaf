/* SPDX-License-Identifier: Apache-2.0 */
/* cluster-epilog, for Epilog= in slurm.conf: no job leaves a sick link or GPU to the next one. */
#include "../prolog/phase_program.h"
#include "checks/check.h"

int main(int argc, char **argv)
{
    int status = ce_phase_arguments(argc, argv, "cluster-epilog",
                                    "Check this node after a job: exit status 0, or 1 for a fault "
                                    "that it was drained for.");
    return status >= 0 ? status : ce_phase_program("cluster-epilog", CE_EPILOG);
}
