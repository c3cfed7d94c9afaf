/* SPDX-License-Identifier: Apache-2.0 */
/* What `cluster-env bench` can test: one file bench_KIND.c each, with its options as its --help has
 * them. */
#ifndef CE_CLI_BENCH_H
#define CE_CLI_BENCH_H

#include <stdio.h>

int ce_bench_gpu(int argc, char **argv);
void ce_bench_gpu_help(FILE *out, char *name);

int ce_bench_nccl(int argc, char **argv);
void ce_bench_nccl_help(FILE *out, char *name);

int ce_bench_rdma(int argc, char **argv);
void ce_bench_rdma_help(FILE *out, char *name);

#endif
