/* SPDX-License-Identifier: Apache-2.0 */
/* cluster-healthcheck, for HealthCheckProgram= in slurm.conf, which takes no arguments: a node that
 * has no job is checked too, and one that we drained and that is well again comes back. */
#include "checks/check.h"
#include "phase_program.h"

int main(int argc, char **argv)
{
    int status = ce_phase_arguments(argc, argv, "cluster-healthcheck",
                                    "Check this node between jobs: exit status 0, whatever was "
                                    "found.");
    if (status >= 0)
        return status;
    ce_phase_program("cluster-healthcheck", CE_MANUAL);
    return 0;
}
