/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL_IB_HCA and NCCL_SOCKET_IFNAME, which users and sites set to anything.  Beside it the grammar
 * once more, byte by byte as NCCL goes through it. */
#include "fuzz.h"
#include "launch/nccl_list.h"

const char fuzz_name[] = "nccl_list";
const unsigned fuzz_runs = 250000;

/* What the next entry is, skipping those without a name; false: there is none. */
static bool next_entry(const char **text, char name[CE_NCCL_NAME], int *port)
{
    size_t length = 0;
    for (; **text; (*text)++) {
        if (**text == ':' || **text == ',') {
            *port = **text == ':' ? atoi(*text + 1) : -1;
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
    *port = -1;
    return length > 0;
}

static void check_entries(const char *text, const struct ce_nccl_list *list)
{
    char name[CE_NCCL_NAME];
    size_t count = 0;
    int port;
    text += *text == '^';
    text += *text == '=';
    for (; next_entry(&text, name, &port); count++) {
        if (count >= list->count)
            continue;
        FUZZ_CHECK(strcmp(list->entries[count].name, name) == 0);
        FUZZ_CHECK(list->entries[count].port == port);
    }
    FUZZ_CHECK(count == list->count + list->dropped);
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

static struct ce_node *make_node(void)
{
    struct ce_node *node =
        ce_node_parse("format=1\nnetif.eth0.index=1\nnetif.eth1.index=2\nib.mlx5_0.1.state=4\n"
                      "ib.mlx5_1.1.state=4\nib.mlx5_10.1.state=4\nend=1\n", NULL);
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
    free(text);
    return 0;
}
