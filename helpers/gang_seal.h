/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that only root of this cluster can make and read: credentials of munge, restricted to uid 0.
 * munged takes each only once. */
#ifndef CE_HELPERS_GANG_SEAL_H
#define CE_HELPERS_GANG_SEAL_H

#include "base/error.h"
#include "base/text.h"

struct gang_seal;

/* socket "": the usual one.  NULL with err. */
struct gang_seal *gang_seal_create(const char *socket, struct ce_error *err);
void gang_seal_destroy(struct gang_seal *seal);

/* Append the credential of the text.  -1 with err: munged does not answer. */
int gang_seal_close(const struct gang_seal *seal, const char *text, struct ce_text *out,
                    struct ce_error *err);
/* Append what was in it.  -1 with err: it is none, of another user, too old, or was read before. */
int gang_seal_open(const struct gang_seal *seal, const char *credential, struct ce_text *out,
                   struct ce_error *err);

#endif
