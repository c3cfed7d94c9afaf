/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody who types sbatch wrote: as a command line, whose words end with NULs, and as a script. */
#include "fuzz.h"
#include "slurm/open_mode.h"

const char fuzz_name[] = "open_mode";
const unsigned fuzz_runs = 400000;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words = fuzz_text(data, size);
    const char *word;
    for (size_t i = 0; i < size; i++) /* in the corpus words are separated by newlines */
        words[i] = words[i] == '\n' ? '\0' : words[i];
    ce_open_mode_in_words(words, size);
    for (unsigned n = 0; (word = ce_open_mode_candidate(words, size, n)) != NULL; n++)
        FUZZ_CHECK(word > words && word < words + size && *word != '-');
    free(words);
    char *script = fuzz_text(data, size);
    bool appends = ce_open_mode_in_script(script);
    FUZZ_CHECK(!appends || strstr(script, "#SBATCH"));
    free(script);
    return 0;
}
