/* SPDX-License-Identifier: Apache-2.0 */
/* Shared libraries, read without being loaded. */
#include <stdbool.h>

#include "fuzz.h"
#include "probe/elf.h"

const char fuzz_name[] = "elf";
const unsigned fuzz_runs = 300000;

static void look(const uint8_t *data, size_t size, const char *symbol)
{
    struct ce_error err = {""};
    uint32_t number = 7;
    if (ce_elf_number(data, size, symbol, &number, &err) < 0) {
        fuzz_check_error(err.text);
        FUZZ_CHECK(number == 7);
    } else {
        /* it stands somewhere in the file */
        bool found = false;
        for (size_t i = 0; i + sizeof number <= size && !found; i++)
            found = memcmp(data + i, &number, sizeof number) == 0;
        FUZZ_CHECK(found);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1); /* so that a sanitizer sees a step behind its end */
    FUZZ_CHECK(copy);
    if (size > 0)
        memcpy(copy, data, size);
    look(copy, size, "plugin_version");
    look(copy, size, "");
    ce_elf_machine(copy, size);
    free(copy);
    return 0;
}
