/* SPDX-License-Identifier: Apache-2.0 */
/* Devices in words, as all forms of the topology have them.  Bytes that are no printable ASCII
 * stand as '?': a name from a file cannot draw on a terminal, and a column is a byte. */
#ifndef CE_REPORT_WORDS_H
#define CE_REPORT_WORDS_H

#include "base/text.h"
#include "report/topology.h"
#include "report/tree.h"

enum { CE_WORDS = 80 };

/* text, cut to fit, into buf; returns buf. */
const char *ce_words_clean(char buf[CE_WORDS], const char *text, size_t length);

/* "GPU 0", "mlx5_0" (of several ports "mlx5_0:1"), "NUMA node 0", "PCI switch 0000:16:00.0". */
const char *ce_words_name(char buf[CE_WORDS], const struct ce_tree *item);

/* "InfiniBand", "Ethernet"; of another link layer the driver's name: "efa". */
const char *ce_words_link(const struct ce_hca *hca, const struct ce_hca_port *port);
/* "400 Gb/s"; "" where it is not known. */
const char *ce_words_rate(char buf[CE_WORDS], unsigned mbps);
/* The same, "" also of a port that is down: what its driver tells then means nothing. */
const char *ce_words_port_rate(char buf[CE_WORDS], const struct ce_hca_port *port);
/* "ACTIVE"; "DOWN (Polling)". */
const char *ce_words_state(char buf[CE_WORDS], const struct ce_hca_port *port);
/* The first of the HCA, and how many more: "eth0 +1"; "". */
const char *ce_words_netdevs(char buf[CE_WORDS], const struct ce_hca *hca);

/* "8 GPUs, 12 HCAs"; GPUs that could not be counted are left out. */
const char *ce_words_contents(char buf[CE_WORDS], const struct ce_node *node);
/* "1,000". */
const char *ce_words_count(char buf[CE_WORDS], size_t count);

/* What was decided about a leaf of the tree; NULL for what is no port. */
const struct ce_rail *ce_words_rail(const struct ce_rails *rails, const struct ce_tree *item);
/* "rail 0", "kept out"; "" where nothing was chosen. */
const char *ce_words_verdict(char buf[CE_WORDS], const struct ce_rails *rails,
                             const struct ce_rail *rail);

/* "8 rails of 400 Gb/s InfiniBand"; what the verdict says where none are chosen. */
const char *ce_words_decision(char buf[CE_WORDS], const struct ce_rails *rails);
/* Append the names of the rails that are not up; nothing where all are. */
void ce_words_degraded(const struct ce_rails *rails, struct ce_text *out);

/* The variable of that name, or NULL. */
const struct ce_topology_variable *ce_words_variable(const struct ce_topology *topology,
                                                     const char *name);

#endif
