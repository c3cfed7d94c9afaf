/* SPDX-License-Identifier: Apache-2.0 */
#include "model/address.h"

#include "../unit.h"

enum { UNTOUCHED = 77 };

static const struct address_row {
    const char *name, *text, *shown; /* shown NULL: not an address */
} addresses[] = {
    {"an_ipv4_address", "10.1.0.11", "10.1.0.11"},
    {"an_ipv6_address", "fd00::11", "fd00::11"},
    {"ipv6_is_shown_in_its_short_form", "FD00:0:0:0:0:0:0:0011", "fd00::11"},
    {"an_ipv4_address_in_ipv6", "::ffff:10.0.0.1", "::ffff:10.0.0.1"},
    {"nothing_is_no_address", "", NULL},
    {"a_name_is_no_address", "node1", NULL},
    {"three_numbers_are_no_address", "10.1.0", NULL},
    {"a_number_past_255_is_no_address", "10.1.0.256", NULL},
    {"an_octal_number_is_no_address", "010.1.0.1", NULL},
    {"a_hexadecimal_number_is_no_address", "0x0a010001", NULL},
    {"a_space_is_no_part_of_an_address", " 10.1.0.11", NULL},
    {"a_prefix_is_no_address", "10.1.0.0/16", NULL},
    {"a_scope_is_no_part_of_an_address", "fe80::1%eth0", NULL},
    {"a_port_is_no_part_of_an_address", "10.1.0.11:80", NULL},
    {"brackets_are_no_part_of_an_address", "[fd00::11]", NULL},
    {"two_gaps_are_no_address", "fd00::1::2", NULL},
};

static void parses_as(void **state)
{
    const struct address_row *row = *state;
    struct ce_address address = {.family = UNTOUCHED};
    char text[CE_ADDRESS_TEXT];
    assert_int_equal(ce_address_parse(row->text, &address), row->shown ? 0 : -1);
    if (row->shown)
        assert_string_equal(ce_address_format(&address, text), row->shown);
    else
        assert_int_equal(address.family, UNTOUCHED);
}

static void no_address_is_shown_as_nothing(void **state)
{
    const struct ce_address none = {.family = 0};
    char text[CE_ADDRESS_TEXT] = "x";
    (void)state;
    assert_string_equal(ce_address_format(&none, text), "");
}

static void the_longest_address_fits(void **state)
{
    struct ce_address address = {.family = AF_INET6};
    char text[CE_ADDRESS_TEXT];
    (void)state;
    memset(address.bytes, 0xff, sizeof address.bytes);
    assert_string_equal(ce_address_format(&address, text),
                        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
}

static const struct prefix_row {
    const char *name, *text;
    int length; /* -1: not a prefix */
} prefixes[] = {
    {"a_prefix_has_its_length", "10.1.0.0/16", 16},
    {"host_bits_may_be_set", "10.1.2.3/16", 16},
    {"an_address_is_a_prefix_of_itself", "10.1.0.1", 32},
    {"an_ipv6_address_is_a_prefix_of_itself", "fd00::1", 128},
    {"everything_is_a_prefix", "0.0.0.0/0", 0},
    {"an_ipv6_prefix", "fd00::/8", 8},
    {"the_longest_ipv6_prefix", "fd00::1/128", 128},
    {"a_length_past_32_is_none", "10.1.0.0/33", -1},
    {"a_length_past_128_is_none", "fd00::/129", -1},
    {"an_empty_length_is_none", "10.1.0.0/", -1},
    {"a_negative_length_is_none", "10.1.0.0/-1", -1},
    {"a_mask_is_none", "10.1.0.0/255.255.0.0", -1},
    {"two_lengths_are_none", "10.1.0.0/16/16", -1},
    {"a_length_alone_is_none", "/16", -1},
    {"nothing_is_none", "", -1},
    {"a_long_word_is_none", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/8",
     -1},
};

static void is_prefix(void **state)
{
    const struct prefix_row *row = *state;
    struct ce_prefix prefix = {.length = UNTOUCHED};
    assert_int_equal(ce_prefix_parse(row->text, &prefix), row->length < 0 ? -1 : 0);
    assert_int_equal(prefix.length, row->length < 0 ? UNTOUCHED : row->length);
}

static const struct contains_row {
    const char *name, *prefix, *address;
    bool contains;
} contains[] = {
    {"a_prefix_holds_its_addresses", "10.1.0.0/16", "10.1.255.255", true},
    {"a_prefix_does_not_hold_its_neighbours", "10.1.0.0/16", "10.2.0.0", false},
    {"host_bits_of_a_prefix_do_not_count", "10.1.2.3/16", "10.1.9.9", true},
    {"a_prefix_may_end_inside_a_byte", "10.1.16.0/20", "10.1.31.255", true},
    {"a_prefix_that_ends_inside_a_byte_has_an_end", "10.1.16.0/20", "10.1.32.0", false},
    {"a_whole_address_holds_itself", "10.1.0.1/32", "10.1.0.1", true},
    {"a_whole_address_holds_nothing_else", "10.1.0.1/32", "10.1.0.0", false},
    {"everything_holds_everything", "0.0.0.0/0", "255.255.255.255", true},
    {"one_bit_holds_half", "128.0.0.0/1", "127.255.255.255", false},
    {"ipv6_holds_its_addresses", "fd00:1::/32", "fd00:1:ffff::1", true},
    {"ipv6_does_not_hold_its_neighbours", "fd00:1::/32", "fd00:2::1", false},
    {"a_whole_ipv6_address_holds_itself", "fd00::1/128", "fd00::1", true},
    {"a_whole_ipv6_address_holds_nothing_else", "fd00::1/128", "fd00::2", false},
    {"all_but_one_bit_of_ipv6", "fd00::2/127", "fd00::3", true},
    {"all_of_ipv6_holds_no_ipv4", "::/0", "10.1.0.1", false},
    {"all_of_ipv4_holds_no_ipv6", "0.0.0.0/0", "fd00::1", false},
};

static void holds(void **state)
{
    const struct contains_row *row = *state;
    struct ce_prefix prefix;
    struct ce_address address;
    assert_int_equal(ce_prefix_parse(row->prefix, &prefix), 0);
    assert_int_equal(ce_address_parse(row->address, &address), 0);
    assert_int_equal(ce_prefix_contains(&prefix, &address), row->contains);
}

static const struct kind_row {
    const char *name, *text;
    bool usable, loopback, link_local;
} kinds[] = {
    {"a_private_address_is_usable", "10.1.0.11", true, false, false},
    {"a_public_address_is_usable", "203.0.113.9", true, false, false},
    {"a_unique_local_address_is_usable", "fd00::1", true, false, false},
    {"loopback_is_not_usable", "127.0.0.1", false, true, false},
    {"all_of_127_is_loopback", "127.0.1.1", false, true, false},
    {"ipv6_loopback_is_not_usable", "::1", false, true, false},
    {"link_local_is_not_usable", "169.254.1.1", false, false, true},
    {"the_end_of_link_local_is_not_usable", "169.254.255.255", false, false, true},
    {"beside_link_local_is_usable", "169.253.255.255", true, false, false},
    {"ipv6_link_local_is_not_usable", "fe80::1", false, false, true},
    {"the_end_of_ipv6_link_local_is_not_usable", "febf::1", false, false, true},
    {"beside_ipv6_link_local_is_usable", "fec0::1", true, false, false},
    {"no_address_at_all_is_not_usable", "0.0.0.0", false, false, false},
    {"no_ipv6_address_at_all_is_not_usable", "::", false, false, false},
    {"an_address_that_starts_like_ipv6_loopback_is_usable", "::1:1", true, false, false},
};

static void kind(void **state)
{
    const struct kind_row *row = *state;
    struct ce_address address;
    assert_int_equal(ce_address_parse(row->text, &address), 0);
    assert_int_equal(ce_address_is_usable(&address), row->usable);
    assert_int_equal(ce_address_is_loopback(&address), row->loopback);
    assert_int_equal(ce_address_is_link_local(&address), row->link_local);
}

static void an_unset_address_is_not_usable(void **state)
{
    const struct ce_address none = {.family = 0};
    (void)state;
    assert_false(ce_address_is_usable(&none));
}

static void addresses_of_two_families_are_never_equal(void **state)
{
    struct ce_address four, six, other;
    (void)state;
    assert_int_equal(ce_address_parse("0.0.0.0", &four), 0);
    assert_int_equal(ce_address_parse("::", &six), 0);
    assert_int_equal(ce_address_parse("::", &other), 0);
    assert_false(ce_address_equal(&four, &six));
    assert_true(ce_address_equal(&six, &other));
    other.bytes[15] = 1;
    assert_false(ce_address_equal(&six, &other));
}

int main(void)
{
    UNIT_TABLE(addresses, parses_as);
    UNIT_RULE(no_address_is_shown_as_nothing);
    UNIT_RULE(the_longest_address_fits);
    UNIT_TABLE(prefixes, is_prefix);
    UNIT_TABLE(contains, holds);
    UNIT_TABLE(kinds, kind);
    UNIT_RULE(an_unset_address_is_not_usable);
    UNIT_RULE(addresses_of_two_families_are_never_equal);
    return UNIT_RUN("model/address");
}
