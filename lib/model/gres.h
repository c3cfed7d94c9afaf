/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's word for what a node has besides cores and memory. */
#ifndef CE_MODEL_GRES_H
#define CE_MODEL_GRES_H

#include <stdint.h>

/* How many GPUs there are in a Gres: "gpu:a100:4(S:0-1),mps:400,gpu:h100:4" has 8, "gpu" one.
 * NULL, and what is no such text, has none. */
uint32_t ce_gres_gpus(const char *gres);

#endif
