/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/limit.h"

#include <stddef.h>
#include <string.h>

static const struct ce_check_limit limits[CE_CHECK_LIMITS] = {
    {"ib.link_flap", 4, "in 6 hours"},
    {"ib.counter.link_downed", 0, "during the job"},
    {"ib.counter.local_link_integrity_errors", 0, "during the job"},
    {"ib.counter.excessive_buffer_overrun_errors", 0, "during the job"},
    {"ib.counter.rnr_nak_retry_err", 0, "during the job"},
    {"ib.counter.carrier_changes", 2, "during the job"},
    {"ib.counter.link_error_recovery", 5, "a minute"},
    {"ib.counter.symbol_error", 600, "a minute"},
    {"ib.counter.port_rcv_errors", 600, "a minute"},
    {"ib.counter.port_xmit_discards", 6000, "a minute"},
    {"ib.counter.out_of_sequence", 6000, "a minute"},
    {"ib.counter.local_ack_timeout_err", 60, "a minute"},
    {"ib.counter.roce_slow_restart", 600, "a minute"},
    {"gpu.ecc.aggregate", 4, "SRAM errors"},
    {"gpu.remap.total", 511, "rows"},
    {"gpu.retired.total", 62, "pages"},
    {"gpu.nvlink.errors", 4, "errors of a link"},
    {"gpu.memory.leftover", 15, "MiB"},
    {"host.clock", 50, "milliseconds"},
};

const struct ce_check_limit *ce_check_limit_find(const char *check)
{
    for (size_t i = 0; i < CE_CHECK_LIMITS; i++)
        if (strcmp(limits[i].check, check) == 0)
            return &limits[i];
    return NULL;
}
