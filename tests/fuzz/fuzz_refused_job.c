/* SPDX-License-Identifier: Apache-2.0 */
/* What a prolog that failed leaves for the plugin: what is accepted is bounded, printable, and the same text again. */
#include "base/text.h"
#include "fuzz.h"
#include "local/refused_job.h"

const char fuzz_name[] = "refused_job";
const unsigned fuzz_runs = 18000;

static void check_same(const struct ce_refused_job *refused)
{
    struct ce_refused_job again;
    ce_autotext struct ce_text text = CE_TEXT(CE_REFUSED_JOB_TEXT);
    ce_refused_job_format(refused, &text);
    FUZZ_CHECK(ce_text_ok(&text) && ce_refused_job_parse(ce_text_string(&text), &again, NULL) == 0);
    FUZZ_CHECK(again.job == refused->job && again.restarts == refused->restarts);
    FUZZ_CHECK(strcmp(again.boot_id, refused->boot_id) == 0 && strcmp(again.reason.text, refused->reason.text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct ce_refused_job refused;
    if (ce_refused_job_parse(text, &refused, NULL) == 0) {
        FUZZ_CHECK(refused.job != 0 && refused.boot_id[0] && refused.reason.text[0]);
        FUZZ_CHECK(ce_is_printable(refused.boot_id) && ce_is_printable(refused.reason.text));
        check_same(&refused);
    }
    free(text);
    return 0;
}
