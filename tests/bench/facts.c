/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark: the facts of a machine from sysfs, and their text.  Prints medians.
 *
 *     tests/fixtures/unpack tests/fixtures/machines/roce.tree DIR
 *     tests/bench/facts DIR [ROUNDS]        101 by default
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model/node.h"
#include "probe/host.h"
#include "probe/ib.h"
#include "probe/netif.h"

enum { ROUNDS_MAX = 10001 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static void die(const char *what)
{
    fprintf(stderr, "facts: %s\n", what);
    exit(1);
}

struct sizes {
    size_t hcas, netifs, gpus, bytes;
};

/* The milliseconds of one round. */
static double run_once(const char *path, struct sizes *sizes)
{
    struct ce_root root;
    struct ce_error err;
    ce_autotext struct ce_text text = CE_TEXT(16 << 20);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    double start = now_ms();
    if (!node || ce_root_open(&root, path, &err) < 0)
        die("there is no such folder");
    ce_probe_host(&root, node);
    if (ce_probe_netifs(&root, node, &err) < 0 || ce_probe_ib(&root, node, &err) < 0)
        die(err.text);
    ce_root_close(&root);
    ce_node_write(node, &text);
    double ms = now_ms() - start;
    *sizes = (struct sizes){node->hca_count, node->netif_count, node->gpu_count, text.length};
    return ms;
}

int main(int argc, char **argv)
{
    static double ms[ROUNDS_MAX];
    struct sizes sizes = {0};
    int rounds = argc > 2 ? atoi(argv[2]) : 101;
    if (argc < 2 || rounds < 1 || rounds > ROUNDS_MAX)
        die("usage: facts DIR [ROUNDS 1-10001]");
    for (int i = 0; i < rounds; i++)
        ms[i] = run_once(argv[1], &sizes);
    qsort(ms, (size_t)rounds, sizeof *ms, by_value);
    printf("%zu HCAs, %zu interfaces, %zu GPUs, %d rounds: facts %.2f ms (min %.2f, max %.2f), %zu "
           "bytes\n",
           sizes.hcas, sizes.netifs, sizes.gpus, rounds, ms[rounds / 2], ms[0], ms[rounds - 1],
           sizes.bytes);
    return 0;
}
