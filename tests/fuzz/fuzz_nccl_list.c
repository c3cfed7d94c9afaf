/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL_IB_HCA and NCCL_SOCKET_IFNAME, which users and sites set to anything.  The grammar is here a
 * second time, byte by byte, with the port as NCCL before 2.30.5 reads it and as later ones do. */
#include "fuzz.h"
#include "launch/nccl_list.h"

const char fuzz_name[] = "nccl_list";
const unsigned fuzz_runs = 250000;

struct ports {
    int before, since; /* 2.30.5 */
};

static struct ports read_port(const char *text)
{
    bool empty = !*text || *text == ':' || *text == ',';
    return (struct ports){atoi(text), empty ? -1 : atoi(text)};
}

/* What the next entry is, skipping those without a name; false: there is none. */
static bool next_entry(const char **text, char name[CE_NCCL_NAME], struct ports *port)
{
    size_t length = 0;
    for (; **text; (*text)++) {
        if (**text == ':' || **text == ',') {
            *port = **text == ':' ? read_port(*text + 1) : (struct ports){-1, -1};
            while (**text && **text != ',')
                (*text)++;
            if (length > 0)
                return true;
            if (!**text)
                return false;
            continue;
        }
        if (length < CE_NCCL_NAME - 1)
            name[length] = **text, name[length + 1] = '\0';
        length++;
    }
    *port = (struct ports){-1, -1};
    return length > 0;
}

static void check_entries(const char *text, const struct ce_nccl_list *list)
{
    struct ce_nccl_list oldest, older, newest;
    char name[CE_NCCL_NAME];
    size_t count = 0;
    struct ports port;
    ce_nccl_list_read_by(list, CE_NCCL_2_18, &oldest);
    ce_nccl_list_read_by(list, CE_NCCL_2_19, &older);
    ce_nccl_list_read_by(list, CE_NCCL_2_30_5, &newest);
    text += *text == '^';
    text += *text == '=';
    for (; next_entry(&text, name, &port); count++) {
        if (count >= list->count)
            continue;
        FUZZ_CHECK(strcmp(list->entries[count].name, name) == 0);
        FUZZ_CHECK(list->entries[count].port == port.since);
        FUZZ_CHECK(newest.entries[count].port == port.since);
        FUZZ_CHECK(older.entries[count].port == port.before);
        FUZZ_CHECK(count >= 16 || oldest.entries[count].port == port.before);
    }
    FUZZ_CHECK(count == list->count + list->dropped);
    FUZZ_CHECK(count == oldest.count + oldest.dropped && oldest.count <= 16);
    FUZZ_CHECK(list->dropped == 0 || list->count == CE_NCCL_ENTRIES_MAX);
}

/* '^' takes just what the same list without it does not. */
static void check_inverse(const struct ce_nccl_list *list, const char *name, int port)
{
    struct ce_nccl_list inverse = *list;
    inverse.except = !list->except;
    FUZZ_CHECK(ce_nccl_list_takes(list, name, port) != ce_nccl_list_takes(&inverse, name, port));
}

static void check_unknown(const struct ce_nccl_list *list, const struct ce_node *node)
{
    for (size_t v = 0; v < ce_nccl_variable_count; v++) {
        const struct ce_nccl_entry *unknown = ce_nccl_variables[v].find_unknown(list, node);
        if (!unknown)
            continue;
        FUZZ_CHECK(unknown >= list->entries && unknown < list->entries + list->count);
        for (size_t i = 0; v == 0 && i < node->hca_count; i++)
            FUZZ_CHECK(!ce_nccl_entry_matches(list, unknown, node->hcas[i].name, 1));
    }
}

/* An older NCCL uses other HCAs only because of an empty port, or of more than 16 entries. */
static void check_versions(const struct ce_nccl_list *list, const struct ce_node *node)
{
    const struct ce_nccl_entry *entry = ce_nccl_list_empty_port(list, node);
    FUZZ_CHECK(!entry || (entry->empty_port && entry < list->entries + list->count));
    FUZZ_CHECK(!ce_nccl_list_changes(list, CE_NCCL_2_18, node) || list->count > 16);
    FUZZ_CHECK(!ce_nccl_list_changes(list, CE_NCCL_2_19, node) || entry);
    FUZZ_CHECK(!ce_nccl_list_changes(list, CE_NCCL_2_30_5, node));
}

static struct ce_node *make_node(void)
{
    struct ce_node *node =
        ce_node_parse("format=1\nnetif.eth0.index=1\nnetif.eth1.index=2\nib.mlx5_0.1.state=4\n"
                      "ib.mlx5_1.1.state=4\nib.mlx5_10.1.state=4\nend=1\n",
                      NULL);
    FUZZ_CHECK(node);
    return node;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ce_node *node;
    struct ce_nccl_list list;
    char *text = fuzz_text(data, size);
    if (!node)
        node = make_node();
    ce_nccl_list_parse(text, &list);
    check_entries(text, &list);
    check_inverse(&list, "mlx5_1", 1);
    check_inverse(&list, "eth0", -1);
    for (size_t i = 0; i < list.count; i++)
        check_inverse(&list, list.entries[i].name, list.entries[i].port);
    check_unknown(&list, node);
    check_versions(&list, node);
    free(text);
    return 0;
}
