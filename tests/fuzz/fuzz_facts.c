/* SPDX-License-Identifier: Apache-2.0 */
/* Records and what they say of a node: node.facts. */
#include "fuzz.h"
#include "model/node.h"
#include "model/record.h"

const char fuzz_name[] = "facts";
const unsigned fuzz_runs = 60000;

/* The parts of all keys below a prefix: each once, and not more than there are lines. */
static void check_parts(const struct ce_record *record, size_t size)
{
    char part[64], seen[16][64];
    size_t at = 0, count = 0;
    while (ce_record_next_part(record, "netif.", &at, part, sizeof part)) {
        FUZZ_CHECK(part[0] && !strchr(part, '.'));
        for (size_t i = 0; i < count && i < 16; i++)
            FUZZ_CHECK(strcmp(seen[i], part) != 0);
        if (count < 16)
            strcpy(seen[count], part);
        FUZZ_CHECK(++count <= size);
    }
}

static void check_netifs(const struct ce_node *node)
{
    FUZZ_CHECK(node->netif_count <= CE_NETIF_MAX);
    for (size_t i = 0; i < node->netif_count; i++) {
        const struct ce_netif *netif = &node->netifs[i];
        FUZZ_CHECK(netif->name[0] && ce_node_find_netif(node, netif->name) == netif);
        FUZZ_CHECK(ce_netif_kind_name(netif->kind)[0]);
        FUZZ_CHECK(netif->address_count <= CE_NETIF_ADDRESSES_MAX);
        for (size_t j = 0; j < netif->address_count; j++)
            FUZZ_CHECK(netif->addresses[j].length <=
                       (netif->addresses[j].address.family == AF_INET ? 32u : 128u));
    }
}

static char *write_node(const struct ce_node *node)
{
    ce_autotext struct ce_text text = CE_TEXT(16 << 20);
    ce_node_write(node, &text);
    char *written = ce_text_take(&text);
    FUZZ_CHECK(written);
    return written;
}

/* What was accepted is written, read and written again as the same text; cut, it is refused. */
static void check_text(const struct ce_node *node, size_t cut)
{
    char *first = write_node(node);
    ce_auto(ce_node_destroy) struct ce_node *again = ce_node_parse(first, NULL);
    FUZZ_CHECK(again);
    char *second = write_node(again);
    FUZZ_CHECK(strcmp(first, second) == 0);
    first[cut % strlen(first)] = '\0';
    FUZZ_CHECK(!ce_node_parse(first, NULL));
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ce_error record_err = {""}, node_err = {""};
    char *text = fuzz_text(data, size);
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, &record_err);
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_parse(text, &node_err);
    free(text);
    if (!record)
        fuzz_check_error(record_err.text);
    else
        check_parts(record, size);
    FUZZ_CHECK(record || !node);
    if (!node) {
        fuzz_check_error(node_err.text);
        return 0;
    }
    check_netifs(node);
    check_text(node, size * 31);
    return 0;
}
