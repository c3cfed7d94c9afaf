/* SPDX-License-Identifier: Apache-2.0 */
#include "report/topology.h"

#include <stdio.h>
#include <string.h>

#include "report/card.h"
#include "report/svg.h"
#include "report/tree.h"
#include "report/words.h"

enum {
    WIDTH = 1280,
    MARGIN = 28,
    INNER = WIDTH - 2 * MARGIN,
    GAP = 10,
    CARD_MIN = 118,
    CARD_MAX = 200,
    TITLE = 30, /* of a box */
    PADDING = 10,
    ACROSS_MAX = 4, /* a box that stands beside others asks for room for so many cards */
};

static const struct ce_svg_font host_font = {28, true, false, "#0f172a"},
                                contents_font = {15, false, false, "#475569"},
                                value_font = {15, false, true, "#ffffff"},
                                numa_font = {15, true, false, "#0f172a"},
                                switch_font = {11.5, true, false, "#475569"},
                                text_font = {13, false, false, "#334155"},
                                strong_font = {13, true, false, "#0f172a"},
                                alarm_font = {14, true, false, "#ffffff"};

/* Where to draw; out NULL: nowhere, only the height is wanted. */
struct canvas {
    const struct ce_topology *topology;
    struct ce_text *out;
};

/* ---------------------------------------------------------------- devices */

static size_t count_own(const struct ce_tree *item, enum ce_tree_kind kind)
{
    size_t count = 0;
    for (const struct ce_tree *child = item->children; child; child = child->next)
        count += child->kind == kind;
    return count;
}

static bool is_box(const struct ce_tree *item)
{
    return item->kind == CE_TREE_NUMA || item->kind == CE_TREE_HOST_BRIDGE ||
           item->kind == CE_TREE_SWITCH;
}

/* As many columns as there is room for, but no ragged last row where fewer do as well. */
static size_t columns_for(size_t cards, double width)
{
    size_t most = (size_t)((width + GAP) / (CARD_MIN + GAP));
    most = most ? most : 1;
    size_t rows = (cards + most - 1) / most;
    return rows ? (cards + rows - 1) / rows : 1;
}

static double highest(const struct canvas *canvas, const struct ce_tree *item,
                      enum ce_tree_kind kind, double width)
{
    double most = 0;
    for (const struct ce_tree *child = item->children; child; child = child->next) {
        double height = child->kind == kind ? ce_card_height(canvas->topology, child, width) : 0;
        most = height > most ? height : most;
    }
    return most;
}

/* The devices of one kind in rows of so many cards.  Returns the height, gap included. */
static double draw_cards(const struct canvas *canvas, const struct ce_tree *item,
                         enum ce_tree_kind kind, const struct ce_svg_box *at, size_t columns,
                         double width)
{
    double height = highest(canvas, item, kind, width);
    size_t count = 0;
    for (const struct ce_tree *child = item->children; child; child = child->next) {
        if (child->kind != kind)
            continue;
        struct ce_svg_box box = {at->x + (double)(count % columns) * (width + GAP),
                                 at->y + (double)(count / columns) * (height + GAP), width, height};
        if (canvas->out)
            ce_card_draw(canvas->topology, child, &box, canvas->out);
        count++;
    }
    return (double)((count + columns - 1) / columns) * (height + GAP);
}

static double card_width(double width, size_t columns)
{
    double card = (width - (double)(columns - 1) * GAP) / (double)columns;
    return card > CARD_MAX ? CARD_MAX : card;
}

/* GPUs above HCAs; a GPU as wide as the HCAs below it where that comes out even. */
static double draw_devices(const struct canvas *canvas, const struct ce_tree *item,
                           struct ce_svg_box at)
{
    size_t gpus = count_own(item, CE_TREE_GPU), hcas = count_own(item, CE_TREE_HCA);
    size_t hca_columns = columns_for(hcas, at.width), gpu_columns = columns_for(gpus, at.width);
    bool even = gpus && hca_columns % gpus == 0;
    if (!even) /* at least in line */
        gpu_columns = hca_columns = gpu_columns > hca_columns ? gpu_columns : hca_columns;
    double hca_width = card_width(at.width, hca_columns), gpu_width = hca_width, used = 0;
    if (even) {
        gpu_columns = gpus;
        gpu_width = (double)(hca_columns / gpus) * (hca_width + GAP) - GAP;
    }
    if (gpus)
        used += draw_cards(canvas, item, CE_TREE_GPU, &at, gpu_columns, gpu_width);
    at.y += used;
    if (hcas)
        used += draw_cards(canvas, item, CE_TREE_HCA, &at, hca_columns, hca_width);
    return used;
}

/* ---------------------------------------------------------------- boxes in boxes */

static double draw_contents(const struct canvas *canvas, const struct ce_tree *item,
                            struct ce_svg_box at);

/* How much of a row a box asks for, in cards. */
static size_t units_of(const struct ce_tree *box, size_t most)
{
    size_t gpus = count_own(box, CE_TREE_GPU), hcas = count_own(box, CE_TREE_HCA);
    size_t units = gpus > hcas ? gpus : hcas;
    if (box->kind == CE_TREE_NUMA)
        return most;
    for (const struct ce_tree *child = box->children; child; child = child->next)
        units += is_box(child) ? units_of(child, most) : 0;
    units = units > ACROSS_MAX ? ACROSS_MAX : units;
    return units > most ? most : units;
}

static double box_height(const struct canvas *canvas, const struct ce_tree *box, double width)
{
    const struct canvas nowhere = {canvas->topology, NULL};
    struct ce_svg_box inside = {0, 0, width - 2 * PADDING, 0};
    return TITLE + draw_contents(&nowhere, box, inside) + PADDING - GAP;
}

static void draw_box(const struct canvas *canvas, const struct ce_tree *item,
                     const struct ce_svg_box *box)
{
    bool numa = item->kind == CE_TREE_NUMA;
    struct ce_svg_box inside = {box->x + PADDING, box->y + TITLE, box->width - 2 * PADDING, 0};
    char name[CE_WORDS];
    const char *title = ce_words_name(name, item);
    if (!canvas->out)
        return;
    /* In a narrow box the word PCI and the domain that most machines have only take room. */
    if (ce_svg_text_width(&switch_font, title, CE_WORDS) > inside.width &&
        strncmp(title, "PCI switch 0000:", 16) == 0)
        snprintf(name, sizeof name, "Switch %.*s", (int)item->length - 5, item->name + 5);
    ce_text_add(canvas->out, "<g class=\"box\">\n");
    ce_svg_rect(canvas->out, box, numa ? 12 : 9, numa ? "#ffffff" : "#e8edf4",
                numa ? "#cbd5e1" : "#d3dce8");
    ce_svg_text(canvas->out, inside.x, box->y + 20, inside.width, numa ? &numa_font : &switch_font,
                name);
    draw_contents(canvas, item, inside);
    ce_text_add(canvas->out, "</g>\n");
}

/* A row of boxes from `first` on; returns the one behind it. */
static const struct ce_tree *draw_row(const struct canvas *canvas, const struct ce_tree *first,
                                      struct ce_svg_box at, size_t room, size_t units,
                                      double *height)
{
    double unit = (at.width + GAP) / (double)units, x = at.x;
    const struct ce_tree *end = first;
    size_t taken = 0;
    *height = 0;
    for (; end && (!is_box(end) || taken + units_of(end, room) <= units); end = end->next) {
        if (!is_box(end))
            continue;
        taken += units_of(end, room);
        double tall = box_height(canvas, end, (double)units_of(end, room) * unit - GAP);
        *height = tall > *height ? tall : *height;
    }
    for (const struct ce_tree *item = first; item != end; item = item->next) {
        if (!is_box(item))
            continue;
        double width = (double)units_of(item, room) * unit;
        draw_box(canvas, item, &(struct ce_svg_box){x, at.y, width - GAP, *height});
        x += width;
    }
    return end;
}

/* The most units that one row of these boxes takes: then the widest row fills the width. */
static size_t widest_row(const struct ce_tree *first, size_t room, size_t most)
{
    size_t widest = 0, taken = 0;
    for (const struct ce_tree *item = first; item; item = item->next) {
        size_t units = is_box(item) ? units_of(item, room) : 0;
        taken = taken + units > most ? units : taken + units;
        widest = taken > widest ? taken : widest;
    }
    return widest ? widest : 1;
}

/* NUMA nodes stand two in a row, whatever they hold. */
static double draw_boxes(const struct canvas *canvas, const struct ce_tree *item,
                         struct ce_svg_box at)
{
    size_t room = (size_t)((at.width + GAP) / (CARD_MIN + 2 * PADDING + GAP)), most = room;
    if (item->kind == CE_TREE_MACHINE) {
        room = ACROSS_MAX;
        most = 2 * ACROSS_MAX;
    }
    room = room ? room : 1;
    most = most ? most : 1;
    size_t units = widest_row(item->children, room, most);
    double used = 0, height;
    for (const struct ce_tree *next = item->children; next;) {
        at.y += used;
        next = draw_row(canvas, next, at, room, units, &height);
        at.y -= used;
        used += height > 0 ? height + GAP : 0;
    }
    return used;
}

/* Returns the height, with a gap below. */
static double draw_contents(const struct canvas *canvas, const struct ce_tree *item,
                            struct ce_svg_box at)
{
    at.width = at.width < CARD_MIN ? CARD_MIN : at.width; /* switches nested beyond belief */
    double used = draw_boxes(canvas, item, at);
    at.y += used;
    return used + draw_devices(canvas, item, at);
}

/* ---------------------------------------------------------------- above and below the tree */

/* text in as many lines as it needs; returns the y behind the last. */
static double draw_paragraph(const struct canvas *canvas, double x, double y, double width,
                             const struct ce_svg_font *font, const char *text)
{
    char line[2 * CE_WORDS];
    while (*text) {
        size_t length = ce_svg_fit(font, text, width);
        length = length < sizeof line ? length : sizeof line - 1;
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        ce_svg_text(canvas->out, x, y, width, font, line);
        text += length;
        text += strspn(text, " ");
        y += font->size * 1.5;
    }
    return y;
}

static void describe_variable(const struct ce_topology *topology, struct ce_text *text)
{
    const struct ce_topology_variable *hca = ce_words_variable(topology, "NCCL_IB_HCA");
    if (hca && hca->value)
        ce_text_addf(text, "NCCL_IB_HCA=%s", hca->value);
    else
        ce_text_addf(text, "NCCL_IB_HCA is not set: %s", hca ? hca->reason : "");
}

static double draw_value(const struct canvas *canvas, double y)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    struct ce_svg_box box = {MARGIN, y, INNER, 0};
    double width = INNER - 32, line = value_font.size * 1.5;
    size_t lines = 0;
    describe_variable(canvas->topology, &text);
    for (const char *rest = ce_text_string(&text); *rest; lines++)
        rest += ce_svg_fit(&value_font, rest, width);
    box.height = (double)lines * line + 16;
    ce_text_add(canvas->out, "<g class=\"card\">\n");
    ce_svg_rect(canvas->out, &box, 9, "#0f172a", NULL);
    draw_paragraph(canvas, MARGIN + 16, y + 25, width, &value_font, ce_text_string(&text));
    ce_text_add(canvas->out, "</g>\n");
    return y + box.height;
}

/* A red bar; nothing where there is nothing to say. */
static double draw_alarm(const struct canvas *canvas, double y, const char *text)
{
    struct ce_svg_box box = {MARGIN, y + GAP, INNER, 34};
    if (!*text)
        return y;
    ce_text_add(canvas->out, "<g class=\"card\">\n");
    ce_svg_rect(canvas->out, &box, 9, CE_CARD_DOWN_COLOUR, NULL);
    ce_svg_text(canvas->out, MARGIN + 16, box.y + 22, INNER - 32, &alarm_font, text);
    ce_text_add(canvas->out, "</g>\n");
    return box.y + box.height;
}

static double draw_alarms(const struct canvas *canvas, double y)
{
    const struct ce_rails *rails = canvas->topology->rails;
    ce_autotext struct ce_text down = CE_TEXT(1 << 16), text = CE_TEXT(1 << 16);
    ce_words_degraded(rails, &down);
    if (down.length)
        ce_text_addf(&text, "DEGRADED: %zu of %zu rails down: %s", rails->count - rails->active,
                     rails->count, ce_text_string(&down));
    y = draw_alarm(canvas, y, ce_text_string(&text));
    return draw_alarm(canvas, y, canvas->topology->finding);
}

static double draw_head(const struct canvas *canvas)
{
    const struct ce_topology *topology = canvas->topology;
    char contents[CE_WORDS], decision[CE_WORDS], line[3 * CE_WORDS];
    ce_words_contents(contents, topology->node);
    ce_words_decision(decision, topology->rails);
    snprintf(line, sizeof line, "%s: %s, confidence %s", contents, decision,
             ce_confidence_name(topology->rails->confidence));
    if (topology->rails->verdict == CE_RAILS_NONE)
        snprintf(line, sizeof line, "%s: %s", contents, decision);
    ce_svg_text(canvas->out, MARGIN, 50, INNER, &host_font,
                topology->name[0] ? topology->name : "(unknown host)");
    ce_svg_text(canvas->out, MARGIN, 77, INNER, &contents_font, line);
    return draw_alarms(canvas, draw_value(canvas, 93));
}

/* One swatch of the legend and its words; returns where the next one begins. */
static double draw_key(const struct canvas *canvas, double x, double y, const char *colour,
                       const char *words)
{
    double width = ce_svg_text_width(&text_font, words, CE_WORDS);
    ce_svg_rect(canvas->out, &(struct ce_svg_box){x, y - 12, 18, 14}, 3, colour, NULL);
    ce_svg_text(canvas->out, x + 26, y, width + 1, &text_font, words);
    return x + 26 + width + 24;
}

static double draw_legend(const struct canvas *canvas, double y)
{
    const struct ce_rails *rails = canvas->topology->rails;
    double x = MARGIN;
    y += 20;
    if (canvas->topology->node->gpu_count)
        x = draw_key(canvas, x, y, CE_CARD_GPU_COLOUR, "GPU");
    if (rails->count) {
        for (unsigned i = 0; i < 3; i++, x += 22)
            ce_svg_rect(canvas->out, &(struct ce_svg_box){x, y - 12, 18, 14}, 3,
                        ce_card_rail_colour(i), NULL);
        x = draw_key(canvas, x, y, ce_card_rail_colour(3), "rail, numbered in PCI order");
    }
    if (rails->count < rails->port_count)
        draw_key(canvas, x, y, CE_CARD_KEPT_OUT_COLOUR, "HCA that is no rail, and why");
    return y + 8;
}

/* The cluster interface, and that of the default route where it is another one. */
static double draw_interfaces(const struct canvas *canvas, double y)
{
    static const char *const words[] = {
        [CE_ROLE_CLUSTER] = "Cluster interface",
        [CE_ROLE_SOCKETS] = NULL,
        [CE_ROLE_MANAGEMENT] = "Management",
        [CE_ROLE_RAIL] = NULL,
        [CE_ROLE_UNUSED] = NULL,
        [CE_ROLE_VIRTUAL] = NULL,
    };
    const struct ce_topology *topology = canvas->topology;
    char line[4 * CE_WORDS], address[CE_ADDRESS_TEXT];
    for (size_t i = 0, shown = 0; i < topology->node->netif_count && shown < 4; i++) {
        const struct ce_interface *interface = &topology->interfaces[i];
        const struct ce_netif *netif = interface->netif;
        if (!words[interface->role])
            continue;
        shown++;
        y += 20;
        snprintf(line, sizeof line, "%s %s: %.200s", netif->name,
                 netif->address_count ? ce_address_format(&netif->addresses[0].address, address)
                                      : "",
                 interface->reason);
        ce_svg_text(canvas->out, MARGIN, y, 140, &strong_font, words[interface->role]);
        ce_svg_text(canvas->out, MARGIN + 150, y, INNER - 150, &text_font, line);
    }
    return y;
}

static double draw_body(const struct canvas *canvas, const struct ce_tree *tree)
{
    double y = draw_head(canvas) + 14;
    y += draw_contents(canvas, tree, (struct ce_svg_box){MARGIN, y, INNER, 0});
    y = draw_legend(canvas, y);
    return draw_interfaces(canvas, y) + MARGIN;
}

int ce_report_topology_svg(const struct ce_topology *topology, struct ce_text *out,
                           struct ce_error *err)
{
    ce_auto(ce_tree_destroy) struct ce_tree *tree = ce_tree_create(topology->node, err);
    ce_autotext struct ce_text body = CE_TEXT(out->limit);
    const struct canvas canvas = {topology, &body};
    if (!tree)
        return -1;
    double height = draw_body(&canvas, tree);
    ce_text_addf(out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
                 "height=\"%.0f\" role=\"img\" font-family=\"'Helvetica Neue',Arial,"
                 "'DejaVu Sans',sans-serif\">\n",
                 WIDTH, height, WIDTH, height);
    ce_svg_title(out, topology->name);
    ce_svg_rect(out, &(struct ce_svg_box){0, 0, WIDTH, height}, 0, "#f6f8fb", NULL);
    ce_text_add(out, ce_text_string(&body));
    ce_text_add(out, "</svg>\n");
    return ce_text_ok(&body) && ce_text_ok(out) ? 0 : ce_fail(err, "no memory");
}
