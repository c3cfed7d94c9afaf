/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks want to know of the host around its rails and GPUs.  Every fact that could not be
 * read says so. */
#ifndef CE_MODEL_HOST_H
#define CE_MODEL_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/hca.h"
#include "model/record.h"

enum { CE_HOST_MOUNTS_MAX = 32, CE_HOST_PATH = 128, CE_HOST_STUCK_MAX = 8, CE_HOST_WORD = 64 };
#define CE_HOST_UNLIMITED UINT64_MAX
#define CE_HOST_ERROR_US 16000000 /* the kernel's NTP_PHASE_LIMIT: where both errors start, and end */

/* A place where a file system is expected. */
struct ce_host_mount {
    char path[CE_HOST_PATH];
    enum ce_answer mounted;
};

enum ce_host_driver {
    CE_DRIVER_UNKNOWN,
    CE_DRIVER_NONE,   /* NVIDIA's is not loaded */
    CE_DRIVER_CLOSED, /* the proprietary kernel module */
    CE_DRIVER_OPEN,   /* the open one */
};

struct ce_host {
    uint64_t memory_kb;   /* MemTotal; 0: unknown */
    uint64_t hugepages;   /* of the default size; where hugepage_kb is known */
    uint64_t hugepage_kb; /* 0: unknown, or the kernel has none */
    uint64_t memlock;     /* bytes that a child of this one's parent may lock at most;
                           * CE_HOST_UNLIMITED; 0: unknown */
    uint64_t nofile;      /* files that it may have open at most, in the same way */
    enum ce_answer clock_synchronised;
    bool clock_told;            /* what sets the clock told the kernel, in microseconds: */
    uint64_t clock_offset_us;   /* what it is still being moved by, in whichever direction */
    uint64_t clock_esterror_us; /* the estimated error; CE_HOST_ERROR_US: nobody told */
    uint64_t clock_maxerror_us; /* the most that it can be; the kernel lets it grow between updates */
    char kernel[CE_HOST_WORD]; /* "6.8.0-45-generic"; "": unknown */
    enum ce_host_driver driver;
    enum ce_answer peermem; /* nvidia_peermem or its forerunner is loaded */
    struct ce_host_mount mounts[CE_HOST_MOUNTS_MAX];
    size_t mount_count;
    enum ce_answer stuck_known;                  /* YES: the processes were looked through */
    char stuck[CE_HOST_STUCK_MAX][CE_HOST_WORD]; /* "4711 python": in uninterruptible sleep with a
                                                  * GPU open; the first of them */
    size_t stuck_count;
};

/* The lines host.KEY (model/record.h).  0; -1 with err. */
void ce_host_write(const struct ce_host *host, struct ce_text *out);
int ce_host_read(const struct ce_record *record, struct ce_host *ret, struct ce_error *err);

#endif
