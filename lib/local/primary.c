/* SPDX-License-Identifier: Apache-2.0 */
#include "local/primary.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"

static socklen_t fill(struct sockaddr_storage *storage, const struct ce_address *address,
                      uint32_t port)
{
    memset(storage, 0, sizeof *storage);
    if (address->family == AF_INET) {
        struct sockaddr_in *in = (struct sockaddr_in *)storage;
        in->sin_family = AF_INET;
        in->sin_port = htons((uint16_t)port);
        memcpy(&in->sin_addr, address->bytes, sizeof in->sin_addr);
        return sizeof *in;
    }
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)storage;
    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons((uint16_t)port);
    memcpy(&in6->sin6_addr, address->bytes, sizeof in6->sin6_addr);
    return sizeof *in6;
}

enum ce_primary ce_primary_check(const struct ce_address *address, uint32_t port)
{
    struct sockaddr_storage storage;
    socklen_t length = fill(&storage, address, port);
    ce_autoclose int fd = socket(address->family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int one = 1;
    /* Connections of an earlier step in TIME_WAIT do not take the port. */
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) < 0)
        return CE_PRIMARY_OK;
    if (bind(fd, (struct sockaddr *)&storage, length) == 0)
        return CE_PRIMARY_OK;
    switch (errno) {
    case EADDRNOTAVAIL:
        return CE_PRIMARY_NOT_OURS;
    case EADDRINUSE:
        return CE_PRIMARY_PORT_TAKEN;
    case EACCES:
        return CE_PRIMARY_PORT_FORBIDDEN;
    default:
        return CE_PRIMARY_OK;
    }
}
