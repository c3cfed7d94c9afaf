/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark: which HCAs are rails, on a node of 16 of them and 8 GPUs (and two more for the front end),
 * and with the list for NCCL.  Prints medians.
 *
 *     make bench-rails [BENCH_RAILS=ROUNDS]        2001 by default
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "launch/rails.h"

enum { GPUS = 8, RAILS = 16, FRONT_END = 2 };

static void die(const char *what)
{
    fprintf(stderr, "rails: %s\n", what);
    exit(1);
}

/* Two HCAs and a GPU below each of eight switches; the front end on bridges of its own. */
static void place(struct ce_pci *pci, unsigned bridge, unsigned slot)
{
    snprintf(pci->address, sizeof pci->address, "0000:%02x:00.0", 16 * bridge + slot);
    snprintf(pci->path, sizeof pci->path,
             "pci0000:%02x/0000:%02x:01.0/0000:%02x:00.0/0000:%02x:%02x.0/%s", 16 * bridge,
             16 * bridge, 16 * bridge + 1, 16 * bridge + 2, slot, pci->address);
    pci->numa = bridge < 5 ? 0 : 1;
}

static void add_hca(struct ce_node *node, unsigned bridge, unsigned slot, const char *type)
{
    char name[16];
    snprintf(name, sizeof name, "mlx5_%zu", node->hca_count);
    struct ce_hca *hca = ce_node_add_hca(node, name);
    struct ce_hca_port *port = hca ? ce_hca_add_port(hca, 1) : NULL;
    if (!port)
        die("no memory");
    snprintf(hca->type, sizeof hca->type, "%s", type);
    place(&hca->pci, bridge, slot);
    port->state = CE_PORT_ACTIVE;
    port->rate_mbps = 200000;
    port->link_layer = CE_LINK_ETHERNET;
}

static struct ce_node *make_node(void)
{
    struct ce_node *node = ce_node_create();
    if (!node)
        die("no memory");
    for (unsigned i = 0; i < GPUS; i++) {
        struct ce_pci *gpu = ce_node_add_gpu(node);
        if (!gpu)
            die("no memory");
        place(gpu, i + 1, 3);
    }
    for (unsigned i = 0; i < RAILS; i++)
        add_hca(node, i / 2 + 1, 4 + i % 2, "MT4129");
    for (unsigned i = 0; i < FRONT_END; i++)
        add_hca(node, i + 10, 4, "MT4125");
    return node;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double choose(const struct ce_node *node, bool list)
{
    ce_autotext struct ce_text value = CE_TEXT(1000);
    struct ce_rails rails;
    double start = now_us();
    if (ce_rails_choose(node, &rails, NULL) < 0)
        die("no memory");
    if (list)
        ce_rails_nccl(&rails, 0, &value);
    double took = now_us() - start;
    if (rails.count != RAILS)
        die("not the rails that were meant");
    ce_rails_free(&rails);
    return took;
}

static void measure(const char *what, const struct ce_node *node, bool list, size_t rounds)
{
    double *times = calloc(rounds, sizeof *times);
    if (!times)
        die("no memory");
    for (size_t i = 0; i < rounds; i++)
        times[i] = choose(node, list);
    qsort(times, rounds, sizeof *times, by_size);
    printf("%-24s %7.1f us, %7.1f us at most\n", what, times[rounds / 2], times[rounds - 1]);
    free(times);
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 2001;
    struct ce_node *node = make_node();
    if (rounds == 0 || rounds > 1000000)
        die("expected a number of rounds from 1 to 1000000");
    printf("rails of a node of %d HCAs and %d GPUs, median of %zu\n", RAILS + FRONT_END, GPUS,
           rounds);
    measure("the choice", node, false, rounds);
    measure("and the list for NCCL", node, true, rounds);
    ce_node_destroy(node);
    return 0;
}
