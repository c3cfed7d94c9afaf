/* SPDX-License-Identifier: Apache-2.0 */
#include "report/topology.h"

#include <stdio.h>
#include <string.h>

#include "report/tree.h"
#include "report/words.h"

enum { COLUMNS = 80, GAP = 2, GLYPH = 3, VIRTUAL_NAMED_MAX = 3, UNUSED_MAX = 16 };

/* The lines of the tree; each is GLYPH columns wide. */
static const struct glyphs {
    const char *branch, *last, *down, *blank;
} glyph_sets[] = {
    {"|- ", "`- ", "|  ", "   "},
    {"\u251c\u2500 ", "\u2514\u2500 ", "\u2502  ", "   "},
};

enum colour { PLAIN, BOLD, DIM, GOOD, BAD };

enum { NAME, LINK, STATE, NETDEV, VERDICT, CELLS };
struct row {
    char text[CELLS][CE_WORDS];
    enum colour colour[CELLS];
    const char *reason;
};

/* What stands at the left of a line. */
struct margin {
    const char *text;
    size_t width;
};

struct page {
    const struct ce_topology *topology;
    const struct glyphs *glyphs;
    bool colour;
    size_t width[CELLS]; /* of the columns; NAME's with its margin */
    struct ce_text *out;
};

/* ---------------------------------------------------------------- lines */

/* Begin to write in this colour; PLAIN ends it. */
static void turn(struct page *page, enum colour colour)
{
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[32m", "\033[1;31m"};
    ce_text_add(page->out, page->colour ? codes[colour] : "");
}

static void add_coloured(struct page *page, enum colour colour, const char *text)
{
    if (colour == PLAIN || !*text) {
        ce_text_add(page->out, text);
        return;
    }
    turn(page, colour);
    ce_text_add(page->out, text);
    turn(page, PLAIN);
}

static void add_blanks(struct page *page, size_t from, size_t to)
{
    ce_text_addf(page->out, "%*s", (int)(to > from ? to - from : 0), "");
}

/* The words of text, from column `at` on; further lines begin in that column too. */
static void add_wrapped(struct page *page, enum colour colour, const struct margin *margin,
                        size_t at, const char *text)
{
    char word[CE_WORDS];
    size_t column = at;
    turn(page, colour);
    for (size_t length; *text; text += length, text += strspn(text, " ")) {
        length = strcspn(text, " ");
        ce_words_clean(word, text, length);
        if (column > at && column + 1 + strlen(word) > COLUMNS) {
            turn(page, PLAIN);
            ce_text_addf(page->out, "\n%s", margin->text);
            add_blanks(page, margin->width, at);
            turn(page, colour);
            column = at;
        }
        ce_text_addf(page->out, "%s%s", column > at ? " " : "", word);
        column += (column > at) + strlen(word);
    }
    turn(page, PLAIN);
    ce_text_add(page->out, "\n");
}

/* Returns the column behind the last cell. */
static size_t add_cells(struct page *page, size_t column, const struct row *row)
{
    size_t last = CELLS, start = 0;
    while (last > 1 && !row->text[last - 1][0])
        last--;
    for (size_t i = 0; i < last; i++) {
        if (i > 0) {
            start += page->width[i - 1] + (page->width[i - 1] ? GAP : 0);
            add_blanks(page, column, start);
            column = column > start ? column : start;
        }
        add_coloured(page, row->colour[i], row->text[i]);
        column += strlen(row->text[i]);
    }
    return column;
}

/* A reason that does not fit behind the cells stands below the second of them. */
static void add_row(struct page *page, const struct margin *first, const struct margin *further,
                    const struct row *row)
{
    ce_text_add(page->out, first->text);
    size_t column = add_cells(page, first->width, row), indent = page->width[NAME] + GAP;
    bool fits = column + GAP + strlen(row->reason) <= COLUMNS;
    if (!*row->reason) {
        ce_text_add(page->out, "\n");
        return;
    }
    if (fits) {
        indent = column + GAP;
        add_blanks(page, column, indent);
    } else {
        ce_text_addf(page->out, "\n%s", further->text);
        add_blanks(page, further->width, indent);
    }
    add_wrapped(page, DIM, further, indent, row->reason);
}

static void widen(struct page *page, size_t margin, const struct row *row)
{
    for (size_t i = 0; i < CELLS; i++) {
        size_t width = strlen(row->text[i]) + (i == NAME ? margin : 0);
        if (width > page->width[i])
            page->width[i] = width;
    }
}

static void set_cell(struct row *row, size_t cell, enum colour colour, const char *text)
{
    snprintf(row->text[cell], sizeof row->text[cell], "%s", text);
    row->colour[cell] = colour;
}

static void add_heading(struct page *page, const char *text)
{
    add_coloured(page, BOLD, text);
    ce_text_add(page->out, "\n");
}

/* ---------------------------------------------------------------- the tree */

static void fill_port(const struct page *page, const struct ce_tree *item, struct row *row)
{
    const struct ce_rails *rails = page->topology->rails;
    const struct ce_rail *rail = ce_words_rail(rails, item);
    char rate[CE_WORDS], state[CE_WORDS];
    ce_words_port_rate(rate, item->port);
    ce_words_state(state, item->port);
    ce_words_clean(row->text[LINK], ce_words_link(item->hca, item->port), CE_HCA_WORD);
    snprintf(row->text[STATE], CE_WORDS, "%.40s%s%.38s", rate, *rate ? " " : "", state);
    row->colour[STATE] = item->port->state == CE_PORT_ACTIVE ? PLAIN : BAD;
    ce_words_netdevs(row->text[NETDEV], item->hca);
    ce_words_verdict(row->text[VERDICT], rails, rail);
    row->colour[VERDICT] = rail && rail->chosen ? GOOD : DIM;
    row->reason = rail ? rail->reason : "";
}

static void fill_device(const struct page *page, const struct ce_tree *item, struct row *row)
{
    *row = (struct row){.reason = ""};
    ce_words_name(row->text[NAME], item);
    if (item->kind == CE_TREE_GPU)
        ce_words_clean(row->text[LINK], item->pci->address, CE_PCI_ADDRESS);
    else if (item->kind == CE_TREE_HCA && item->port)
        fill_port(page, item, row);
    else if (item->kind == CE_TREE_HCA)
        row->reason = "its ports could not be read";
}

/* NUMA nodes are headings; what is below the machine itself has a line of the tree, too. */
static size_t margin_of(const struct ce_tree *item)
{
    size_t width = 0;
    for (; item->kind != CE_TREE_MACHINE && item->kind != CE_TREE_NUMA; item = item->parent)
        width += GLYPH;
    return width;
}

static void measure(struct page *page, const struct ce_tree *tree)
{
    struct row row;
    for (const struct ce_tree *item = tree->children; item; item = item->next) {
        fill_device(page, item, &row);
        if (item->kind == CE_TREE_GPU) /* its address may reach into the columns of HCAs */
            row.text[LINK][0] = '\0';
        if (item->kind == CE_TREE_GPU || item->kind == CE_TREE_HCA)
            widen(page, margin_of(item), &row);
        measure(page, item);
    }
}

static void add_items(struct page *page, const struct ce_tree *tree, const char *before);

static void add_item(struct page *page, const struct ce_tree *item, const char *before)
{
    const struct glyphs *glyphs = page->glyphs;
    char first[CE_TREE_DEPTH_MAX * 8] = "", further[CE_TREE_DEPTH_MAX * 8] = "";
    struct row row;
    if (item->kind != CE_TREE_NUMA) {
        snprintf(first, sizeof first, "%s%s", before, item->next ? glyphs->branch : glyphs->last);
        snprintf(further, sizeof further, "%s%s", before,
                 item->next ? glyphs->down : glyphs->blank);
    }
    fill_device(page, item, &row);
    row.colour[NAME] = item->children ? BOLD : PLAIN;
    add_row(page, &(struct margin){first, margin_of(item)},
            &(struct margin){further, margin_of(item)}, &row);
    add_items(page, item, further);
    if (item->kind == CE_TREE_NUMA)
        ce_text_add(page->out, "\n");
}

static void add_items(struct page *page, const struct ce_tree *tree, const char *before)
{
    for (const struct ce_tree *item = tree->children; item; item = item->next)
        add_item(page, item, before);
}

static int add_tree(struct page *page, struct ce_error *err)
{
    ce_auto(ce_tree_destroy) struct ce_tree *tree = ce_tree_create(page->topology->node, err);
    if (!tree)
        return -1;
    measure(page, tree);
    add_items(page, tree, "");
    const struct ce_tree *last = tree->children;
    while (last && last->next)
        last = last->next;
    if (last && last->kind != CE_TREE_NUMA)
        ce_text_add(page->out, "\n");
    return 0;
}

/* ---------------------------------------------------------------- interfaces */

static bool is_of_hca(const struct ce_node *node, const struct ce_netif *netif)
{
    for (size_t i = 0; i < node->hca_count; i++)
        if (ce_hca_has_netdev(&node->hcas[i], netif->name))
            return true;
    return false;
}

/* An HCA's own interface stands at the HCA, and here only where the job's sockets or the default
 * route use it. */
static bool is_listed(const struct page *page, const struct ce_interface *interface)
{
    switch (interface->role) {
    case CE_ROLE_CLUSTER:
    case CE_ROLE_SOCKETS:
    case CE_ROLE_MANAGEMENT:
        return true;
    case CE_ROLE_RAIL:
    case CE_ROLE_VIRTUAL:
        return false;
    case CE_ROLE_UNUSED:
        break;
    }
    return !is_of_hca(page->topology->node, interface->netif);
}

static void fill_interface(const struct ce_interface *interface, struct row *row)
{
    static const char *const verdicts[] = {
        [CE_ROLE_CLUSTER] = "cluster interface",
        [CE_ROLE_SOCKETS] = "for sockets, too",
        [CE_ROLE_RAIL] = "rail",
        [CE_ROLE_MANAGEMENT] = "management",
        [CE_ROLE_UNUSED] = "not used",
        [CE_ROLE_VIRTUAL] = "not used",
    };
    const struct ce_netif *netif = interface->netif;
    char rate[CE_WORDS], address[CE_ADDRESS_TEXT] = "";
    bool good = interface->role == CE_ROLE_CLUSTER || interface->role == CE_ROLE_SOCKETS;
    *row = (struct row){.reason = interface->reason};
    ce_words_clean(row->text[NAME], netif->name, sizeof netif->name);
    set_cell(row, LINK, PLAIN, netif->kind == CE_NETIF_INFINIBAND ? "InfiniBand" : "Ethernet");
    ce_words_rate(rate, netif->up ? netif->speed_mbps : 0);
    snprintf(row->text[STATE], CE_WORDS, "%.40s%s%s", rate, *rate ? " " : "",
             netif->up ? "up" : "down");
    if (netif->address_count)
        ce_address_format(&netif->addresses[0].address, address);
    set_cell(row, NETDEV, PLAIN, address);
    set_cell(row, VERDICT, good ? GOOD : DIM, verdicts[interface->role]);
}

/* "lo, docker0: virtual, not used"; of many only how many. */
static void add_virtual(struct page *page)
{
    const struct ce_topology *topology = page->topology;
    char names[CE_WORDS] = "", count[CE_WORDS];
    size_t found = 0, length = 0;
    for (size_t i = 0; i < topology->node->netif_count; i++) {
        char name[CE_WORDS];
        if (topology->interfaces[i].role != CE_ROLE_VIRTUAL)
            continue;
        ce_words_clean(name, topology->interfaces[i].netif->name, CE_NETIF_NAME);
        if (found++ < VIRTUAL_NAMED_MAX)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       found > 1 ? ", " : "", name);
    }
    if (found > VIRTUAL_NAMED_MAX)
        ce_text_addf(page->out, "  %s virtual interfaces, not used\n",
                     ce_words_count(count, found));
    else if (found)
        ce_text_addf(page->out, "  %s: virtual, not used\n", names);
}

/* Measure, or add, those that are listed; returns how many had no room. */
static size_t each_interface(struct page *page, bool add)
{
    const struct margin margin = {"  ", 2};
    const struct ce_topology *topology = page->topology;
    size_t unused = 0;
    struct row row;
    for (size_t i = 0; i < topology->node->netif_count; i++) {
        const struct ce_interface *interface = &topology->interfaces[i];
        if (!is_listed(page, interface))
            continue;
        if (interface->role == CE_ROLE_UNUSED && unused++ >= UNUSED_MAX)
            continue;
        fill_interface(interface, &row);
        if (add)
            add_row(page, &margin, &margin, &row);
        else
            widen(page, margin.width, &row);
    }
    return unused > UNUSED_MAX ? unused - UNUSED_MAX : 0;
}

static void add_interfaces(struct page *page)
{
    char count[CE_WORDS];
    memset(page->width, 0, sizeof page->width);
    add_heading(page, "Interfaces");
    each_interface(page, false);
    size_t more = each_interface(page, true);
    if (more)
        ce_text_addf(page->out, "  %s more, not used\n", ce_words_count(count, more));
    add_virtual(page);
    if (page->topology->node->netif_count == 0)
        ce_text_add(page->out, "  none\n");
    ce_text_add(page->out, "\n");
}

/* ---------------------------------------------------------------- decision and variables */

static void add_decision(struct page *page)
{
    const struct margin margin = {"  ", 2};
    const struct ce_rails *rails = page->topology->rails;
    ce_autotext struct ce_text down = CE_TEXT(1 << 16);
    char words[CE_WORDS];
    add_heading(page, "Decision");
    ce_text_addf(page->out, "  %s", ce_words_decision(words, rails));
    if (rails->verdict != CE_RAILS_NONE)
        ce_text_addf(page->out, "; confidence %s", ce_confidence_name(rails->confidence));
    ce_text_add(page->out, "\n  ");
    add_wrapped(page, PLAIN, &margin, margin.width, rails->reason);
    if (*page->topology->finding) {
        ce_text_add(page->out, "  ");
        add_wrapped(page, BAD, &margin, margin.width, page->topology->finding);
    }
    ce_words_degraded(rails, &down);
    if (down.length) {
        ce_text_add(page->out, "  ");
        add_coloured(page, BAD, "DEGRADED");
        ce_text_addf(page->out, ": %zu of %zu rails down:\n    ", rails->count - rails->active,
                     rails->count);
        add_wrapped(page, BAD, &(struct margin){"    ", 4}, 4, ce_text_string(&down));
    }
    ce_text_add(page->out, "\n");
}

static void add_clean(struct page *page, const char *text)
{
    char piece[CE_WORDS];
    for (size_t length = strlen(text), n; length > 0; text += n, length -= n) {
        n = length < CE_WORDS - 1 ? length : CE_WORDS - 1;
        ce_text_add(page->out, ce_words_clean(piece, text, n));
    }
}

static void add_variables(struct page *page)
{
    const struct ce_topology *topology = page->topology;
    add_heading(page, "Variables");
    for (size_t i = 0; i < topology->variable_count; i++) {
        const struct ce_topology_variable *variable = &topology->variables[i];
        ce_text_addf(page->out, "  %s", variable->name);
        if (variable->value) {
            ce_text_add(page->out, "=");
            add_clean(page, variable->value);
            ce_text_add(page->out, "\n");
            continue;
        }
        size_t at = 2 + strlen(variable->name) + 2;
        ce_text_add(page->out, "  ");
        ce_text_add(page->out, "not set: ");
        add_wrapped(page, DIM, &(struct margin){"", 0}, at + 9, variable->reason);
    }
}

int ce_report_topology_text(const struct ce_topology *topology,
                            const struct ce_topology_style *style, struct ce_text *out,
                            struct ce_error *err)
{
    struct page page = {topology, &glyph_sets[style->utf8], style->colour, {0}, out};
    char name[CE_WORDS], contents[CE_WORDS];
    add_coloured(&page, BOLD, ce_words_clean(name, topology->name, strlen(topology->name)));
    ce_text_addf(out, "%s%s\n\n", *name ? ": " : "", ce_words_contents(contents, topology->node));
    if (add_tree(&page, err) < 0)
        return -1;
    add_interfaces(&page);
    add_decision(&page);
    add_variables(&page);
    return ce_text_ok(out) ? 0 : ce_fail(err, "no memory");
}
