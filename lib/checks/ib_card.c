/* SPDX-License-Identifier: Apache-2.0 */
/* The card of each rail: its place in PCI Express, its firmware, its way to user programs. */
#include <stdio.h>
#include <string.h>

#include "checks/check.h"
#include "checks/sibling.h"

enum { NVIDIA = 0x10de };

/* A card of two ports stands there twice, next to each other. */
static const struct ce_hca *card_at(const struct ce_check_view *view, size_t i)
{
    return i == 0 || view->rails[i].hca != view->rails[i - 1].hca ? view->rails[i].hca : NULL;
}

static bool skip_without_rails(const struct ce_check_view *view, struct ce_findings *out)
{
    if (!view->rail_count)
        ce_findings_add(out, CE_SKIP, "", "there is no rail");
    return !view->rail_count;
}

/* ---------------------------------------------------------------- PCI Express */

static void judge_link(const struct ce_hca *hca, unsigned found, unsigned most, const char *unit,
                       struct ce_findings *out)
{
    if (hca->virtual_function)
        ce_findings_add(out, CE_SKIP, hca->name, "a virtual function has no link of its own");
    else if (!found || !most)
        ce_findings_add(out, CE_UNKNOWN, hca->name, "its PCI Express link cannot be read");
    else if (found < most)
        ce_findings_add(out, CE_FAIL, hca->name, "PCIe %u %s, card and slot can %u", found, unit,
                        most);
    else
        ce_findings_add(out, CE_PASS, hca->name, "PCIe %u %s", found, unit);
}

static void judge_width(const struct ce_check_view *view, struct ce_findings *out)
{
    skip_without_rails(view, out);
    for (size_t i = 0; i < view->rail_count; i++)
        if (card_at(view, i))
            judge_link(view->rails[i].hca, view->rails[i].hca->link.width,
                       view->rails[i].hca->link.width_max, "lanes", out);
}

static void judge_speed(const struct ce_check_view *view, struct ce_findings *out)
{
    skip_without_rails(view, out);
    for (size_t i = 0; i < view->rail_count; i++)
        if (card_at(view, i))
            judge_link(view->rails[i].hca, view->rails[i].hca->link.speed_mtps,
                       view->rails[i].hca->link.speed_max_mtps, "MT/s", out);
}

/* ---------------------------------------------------------------- firmware */

/* The one for its type, else the one for all; NULL: none is expected. */
static const char *expected_firmware(const struct ce_check_view *view, const struct ce_hca *hca)
{
    const char *all = NULL;
    for (size_t i = 0; i < view->firmware_count; i++) {
        if (view->firmware[i].type[0] && strcmp(view->firmware[i].type, hca->type) == 0)
            return view->firmware[i].version;
        if (!view->firmware[i].type[0])
            all = view->firmware[i].version;
    }
    return all;
}

static void judge_one_firmware(const struct ce_check_view *view, const struct ce_hca *hca,
                               struct ce_findings *out)
{
    const char *expected = expected_firmware(view, hca);
    if (!expected)
        ce_findings_add(out, CE_SKIP, hca->name, "no firmware is expected");
    else if (!hca->firmware[0])
        ce_findings_add(out, CE_UNKNOWN, hca->name, "its firmware's version cannot be read");
    else if (strcmp(hca->firmware, expected) != 0)
        ce_findings_add(out, CE_FAIL, hca->name, "firmware %s, expected %s", hca->firmware,
                        expected);
    else
        ce_findings_add(out, CE_PASS, hca->name, "firmware %s", hca->firmware);
}

static void judge_firmware(const struct ce_check_view *view, struct ce_findings *out)
{
    skip_without_rails(view, out);
    for (size_t i = 0; i < view->rail_count; i++)
        if (card_at(view, i))
            judge_one_firmware(view, view->rails[i].hca, out);
}

static const char *firmware_of(const struct ce_check_port *rail)
{
    return rail->hca->firmware;
}

static const char *board_of(const struct ce_check_port *rail)
{
    return rail->hca->board_id;
}

static void judge_siblings(const struct ce_check_view *view, ce_word_of word_of, const char *what,
                           struct ce_findings *out)
{
    const char *usual = ce_sibling_word(view, word_of);
    if (skip_without_rails(view, out))
        return;
    for (size_t i = 0; i < view->rail_count; i++) {
        const char *word = word_of(&view->rails[i]);
        if (!card_at(view, i))
            continue;
        if (!word[0])
            ce_findings_add(out, CE_UNKNOWN, view->rails[i].hca->name, "its %s cannot be read",
                            what);
        else if (usual && strcmp(word, usual) != 0)
            ce_findings_add(out, CE_WARN, view->rails[i].hca->name, "%s %s, its siblings have %s",
                            what, word, usual);
        else
            ce_findings_add(out, CE_PASS, view->rails[i].hca->name, "%s %s", what, word);
    }
}

static void judge_firmware_siblings(const struct ce_check_view *view, struct ce_findings *out)
{
    judge_siblings(view, firmware_of, "firmware", out);
}

static void judge_board_siblings(const struct ce_check_view *view, struct ce_findings *out)
{
    judge_siblings(view, board_of, "board", out);
}

/* ---------------------------------------------------------------- user programs */

static void judge_uverbs(const struct ce_check_view *view, struct ce_findings *out)
{
    skip_without_rails(view, out);
    for (size_t i = 0; i < view->rail_count; i++) {
        const struct ce_hca *hca = card_at(view, i);
        if (!hca)
            continue;
        if (hca->uverbs == CE_ANSWER_UNKNOWN)
            ce_findings_add(out, CE_UNKNOWN, hca->name, "its device file was not looked for");
        else if (hca->uverbs == CE_ANSWER_NO)
            ce_findings_add(out, CE_FAIL, hca->name, "no /dev/infiniband/uverbs* of it");
        else
            ce_findings_add(out, CE_PASS, hca->name, "its device file is there");
    }
}

/* dma-buf came with Linux 5.12. */
static bool knows_dmabuf(const struct ce_host *host)
{
    unsigned major, minor;
    return host->driver == CE_DRIVER_OPEN && sscanf(host->kernel, "%4u.%4u", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 12));
}

static bool has_nvidia(const struct ce_node *node)
{
    for (unsigned i = 0; i < node->gpu_count; i++)
        if (node->gpus[i].vendor == NVIDIA)
            return true;
    return false;
}

static void judge_gpudirect(const struct ce_check_view *view, struct ce_findings *out)
{
    const struct ce_host *host = &view->node->host;
    if (skip_without_rails(view, out))
        return;
    if (!has_nvidia(view->node))
        ce_findings_add(out, CE_SKIP, "", "there is no NVIDIA GPU");
    else if (host->driver == CE_DRIVER_NONE)
        ce_findings_add(out, CE_SKIP, "", "NVIDIA's driver is not loaded");
    else if (host->peermem == CE_ANSWER_YES)
        ce_findings_add(out, CE_PASS, "", "nvidia_peermem is loaded");
    else if (knows_dmabuf(host))
        ce_findings_add(out, CE_PASS, "", "dma-buf: the open driver on Linux %s", host->kernel);
    else if (host->peermem == CE_ANSWER_UNKNOWN || host->driver == CE_DRIVER_UNKNOWN)
        ce_findings_add(out, CE_UNKNOWN, "", "the kernel's modules cannot be read");
    else
        ce_findings_add(out, CE_WARN, "",
                        "neither nvidia_peermem nor dma-buf: GPU memory goes through the host's");
}

enum { STARTING = CE_PROLOG | CE_MANUAL };

const struct ce_check ce_ib_card_checks[] = {
    {"ib.pcie.width", CE_EVERY_PHASE, CE_TELL, CE_IGNORE, CE_DETAILED, "card",
     "reseat the card or its riser", "every rail's card has all its PCI Express lanes",
     judge_width},
    {"ib.pcie.speed", CE_EVERY_PHASE, CE_TELL, CE_IGNORE, CE_DETAILED, "card",
     "reseat the card or its riser, look at the BIOS's setting of the slot",
     "every rail's card has its full PCI Express speed", judge_speed},
    {"ib.firmware", STARTING, CE_TELL, CE_TELL, 0, "card",
     "update the firmware with mlxfwmanager, then reset the card",
     "every rail's card has the expected firmware", judge_firmware},
    {"ib.firmware.siblings", STARTING, CE_TELL, CE_IGNORE, 0, "card",
     "give all cards the same firmware", "the rails' cards have one firmware",
     judge_firmware_siblings},
    {"ib.board.siblings", STARTING, CE_TELL, CE_IGNORE, 0, "card",
     "look at the order's list: another card was built in", "the rails' cards are of one board",
     judge_board_siblings},
    {"ib.uverbs", STARTING, CE_DRAIN, CE_IGNORE, CE_RECOVERABLE | CE_DETAILED, "card", "load ib_uverbs, look at udev",
     "every rail has its device file /dev/infiniband/uverbs*", judge_uverbs},
    {"ib.gpudirect", STARTING, CE_TELL, CE_TELL, CE_RECOVERABLE | CE_DETAILED, "node",
     "load nvidia_peermem, or use the open driver", "the rails can reach the memory of GPUs",
     judge_gpudirect},
};
const size_t ce_ib_card_check_count = sizeof ce_ib_card_checks / sizeof *ce_ib_card_checks;
