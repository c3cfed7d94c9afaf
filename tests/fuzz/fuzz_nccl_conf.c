/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's configuration files. */
#include "base/text.h"
#include "fuzz.h"
#include "local/nccl_conf.h"

const char fuzz_name[] = "nccl_conf";
const unsigned fuzz_runs = 120000;

static const char *const names[] = {"NCCL_SOCKET_IFNAME", "NCCL_SOCKET_FAMILY", "NCCL_COMM_ID", "N"};

static bool sets(const char *text, const char *name)
{
    const struct ce_nccl_conf conf = {.site = (char *)text};
    return ce_nccl_conf_sets(&conf, name) != NULL;
}

/* The same lines as comments set nothing. */
static char *comment_out(const char *text)
{
    ce_autotext struct ce_text out = CE_TEXT(1 << 20);
    ce_text_add(&out, "#");
    for (; *text; text++)
        ce_text_addf(&out, *text == '\n' ? "\n#" : "%c", *text);
    char *taken = ce_text_take(&out);
    FUZZ_CHECK(taken);
    return taken;
}

static void check(const char *text, const char *comments, const char *name)
{
    ce_autotext struct ce_text more = CE_TEXT(1 << 20);
    FUZZ_CHECK(!sets(text, name) || strstr(text, name));
    FUZZ_CHECK(!sets(comments, name));
    ce_text_addf(&more, "%s\n%s=1", text, name);
    FUZZ_CHECK(sets(ce_text_string(&more), name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *comments = comment_out(text);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check(text, comments, names[i]);
    free(comments);
    free(text);
    return 0;
}
