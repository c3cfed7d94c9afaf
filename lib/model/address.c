/* SPDX-License-Identifier: Apache-2.0 */
#include "model/address.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/parse.h"

static size_t byte_count(const struct ce_address *address)
{
    return address->family == AF_INET ? 4 : 16;
}

int ce_address_parse(const char *text, struct ce_address *ret)
{
    struct ce_address address = {0};
    if (inet_pton(AF_INET, text, address.bytes) == 1)
        address.family = AF_INET;
    else if (inet_pton(AF_INET6, text, address.bytes) == 1)
        address.family = AF_INET6;
    else
        return -1;
    *ret = address;
    return 0;
}

int ce_prefix_parse(const char *text, struct ce_prefix *ret)
{
    char part[CE_ADDRESS_TEXT];
    struct ce_prefix prefix;
    size_t length = strcspn(text, "/");
    if (length >= sizeof part)
        return -1;
    memcpy(part, text, length);
    part[length] = '\0';
    if (ce_address_parse(part, &prefix.address) < 0)
        return -1;
    unsigned bits = (unsigned)byte_count(&prefix.address) * 8;
    prefix.length = bits;
    if (text[length] && ce_parse_u32(text + length + 1, 0, bits, &prefix.length) < 0)
        return -1;
    *ret = prefix;
    return 0;
}

/* inet_ntop() goes through sprintf(), which shows in a list of 16,384 nodes. */
static char *format_byte(char *out, unsigned byte)
{
    if (byte >= 100)
        *out++ = (char)('0' + byte / 100);
    if (byte >= 10)
        *out++ = (char)('0' + byte / 10 % 10);
    *out++ = (char)('0' + byte % 10);
    return out;
}

static const char *format_ipv4(const unsigned char *bytes, char *buf)
{
    char *out = buf;
    for (int i = 0; i < 4; i++) {
        out = format_byte(out, bytes[i]);
        *out++ = '.';
    }
    out[-1] = '\0';
    return buf;
}

const char *ce_address_format(const struct ce_address *address, char *buf)
{
    if (address->family == AF_INET)
        return format_ipv4(address->bytes, buf);
    if (!address->family || !inet_ntop(address->family, address->bytes, buf, CE_ADDRESS_TEXT))
        buf[0] = '\0';
    return buf;
}

bool ce_address_equal(const struct ce_address *a, const struct ce_address *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, byte_count(a)) == 0;
}

bool ce_prefix_contains(const struct ce_prefix *prefix, const struct ce_address *address)
{
    if (prefix->address.family != address->family)
        return false;
    unsigned whole = prefix->length / 8, rest = prefix->length % 8;
    if (memcmp(prefix->address.bytes, address->bytes, whole) != 0)
        return false;
    unsigned difference = prefix->address.bytes[whole % 16] ^ address->bytes[whole % 16];
    return rest == 0 || difference >> (8 - rest) == 0;
}

bool ce_address_is_loopback(const struct ce_address *address)
{
    static const unsigned char one[16] = {[15] = 1};
    return address->family == AF_INET ? address->bytes[0] == 127
                                      : memcmp(address->bytes, one, sizeof one) == 0;
}

bool ce_address_is_link_local(const struct ce_address *address)
{
    const unsigned char *b = address->bytes;
    return address->family == AF_INET ? b[0] == 169 && b[1] == 254
                                      : b[0] == 0xfe && (b[1] & 0xc0) == 0x80;
}

bool ce_address_is_usable(const struct ce_address *address)
{
    static const unsigned char zero[16];
    return address->family && memcmp(address->bytes, zero, byte_count(address)) != 0 &&
           !ce_address_is_loopback(address) && !ce_address_is_link_local(address);
}
