/* SPDX-License-Identifier: Apache-2.0 */
/* What `cluster-env bench` can test: one file cmd_bench_KIND.c each. */
#ifndef CE_CLI_BENCH_H
#define CE_CLI_BENCH_H

#include <argp.h>

extern const struct argp ce_bench_rdma_argp;
int ce_bench_rdma(int argc, char **argv);

#endif
