/* SPDX-License-Identifier: Apache-2.0 */
/* A task's environment behind a SPANK handle, as lib/ knows environments. */
#ifndef CE_SPANK_SPANK_ENV_H
#define CE_SPANK_SPANK_ENV_H

#include <slurm/spank.h>

#include "base/environ.h"

/* Valid while the handle is: inside one hook. */
struct ce_environ ce_spank_environ(spank_t spank);

#endif
