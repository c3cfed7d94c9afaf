/* SPDX-License-Identifier: Apache-2.0 */
#include "model/hca.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const link_layers[] = {
    [CE_LINK_UNKNOWN] = "unknown",
    [CE_LINK_INFINIBAND] = "infiniband",
    [CE_LINK_ETHERNET] = "ethernet",
};
static const char *const gid_types[] = {
    [CE_GID_UNKNOWN] = "unknown",
    [CE_GID_IB] = "ib",
    [CE_GID_ROCE_V1] = "v1",
    [CE_GID_ROCE_V2] = "v2",
};
static const char *const states[] = {"unknown", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};
static const char *const phys_states[] = {
    "unknown", "Sleep",    "Polling", "Disabled", "PortConfigurationTraining",
    "LinkUp",  "Recovery", "PhyTest",
};

const char *ce_link_layer_name(enum ce_link_layer link_layer)
{
    return link_layers[link_layer];
}

int ce_link_layer_parse(const char *text, enum ce_link_layer *ret)
{
    for (unsigned i = CE_LINK_INFINIBAND; i < COUNT(link_layers); i++)
        if (strcmp(link_layers[i], text) == 0) {
            *ret = (enum ce_link_layer)i;
            return 0;
        }
    return -1;
}

const char *ce_hca_state_name(unsigned state)
{
    return states[state < COUNT(states) ? state : 0];
}

const char *ce_hca_phys_name(unsigned phys_state)
{
    return phys_states[phys_state < COUNT(phys_states) ? phys_state : 0];
}

void ce_hca_free(struct ce_hca *hca)
{
    free(hca->ports);
    hca->ports = NULL;
    hca->port_count = 0;
}

struct ce_hca_port *ce_hca_add_port(struct ce_hca *hca, unsigned number)
{
    size_t at = 0;
    while (at < hca->port_count && hca->ports[at].number < number)
        at++;
    bool there = at < hca->port_count && hca->ports[at].number == number;
    if (there || hca->port_count == CE_HCA_PORTS_MAX)
        return NULL;
    struct ce_hca_port *ports = realloc(hca->ports, (hca->port_count + 1) * sizeof *ports);
    if (!ports)
        return NULL;
    memmove(&ports[at + 1], &ports[at], (hca->port_count - at) * sizeof *ports);
    ports[at] = (struct ce_hca_port){.number = number};
    hca->ports = ports;
    hca->port_count++;
    return &ports[at];
}

bool ce_hca_has_netdev(const struct ce_hca *hca, const char *netdev)
{
    for (size_t i = 0; i < hca->netdev_count; i++)
        if (strcmp(hca->netdevs[i], netdev) == 0)
            return true;
    return false;
}

bool ce_hca_is_active(const struct ce_hca *hca)
{
    for (size_t i = 0; i < hca->port_count; i++)
        if (hca->ports[i].state == CE_PORT_ACTIVE)
            return true;
    return false;
}

/* ---------------------------------------------------------------- writing */

static void add_word(struct ce_text *out, const char *value, const char *prefix, const char *key)
{
    if (value[0])
        ce_record_add(out, value, "%s.%s", prefix, key);
}

static void add_known(struct ce_text *out, unsigned value, const char *prefix, const char *key)
{
    if (value)
        ce_record_add_number(out, value, "%s.%s", prefix, key);
}

/* "fe80::1 v1", "10.0.0.1 v2 eth1" */
static void write_gid(const struct ce_gid *gid, const char *prefix, struct ce_text *out)
{
    char value[CE_ADDRESS_TEXT + CE_NETIF_NAME + 16], address[CE_ADDRESS_TEXT];
    snprintf(value, sizeof value, "%s %s%s%s", ce_address_format(&gid->address, address),
             gid_types[gid->type], gid->netdev[0] ? " " : "", gid->netdev);
    ce_record_add(out, value, "%s.gid.%u", prefix, gid->index);
}

static void write_port(const struct ce_hca_port *port, const char *device, struct ce_text *out)
{
    char prefix[4 * CE_HCA_NAME];
    snprintf(prefix, sizeof prefix, "%s.%u", device, port->number);
    ce_record_add_number(out, port->state, "%s.state", prefix);
    add_known(out, port->phys_state, prefix, "phys_state");
    add_word(out, port->link_layer ? link_layers[port->link_layer] : "", prefix, "link_layer");
    add_known(out, port->rate_mbps, prefix, "rate_mbps");
    add_known(out, port->width, prefix, "width");
    for (size_t i = 0; i < port->gid_count; i++)
        write_gid(&port->gids[i], prefix, out);
    ce_counters_write(&port->counters, prefix, out);
    add_known(out, port->mtu, prefix, "mtu");
    ce_pkeys_write(&port->pkeys, prefix, out);
}

static void write_link(const struct ce_pci_link *link, const char *prefix, struct ce_text *out)
{
    add_known(out, link->width, prefix, "link.width");
    add_known(out, link->width_max, prefix, "link.width_max");
    add_known(out, link->speed_mtps, prefix, "link.speed_mtps");
    add_known(out, link->speed_max_mtps, prefix, "link.speed_max_mtps");
}

void ce_hca_write(const struct ce_hca *hca, struct ce_text *out)
{
    char prefix[CE_KEY_PART + 4] = "ib.";
    ce_key_encode(hca->name, prefix + 3, sizeof prefix - 3);
    add_known(out, hca->node_type, prefix, "node_type");
    add_word(out, hca->type, prefix, "type");
    add_word(out, hca->board_id, prefix, "board_id");
    add_word(out, hca->firmware, prefix, "firmware");
    add_word(out, hca->driver, prefix, "driver");
    add_word(out, hca->role, prefix, "role");
    ce_pci_write(&hca->pci, prefix, out);
    ce_record_add_number(out, hca->virtual_function, "%s.vf", prefix);
    if (hca->opens)
        ce_record_add_number(out, hca->opens == CE_ANSWER_YES, "%s.opens", prefix);
    if (hca->uverbs)
        ce_record_add_number(out, hca->uverbs == CE_ANSWER_YES, "%s.uverbs", prefix);
    write_link(&hca->link, prefix, out);
    for (size_t i = 0; i < hca->netdev_count; i++)
        ce_record_add(out, hca->netdevs[i], "%s.netdev.%zu", prefix, i);
    for (unsigned i = 0; i < CE_GPUS_MAX; i++)
        if (hca->gpus[i])
            ce_record_add(out, ce_distance_name(hca->gpus[i]), "%s.gpu.%u", prefix, i);
    for (size_t i = 0; i < hca->port_count; i++)
        write_port(&hca->ports[i], prefix, out);
}

/* ---------------------------------------------------------------- reading */

static int read_word(const struct ce_record *record, const char *prefix, const char *key,
                     char ret[CE_HCA_WORD], struct ce_error *err)
{
    const char *value = ce_record_get(record, "%s.%s", prefix, key);
    if (value && ce_copy(ret, CE_HCA_WORD, value) < 0)
        return ce_fail(err, "%s.%s=%.40s...: longer than %d bytes", prefix, key, value,
                       CE_HCA_WORD - 1);
    return 0;
}

static int read_known(const struct ce_record *record, const char *prefix, const char *key,
                      unsigned max, unsigned *ret, struct ce_error *err)
{
    uint64_t value = 0;
    int known = ce_record_number(record, 0, max, &value, err, "%s.%s", prefix, key);
    *ret = (unsigned)value;
    return known;
}

static enum ce_gid_type gid_type_of(const char *name)
{
    for (unsigned i = 0; i < COUNT(gid_types); i++)
        if (strcmp(gid_types[i], name) == 0)
            return (enum ce_gid_type)i;
    return CE_GID_UNKNOWN;
}

static int read_gid(const char *text, unsigned index, struct ce_gid *ret)
{
    char address[CE_ADDRESS_TEXT], type[16], netdev[CE_NETIF_NAME] = "";
    int fields = sscanf(text, "%45s %15s %15s", address, type, netdev);
    *ret = (struct ce_gid){.index = index, .type = fields > 1 ? gid_type_of(type) : CE_GID_UNKNOWN};
    ce_copy(ret->netdev, sizeof ret->netdev, netdev);
    return fields < 2 ? -1 : ce_address_parse(address, &ret->address);
}

/* A number as we write it: "01" would be a second 1. */
static int parse_index(const char *part, uint32_t min, uint32_t max, uint32_t *ret)
{
    return part[0] == '0' && part[1] ? -1 : ce_parse_u32(part, min, max, ret);
}

static int read_gids(const struct ce_record *record, const char *prefix, struct ce_hca_port *port,
                     struct ce_error *err)
{
    char below[8 * CE_HCA_NAME], part[16];
    uint32_t index = 0;
    snprintf(below, sizeof below, "%s.gid.", prefix);
    for (size_t at = 0; ce_record_next_part(record, below, &at, part, sizeof part);) {
        const char *text = ce_record_get(record, "%s%s", below, part);
        if (parse_index(part, 0, UINT16_MAX, &index) < 0 || !text ||
            port->gid_count == CE_PORT_GIDS_MAX ||
            read_gid(text, index, &port->gids[port->gid_count]) < 0)
            return ce_fail(err, "%s%s=%.60s: expected up to %d like 'fe80::1 v2 eth1'", below, part,
                           text ? text : "", CE_PORT_GIDS_MAX);
        port->gid_count++;
    }
    return 0;
}

static int read_port(const struct ce_record *record, const char *device, struct ce_hca_port *port,
                     struct ce_error *err)
{
    char prefix[4 * CE_HCA_NAME];
    snprintf(prefix, sizeof prefix, "%s.%u", device, port->number);
    const char *link_layer = ce_record_get(record, "%s.link_layer", prefix);
    /* A link layer that a newer writer knows and we do not is one we cannot use. */
    if (link_layer && ce_link_layer_parse(link_layer, &port->link_layer) < 0)
        port->link_layer = CE_LINK_UNKNOWN;
    if (read_known(record, prefix, "state", 255, &port->state, err) < 0 ||
        read_known(record, prefix, "phys_state", 255, &port->phys_state, err) < 0 ||
        read_known(record, prefix, "rate_mbps", INT_MAX, &port->rate_mbps, err) < 0 ||
        read_known(record, prefix, "width", 255, &port->width, err) < 0 ||
        read_known(record, prefix, "mtu", INT_MAX, &port->mtu, err) < 0 ||
        ce_counters_read(record, prefix, &port->counters, err) < 0 ||
        ce_pkeys_read(record, prefix, &port->pkeys, err) < 0)
        return -1;
    return read_gids(record, prefix, port, err);
}

/* A part of digits below the device is a port. */
static int read_ports(const struct ce_record *record, const char *device, struct ce_hca *hca,
                      struct ce_error *err)
{
    char below[4 * CE_HCA_NAME], part[32];
    uint32_t number = 0;
    snprintf(below, sizeof below, "%s.", device);
    for (size_t at = 0; ce_record_next_part(record, below, &at, part, sizeof part);) {
        if (parse_index(part, 1, UINT8_MAX, &number) < 0)
            continue;
        struct ce_hca_port *port = ce_hca_add_port(hca, number);
        if (!port)
            return ce_fail(err, "%s: more than %d ports", device, CE_HCA_PORTS_MAX);
        if (read_port(record, device, port, err) < 0)
            return -1;
    }
    return 0;
}

static int read_netdevs(const struct ce_record *record, const char *prefix, struct ce_hca *hca,
                        struct ce_error *err)
{
    for (size_t i = 0; i < CE_HCA_NETDEVS_MAX; i++) {
        const char *name = ce_record_get(record, "%s.netdev.%zu", prefix, i);
        if (!name)
            return 0;
        if (ce_copy(hca->netdevs[i], CE_NETIF_NAME, name) < 0)
            return ce_fail(err, "%s.netdev.%zu=%.40s: not an interface name", prefix, i, name);
        hca->netdev_count = i + 1;
    }
    return 0;
}

static int read_distances(const struct ce_record *record, const char *prefix, struct ce_hca *hca,
                          struct ce_error *err)
{
    for (unsigned i = 0; i < CE_GPUS_MAX; i++) {
        const char *text = ce_record_get(record, "%s.gpu.%u", prefix, i);
        if (text && ce_distance_parse(text, &hca->gpus[i]) < 0)
            return ce_fail(err, "%s.gpu.%u=%.40s: expected PIX, PXB, PHB, NODE or SYS", prefix, i,
                           text);
    }
    return 0;
}

static int read_words(const struct ce_record *record, const char *prefix, struct ce_hca *hca,
                      struct ce_error *err)
{
    const struct {
        const char *key;
        char *value;
    } words[] = {
        {"type", hca->type},     {"board_id", hca->board_id}, {"firmware", hca->firmware},
        {"driver", hca->driver}, {"role", hca->role},
    };
    for (size_t i = 0; i < COUNT(words); i++)
        if (read_word(record, prefix, words[i].key, words[i].value, err) < 0)
            return -1;
    return 0;
}

static int read_link(const struct ce_record *record, const char *prefix, struct ce_pci_link *link,
                     struct ce_error *err)
{
    if (!ce_record_has_below(record, "%s.link.", prefix))
        return 0;
    return read_known(record, prefix, "link.width", 255, &link->width, err) < 0 ||
                   read_known(record, prefix, "link.width_max", 255, &link->width_max, err) < 0 ||
                   read_known(record, prefix, "link.speed_mtps", INT_MAX, &link->speed_mtps, err) <
                       0 ||
                   read_known(record, prefix, "link.speed_max_mtps", INT_MAX,
                              &link->speed_max_mtps, err) < 0
               ? -1
               : 0;
}

static int read_answer(const struct ce_record *record, const char *prefix, const char *key,
                       enum ce_answer *ret, struct ce_error *err)
{
    unsigned value = 0;
    int known = read_known(record, prefix, key, 1, &value, err);
    if (known > 0)
        *ret = value ? CE_ANSWER_YES : CE_ANSWER_NO;
    return known;
}

static int read_device(const struct ce_record *record, const char *prefix, struct ce_hca *hca,
                       struct ce_error *err)
{
    unsigned virtual_function = 0;
    if (read_known(record, prefix, "node_type", 255, &hca->node_type, err) < 0 ||
        read_known(record, prefix, "vf", 1, &virtual_function, err) < 0 ||
        read_answer(record, prefix, "opens", &hca->opens, err) < 0 ||
        read_answer(record, prefix, "uverbs", &hca->uverbs, err) < 0 ||
        read_link(record, prefix, &hca->link, err) < 0 || read_words(record, prefix, hca, err) < 0)
        return -1;
    hca->virtual_function = virtual_function;
    return ce_pci_read(record, prefix, &hca->pci, err);
}

int ce_hca_read(const struct ce_record *record, const char *part, struct ce_hca *ret,
                struct ce_error *err)
{
    char prefix[CE_KEY_PART + 4];
    struct ce_hca hca = {.pci.numa = CE_NUMA_UNKNOWN};
    snprintf(prefix, sizeof prefix, "ib.%s", part);
    if (ce_key_decode(part, hca.name, sizeof hca.name) < 0 || !hca.name[0])
        return ce_fail(err, "%.200s: not the name of a device", prefix);
    if (read_device(record, prefix, &hca, err) < 0 || read_netdevs(record, prefix, &hca, err) < 0 ||
        read_distances(record, prefix, &hca, err) < 0 ||
        read_ports(record, prefix, &hca, err) < 0) {
        ce_hca_free(&hca);
        return -1;
    }
    *ret = hca;
    return 0;
}
