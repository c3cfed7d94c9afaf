/* SPDX-License-Identifier: Apache-2.0 */
/* Names of hosts in the order of people, and as one host list. */
#ifndef CE_MODEL_HOSTFOLD_H
#define CE_MODEL_HOSTFOLD_H

#include <stddef.h>

#include "base/text.h"

/* node2 before node10, as for qsort() of names; equal only for the same name. */
int ce_hostname_compare(const char *a, const char *b);

/* Append names of hosts (model/hostlist.h), sorted and each once, as "node[001-004,7],login": read again they
 * are the same hosts.  The last number of a name is what is folded. */
void ce_hostfold(const char *const *names, size_t count, struct ce_text *out);

/* The same, but in the order of names, and each as often as it appears. */
void ce_hostfold_in_order(const char *const *names, size_t count, struct ce_text *out);

#endif
