/* SPDX-License-Identifier: Apache-2.0 */
/* The error counters of one RDMA port.  They count since the driver was loaded, or since somebody
 * reset them: only what two readings differ by means anything. */
#ifndef CE_MODEL_COUNTERS_H
#define CE_MODEL_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/record.h"

enum ce_counter {
    CE_COUNTER_LINK_DOWNED,
    CE_COUNTER_LINK_ERROR_RECOVERY,
    CE_COUNTER_SYMBOL_ERROR,
    CE_COUNTER_LOCAL_LINK_INTEGRITY,
    CE_COUNTER_BUFFER_OVERRUN,
    CE_COUNTER_RCV_ERRORS,
    CE_COUNTER_XMIT_DISCARDS,
    CE_COUNTER_XMIT_WAIT,
    CE_COUNTER_OUT_OF_SEQUENCE,
    CE_COUNTER_ACK_TIMEOUT,
    CE_COUNTER_RNR_NAK_RETRY,
    CE_COUNTER_ROCE_SLOW_RESTART,
    CE_COUNTER_CARRIER_CHANGES,
    CE_COUNTERS,
};

/* Where sysfs has it. */
enum ce_counter_place {
    CE_COUNTER_PORT,   /* ports/N/counters: what the InfiniBand specification has */
    CE_COUNTER_HW,     /* ports/N/hw_counters: the driver's own */
    CE_COUNTER_NETDEV, /* of the port's network interface */
};

struct ce_counter_kind {
    const char *name; /* the file's, and the last part of the key */
    enum ce_counter_place place;
    unsigned bits; /* a narrow one stops at its greatest value; 64: it never does */
};

extern const struct ce_counter_kind ce_counter_kinds[CE_COUNTERS];

struct ce_counters {
    uint32_t known; /* one bit for each: a counter that could not be read is not 0 */
    uint64_t value[CE_COUNTERS];
};

bool ce_counter_known(const struct ce_counters *counters, enum ce_counter counter);
void ce_counter_set(struct ce_counters *counters, enum ce_counter counter, uint64_t value);
/* Did it stop counting?  False for one that is not known. */
bool ce_counter_saturated(const struct ce_counters *counters, enum ce_counter counter);

/* The lines PREFIX.counter.NAME of what is known (model/record.h).  0; -1 with err. */
void ce_counters_write(const struct ce_counters *counters, const char *prefix, struct ce_text *out);
int ce_counters_read(const struct ce_record *record, const char *prefix, struct ce_counters *ret,
                     struct ce_error *err);

#endif
