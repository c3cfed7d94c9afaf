/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what the nodes of a job tell each other (model/gang.h, gang_nccl.h).  All return 0, or -1 with
 * err. */
#ifndef CE_MODEL_GANG_FIELDS_H
#define CE_MODEL_GANG_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/record.h"

/* An absent key is 0, at most `max`, which fits. */
int ce_gang_read_number(const struct ce_record *record, const char *key, uint64_t max,
                        uint32_t *ret, struct ce_error *err);
int ce_gang_read_switch(const struct ce_record *record, const char *key, bool *ret,
                        struct ce_error *err);
/* What another node says is shown to people: printable, or refused.  An absent key is "". */
int ce_gang_read_text(const struct ce_record *record, const char *key, char *ret, size_t size,
                      struct ce_error *err);
/* Which of the names; an absent key is refused. */
int ce_gang_read_name(const struct ce_record *record, const char *key, const char *const *names,
                      size_t count, unsigned *ret, struct ce_error *err);

#endif
