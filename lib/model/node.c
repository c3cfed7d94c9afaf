/* SPDX-License-Identifier: Apache-2.0 */
#include "model/node.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "model/record.h"

static const char *const kind_names[] = {
    [CE_NETIF_OTHER] = "other",   [CE_NETIF_ETHERNET] = "ethernet",
    [CE_NETIF_INFINIBAND] = "infiniband", [CE_NETIF_BRIDGE] = "bridge",
    [CE_NETIF_TUN] = "tun",
};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

const char *ce_netif_kind_name(enum ce_netif_kind kind)
{
    return kind_names[kind];
}

struct ce_node *ce_node_create(void)
{
    return calloc(1, sizeof(struct ce_node));
}

void ce_node_destroy(struct ce_node *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->netif_count; i++)
        free(node->netifs[i].addresses);
    free(node->netifs);
    free(node->host_name);
    free(node->boot_id);
    free(node);
}

const struct ce_netif *ce_node_find_netif(const struct ce_node *node, const char *name)
{
    for (size_t i = 0; i < node->netif_count; i++)
        if (strcmp(node->netifs[i].name, name) == 0)
            return &node->netifs[i];
    return NULL;
}

struct ce_netif *ce_node_add_netif(struct ce_node *node, const char *name)
{
    struct ce_netif netif = {.index = 0};
    if (node->netif_count == CE_NETIF_MAX || !*name || ce_node_find_netif(node, name) ||
        ce_copy(netif.name, sizeof netif.name, name) < 0)
        return NULL;
    struct ce_netif *netifs =
        realloc(node->netifs, (node->netif_count + 1) * sizeof *netifs);
    if (!netifs)
        return NULL;
    node->netifs = netifs;
    netifs[node->netif_count] = netif;
    return &netifs[node->netif_count++];
}

int ce_netif_add_address(struct ce_netif *netif, const struct ce_prefix *address)
{
    if (netif->address_count == CE_NETIF_ADDRESSES_MAX)
        return -1;
    struct ce_prefix *addresses =
        realloc(netif->addresses, (netif->address_count + 1) * sizeof *addresses);
    if (!addresses)
        return -1;
    addresses[netif->address_count++] = *address;
    netif->addresses = addresses;
    return 0;
}

/* Interface names may hold dots and more ("eth0.100"); in a key those stand as %XX. */
enum { KEY_PART = 3 * CE_NETIF_NAME };

static const char *encode(const char *name, char *part)
{
    char *out = part;
    for (; *name; name++)
        if (isalnum((unsigned char)*name) || strchr("_-:@+", *name))
            *out++ = *name;
        else
            out += sprintf(out, "%%%02x", (unsigned char)*name);
    *out = '\0';
    return part;
}

static int decode(const char *part, char *name, size_t size)
{
    size_t n = 0;
    for (; *part; part++) {
        unsigned c = (unsigned char)*part;
        if (c == '%') {
            if (!isxdigit((unsigned char)part[1]) || !isxdigit((unsigned char)part[2]) ||
                sscanf(part + 1, "%2x", &c) != 1 || c == 0)
                return -1;
            part += 2;
        }
        if (n + 1 >= size)
            return -1;
        name[n++] = (char)c;
    }
    name[n] = '\0';
    return 0;
}

static void write_netif(const struct ce_netif *netif, struct ce_text *out)
{
    char key[KEY_PART], address[CE_ADDRESS_TEXT], prefix[CE_ADDRESS_TEXT + 8];
    encode(netif->name, key);
    ce_record_add_number(out, netif->index, "netif.%s.index", key);
    ce_record_add(out, kind_names[netif->kind], "netif.%s.kind", key);
    ce_record_add_number(out, netif->up, "netif.%s.up", key);
    if (netif->speed_mbps)
        ce_record_add_number(out, netif->speed_mbps, "netif.%s.speed_mbps", key);
    ce_record_add_number(out, netif->default_route, "netif.%s.default_route", key);
    if (netif->master[0])
        ce_record_add(out, netif->master, "netif.%s.master", key);
    for (size_t i = 0; i < netif->address_count; i++) {
        ce_address_format(&netif->addresses[i].address, address);
        snprintf(prefix, sizeof prefix, "%s/%u", address, netif->addresses[i].length);
        ce_record_add(out, prefix, "netif.%s.address.%zu", key, i);
    }
}

void ce_node_write(const struct ce_node *node, struct ce_text *out)
{
    ce_record_begin(out);
    if (node->host_name)
        ce_record_add(out, node->host_name, "host.name");
    if (node->boot_id)
        ce_record_add(out, node->boot_id, "boot.id");
    for (size_t i = 0; i < node->netif_count; i++)
        write_netif(&node->netifs[i], out);
    if (node->gpu_count_known)
        ce_record_add_number(out, node->gpu_count, "gpu.count");
    ce_record_end(out);
}

static int read_flag(const struct ce_record *record, const char *part, const char *key, bool *ret,
                     struct ce_error *err)
{
    uint64_t value = 0;
    if (ce_record_number(record, 0, 1, &value, err, "netif.%s.%s", part, key) < 0)
        return -1;
    *ret = value;
    return 0;
}

static int read_numbers(const struct ce_record *record, const char *part, struct ce_netif *netif,
                        struct ce_error *err)
{
    uint64_t index = 0, speed = 0;
    if (ce_record_number(record, 0, INT_MAX, &index, err, "netif.%s.index", part) < 0 ||
        ce_record_number(record, 0, INT_MAX, &speed, err, "netif.%s.speed_mbps", part) < 0 ||
        read_flag(record, part, "up", &netif->up, err) < 0 ||
        read_flag(record, part, "default_route", &netif->default_route, err) < 0)
        return -1;
    netif->index = (unsigned)index;
    netif->speed_mbps = (unsigned)speed;
    return 0;
}

/* A kind that a newer writer knows and we do not is one that no job should use. */
static enum ce_netif_kind kind_of(const char *name)
{
    for (unsigned i = 0; name && i < KINDS; i++)
        if (strcmp(kind_names[i], name) == 0)
            return (enum ce_netif_kind)i;
    return CE_NETIF_OTHER;
}

static int read_addresses(const struct ce_record *record, const char *part,
                          struct ce_netif *netif, struct ce_error *err)
{
    for (size_t i = 0; i < CE_NETIF_ADDRESSES_MAX; i++) {
        const char *text = ce_record_get(record, "netif.%s.address.%zu", part, i);
        struct ce_prefix prefix;
        if (!text)
            return 0;
        if (ce_prefix_parse(text, &prefix) < 0)
            return ce_fail(err, "netif.%s.address.%zu=%.60s: not an address", part, i, text);
        if (ce_netif_add_address(netif, &prefix) < 0)
            return ce_fail(err, "no memory");
    }
    return 0;
}

static int read_netif(const struct ce_record *record, const char *part, struct ce_node *node,
                      struct ce_error *err)
{
    char name[CE_NETIF_NAME];
    if (decode(part, name, sizeof name) < 0)
        return ce_fail(err, "netif.%s: not an interface name", part);
    struct ce_netif *netif = ce_node_add_netif(node, name);
    if (!netif)
        return ce_fail(err, "netif.%s: stands there twice, or too many interfaces", part);
    const char *master = ce_record_get(record, "netif.%s.master", part);
    if (master && ce_copy(netif->master, sizeof netif->master, master) < 0)
        return ce_fail(err, "netif.%s.master=%.40s: not an interface name", part, master);
    netif->kind = kind_of(ce_record_get(record, "netif.%s.kind", part));
    if (read_numbers(record, part, netif, err) < 0)
        return -1;
    return read_addresses(record, part, netif, err);
}

static int read_text(const struct ce_record *record, const char *key, char **ret,
                     struct ce_error *err)
{
    const char *value = ce_record_get(record, "%s", key);
    if (value && !(*ret = strdup(value)))
        return ce_fail(err, "no memory");
    return 0;
}

static int read_node(const struct ce_record *record, struct ce_node *node, struct ce_error *err)
{
    char part[KEY_PART];
    size_t at = 0;
    uint64_t gpus = 0;
    if (read_text(record, "host.name", &node->host_name, err) < 0 ||
        read_text(record, "boot.id", &node->boot_id, err) < 0)
        return -1;
    while (ce_record_next_part(record, "netif.", &at, part, sizeof part))
        if (read_netif(record, part, node, err) < 0)
            return -1;
    int known = ce_record_number(record, 0, 1024, &gpus, err, "gpu.count");
    node->gpu_count_known = known > 0;
    node->gpu_count = (unsigned)gpus;
    return known < 0 ? -1 : 0;
}

struct ce_node *ce_node_parse(const char *text, struct ce_error *err)
{
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record)
        return NULL;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    if (!node) {
        ce_fail(err, "no memory");
        return NULL;
    }
    return read_node(record, node, err) < 0 ? NULL : ce_steal(node);
}
