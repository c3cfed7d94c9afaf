/* SPDX-License-Identifier: Apache-2.0 */
/* What most rails of a node agree on, where nothing is expected of them. */
#ifndef CE_CHECKS_SIBLING_H
#define CE_CHECKS_SIBLING_H

#include "checks/check.h"

typedef const char *(*ce_word_of)(const struct ce_check_port *rail); /* "": not known */
typedef unsigned (*ce_number_of)(const struct ce_check_port *rail);  /* 0: not known */

/* The word that more than half of the rails have; NULL: there is none. */
const char *ce_sibling_word(const struct ce_check_view *view, ce_word_of word_of);
/* The same of a number; 0: there is none. */
unsigned ce_sibling_number(const struct ce_check_view *view, ce_number_of number_of);

#endif
