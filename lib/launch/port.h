/* SPDX-License-Identifier: Apache-2.0 */
/* The step's rendezvous port: the same on every node whatever its sysctls, different for
 * neighbouring jobs and for the steps of one job.  Pure. */
#ifndef CE_LAUNCH_PORT_H
#define CE_LAUNCH_PORT_H

#include <stdint.h>

#include "model/allocation.h"
#include "model/policy.h"
#include "model/request.h"

struct ce_port {
    uint32_t number;
    const char *source; /* where it came from; a constant text */
};

/* --cluster-env=port=N, else the user's own MASTER_PORT (0: none), else srun --resv-ports, else
 * first + (job id + 619 x step id) mod size of the policy's window.  619 is prime, so that the steps
 * of a job spread over the default window before they repeat; a batch script has step id -1. */
struct ce_port ce_port_choose(const struct ce_allocation *allocation,
                              const struct ce_policy *policy, const struct ce_request *request,
                              uint32_t user_port);

/* The port after this one, wrapped inside the window. */
uint32_t ce_port_next(const struct ce_policy *policy, uint32_t port);

#endif
