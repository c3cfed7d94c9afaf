/* SPDX-License-Identifier: Apache-2.0 */
/* The few shapes that our pictures are made of.  Texts are escaped; a byte that is no printable
 * ASCII stands as '?'.  The reader's fonts are not known here: widths are those of a wide one
 * (DejaVu Sans), so what fits by them fits. */
#ifndef CE_REPORT_SVG_H
#define CE_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct ce_svg_font {
    double size;
    bool bold, mono;
    const char *colour;
};

struct ce_svg_box {
    double x, y, width, height;
};

/* colour NULL: not filled.  stroke NULL: no line around it. */
void ce_svg_rect(struct ce_text *out, const struct ce_svg_box *box, double radius,
                 const char *colour, const char *stroke);

/* One line of text, its baseline at y; a text wider than `width` is cut and ends in an ellipsis. */
void ce_svg_text(struct ce_text *out, double x, double y, double width,
                 const struct ce_svg_font *font, const char *text);

/* A title element: what a mouse that rests on the group around it shows. */
void ce_svg_title(struct ce_text *out, const char *text);

double ce_svg_text_width(const struct ce_svg_font *font, const char *text, size_t length);

/* How many bytes at the start of text make a line of that width: whole words, or what is between
 * commas, unless a single one is too long.  At least 1 of a text that is not empty. */
size_t ce_svg_fit(const struct ce_svg_font *font, const char *text, double width);

#endif
