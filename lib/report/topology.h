/* SPDX-License-Identifier: Apache-2.0 */
/* A node's devices and what was decided about them -> text, picture, JSON.  Computes nothing of the
 * decision. */
#ifndef CE_REPORT_TOPOLOGY_H
#define CE_REPORT_TOPOLOGY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "launch/interface.h"
#include "launch/network.h"
#include "launch/rails.h"

/* A variable as jobs on this node get it. */
struct ce_topology_variable {
    const char *name;
    const char *value;  /* NULL: not written, */
    const char *reason; /* and why not; else where it comes from */
};

struct ce_topology {
    const char *name; /* of the node */
    const struct ce_node *node;
    const struct ce_rails *rails;
    const struct ce_network *network;
    const char *finding; /* how the rails differ from what is expected; "": they do not */
    const struct ce_interface *interfaces; /* one for each of node->netifs, in their order */
    const struct ce_topology_variable *variables;
    size_t variable_count;
};

struct ce_topology_style {
    bool utf8;   /* tree lines; else ASCII */
    bool colour; /* a terminal's escape sequences */
};

/* The tree, the interfaces, the decision, the variables; 80 columns, but for values, which stay on
 * one line.  What the kernel or a file calls a device cannot draw on a terminal.
 * 0; -1 with err: no memory. */
int ce_report_topology_text(const struct ce_topology *topology,
                            const struct ce_topology_style *style, struct ce_text *out,
                            struct ce_error *err);

/* The same as a picture: one static SVG document, 1280 wide, with a background of its own. */
int ce_report_topology_svg(const struct ce_topology *topology, struct ce_text *out,
                           struct ce_error *err);

/* cluster-env(1) has its members. */
int ce_report_topology_json(const struct ce_topology *topology, struct ce_text *out,
                            struct ce_error *err);

#endif
