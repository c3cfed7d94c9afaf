/* SPDX-License-Identifier: Apache-2.0 */
/* Host list expressions: as SLURM_STEP_NODELIST and as `names` in the configuration. */
#include "base/text.h"
#include "fuzz.h"
#include "model/hostlist.h"

const char fuzz_name[] = "hostlist";
const unsigned fuzz_runs = 18000;

static void check_name(const char *name)
{
    size_t length = strlen(name);
    FUZZ_CHECK(length >= 1 && length <= CE_HOSTNAME_MAX);
    FUZZ_CHECK(strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") ==
               length);
}

/* The names one by one are a list too, and the same. */
static void check_joined(const struct ce_hostlist *list)
{
    size_t count = ce_hostlist_count(list);
    ce_autotext struct ce_text joined = CE_TEXT(32 << 20);
    for (size_t i = 0; i < count; i++) {
        ce_text_add(&joined, i ? "," : "");
        ce_text_add(&joined, ce_hostlist_name(list, i));
    }
    FUZZ_CHECK(ce_text_ok(&joined));
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *again =
        ce_hostlist_parse(ce_text_string(&joined), NULL);
    FUZZ_CHECK(again && ce_hostlist_count(again) == count);
    for (size_t i = 0; i < count; i++)
        FUZZ_CHECK(strcmp(ce_hostlist_name(list, i), ce_hostlist_name(again, i)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ce_error err = {""};
    char *text = fuzz_text(data, size);
    ce_auto(ce_hostlist_destroy) struct ce_hostlist *list = ce_hostlist_parse(text, &err);
    free(text);
    if (!list) {
        fuzz_check_error(err.text);
        FUZZ_CHECK(strncmp(err.text, "host list: ", 11) == 0);
        return 0;
    }
    size_t count = ce_hostlist_count(list);
    FUZZ_CHECK(count >= 1 && count <= CE_HOSTLIST_MAX);
    for (size_t i = 0; i < count; i++)
        check_name(ce_hostlist_name(list, i));
    check_joined(list);
    return 0;
}
