/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU or a port of an HCA as a card of the picture.  For topology_svg.c. */
#ifndef CE_REPORT_CARD_H
#define CE_REPORT_CARD_H

#include "report/svg.h"
#include "report/topology.h"
#include "report/tree.h"

/* The colour of a rail, by its number; they begin anew after the eighth. */
const char *ce_card_rail_colour(unsigned index);
#define CE_CARD_GPU_COLOUR "#1e293b"
#define CE_CARD_KEPT_OUT_COLOUR "#64748b"
#define CE_CARD_DOWN_COLOUR "#c81e1e"

/* How high the card of this device is, at that width. */
double ce_card_height(const struct ce_topology *topology, const struct ce_tree *device,
                      double width);

void ce_card_draw(const struct ce_topology *topology, const struct ce_tree *device,
                  const struct ce_svg_box *box, struct ce_text *out);

#endif
