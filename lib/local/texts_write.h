/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the three texts: for the programs, kept out of the plugin. */
#ifndef CE_LOCAL_TEXTS_WRITE_H
#define CE_LOCAL_TEXTS_WRITE_H

#include "local/texts.h"

/* Write the three texts (rules: NULL is none; of the node without what only the checks look at), each by rename, mode 0644, creating run_dir (0755) where it is missing.
 * A text that cannot be written leaves the old one.  0 or -1. */
int ce_texts_write(const char *run_dir, const struct ce_node *node, const struct ce_policy *policy,
                   const struct ce_rules *rules, const struct ce_book *book, struct ce_error *err);

#endif
