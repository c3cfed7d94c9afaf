/* SPDX-License-Identifier: Apache-2.0 */
/* plugstack.conf. */
#include "fuzz.h"
#include "model/plugstack.h"

const char fuzz_name[] = "plugstack";
const unsigned fuzz_runs = 200000;

static void check(const struct ce_plugstack_line *line, unsigned before)
{
    FUZZ_CHECK(line->number > before);
    FUZZ_CHECK(memchr(line->path, 0, sizeof line->path));
    FUZZ_CHECK(memchr(line->arguments, 0, sizeof line->arguments));
    FUZZ_CHECK(!strpbrk(line->path, " \t\n#"));
    FUZZ_CHECK(!strpbrk(line->arguments, "\t\n#") && !strstr(line->arguments, "  "));
    if (line->kind == CE_PLUGSTACK_WRONG)
        return;
    FUZZ_CHECK(line->path[0]);
    FUZZ_CHECK(line->arguments[0] != ' ');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ce_plugstack_line line;
    char *text = fuzz_text(data, size);
    const char *at = text;
    unsigned number = 0, before = 0, lines = 1;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    for (; ce_plugstack_next(&at, &number, &line); before = line.number)
        check(&line, before);
    FUZZ_CHECK(!*at && number <= lines);
    free(text);
    return 0;
}
