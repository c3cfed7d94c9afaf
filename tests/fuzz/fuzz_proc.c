/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of /proc, parts of which any user can choose: names of processes, what they have open, mounts. */
#include "fuzz.h"

#include "base/error.h"
#include "probe/proc_text.h"

const char fuzz_name[] = "proc";
const unsigned fuzz_runs = 120000;

static void check_stat(const char *text)
{
    struct ce_proc_stat stat = {.state = '-'};
    if (ce_proc_stat_parse(text, &stat) < 0) {
        FUZZ_CHECK(stat.state == '-');
        return;
    }
    const char *close = strrchr(text, ')');
    FUZZ_CHECK(close && close[2] == stat.state && close[1] == ' ' && close[3] == ' ');
    FUZZ_CHECK(strlen(stat.name) <= CE_PROC_NAME && ce_is_printable(stat.name));
}

static void check_number(const char *text)
{
    uint64_t number = UINT64_MAX;
    int found = ce_proc_number(text, "MemTotal:", &number);
    FUZZ_CHECK((found == 0) == (number != UINT64_MAX));
    FUZZ_CHECK(found < 0 || strstr(text, "MemTotal:"));
}

/* A mount at the end of the text is one, whatever is before it. */
static void check_mounts(const char *text, size_t size)
{
    static const char path[] = "/a b\\", line[] = "\nx /a\\040b\\134 nfs4 rw 0 0\n";
    char *more = malloc(size + sizeof line);
    FUZZ_CHECK(more);
    FUZZ_CHECK(!ce_proc_is_mounted(text, path) || strstr(text, " /a\\040b\\134 "));
    strcpy(stpcpy(more, text), line);
    FUZZ_CHECK(ce_proc_is_mounted(more, path));
    ce_proc_is_mounted(more, text);
    free(more);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    check_stat(text);
    check_number(text);
    check_mounts(text, size);
    FUZZ_CHECK(!ce_proc_is_gpu(text) || strncmp(text, "/dev/nvidia", 11) == 0);
    FUZZ_CHECK(!ce_proc_line(text, "nvidia ") || strstr(text, "nvidia "));
    free(text);
    return 0;
}
