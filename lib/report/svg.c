/* SPDX-License-Identifier: Apache-2.0 */
#include "report/svg.h"

#include <string.h>

static void add_escaped(struct ce_text *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length && text[i]; i++) {
        switch (text[i]) {
        case '<':
            ce_text_add(out, "&lt;");
            break;
        case '>':
            ce_text_add(out, "&gt;");
            break;
        case '&':
            ce_text_add(out, "&amp;");
            break;
        default:
            ce_text_addn(out, text[i] >= ' ' && text[i] <= '~' ? &text[i] : "?", 1);
        }
    }
}

/* In thousandths of the font's size, by DejaVu Sans. */
static unsigned letter_width(char letter)
{
    if (strchr("ijl.,:;'|! ", letter))
        return 400;
    if (strchr("frtIJ/()[]-\"", letter))
        return 460;
    if (strchr("mwMW%@", letter))
        return 1000;
    return letter >= 'A' && letter <= 'Z' ? 760 : 640;
}

double ce_svg_text_width(const struct ce_svg_font *font, const char *text, size_t length)
{
    unsigned long sum = 0;
    for (size_t i = 0; i < length && text[i]; i++)
        sum += font->mono ? 610 : letter_width(text[i]);
    return (double)sum / 1000 * font->size * (font->bold && !font->mono ? 1.1 : 1);
}

size_t ce_svg_fit(const struct ce_svg_font *font, const char *text, double width)
{
    size_t most = 0, whole = 0;
    while (text[most] && ce_svg_text_width(font, text, most + 1) <= width) {
        most++;
        if (text[most] == '\0' || text[most] == ' ' || text[most - 1] == ',')
            whole = most;
    }
    if (whole == 0)
        whole = most;
    return whole || !*text ? whole : 1;
}

void ce_svg_rect(struct ce_text *out, const struct ce_svg_box *box, double radius,
                 const char *colour, const char *stroke)
{
    ce_text_addf(out,
                 "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" "
                 "fill=\"%s\"",
                 box->x, box->y, box->width, box->height, radius, colour ? colour : "none");
    if (stroke)
        ce_text_addf(out, " stroke=\"%s\"", stroke);
    ce_text_add(out, "/>\n");
}

void ce_svg_text(struct ce_text *out, double x, double y, double width,
                 const struct ce_svg_font *font, const char *text)
{
    size_t length = strlen(text);
    bool cut = ce_svg_text_width(font, text, length) > width;
    while (cut && length > 0 && ce_svg_text_width(font, text, length) + font->size > width)
        length--;
    ce_text_addf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" fill=\"%s\"%s%s>", x, y,
                 font->size, font->colour, font->bold ? " font-weight=\"700\"" : "",
                 font->mono ? " font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\"" : "");
    add_escaped(out, text, length);
    ce_text_add(out, cut ? "&#8230;</text>\n" : "</text>\n");
}

void ce_svg_title(struct ce_text *out, const char *text)
{
    ce_text_add(out, "<title>");
    add_escaped(out, text, strlen(text));
    ce_text_add(out, "</title>\n");
}
