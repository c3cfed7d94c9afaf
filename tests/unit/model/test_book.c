/* SPDX-License-Identifier: Apache-2.0 */
#include "model/book.h"

#include "../unit.h"

/* What the book has, written as it is kept: one entry a line. */
static char *write_book(const struct ce_book *book)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    ce_book_write(book, &text);
    char *written = ce_text_take(&text);
    assert_non_null(written);
    return written;
}

static const struct book_row {
    const char *name, *text, *entries; /* without the end marker */
} books[] = {
    {"an_empty_text_is_an_empty_book", "", ""},
    {"one_entry", "10.1.0.1 node1\n", "10.1.0.1 node1\n"},
    {"the_last_line_need_not_end", "10.1.0.1 node1", "10.1.0.1 node1\n"},
    {"tabs_and_spaces_separate", "\t10.1.0.1 \t node1\t \n", "10.1.0.1 node1\n"},
    {"aliases_are_entries_of_their_own", "10.1.0.1 node1 node1-hsn n1\n",
     "10.1.0.1 node1\n10.1.0.1 node1-hsn\n10.1.0.1 n1\n"},
    {"comments_and_empty_lines_are_passed_over", "# the cluster\n\n   \n10.1.0.1 node1 # rack 1\n#\n",
     "10.1.0.1 node1\n"},
    {"a_comment_may_touch_a_name", "10.1.0.1 node1#old node2\n", "10.1.0.1 node1\n"},
    {"lines_of_dos_files_are_read", "10.1.0.1 node1\r\n\r\n10.1.0.2 node2\r\n",
     "10.1.0.1 node1\n10.1.0.2 node2\n"},
    {"ipv6_addresses_are_read", "fd00::1 node1\n::1 localhost\n",
     "fd00::1 node1\n::1 localhost\n"},
    {"link_local_addresses_with_a_scope_are_passed_over",
     "fe80::1%eth0 node1\nfe80::2%lo0 localhost\n10.1.0.1 node1\n", "10.1.0.1 node1\n"},
    {"a_name_may_have_several_addresses", "10.1.0.1 node1\nfd00::1 node1\n10.2.0.1 node1\n",
     "10.1.0.1 node1\nfd00::1 node1\n10.2.0.1 node1\n"},
    {"names_keep_their_case", "10.1.0.1 Node1\n", "10.1.0.1 Node1\n"},
    {"names_may_hold_dots_dashes_underscores", "10.1.0.1 my-node_1.example.com\n",
     "10.1.0.1 my-node_1.example.com\n"},
    {"a_usual_hosts_file_is_a_book",
     "127.0.0.1\tlocalhost\n127.0.1.1\tnode1.example.com node1\n\n"
     "# The following lines are desirable for IPv6 capable hosts\n"
     "::1     ip6-localhost ip6-loopback\nff02::1 ip6-allnodes\n",
     "127.0.0.1 localhost\n127.0.1.1 node1.example.com\n127.0.1.1 node1\n::1 ip6-localhost\n"
     "::1 ip6-loopback\nff02::1 ip6-allnodes\n"},
};

static void holds(void **state)
{
    const struct book_row *row = *state;
    struct ce_error err = {""};
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse(row->text, &err);
    assert_string_equal(err.text, "");
    assert_non_null(book);
    char expected[1024];
    snprintf(expected, sizeof expected, "%s%s\n", row->entries, CE_BOOK_END);
    char *written = write_book(book);
    assert_string_equal(written, expected);
    free(written);
}

static const struct error_row {
    const char *name, *text, *line, *reason;
} errors[] = {
    {"an_address_without_a_name_is_an_error", "10.1.0.1\n", "line 1:", "expected a name"},
    {"an_address_with_only_a_comment_is_an_error", "10.1.0.1 # node1\n", "line 1:",
     "expected a name"},
    {"a_name_without_an_address_is_an_error", "node1 10.1.0.1\n", "line 1:", "'node1'"},
    {"an_address_in_place_of_a_name_is_an_error", "10.1.0.1 fd00::1\n", "line 1:",
     "not a host name"},
    {"a_bad_address_is_an_error", "10.1.0.1 a\n10.1.0.256 b\n", "line 2:", "'10.1.0.256'"},
    {"a_prefix_is_an_error", "10.1.0.0/16 net\n", "line 1:", "'10.1.0.0/16'"},
    {"a_bad_name_is_an_error", "# one\n\n10.1.0.1 a b$c\n", "line 3:", "'b$c'"},
    {"a_bad_name_of_a_passed_over_line_is_an_error", "fe80::1%eth0 b$c\n", "line 1:", "'b$c'"},
    {"a_passed_over_line_without_a_name_is_an_error", "fe80::1%eth0\n", "line 1:",
     "expected a name"},
    {"a_scope_of_no_address_is_an_error", "node1%eth0 node1\n", "line 1:", "'node1%eth0'"},
    {"a_scope_alone_is_an_error", "%eth0 node1\n", "line 1:", "'%eth0'"},
    {"a_scope_of_an_ipv4_address_is_an_error", "10.1.0.1%eth0 node1\n", "line 1:",
     "'10.1.0.1%eth0'"},
    {"a_scope_of_a_global_address_is_an_error", "fd00::1%eth0 node1\n", "line 1:",
     "'fd00::1%eth0'"},
    {"an_empty_scope_is_an_error", "fe80::1% node1\n", "line 1:", "'fe80::1%'"},
    {"a_shell_command_is_an_error", "10.1.0.1 $(reboot)\n", "line 1:", "not a host name"},
    {"an_escape_sequence_is_an_error_and_not_shown", "10.1.0.1 a\x1b[2J\n", "line 1:", "'a?[2J'"},
    {"a_letter_beyond_ascii_is_an_error", "10.1.0.1 n\xc3\xb6" "de\n", "line 1:",
     "not a host name"},
    {"the_last_line_is_read_as_strictly", "10.1.0.1 a\n10.1.0.2", "line 2:", "expected a name"},
};

static void is_an_error(void **state)
{
    const struct error_row *row = *state;
    struct ce_error err = {""};
    assert_null(ce_book_parse(row->text, &err));
    unit_holds(err.text, row->line);
    unit_holds(err.text, row->reason);
}

static const struct lookup_row {
    const char *name, *wanted, *found; /* addresses in order, separated by spaces */
} lookups[] = {
    {"a_name_is_found", "node2", "10.1.0.2"},
    {"an_alias_is_found", "n2", "10.1.0.2"},
    {"case_does_not_count", "NODE2", "10.1.0.2"},
    {"several_addresses_come_in_file_order", "node1", "10.1.0.1 fd00::1 10.2.0.1"},
    {"case_does_not_count_between_lines", "Node1", "10.1.0.1 fd00::1 10.2.0.1"},
    {"case_does_not_count_from_a_to_z", "az-BY", "10.1.0.9"},
    {"a_name_that_is_not_there_is_not_found", "node3", ""},
    {"a_part_of_a_name_is_not_found", "node", ""},
    {"a_longer_name_is_not_found", "node22", ""},
    {"nothing_is_not_found", "", ""},
};

static const char several[] = "10.1.0.1 node1\n"
                              "10.1.0.2 node2 n2\n"
                              "fd00::1 NODE1\n"
                              "10.2.0.1 node1\n"
                              "10.1.0.9 AZ-by\n";

static void finds(void **state)
{
    const struct lookup_row *row = *state;
    char found[256] = "", address[CE_ADDRESS_TEXT];
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse(several, NULL);
    assert_non_null(book);
    for (const struct ce_book_entry *e = NULL; (e = ce_book_next(book, row->wanted, e));) {
        strcat(found, found[0] ? " " : "");
        strcat(found, ce_address_format(&e->address, address));
    }
    assert_string_equal(found, row->found);
}

static void nothing_is_found_in_an_empty_book(void **state)
{
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse("", NULL);
    (void)state;
    assert_non_null(book);
    assert_int_equal(ce_book_count(book), 0);
    assert_null(ce_book_next(book, "node1", NULL));
}

/* Sixty-four thousand names, each found in its own place. */
static void a_great_book_finds_each_name(void **state)
{
    enum { NODES = 65536 };
    ce_autotext struct ce_text text = CE_TEXT(16 << 20);
    char name[32];
    (void)state;
    for (unsigned i = 0; i < NODES; i++)
        ce_text_addf(&text, "10.%u.%u.%u node%05u\n", 1 + (i >> 16), (i >> 8) & 255, i & 255, i);
    assert_true(ce_text_ok(&text));
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse(ce_text_string(&text), NULL);
    assert_non_null(book);
    assert_int_equal(ce_book_count(book), NODES);
    for (unsigned i = 0; i < NODES; i++) {
        snprintf(name, sizeof name, "node%05u", i);
        const struct ce_book_entry *entry = ce_book_next(book, name, NULL);
        assert_ptr_equal(entry, ce_book_at(book, i));
        assert_null(ce_book_next(book, name, entry));
    }
}

static void a_name_of_255_bytes_is_allowed_and_no_longer(void **state)
{
    char name[257], line[300];
    (void)state;
    memset(name, 'n', 256);
    name[256] = '\0';
    snprintf(line, sizeof line, "10.1.0.1 %s\n", name + 1);
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse(line, NULL);
    assert_non_null(book);
    snprintf(line, sizeof line, "10.1.0.1 %s\n", name);
    assert_null(ce_book_parse(line, NULL));
}

static void a_copy_says_what_the_book_said(void **state)
{
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse(several, NULL);
    (void)state;
    assert_non_null(book);
    char *first = write_book(book);
    struct ce_error err = {""};
    ce_auto(ce_book_destroy) struct ce_book *copy = ce_book_parse_copy(first, &err);
    assert_string_equal(err.text, "");
    assert_non_null(copy);
    char *second = write_book(copy);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void a_copy_cut_at_any_byte_is_an_error(void **state)
{
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse(several, NULL);
    (void)state;
    assert_non_null(book);
    char *text = write_book(book);
    for (size_t length = strlen(text); length-- > 0;) {
        struct ce_error err = {""};
        text[length] = '\0';
        assert_null(ce_book_parse_copy(text, &err));
        unit_holds(err.text, "cut short");
    }
    free(text);
}

static const struct copy_row {
    const char *name, *text;
    bool whole;
} copies[] = {
    {"an_empty_book_has_a_copy", CE_BOOK_END "\n", true},
    {"a_copy_without_its_end_is_an_error", "10.1.0.1 node1\n", false},
    {"an_end_in_the_middle_is_an_error", "10.1.0.1 a\n" CE_BOOK_END "\n10.1.0.2 b\n", false},
    {"an_end_behind_a_name_is_an_error", "10.1.0.1 a" CE_BOOK_END "\n", false},
    {"an_empty_copy_is_an_error", "", false},
};

static void is_whole(void **state)
{
    const struct copy_row *row = *state;
    ce_auto(ce_book_destroy) struct ce_book *book = ce_book_parse_copy(row->text, NULL);
    assert_int_equal(book != NULL, row->whole);
}

int main(void)
{
    UNIT_TABLE(books, holds);
    UNIT_TABLE(errors, is_an_error);
    UNIT_TABLE(lookups, finds);
    UNIT_RULE(nothing_is_found_in_an_empty_book);
    UNIT_RULE(a_great_book_finds_each_name);
    UNIT_RULE(a_name_of_255_bytes_is_allowed_and_no_longer);
    UNIT_RULE(a_copy_says_what_the_book_said);
    UNIT_RULE(a_copy_cut_at_any_byte_is_an_error);
    UNIT_TABLE(copies, is_whole);
    ce_book_destroy(NULL);
    return UNIT_RUN("model/book");
}
