/* SPDX-License-Identifier: Apache-2.0 */
/* cluster-env bench gpu. */
#ifndef CE_CLI_BENCH_GPU_H
#define CE_CLI_BENCH_GPU_H

#include <stdio.h>

int ce_bench_gpu(int argc, char **argv);
/* Its options, as its --help has them. */
void ce_bench_gpu_help(FILE *out, char *name);

#endif
