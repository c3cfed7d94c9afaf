/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel log: programs' names and drivers' words stand in it. */
#include "fuzz.h"
#include "base/error.h"
#include "checks/xid.h"
#include "model/node.h"
#include "probe/kernel_line.h"
#include "probe/kernel_log.h"

const char fuzz_name[] = "kernel";
const unsigned fuzz_runs = 30000;

static void check_event(const struct ce_kernel_event *event)
{
    const char *end;
    char address[CE_PCI_ADDRESS];
    FUZZ_CHECK(event->count >= 1 && event->first_seq <= event->seq);
    FUZZ_CHECK(event->mig >= -1 && event->mig <= CE_KERNEL_MIG_MAX);
    FUZZ_CHECK(event->action >= -1 && event->action <= CE_KERNEL_ACTION_MAX);
    FUZZ_CHECK(event->action == -1 || event->number == CE_XID_RECOVERY);
    FUZZ_CHECK(ce_is_printable(event->text) && strlen(event->text) < CE_KERNEL_TEXT);
    FUZZ_CHECK(event->kind == CE_KERNEL_DRIVER_LOADED ||
               (ce_kernel_address(event->pci, address, &end) == 0 && !*end &&
                strcmp(address, event->pci) == 0));
}

static char *write_node(const struct ce_node *node)
{
    ce_autotext struct ce_text text = CE_TEXT(16 << 20);
    ce_node_write(node, &text);
    char *written = ce_text_take(&text);
    FUZZ_CHECK(written);
    return written;
}

/* What was read is written, read and written again as the same text. */
static void check_text(const struct ce_node *node)
{
    char *first = write_node(node);
    ce_auto(ce_node_destroy) struct ce_node *again = ce_node_parse(first, NULL);
    FUZZ_CHECK(again);
    char *second = write_node(again);
    FUZZ_CHECK(strcmp(first, second) == 0);
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct ce_kernel_event event;
    ce_auto(ce_node_destroy) struct ce_node *node = ce_node_create();
    FUZZ_CHECK(node);
    if (ce_kernel_event_parse(text, &event) == 0)
        check_event(&event);
    ce_kernel_log_take_text(text, 0, &node->kernel);
    free(text);
    FUZZ_CHECK(node->kernel.read && node->kernel.count <= CE_KERNEL_EVENTS_MAX);
    for (size_t i = 0; i < node->kernel.count; i++) {
        const char *pci = node->kernel.events[i].pci;
        check_event(&node->kernel.events[i]);
        FUZZ_CHECK(ce_xid_judge(&node->kernel, pci, 0, true).verdict != CE_UNKNOWN);
        FUZZ_CHECK(ce_sxid_judge(&node->kernel, pci, 0).verdict != CE_UNKNOWN);
    }
    ce_xid_forbids_nvml(&node->kernel);
    check_text(node);
    return 0;
}
