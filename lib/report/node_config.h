/* SPDX-License-Identifier: Apache-2.0 */
/* What a good node is, as a section of cluster-env.conf: what others like it are expected to be. */
#ifndef CE_REPORT_NODE_CONFIG_H
#define CE_REPORT_NODE_CONFIG_H

#include "base/text.h"
#include "launch/rails.h"

/* Append "nodes = ( { names = NAME; gpus = N; rails = { ... }; } );".  What the node has not, or what
 * is not known (gpus 0), is left out; a comment says of the rails why. */
void ce_report_node_config(const struct ce_rails *rails, unsigned gpus, const char *node_name,
                           struct ce_text *out);

#endif
