/* SPDX-License-Identifier: Apache-2.0 */
/* What a good node is, as a section of cluster-env.conf: what others like it are expected to be. */
#ifndef CE_REPORT_NODE_CONFIG_H
#define CE_REPORT_NODE_CONFIG_H

#include "base/text.h"
#include "launch/rails.h"

/* Append "nodes = ( { names = NAME; rails = { ... }; } );"; without rails only a comment that says
 * so. */
void ce_report_node_config(const struct ce_rails *rails, const char *node_name,
                           struct ce_text *out);

#endif
