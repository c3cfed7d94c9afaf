/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/netif.h"

#include <ifaddrs.h>
#include <inttypes.h>
#include <limits.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/parse.h"

enum { ROUTES_MAX = 8 << 20 };

static enum ce_netif_kind read_kind(const struct ce_root *root, const char *name)
{
    uint64_t type = 0;
    if (ce_root_exists(root, "sys/class/net/%s/bridge", name))
        return CE_NETIF_BRIDGE;
    if (ce_root_exists(root, "sys/class/net/%s/tun_flags", name))
        return CE_NETIF_TUN;
    if (ce_root_number(root, &type, "sys/class/net/%s/type", name) < 0)
        return CE_NETIF_OTHER;
    return type == ARPHRD_ETHER        ? CE_NETIF_ETHERNET
           : type == ARPHRD_INFINIBAND ? CE_NETIF_INFINIBAND
                                       : CE_NETIF_OTHER;
}

/* IFF_UP alone is only the admin's wish; carrier (unreadable while down) is the link itself. */
static bool read_up(const struct ce_root *root, const char *name)
{
    char flags[32];
    uint64_t carrier = 0;
    if (ce_root_line(root, flags, sizeof flags, "sys/class/net/%s/flags", name) < 0 ||
        !(strtoul(flags, NULL, 16) & IFF_UP))
        return false;
    return ce_root_number(root, &carrier, "sys/class/net/%s/carrier", name) == 0 && carrier == 1;
}

static int read_one(const struct ce_root *root, const char *name, struct ce_node *node)
{
    uint64_t number;
    struct ce_netif *netif = ce_node_add_netif(node, name);
    if (!netif)
        return -1;
    if (ce_root_number(root, &number, "sys/class/net/%s/ifindex", name) == 0 && number <= INT_MAX)
        netif->index = (unsigned)number;
    if (ce_root_number(root, &number, "sys/class/net/%s/speed", name) == 0 && number <= INT_MAX)
        netif->speed_mbps = (unsigned)number;
    netif->kind = read_kind(root, name);
    netif->up = read_up(root, name);
    ce_root_link(root, netif->master, sizeof netif->master, "sys/class/net/%s/master", name);
    ce_root_link(root, netif->driver, sizeof netif->driver, "sys/class/net/%s/device/driver", name);
    return 0;
}

static struct ce_netif *find(struct ce_node *node, const char *name)
{
    return (struct ce_netif *)ce_node_find_netif(node, name);
}

/* "Iface Destination Gateway Flags RefCnt Use Metric Mask ...", numbers in hexadecimal */
static const char *ipv4_default(char *line)
{
    char *rest, *name = strtok_r(line, " \t", &rest), *field = NULL;
    const char *destination = strtok_r(NULL, " \t", &rest);
    for (int i = 0; i < 6; i++)
        field = strtok_r(NULL, " \t", &rest);
    bool any = destination && field && strspn(destination, "0") == 8 && strspn(field, "0") == 8;
    return any ? name : NULL;
}

/* "destination prefix-length source ... flags name"; the kernel's own reject route is on lo */
static const char *ipv6_default(char *line)
{
    char *rest, *destination = strtok_r(line, " \t", &rest), *name = NULL;
    const char *length = strtok_r(NULL, " \t", &rest);
    for (char *field; (field = strtok_r(NULL, " \t", &rest)) != NULL;)
        name = field;
    bool any = length && name && strspn(destination, "0") == 32 && strcmp(length, "00") == 0;
    return any ? name : NULL;
}

static void read_routes(const struct ce_root *root, const char *path,
                        const char *(*parse)(char *line), struct ce_node *node)
{
    ce_autotext struct ce_text text = CE_TEXT(ROUTES_MAX);
    if (ce_file_read(root->fd, path, CE_TRUST_ANY, &text, NULL) != CE_READ_OK || !text.data)
        return;
    char *rest;
    for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *name = parse(line);
        struct ce_netif *netif = name ? find(node, name) : NULL;
        if (netif && netif->kind != CE_NETIF_OTHER)
            netif->default_route = true;
    }
}

static unsigned count_bits(const unsigned char *mask, size_t size)
{
    unsigned bits = 0;
    for (size_t i = 0; i < size; i++)
        bits += (unsigned)__builtin_popcount(mask[i]);
    return bits;
}

static bool to_prefix(const struct ifaddrs *ifa, struct ce_prefix *prefix)
{
    const void *bytes, *mask;
    size_t size;
    if (!ifa->ifa_addr || !ifa->ifa_netmask)
        return false;
    if (ifa->ifa_addr->sa_family == AF_INET) {
        bytes = &((const struct sockaddr_in *)(const void *)ifa->ifa_addr)->sin_addr;
        mask = &((const struct sockaddr_in *)(const void *)ifa->ifa_netmask)->sin_addr;
        size = 4;
    } else if (ifa->ifa_addr->sa_family == AF_INET6) {
        bytes = &((const struct sockaddr_in6 *)(const void *)ifa->ifa_addr)->sin6_addr;
        mask = &((const struct sockaddr_in6 *)(const void *)ifa->ifa_netmask)->sin6_addr;
        size = 16;
    } else {
        return false;
    }
    *prefix = (struct ce_prefix){.address.family = ifa->ifa_addr->sa_family};
    memcpy(prefix->address.bytes, bytes, size);
    prefix->length = count_bits(mask, size);
    return true;
}

/* An address may have a label of its own, "eth0:1"; no interface's name holds a colon. */
static struct ce_netif *find_labelled(struct ce_node *node, const char *label)
{
    char name[CE_NETIF_NAME];
    size_t length = strcspn(label, ":");
    if (length >= sizeof name)
        return NULL;
    memcpy(name, label, length);
    name[length] = '\0';
    return find(node, name);
}

static void read_addresses(struct ce_node *node)
{
    struct ifaddrs *list = NULL;
    if (getifaddrs(&list) < 0)
        return;
    for (const struct ifaddrs *ifa = list; ifa; ifa = ifa->ifa_next) {
        struct ce_prefix prefix;
        struct ce_netif *netif = find_labelled(node, ifa->ifa_name);
        if (netif && to_prefix(ifa, &prefix))
            ce_netif_add_address(netif, &prefix);
    }
    freeifaddrs(list);
}

static int by_index(const void *a, const void *b)
{
    const struct ce_netif *left = a, *right = b;
    return left->index < right->index ? -1 : left->index > right->index;
}

int ce_probe_netifs(const struct ce_root *root, struct ce_node *node, struct ce_error *err)
{
    ce_autofree char **names = NULL;
    int count = ce_root_list(root, &names, "sys/class/net");
    if (count < 0)
        return ce_fail(err, "/sys/class/net: cannot be read; is sysfs mounted?");
    /* Plain files stand there too (bonding_masters). */
    for (int i = 0; i < count; i++)
        if (ce_root_exists(root, "sys/class/net/%s/ifindex", names[i]) &&
            read_one(root, names[i], node) < 0)
            return ce_fail(err, "/sys/class/net/%s: too many interfaces or no memory", names[i]);
    read_routes(root, "proc/net/route", ipv4_default, node);
    read_routes(root, "proc/net/ipv6_route", ipv6_default, node);
    if (root->live)
        read_addresses(node);
    if (node->netif_count)
        qsort(node->netifs, node->netif_count, sizeof *node->netifs, by_index);
    return 0;
}
