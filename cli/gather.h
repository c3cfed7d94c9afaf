/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a machine, as `cluster-env facts` prints them and `topology` shows them. */
#ifndef CE_CLI_GATHER_H
#define CE_CLI_GATHER_H

#include "base/error.h"
#include "model/node.h"

/* Probe the machine below this root ("/": this machine).  NULL with err. */
struct ce_node *ce_gather(const char *root, struct ce_error *err);

/* The node's name in Slurm: `given`, where it is not NULL; else the host name up to its dot, ""
 * where that is not known. */
void ce_gather_name(const struct ce_node *node, const char *given, char *name, size_t size);

#endif
