/* SPDX-License-Identifier: Apache-2.0 */
/* What a good node is, as a section of cluster-env.conf: what others like it are expected to be. */
#ifndef CE_REPORT_NODE_CONFIG_H
#define CE_REPORT_NODE_CONFIG_H

#include "base/text.h"
#include "launch/rails.h"
#include "model/node.h"

/* Append "nodes = ( { names = NAME; gpus = N; driver = ...; rails = { ... }; } );": GPUs, NVIDIA's driver,
 * the VBIOSes, memory (a hundredth less, for no two kernels keep as much of it), huge pages, the firmware of
 * the rails' cards, the rails.  What the node has not, what is not known, and a firmware that cards of one
 * type do not share is left out; a comment says of the rails why. */
void ce_report_node_config(const struct ce_rails *rails, const struct ce_node *node,
                           const char *node_name, struct ce_text *out);

#endif
