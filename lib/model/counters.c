/* SPDX-License-Identifier: Apache-2.0 */
#include "model/counters.h"

/* The widths are those of the PortCounters attribute, as the kernel declares them in
 * drivers/infiniband/core/sysfs.c; those of mlx5's hw_counters are the device's own 32 bits, which
 * start again at 0. */
const struct ce_counter_kind ce_counter_kinds[CE_COUNTERS] = {
    [CE_COUNTER_LINK_DOWNED] = {"link_downed", CE_COUNTER_PORT, 8},
    [CE_COUNTER_LINK_ERROR_RECOVERY] = {"link_error_recovery", CE_COUNTER_PORT, 8},
    [CE_COUNTER_SYMBOL_ERROR] = {"symbol_error", CE_COUNTER_PORT, 16},
    [CE_COUNTER_LOCAL_LINK_INTEGRITY] = {"local_link_integrity_errors", CE_COUNTER_PORT, 4},
    [CE_COUNTER_BUFFER_OVERRUN] = {"excessive_buffer_overrun_errors", CE_COUNTER_PORT, 4},
    [CE_COUNTER_RCV_ERRORS] = {"port_rcv_errors", CE_COUNTER_PORT, 16},
    [CE_COUNTER_XMIT_DISCARDS] = {"port_xmit_discards", CE_COUNTER_PORT, 16},
    [CE_COUNTER_XMIT_WAIT] = {"port_xmit_wait", CE_COUNTER_PORT, 32},
    [CE_COUNTER_OUT_OF_SEQUENCE] = {"out_of_sequence", CE_COUNTER_HW, 64},
    [CE_COUNTER_ACK_TIMEOUT] = {"local_ack_timeout_err", CE_COUNTER_HW, 64},
    [CE_COUNTER_RNR_NAK_RETRY] = {"rnr_nak_retry_err", CE_COUNTER_HW, 64},
    [CE_COUNTER_ROCE_SLOW_RESTART] = {"roce_slow_restart", CE_COUNTER_HW, 64},
    [CE_COUNTER_CARRIER_CHANGES] = {"carrier_changes", CE_COUNTER_NETDEV, 64},
};

bool ce_counter_known(const struct ce_counters *counters, enum ce_counter counter)
{
    return counters->known >> counter & 1;
}

void ce_counter_set(struct ce_counters *counters, enum ce_counter counter, uint64_t value)
{
    counters->known |= UINT32_C(1) << counter;
    counters->value[counter] = value;
}

/* A value past the greatest is of a driver whose counter is wider than the specification's. */
bool ce_counter_saturated(const struct ce_counters *counters, enum ce_counter counter)
{
    unsigned bits = ce_counter_kinds[counter].bits;
    return ce_counter_known(counters, counter) && bits < 64 &&
           counters->value[counter] == (UINT64_C(1) << bits) - 1;
}

void ce_counters_write(const struct ce_counters *counters, const char *prefix, struct ce_text *out)
{
    for (unsigned i = 0; i < CE_COUNTERS; i++)
        if (ce_counter_known(counters, i))
            ce_record_add_number(out, counters->value[i], "%s.counter.%s", prefix,
                                 ce_counter_kinds[i].name);
}

int ce_counters_read(const struct ce_record *record, const char *prefix, struct ce_counters *ret,
                     struct ce_error *err)
{
    *ret = (struct ce_counters){.known = 0};
    if (!ce_record_has_below(record, "%s.counter.", prefix))
        return 0;
    for (unsigned i = 0; i < CE_COUNTERS; i++) {
        uint64_t value;
        int known = ce_record_number(record, 0, UINT64_MAX, &value, err, "%s.counter.%s", prefix,
                                     ce_counter_kinds[i].name);
        if (known < 0)
            return -1;
        if (known)
            ce_counter_set(ret, i, value);
    }
    return 0;
}
