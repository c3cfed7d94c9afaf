/* SPDX-License-Identifier: Apache-2.0 */
/* probe-gpu: how each NVIDIA GPU is, as NVML says.  Run as a child with a deadline: every question
 * asks the driver, and a sick GPU answers after seconds or never.  stdout is a part of the text of
 * node.facts, written GPU by GPU, so that what was told before one that hangs is not lost; stderr is
 * for people; the exit status is 0 (also where there is no NVML: nvml.error says so), 1 (the text
 * could not be written), or 2 (usage). */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "gpu_questions.h"
#include "model/gpu_state.h"
#include "model/hca.h"
#include "model/pci.h"
#include "nvml.h"

enum { OUTPUT_MAX = 1 << 20 };

/* ---------------------------------------------------------------- which GPUs */

struct gpus {
    struct ce_pci pci[CE_GPUS_MAX];
    bool skipped[CE_GPUS_MAX];
    unsigned count;
    bool named; /* on the command line */
};

/* NVML writes "00000000:1B:00.0", sysfs "0000:1b:00.0". */
static int take_address(const char *text, struct ce_pci *ret)
{
    unsigned domain, bus, device, function = 0;
    int end = 0;
    if (sscanf(text, "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) != 4 ||
        text[end])
        return -1;
    snprintf(ret->address, sizeof ret->address, "%04x:%02x:%02x.%x", domain, bus & 0xff,
             device & 0x1f, function & 7);
    return 0;
}

static int add_gpu(struct gpus *gpus, const char *address, bool skipped)
{
    struct ce_pci pci = {.numa = CE_NUMA_UNKNOWN};
    if (gpus->count == CE_GPUS_MAX || take_address(address, &pci) < 0)
        return -1;
    unsigned at = gpus->count++;
    for (; at > 0 && ce_pci_compare(&gpus->pci[at - 1], &pci) > 0; at--) {
        gpus->pci[at] = gpus->pci[at - 1];
        gpus->skipped[at] = gpus->skipped[at - 1];
    }
    gpus->pci[at] = pci;
    gpus->skipped[at] = skipped;
    return 0;
}

/* By hand, without addresses: those that NVML counts. */
static void list_gpus(const struct nvml *nvml, struct gpus *gpus)
{
    unsigned count = 0;
    if (nvml->count(&count) != NV_OK)
        return;
    for (unsigned i = 0; i < count && i < CE_GPUS_MAX; i++) {
        nv_device device;
        nv_pci pci;
        if (nvml->by_index(i, &device) == NV_OK && nvml->pci(device, &pci) == NV_OK)
            add_gpu(gpus, pci.bus_id, false);
    }
}

/* ---------------------------------------------------------------- the text */

/* What is written is out: the next question may hang. */
static int flush(struct ce_text *out)
{
    if (!ce_text_ok(out)) {
        fputs("probe-gpu: the text does not fit\n", stderr);
        return -1;
    }
    if (fputs(ce_text_string(out), stdout) == EOF || fflush(stdout) == EOF) {
        fprintf(stderr, "probe-gpu: cannot write: %s\n", strerror(errno));
        return -1;
    }
    ce_text_free(out);
    *out = CE_TEXT(OUTPUT_MAX);
    return 0;
}

static int print_gpus(const struct nvml *nvml, const char *driver, const struct gpus *gpus,
                      struct ce_text *out)
{
    for (unsigned i = 0; i < gpus->count; i++) {
        struct ce_gpu_state state = {.asked = CE_GPU_ANSWERED};
        if (gpus->skipped[i])
            state.asked = CE_GPU_SKIPPED;
        else
            gpu_ask(nvml, driver, &gpus->pci[i], &state);
        ce_gpu_state_write(&state, i, out);
        if (flush(out) < 0)
            return -1;
    }
    return 0;
}

static void print_head(const struct gpus *gpus, struct ce_text *out)
{
    char prefix[32];
    ce_record_add_number(out, gpus->count, "gpu.count");
    for (unsigned i = 0; i < gpus->count; i++) {
        snprintf(prefix, sizeof prefix, "gpu.%u", i);
        ce_pci_write(&gpus->pci[i], prefix, out);
    }
}

static void ask_version(const struct nvml *nvml, char driver[CE_GPU_WORD])
{
    if (!nvml->driver || nvml->driver(driver, CE_GPU_WORD) != NV_OK)
        driver[0] = '\0';
}

static bool asks_any(const struct gpus *gpus)
{
    for (unsigned i = 0; i < gpus->count; i++)
        if (!gpus->skipped[i])
            return true;
    return !gpus->named;
}

static int print(struct gpus *gpus)
{
    ce_autotext struct ce_text out = CE_TEXT(OUTPUT_MAX);
    struct ce_error err;
    struct nvml nvml = {NULL};
    nv_return code = NV_OK;
    char driver[CE_GPU_WORD] = "";
    int loaded = -1;
    ce_record_begin(&out);
    if (asks_any(gpus) && (loaded = nvml_load(&nvml, &err)) < 0)
        ce_record_add(&out, err.text, "nvml.error");
    if (loaded == 0 && (code = nvml.init()) != NV_OK) {
        ce_record_add(&out, ce_nvml_word(code), "nvml.error");
        ce_record_add_number(&out, code, "nvml.code");
    }
    bool asks = loaded == 0 && code == NV_OK;
    if (asks && !gpus->named)
        list_gpus(&nvml, gpus);
    print_head(gpus, &out);
    if (asks)
        ask_version(&nvml, driver);
    if (driver[0])
        ce_record_add(&out, driver, "nvml.driver");
    if (flush(&out) < 0 || ((asks || !asks_any(gpus)) && print_gpus(&nvml, driver, gpus, &out) < 0))
        return 1;
    ce_record_end(&out);
    return flush(&out) < 0;
}

static int usage(void)
{
    fputs("usage: probe-gpu [--gpu=PCI]... [--skip=PCI]...\n"
          "Asks the GPUs of --gpu, and says which were to be skipped; without any, all that NVML counts.\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"gpu", required_argument, NULL, 'g'}, {"skip", required_argument, NULL, 's'}, {NULL}};
    struct gpus gpus = {.count = 0};
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if ((option != 'g' && option != 's') || add_gpu(&gpus, optarg, option == 's') < 0)
            return usage();
        gpus.named = true;
    }
    return optind < argc ? usage() : print(&gpus);
}
