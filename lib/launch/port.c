/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/port.h"

enum { STEP_STRIDE = 619 };

static uint32_t from_window(const struct ce_allocation *allocation, const struct ce_policy *policy)
{
    uint64_t size = policy->port_last - policy->port_first + 1;
    uint64_t stride = STEP_STRIDE % size;
    /* size - 1 stands for -1: no number below zero */
    uint64_t step = allocation->id.kind == CE_STEP_TASKS ? allocation->id.step_id % size : size - 1;
    return policy->port_first + (uint32_t)((allocation->id.job_id + stride * step) % size);
}

struct ce_port ce_port_choose(const struct ce_allocation *allocation,
                              const struct ce_policy *policy, const struct ce_request *request,
                              uint32_t user_port)
{
    if (request->port)
        return (struct ce_port){request->port, "--cluster-env=port=N"};
    if (user_port)
        return (struct ce_port){user_port, "MASTER_PORT of the user"};
    if (allocation->reserved_port)
        return (struct ce_port){allocation->reserved_port, "SLURM_STEP_RESV_PORTS"};
    return (struct ce_port){from_window(allocation, policy), "job and step id in the port window"};
}

uint32_t ce_port_next(const struct ce_policy *policy, uint32_t port)
{
    return port == policy->port_last || port >= 65535 ? policy->port_first : port + 1;
}
