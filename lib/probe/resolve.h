/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's resolver (hosts, DNS, whatever nsswitch.conf says).  It may block for as long as it
 * likes: to be called in a child with a deadline. */
#ifndef CE_PROBE_RESOLVE_H
#define CE_PROBE_RESOLVE_H

#include <stddef.h>

#include "base/error.h"
#include "model/address.h"

/* The addresses of a name, or of an address in text, each once, in the resolver's order, at most
 * `max` of them.  Returns how many; -1 with err where there is none. */
int ce_resolve(const char *name, struct ce_address *ret, size_t max, struct ce_error *err);

#endif
