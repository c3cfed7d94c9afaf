/* SPDX-License-Identifier: Apache-2.0 */
/* What NCCL's own log (NCCL_DEBUG=INFO) says of how its ranks are connected. */
#ifndef CE_MODEL_NCCL_LOG_H
#define CE_MODEL_NCCL_LOG_H

enum { CE_NCCL_WORD = 48, CE_NCCL_VIA = 160, CE_NCCL_WARNING = 160 };

struct ce_nccl_log {
    char network[CE_NCCL_WORD];    /* "IB", "Socket", "AWS Libfabric"; "": it does not say */
    char via[CE_NCCL_VIA];         /* each way once: "P2P/CUMEM,NET/IB,NVLS"; "": it does not say */
    char warning[CE_NCCL_WARNING]; /* the first line of a WARN; "": there is none */
};

/* Lines that are not NCCL's are passed over. */
void ce_nccl_log_read(const char *text, struct ce_nccl_log *ret);

#endif
