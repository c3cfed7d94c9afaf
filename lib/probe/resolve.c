/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/resolve.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

static bool convert(const struct sockaddr *from, struct ce_address *to)
{
    *to = (struct ce_address){.family = from->sa_family};
    if (from->sa_family == AF_INET)
        memcpy(to->bytes, &((const struct sockaddr_in *)from)->sin_addr, 4);
    else if (from->sa_family == AF_INET6)
        memcpy(to->bytes, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
    else
        return false;
    return true;
}

static bool is_among(const struct ce_address *address, const struct ce_address *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ce_address_equal(address, &all[i]))
            return true;
    return false;
}

int ce_resolve(const char *name, struct ce_address *ret, size_t max, struct ce_error *err)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    struct ce_address address;
    size_t count = 0;
    int failed = getaddrinfo(name, NULL, &hints, &list);
    if (failed)
        return ce_fail(err, "%.255s: %s", name, gai_strerror(failed));
    for (const struct addrinfo *at = list; at && count < max; at = at->ai_next)
        if (convert(at->ai_addr, &address) && !is_among(&address, ret, count))
            ret[count++] = address;
    freeaddrinfo(list);
    return count ? (int)count : ce_fail(err, "%.255s: the resolver gives no address", name);
}
