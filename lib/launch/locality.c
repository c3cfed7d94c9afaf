/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/locality.h"

#include <stddef.h>

enum ce_distance ce_locality_distance(const struct ce_node *node, const struct ce_hca *hca,
                                      unsigned gpu)
{
    enum ce_distance told = gpu < CE_GPUS_MAX ? hca->gpus[gpu] : CE_DISTANCE_UNKNOWN;
    enum ce_distance seen = ce_pci_distance(&hca->pci, &node->gpus[gpu]);
    if (!told || !seen)
        return told ? told : seen;
    return told < seen ? told : seen;
}

enum ce_distance ce_locality_nearest(const struct ce_node *node, const struct ce_hca *hca,
                                     unsigned *gpu)
{
    enum ce_distance nearest = CE_DISTANCE_UNKNOWN;
    for (unsigned i = 0; i < node->gpu_count; i++) {
        enum ce_distance distance = ce_locality_distance(node, hca, i);
        if (!distance || (nearest && distance >= nearest))
            continue;
        nearest = distance;
        if (gpu)
            *gpu = i;
    }
    return nearest;
}

unsigned ce_locality_level(enum ce_distance distance)
{
    switch (distance) {
    case CE_PIX:
    case CE_PXB:
        return 0;
    case CE_PHB:
        return 1;
    case CE_DISTANCE_UNKNOWN:
    case CE_NODE:
    case CE_SYS:
        break;
    }
    return 2;
}

static bool tells_apart(const struct ce_node *node, unsigned gpu)
{
    unsigned near = 2, far = 0;
    for (size_t i = 0; i < node->hca_count; i++) {
        unsigned level = ce_locality_level(ce_locality_distance(node, &node->hcas[i], gpu));
        near = level < near ? level : near;
        far = level > far ? level : far;
    }
    return near < far;
}

bool ce_locality_is_informative(const struct ce_node *node)
{
    for (unsigned i = 0; i < node->gpu_count; i++)
        if (tells_apart(node, i))
            return true;
    return false;
}
