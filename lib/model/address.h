/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 and IPv6 addresses and prefixes as plain values.  No resolver, no scope ids. */
#ifndef CE_MODEL_ADDRESS_H
#define CE_MODEL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum { CE_ADDRESS_TEXT = 46 }; /* INET6_ADDRSTRLEN */

struct ce_address {
    int family;              /* AF_INET or AF_INET6; 0: none */
    unsigned char bytes[16]; /* network order; 4 used for AF_INET */
};

struct ce_prefix {
    struct ce_address address; /* host bits may be set: an interface's own address */
    unsigned length;           /* bits, at most 32 or 128 */
};

/* "10.1.0.11" or "fd00::11".  0; -1 and *ret untouched for anything else ("fe80::1%eth0" too). */
int ce_address_parse(const char *text, struct ce_address *ret);
/* "10.1.0.0/16"; without "/n" the whole address (/32, /128). */
int ce_prefix_parse(const char *text, struct ce_prefix *ret);

/* Canonical text into buf of CE_ADDRESS_TEXT bytes; returns buf ("" for none). */
const char *ce_address_format(const struct ce_address *address, char *buf);

bool ce_address_equal(const struct ce_address *a, const struct ce_address *b);
bool ce_prefix_contains(const struct ce_prefix *prefix, const struct ce_address *address);
bool ce_address_is_loopback(const struct ce_address *address);   /* 127/8, ::1 */
bool ce_address_is_link_local(const struct ce_address *address); /* 169.254/16, fe80::/10 */

/* Can other nodes reach it at all: set, not loopback, not link-local, not 0.0.0.0 or ::. */
bool ce_address_is_usable(const struct ce_address *address);

#endif
