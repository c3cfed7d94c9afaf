/* SPDX-License-Identifier: Apache-2.0 */
/* What slurm-node says of the cluster's nodes. */
#include "fuzz.h"
#include "model/hostlist.h"
#include "model/roster.h"

const char fuzz_name[] = "roster";
const unsigned fuzz_runs = 500000;

/* Every node has a name that a host list may hold; what was not told is "". */
static void check_nodes(const struct ce_roster *roster)
{
    for (size_t i = 0; i < ce_roster_count(roster); i++) {
        const struct ce_roster_node *node = ce_roster_at(roster, i);
        size_t length = ce_hostname_span(node->name);
        FUZZ_CHECK(length > 0 && length <= CE_HOSTNAME_MAX && !node->name[length]);
        FUZZ_CHECK(node->address && node->state && node->partition && node->reason);
    }
}

static char *write_roster(const struct ce_roster *roster)
{
    ce_autotext struct ce_text text = CE_TEXT(1 << 20);
    ce_roster_begin(&text, ce_roster_count(roster));
    for (size_t i = 0; i < ce_roster_count(roster); i++)
        ce_roster_add(&text, i, ce_roster_at(roster, i));
    ce_roster_end(&text);
    char *written = ce_text_take(&text);
    FUZZ_CHECK(written);
    return written;
}

/* What was accepted is written, read and written again as the same text; cut, it is refused. */
static void check_text(const struct ce_roster *roster, size_t cut)
{
    char *first = write_roster(roster);
    ce_auto(ce_roster_destroy) struct ce_roster *again = ce_roster_parse(first, NULL);
    FUZZ_CHECK(again && ce_roster_count(again) == ce_roster_count(roster));
    char *second = write_roster(again);
    FUZZ_CHECK(strcmp(first, second) == 0);
    first[cut % strlen(first)] = '\0';
    FUZZ_CHECK(!ce_roster_parse(first, NULL));
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ce_error err = {""};
    char *text = fuzz_text(data, size);
    ce_auto(ce_roster_destroy) struct ce_roster *roster = ce_roster_parse(text, &err);
    free(text);
    if (!roster) {
        fuzz_check_error(err.text);
        return 0;
    }
    FUZZ_CHECK(ce_roster_count(roster) <= size);
    check_nodes(roster);
    check_text(roster, size * 31);
    return 0;
}
