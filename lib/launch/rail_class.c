/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/rail_class.h"

#include <stdlib.h>
#include <string.h>

#include "launch/locality.h"

/* What a type of HCA is made for, Gb/s.  For classes of which no port is up: a port that is down
 * shows a rate that means nothing.  NVIDIA's product pages; ids as in linux/mlx5/driver.h. */
static const struct {
    const char *type;
    unsigned gbps;
} nominal_rates[] = {
    {"MT4119", 100}, {"MT4123", 200}, {"MT4125", 100},  {"MT4127", 50},
    {"MT4129", 400}, {"MT4131", 800}, {"MT41686", 200}, {"MT41692", 400},
};

static unsigned nominal_rate(const struct ce_hca *hca)
{
    for (size_t i = 0; i < sizeof nominal_rates / sizeof *nominal_rates; i++)
        if (strcmp(nominal_rates[i].type, hca->type) == 0)
            return nominal_rates[i].gbps * 1000;
    return 0;
}

/* All that is known while classes are made and joined. */
struct work {
    const struct ce_node *node;
    const struct ce_rail *ports;
    size_t count;
    struct ce_rail_class *classes;
    size_t class_count;
    size_t *class_of; /* SIZE_MAX: takes no part */
    bool informative;
};

static bool same_type(const struct ce_rail *a, const struct ce_rail *b)
{
    return a->port->link_layer == b->port->link_layer && strcmp(a->hca->type, b->hca->type) == 0 &&
           a->hca->pci.vendor == b->hca->pci.vendor && a->hca->pci.device == b->hca->pci.device;
}

static bool same_class(const struct ce_rail *a, const struct ce_rail *b)
{
    return same_type(a, b) && strcmp(a->hca->board_id, b->hca->board_id) == 0;
}

static void put_into_class(struct work *work, size_t i)
{
    size_t c = 0;
    while (c < work->class_count && !same_class(work->classes[c].first, &work->ports[i]))
        c++;
    if (c == work->class_count)
        work->classes[work->class_count++] = (struct ce_rail_class){.first = &work->ports[i]};
    work->class_of[i] = c;
}

/* The level that half of the members reach. */
static unsigned median_level(const struct work *work, size_t class, size_t members)
{
    size_t at_level[3] = {0, 0, 0}, seen = 0;
    unsigned level = 0;
    for (size_t i = 0; i < work->count; i++)
        if (work->class_of[i] == class)
            at_level[ce_locality_level(
                ce_locality_nearest(work->node, work->ports[i].hca, NULL))]++;
    while (level < 2 && 2 * (seen += at_level[level]) < members)
        level++;
    return level;
}

static void measure(struct work *work, size_t c)
{
    struct ce_rail_class *class = &work->classes[c];
    class->members = 0;
    class->rate_mbps = 0;
    for (size_t i = 0; i < work->count; i++) {
        const struct ce_hca_port *port = work->ports[i].port;
        if (work->class_of[i] != c)
            continue;
        class->members++;
        if (port->state == CE_PORT_ACTIVE && port->rate_mbps > class->rate_mbps)
            class->rate_mbps = port->rate_mbps;
    }
    if (!class->rate_mbps)
        class->rate_mbps = nominal_rate(class->first->hca);
    class->level = work->informative ? median_level(work, c, class->members) : 2;
}

/* Is it a number of rails that one would give so many GPUs? */
static bool fits_gpus(const struct work *work, size_t members)
{
    unsigned gpus = work->node->gpu_count;
    return gpus && (members % gpus == 0 || gpus % members == 0);
}

/* A card that was exchanged has another board id; that does not make it another class.  Where the
 * tree does not tell, storage cards of the rails' type would: they spoil a number that fits. */
static bool belong_together(const struct work *work, const struct ce_rail_class *a,
                            const struct ce_rail_class *b)
{
    bool spoils = (fits_gpus(work, a->members) || fits_gpus(work, b->members)) &&
                  !fits_gpus(work, a->members + b->members);
    return same_type(a->first, b->first) && a->level == b->level && a->rate_mbps == b->rate_mbps &&
           (work->informative || !spoils);
}

static void join(struct work *work, size_t into, size_t from)
{
    for (size_t i = 0; i < work->count; i++)
        if (work->class_of[i] == from)
            work->class_of[i] = into;
        else if (work->class_of[i] != SIZE_MAX && work->class_of[i] > from)
            work->class_of[i]--;
    memmove(&work->classes[from], &work->classes[from + 1],
            (work->class_count - from - 1) * sizeof *work->classes);
    work->class_count--;
    measure(work, into);
}

static void join_boards(struct work *work)
{
    for (size_t a = 0; a < work->class_count; a++)
        for (size_t b = a + 1; b < work->class_count;)
            if (belong_together(work, &work->classes[a], &work->classes[b]))
                join(work, a, b);
            else
                b++;
}

static void add_up(struct work *work)
{
    unsigned fastest = 0;
    for (size_t c = 0; c < work->class_count; c++)
        fastest = work->classes[c].rate_mbps > fastest ? work->classes[c].rate_mbps : fastest;
    for (size_t c = 0; c < work->class_count; c++) {
        struct ce_rail_class *class = &work->classes[c];
        unsigned rate = class->rate_mbps ? class->rate_mbps : fastest;
        class->total = (unsigned long long)class->members * (rate ? rate : 1);
    }
}

static bool is_better(const struct ce_rail_class *a, const struct ce_rail_class *b)
{
    enum ce_link_layer layer = a->first->port->link_layer;
    if (a->level != b->level)
        return a->level < b->level;
    if (a->total != b->total)
        return a->total > b->total;
    if (layer != b->first->port->link_layer)
        return layer == CE_LINK_INFINIBAND;
    return a->first < b->first; /* both point into the ports, which are in PCI order */
}

static void swap(struct work *work, size_t a, size_t b)
{
    struct ce_rail_class kept = work->classes[a];
    work->classes[a] = work->classes[b];
    work->classes[b] = kept;
    for (size_t i = 0; i < work->count; i++)
        if (work->class_of[i] == a)
            work->class_of[i] = b;
        else if (work->class_of[i] == b)
            work->class_of[i] = a;
}

static void rank(struct work *work)
{
    for (size_t a = 0; a < work->class_count; a++)
        for (size_t b = a + 1; b < work->class_count; b++)
            if (is_better(&work->classes[b], &work->classes[a]))
                swap(work, a, b);
}

size_t ce_rail_classes(const struct ce_node *node, const struct ce_rail *ports, const bool *in,
                       size_t count, struct ce_rail_class *classes, size_t *class_of)
{
    struct work work = {node, ports, count, classes, 0, class_of, ce_locality_is_informative(node)};
    for (size_t i = 0; i < count; i++) {
        class_of[i] = SIZE_MAX;
        if (in[i])
            put_into_class(&work, i);
    }
    for (size_t c = 0; c < work.class_count; c++)
        measure(&work, c);
    join_boards(&work);
    add_up(&work);
    rank(&work);
    return work.class_count;
}
