/* SPDX-License-Identifier: Apache-2.0 */
#include "report/card.h"

#include <stdio.h>
#include <string.h>

#include "report/words.h"

enum { LINES_MAX = 10, REASON_LINES_MAX = 5, BAND = 22, LINE = 16, PADDING = 8 };

static const struct ce_svg_font band_font = {12, true, false, "#ffffff"},
                                gpu_font = {14, true, false, "#ffffff"},
                                gpu_address_font = {11, false, true, "#cbd5e1"},
                                name_font = {13, true, false, "#0f172a"},
                                plain_font = {11.5, false, false, "#334155"},
                                mono_font = {11, false, true, "#475569"},
                                reason_font = {11, false, false, "#475569"},
                                down_font = {11.5, true, false, CE_CARD_DOWN_COLOUR};

struct card {
    const char *colour; /* of its band and border */
    const char *body;
    char band[CE_WORDS]; /* "": it has no band */
    struct {
        const struct ce_svg_font *font;
        char text[CE_WORDS];
    } lines[LINES_MAX];
    size_t count;
};

const char *ce_card_rail_colour(unsigned index)
{
    static const char *const colours[] = {"#1d5fd1", "#0b7a75", "#7a3fc4", "#b45309",
                                          "#15803d", "#b4237a", "#0e7490", "#8a6d00"};
    return colours[index % (sizeof colours / sizeof *colours)];
}

/* ---------------------------------------------------------------- what stands on it */

static void add_line(struct card *card, const struct ce_svg_font *font, const char *text)
{
    if (!*text || card->count == LINES_MAX)
        return;
    card->lines[card->count].font = font;
    ce_words_clean(card->lines[card->count++].text, text, CE_WORDS);
}

/* What has no room on the last line is cut there. */
static void add_reason(struct card *card, const char *reason, double width)
{
    char line[CE_WORDS];
    for (unsigned i = 1; *reason; i++) {
        size_t length = ce_svg_fit(&reason_font, reason, width);
        if (i == REASON_LINES_MAX || length >= CE_WORDS)
            length = strlen(reason);
        add_line(card, &reason_font, ce_words_clean(line, reason, length));
        reason += length;
        reason += strspn(reason, " ");
    }
}

static bool fits(const struct ce_svg_font *font, const char *text, double width)
{
    return ce_svg_text_width(font, text, CE_WORDS) <= width;
}

/* "InfiniBand 400 Gb/s"; "IB 400 Gb/s", "Eth 400 Gb/s" on a narrow card. */
static void add_link(struct card *card, const struct ce_tree *device, double width)
{
    const char *link = ce_words_link(device->hca, device->port);
    bool infiniband = device->port->link_layer == CE_LINK_INFINIBAND;
    char rate[CE_WORDS], line[2 * CE_WORDS];
    ce_words_port_rate(rate, device->port);
    snprintf(line, sizeof line, "%s%s%s", link, *link ? " " : "", rate);
    if (!fits(&plain_font, line, width))
        snprintf(line, sizeof line, "%.3s %s", infiniband ? "IB" : link, rate);
    add_line(card, &plain_font, line);
}

static void add_state(struct card *card, const struct ce_hca_port *port, double width)
{
    char words[CE_WORDS];
    ce_words_state(words, port);
    if (port->state != CE_PORT_ACTIVE)
        add_line(card, &down_font,
                 fits(&down_font, words, width) ? words : ce_hca_state_name(port->state));
}

static void fill_port(const struct ce_topology *topology, const struct ce_tree *device,
                      double width, struct card *card)
{
    const struct ce_rail *rail = ce_words_rail(topology->rails, device);
    char words[CE_WORDS];
    add_link(card, device, width);
    add_line(card, &mono_font, ce_words_netdevs(words, device->hca));
    add_state(card, device->port, width);
    if (!rail)
        return;
    ce_words_verdict(card->band, topology->rails, rail);
    if (rail->chosen) {
        card->colour = ce_card_rail_colour(rail->index);
        card->body = "#ffffff";
        add_line(card, &mono_font, device->pci->address);
    } else {
        add_reason(card, rail->reason, width);
    }
}

static void fill(const struct ce_topology *topology, const struct ce_tree *device, double width,
                 struct card *card)
{
    char name[CE_WORDS];
    ce_words_name(name, device);
    if (device->kind == CE_TREE_GPU) {
        *card = (struct card){.colour = CE_CARD_GPU_COLOUR, .body = CE_CARD_GPU_COLOUR};
        add_line(card, &gpu_font, name);
        add_line(card, &gpu_address_font, device->pci->address);
        return;
    }
    *card = (struct card){.colour = CE_CARD_KEPT_OUT_COLOUR, .body = "#f1f5f9"};
    add_line(card, &name_font, name);
    if (device->port)
        fill_port(topology, device, width, card);
    else
        add_line(card, &reason_font, "no ports");
    if (!card->band[0])
        snprintf(card->band, sizeof card->band, "HCA");
}

/* ---------------------------------------------------------------- drawing */

static double height_of(const struct card *card)
{
    return (card->band[0] ? BAND : 0) + PADDING + (double)card->count * LINE + 4;
}

double ce_card_height(const struct ce_topology *topology, const struct ce_tree *device,
                      double width)
{
    struct card card;
    fill(topology, device, width - 2 * PADDING, &card);
    return height_of(&card);
}

static void add_title(const struct ce_topology *topology, const struct ce_tree *device,
                      const struct card *card, struct ce_text *out)
{
    const struct ce_rail *rail = ce_words_rail(topology->rails, device);
    char title[2 * CE_WORDS + CE_RAIL_REASON];
    snprintf(title, sizeof title, "%s %s%s%s", card->lines[0].text, device->pci->address,
             rail ? ": " : "", rail ? rail->reason : "");
    ce_svg_title(out, title);
}

/* The band is the card itself, which shows above its body. */
static void draw_frame(const struct card *card, const struct ce_svg_box *box, struct ce_text *out)
{
    struct ce_svg_box body = {box->x + 1.5, box->y + BAND, box->width - 3,
                              box->height - BAND - 1.5};
    ce_svg_rect(out, box, 7, card->colour, NULL);
    if (!card->band[0])
        return;
    ce_svg_rect(out, &body, 5, card->body, NULL);
    ce_svg_text(out, box->x + PADDING, box->y + BAND - 6, box->width - 2 * PADDING, &band_font,
                card->band);
}

void ce_card_draw(const struct ce_topology *topology, const struct ce_tree *device,
                  const struct ce_svg_box *box, struct ce_text *out)
{
    struct card card;
    double width = box->width - 2 * PADDING, y = box->y + PADDING;
    fill(topology, device, width, &card);
    ce_text_add(out, "<g class=\"card\">\n");
    add_title(topology, device, &card, out);
    draw_frame(&card, box, out);
    y += card.band[0] ? BAND : 0;
    for (size_t i = 0; i < card.count; i++) {
        y += LINE;
        ce_svg_text(out, box->x + PADDING, y - 4, width, card.lines[i].font, card.lines[i].text);
    }
    ce_text_add(out, "</g>\n");
}
