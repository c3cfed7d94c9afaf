/* SPDX-License-Identifier: Apache-2.0 */
#include "refusal.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

struct ce_refusal {
    atomic_bool claimed, said, taken;
};

struct ce_refusal *ce_refusal_create(void)
{
    void *page = mmap(NULL, sizeof(struct ce_refusal), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

void ce_refusal_destroy(struct ce_refusal *refusal)
{
    if (refusal)
        munmap(refusal, sizeof *refusal);
}

bool ce_refusal_claim(struct ce_refusal *refusal)
{
    return !refusal || !atomic_exchange(&refusal->claimed, true);
}

void ce_refusal_said(struct ce_refusal *refusal)
{
    if (refusal)
        atomic_store(&refusal->said, true);
}

bool ce_refusal_take(struct ce_refusal *refusal)
{
    return refusal && atomic_load(&refusal->said) && !atomic_exchange(&refusal->taken, true);
}
