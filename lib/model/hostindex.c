/* SPDX-License-Identifier: Apache-2.0 */
#include "model/hostindex.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Open addressing, at most half full. */
struct ce_hostindex {
    const struct ce_hostlist *list;
    size_t mask;
    uint32_t slots[]; /* place + 1; 0: free */
};

/* The slot of that name, or the free one where it would stand. */
static size_t slot_of(const struct ce_hostindex *index, const char *name)
{
    size_t slot = ce_hash(name) & index->mask;
    while (index->slots[slot] &&
           strcmp(ce_hostlist_name(index->list, index->slots[slot] - 1), name) != 0)
        slot = (slot + 1) & index->mask;
    return slot;
}

struct ce_hostindex *ce_hostindex_create(const struct ce_hostlist *list)
{
    size_t count = ce_hostlist_count(list), room = 64;
    while (room < count * 2)
        room *= 2;
    struct ce_hostindex *index = calloc(1, sizeof *index + room * sizeof *index->slots);
    if (!index)
        return NULL;
    index->list = list;
    index->mask = room - 1;
    for (size_t i = 0; i < count; i++) {
        size_t slot = slot_of(index, ce_hostlist_name(list, i));
        if (!index->slots[slot])
            index->slots[slot] = (uint32_t)i + 1;
    }
    return index;
}

void ce_hostindex_destroy(struct ce_hostindex *index)
{
    free(index);
}

bool ce_hostindex_find(const struct ce_hostindex *index, const char *name, size_t *place)
{
    uint32_t found = index->slots[slot_of(index, name)];
    if (found && place)
        *place = found - 1;
    return found != 0;
}
