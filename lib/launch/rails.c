/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/rails.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/locality.h"
#include "launch/rail_candidates.h"
#include "launch/rail_class.h"

/* What is worked out for each port beside what the caller gets. */
struct work {
    const struct ce_node *node;
    struct ce_rails *rails;
    bool *in;         /* could be a rail */
    bool *management; /* room for those that are marked so */
    size_t *class_of;
    struct ce_rail_class *classes;
    size_t class_count;
};

const char *ce_rails_verdict_name(enum ce_rails_verdict verdict)
{
    static const char *const names[] = {
        [CE_RAILS_NONE] = "none", [CE_RAILS_PROVIDER] = "provider", [CE_RAILS_UNSURE] = "unsure",
        [CE_RAILS_ALL] = "all",   [CE_RAILS_CHOSEN] = "chosen",
    };
    return names[verdict];
}

const char *ce_confidence_name(enum ce_confidence confidence)
{
    static const char *const names[] = {
        [CE_CONFIDENCE_LOW] = "low",
        [CE_CONFIDENCE_MEDIUM] = "medium",
        [CE_CONFIDENCE_HIGH] = "high",
    };
    return names[confidence];
}

static const char *link_word(enum ce_link_layer link_layer)
{
    return link_layer == CE_LINK_INFINIBAND ? "InfiniBand" : "Ethernet";
}

__attribute__((format(printf, 2, 3))) static void say(struct ce_rail *rail, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(rail->reason, sizeof rail->reason, format, args);
    va_end(args);
}

/* ---------------------------------------------------------------- every port, in PCI order */

/* As NCCL sorts them since 2.29.7, so that a rail has the number that NCCL gives it; an older NCCL
 * counts the devices in the order in which libibverbs lists them. */
static int in_pci_order(const void *a, const void *b)
{
    const struct ce_rail *left = a, *right = b;
    int order = ce_pci_compare(&left->hca->pci, &right->hca->pci);
    if (order == 0)
        order = strverscmp(left->hca->name, right->hca->name);
    return order ? order : (int)left->port->number - (int)right->port->number;
}

static int list_ports(const struct ce_node *node, struct ce_rails *rails, struct ce_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < node->hca_count; i++)
        count += node->hcas[i].port_count;
    rails->ports = calloc(count + 1, sizeof *rails->ports);
    if (!rails->ports)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i < node->hca_count; i++)
        for (size_t k = 0; k < node->hcas[i].port_count; k++)
            rails->ports[rails->port_count++] = (struct ce_rail){
                .hca = &node->hcas[i],
                .port = &node->hcas[i].ports[k],
            };
    qsort(rails->ports, count, sizeof *rails->ports, in_pci_order);
    return 0;
}

/* ---------------------------------------------------------------- who decides */

/* The plugins of these providers choose devices themselves: EFA on AWS; TCPX, FasTrak and gIB on
 * Google's machines, all of which have Google's own network interface. */
static const char *find_provider(const struct ce_node *node)
{
    for (size_t i = 0; i < node->hca_count; i++)
        if (strcmp(node->hcas[i].driver, "efa") == 0)
            return "EFA: the provider's NCCL plugin chooses the devices";
    for (size_t i = 0; i < node->netif_count; i++)
        if (strcmp(node->netifs[i].driver, "gve") == 0)
            return "gVNIC: the provider's NCCL plugin (TCPX, FasTrak or gIB) chooses the devices";
    return NULL;
}

/* ---------------------------------------------------------------- the class that is taken */

/* Its class is near the GPUs, but this one is known to hang somewhere else (with another host bridge,
 * where it does not matter that the NUMA node is not known). */
static bool is_astray(const struct work *work, const struct ce_rail *rail)
{
    enum ce_distance distance = ce_locality_nearest(work->node, rail->hca, NULL);
    return work->classes[0].level == 0 && ce_locality_level(distance) == 2 &&
           (distance || rail->hca->pci.path[0]);
}

static void add_rate(char *text, size_t size, const struct ce_hca_port *port)
{
    if (port->state == CE_PORT_ACTIVE && port->rate_mbps)
        snprintf(text, size, "%g Gb/s ", port->rate_mbps / 1000.0);
    else
        text[0] = '\0';
}

static void explain_rail(const struct work *work, struct ce_rail *rail)
{
    const struct ce_hca_port *port = rail->port;
    char rate[32], near[32] = "", state[64] = "";
    bool hidden = port->link_layer == CE_LINK_ETHERNET && rail->hca->netdev_count == 0 &&
                  port->gid_count == 0;
    unsigned gpu = 0;
    enum ce_distance distance = ce_locality_nearest(work->node, rail->hca, &gpu);
    if (work->classes[0].level < 2 && distance)
        snprintf(near, sizeof near, ", %s to GPU %u", ce_distance_name(distance), gpu);
    if (port->state != CE_PORT_ACTIVE)
        snprintf(state, sizeof state, ", %s (%s)", ce_hca_state_name(port->state),
                 ce_hca_phys_name(port->phys_state));
    add_rate(rate, sizeof rate, port);
    say(rail, "%s%s%s%s%s", rate, link_word(port->link_layer), near, state,
        hidden ? ", no interface or address here" : "");
}

/* Why this class and not that one, in the words of the first thing in which they differ. */
static void explain_other(const struct work *work, struct ce_rail *rail,
                          const struct ce_rail_class *own)
{
    const struct ce_rail_class *best = &work->classes[0];
    char rate[32];
    add_rate(rate, sizeof rate, rail->port);
    if (own->level > best->level)
        say(rail, "farther from the GPUs than the rails");
    else if (own->first->port->link_layer != best->first->port->link_layer)
        say(rail, "%s%s, the rails are %s", rate, link_word(own->first->port->link_layer),
            link_word(best->first->port->link_layer));
    else
        say(rail, "%s%.32s of another class: %zu of it, the rails are %zu %.32s", rate,
            rail->hca->type[0] ? rail->hca->type : "device", own->members, best->members,
            best->first->hca->type);
}

/* In what the rails are ahead of the class that comes next. */
static const char *find_merit(const struct work *work)
{
    const struct ce_rail_class *best = &work->classes[0], *next = &work->classes[1];
    if (work->class_count == 1)
        return "the others are for management, or cannot be";
    if (best->level < next->level)
        return "the class nearest to the GPUs";
    return "the class of the greatest total rate";
}

static void choose_class(struct work *work)
{
    struct ce_rails *rails = work->rails;
    for (size_t i = 0; i < rails->port_count; i++) {
        struct ce_rail *rail = &rails->ports[i];
        if (!work->in[i])
            continue;
        if (work->class_of[i] != 0) {
            explain_other(work, rail, &work->classes[work->class_of[i]]);
        } else if (is_astray(work, rail)) {
            say(rail, "far from every GPU, the rails are near");
        } else {
            rail->chosen = true;
            rail->index = (unsigned)rails->count++;
            rails->active += rail->port->state == CE_PORT_ACTIVE;
            explain_rail(work, rail);
        }
    }
    rails->link_layer = work->classes[0].first->port->link_layer;
    rails->rate_mbps = rails->active ? work->classes[0].rate_mbps : 0;
}

/* ---------------------------------------------------------------- how sure */

/* Two classes within a fifth of each other, and no tree to tell which is meant. */
static bool is_tie(const struct work *work)
{
    if (work->class_count < 2 || work->classes[0].level != work->classes[1].level)
        return false;
    return 5 * work->classes[1].total >= 4 * work->classes[0].total;
}

static enum ce_confidence judge(const struct work *work)
{
    unsigned gpus = work->node->gpu_count;
    size_t rails = work->rails->count;
    if (is_tie(work) || rails > CE_RAILS_MAX)
        return CE_CONFIDENCE_LOW;
    return gpus && (rails % gpus == 0 || gpus % rails == 0) ? CE_CONFIDENCE_HIGH
                                                            : CE_CONFIDENCE_MEDIUM;
}

__attribute__((format(printf, 3, 4))) static void
conclude(struct ce_rails *rails, enum ce_rails_verdict verdict, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(rails->reason, sizeof rails->reason, format, args);
    va_end(args);
    rails->verdict = verdict;
}

/* Nothing is written, so nothing is a rail; NCCL may still use what is up. */
static void give_up(struct work *work, const char *reason)
{
    struct ce_rails *rails = work->rails;
    rails->count = rails->active = 0;
    rails->link_layer = CE_LINK_UNKNOWN;
    rails->rate_mbps = 0;
    for (size_t i = 0; i < rails->port_count; i++) {
        rails->ports[i].chosen = false;
        rails->active += work->in[i] && rails->ports[i].port->state == CE_PORT_ACTIVE;
    }
    conclude(rails, CE_RAILS_UNSURE, "%s", reason);
}

/* NCCL and UCX separate names with ',' and take what follows ':' for the port. */
static bool has_unlistable_name(const struct ce_rails *rails)
{
    for (size_t i = 0; i < rails->port_count; i++)
        if (strpbrk(rails->ports[i].hca->name, ",:"))
            return true;
    return false;
}

static void settle(struct work *work)
{
    struct ce_rails *rails = work->rails;
    rails->confidence = judge(work);
    if (rails->count > CE_RAILS_MAX)
        give_up(work, "more rails than the 32 devices that NCCL keeps");
    else if (has_unlistable_name(rails))
        give_up(work, "a device's name has a comma or a colon, which no list of NCCL can hold");
    else if (rails->confidence == CE_CONFIDENCE_LOW)
        give_up(work,
                "two kinds of devices could be the rails, and the PCI tree does not tell which");
    else if (rails->count == rails->port_count)
        conclude(rails, CE_RAILS_ALL,
                 "every RDMA device is a rail, which is NCCL's own choice too");
    else
        conclude(rails, CE_RAILS_CHOSEN, "%zu of %zu RDMA ports are rails: %s", rails->count,
                 rails->port_count, find_merit(work));
}

static void decide(struct work *work)
{
    struct ce_rails *rails = work->rails;
    ce_rail_candidates(work->node, rails->ports, rails->port_count, work->in, work->management);
    work->class_count = ce_rail_classes(work->node, rails->ports, work->in, rails->port_count,
                                        work->classes, work->class_of);
    if (work->class_count == 0) {
        give_up(work, "none of the RDMA devices could be a rail");
        return;
    }
    choose_class(work);
    settle(work);
}

static int decide_with_memory(const struct ce_node *node, struct ce_rails *rails,
                              struct ce_error *err)
{
    struct work work = {
        .node = node,
        .rails = rails,
        .in = calloc(rails->port_count, sizeof *work.in),
        .management = calloc(rails->port_count, sizeof *work.management),
        .class_of = calloc(rails->port_count, sizeof *work.class_of),
        .classes = calloc(rails->port_count, sizeof *work.classes),
    };
    bool ok = work.in && work.management && work.class_of && work.classes;
    if (ok)
        decide(&work);
    free(work.in);
    free(work.management);
    free(work.class_of);
    free(work.classes);
    return ok ? 0 : ce_fail(err, "no memory");
}

static void leave_to_provider(struct ce_rails *rails, const char *provider)
{
    conclude(rails, CE_RAILS_PROVIDER, "%s", provider);
    rails->confidence = CE_CONFIDENCE_HIGH;
    for (size_t i = 0; i < rails->port_count; i++) {
        say(&rails->ports[i], "left to the provider's plugin");
        rails->active += rails->ports[i].port->state == CE_PORT_ACTIVE;
    }
}

int ce_rails_choose(const struct ce_node *node, struct ce_rails *ret, struct ce_error *err)
{
    *ret = (struct ce_rails){.verdict = CE_RAILS_NONE};
    conclude(ret, CE_RAILS_NONE, "no RDMA device");
    if (!node) {
        conclude(ret, CE_RAILS_UNSURE, "no facts of this node");
        return 0;
    }
    if (list_ports(node, ret, err) < 0)
        return -1;
    if (node->hcas_unread) {
        conclude(ret, CE_RAILS_UNSURE,
                 "the RDMA devices could not be read when the facts were taken");
        return 0;
    }
    const char *provider = find_provider(node);
    if (provider)
        leave_to_provider(ret, provider);
    else if (ret->port_count && decide_with_memory(node, ret, err) < 0)
        return -1;
    return 0;
}

void ce_rails_free(struct ce_rails *rails)
{
    free(rails->ports);
    *rails = (struct ce_rails){.verdict = CE_RAILS_NONE};
}

bool ce_rails_has_netdev(const struct ce_rails *rails, const char *netdev)
{
    for (size_t i = 0; i < rails->port_count; i++)
        if (rails->ports[i].chosen && ce_hca_has_netdev(rails->ports[i].hca, netdev))
            return true;
    return false;
}

static bool has_gid(const struct ce_hca_port *port, int family)
{
    for (size_t i = 0; i < port->gid_count; i++)
        if (port->gids[i].type == CE_GID_ROCE_V2 && port->gids[i].address.family == family &&
            ce_address_is_usable(&port->gids[i].address))
            return true;
    return false;
}

bool ce_rails_need_ipv6(const struct ce_rails *rails)
{
    bool ipv6 = false;
    if (rails->link_layer != CE_LINK_ETHERNET)
        return false;
    for (size_t i = 0; i < rails->port_count; i++) {
        if (!rails->ports[i].chosen)
            continue;
        if (has_gid(rails->ports[i].port, AF_INET))
            return false;
        ipv6 |= has_gid(rails->ports[i].port, AF_INET6);
    }
    return ipv6;
}

/* ---------------------------------------------------------------- lists */

static void add_port(const struct ce_rail *rail, bool with_port, struct ce_text *out)
{
    ce_text_add(out, rail->hca->name);
    if (with_port || rail->hca->port_count > 1)
        ce_text_addf(out, ":%u", rail->port->number);
}

void ce_rails_list(const struct ce_rails *rails, size_t limit, bool with_port, struct ce_text *out)
{
    size_t added = 0;
    for (size_t i = 0; i < rails->port_count; i++) {
        if (!rails->ports[i].chosen || (limit && added == limit))
            continue;
        ce_text_add(out, added++ ? "," : "");
        add_port(&rails->ports[i], with_port, out);
    }
}

static void add_kept_out(const struct ce_rails *rails, struct ce_text *out)
{
    for (size_t i = 0; i < rails->port_count; i++)
        if (!rails->ports[i].chosen)
            add_port(&rails->ports[i], false, out);
}

void ce_rails_nccl(const struct ce_rails *rails, size_t limit, struct ce_text *out)
{
    bool fewer = limit && limit < rails->count;
    if (rails->verdict != CE_RAILS_CHOSEN && !(fewer && rails->verdict == CE_RAILS_ALL))
        return;
    if (!fewer && rails->count + 1 == rails->port_count) {
        ce_text_add(out, "^=");
        add_kept_out(rails, out);
        return;
    }
    ce_text_add(out, "=");
    ce_rails_list(rails, limit, false, out);
}
