/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run.h"

const char *ce_done_name(enum ce_done done)
{
    static const char *const names[CE_DONE_COUNT] = {
        [CE_DONE_NOTHING] = "nothing",
        [CE_DONE_OBSERVED] = "observed",
        [CE_DONE_HELD_BACK] = "held_back",
        [CE_DONE_DRAINED] = "drained",
    };
    return names[done];
}
