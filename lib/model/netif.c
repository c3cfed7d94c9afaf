/* SPDX-License-Identifier: Apache-2.0 */
#include "model/netif.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

static const char *const kind_names[] = {
    [CE_NETIF_OTHER] = "other",
    [CE_NETIF_ETHERNET] = "ethernet",
    [CE_NETIF_INFINIBAND] = "infiniband",
    [CE_NETIF_BRIDGE] = "bridge",
    [CE_NETIF_TUN] = "tun",
};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

const char *ce_netif_kind_name(enum ce_netif_kind kind)
{
    return kind_names[kind];
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

void ce_netif_write(const struct ce_netif *netif, struct ce_text *out)
{
    char key[CE_KEY_PART], address[CE_ADDRESS_TEXT], prefix[CE_ADDRESS_TEXT + 8];
    ce_key_encode(netif->name, key, sizeof key);
    ce_record_add_number(out, netif->index, "netif.%s.index", key);
    ce_record_add(out, kind_names[netif->kind], "netif.%s.kind", key);
    ce_record_add_number(out, netif->up, "netif.%s.up", key);
    if (netif->speed_mbps)
        ce_record_add_number(out, netif->speed_mbps, "netif.%s.speed_mbps", key);
    ce_record_add_number(out, netif->default_route, "netif.%s.default_route", key);
    if (netif->master[0])
        ce_record_add(out, netif->master, "netif.%s.master", key);
    if (netif->driver[0])
        ce_record_add(out, netif->driver, "netif.%s.driver", key);
    for (size_t i = 0; i < netif->address_count; i++) {
        ce_address_format(&netif->addresses[i].address, address);
        snprintf(prefix, sizeof prefix, "%s/%u", address, netif->addresses[i].length);
        ce_record_add(out, prefix, "netif.%s.address.%zu", key, i);
    }
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

static int read_addresses(const struct ce_record *record, const char *part, struct ce_netif *netif,
                          struct ce_error *err)
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

static int read_names(const struct ce_record *record, const char *part, struct ce_netif *netif,
                      struct ce_error *err)
{
    const char *master = ce_record_get(record, "netif.%s.master", part);
    const char *driver = ce_record_get(record, "netif.%s.driver", part);
    if (master && ce_copy(netif->master, sizeof netif->master, master) < 0)
        return ce_fail(err, "netif.%s.master=%.40s: not an interface name", part, master);
    if (driver && ce_copy(netif->driver, sizeof netif->driver, driver) < 0)
        return ce_fail(err, "netif.%s.driver=%.40s: not a driver's name", part, driver);
    netif->kind = kind_of(ce_record_get(record, "netif.%s.kind", part));
    return 0;
}

int ce_netif_read(const struct ce_record *record, const char *part, struct ce_netif *ret,
                  struct ce_error *err)
{
    if (read_names(record, part, ret, err) < 0 || read_numbers(record, part, ret, err) < 0)
        return -1;
    return read_addresses(record, part, ret, err);
}
