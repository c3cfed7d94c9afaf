/* SPDX-License-Identifier: Apache-2.0 */
/* What one run keeps for the next: what it has reported, and the drain of this node; and the form that they
 * have, records. */
#include "fuzz.h"

#include "health/recovery.h"
#include "health/told.h"
#include "model/record.h"

const char fuzz_name[] = "state";
const unsigned fuzz_runs = 60000;

enum { TEXT_MAX = 1 << 20 };

static void check_told(const char *text)
{
    static struct ce_told told, again;
    ce_autotext struct ce_text out = CE_TEXT(TEXT_MAX);
    struct ce_error err = {""};
    told.now_count = 0;
    told.now_ms = 1000;
    if (ce_told_parse(text, &told, &err) < 0) {
        fuzz_check_error(err.text);
        FUZZ_CHECK(told.before_count == 0);
    }
    FUZZ_CHECK(told.before_count <= CE_TOLD_LINES);
    for (size_t i = 0; i < told.before_count; i++)
        FUZZ_CHECK(strlen(told.before[i].words) < CE_TOLD_WORDS);
    ce_told_is_news(&told, "a", text);
    ce_told_is_news(&told, text, "b");
    FUZZ_CHECK(told.now_count <= 2);
    ce_told_write(&told, &out);
    FUZZ_CHECK(ce_text_ok(&out) && ce_told_parse(ce_text_string(&out), &again, &err) == 0);
    FUZZ_CHECK(again.before_count == told.now_count);
    for (size_t i = 0; i < again.before_count; i++)
        FUZZ_CHECK(strcmp(again.before[i].words, told.now[i].words) == 0 &&
                   again.before[i].since_ms == told.now[i].since_ms);
}

static void check_recovery(const char *text)
{
    struct ce_recovery recovery;
    struct ce_error err = {""};
    const struct ce_findings nothing = {.count = 0};
    ce_autotext struct ce_text first = CE_TEXT(TEXT_MAX), second = CE_TEXT(TEXT_MAX);
    if (ce_recovery_parse(text, &recovery, &err) < 0) {
        fuzz_check_error(err.text);
        return;
    }
    FUZZ_CHECK(recovery.check_count <= CE_RECOVERY_CHECKS);
    ce_recovery_write(&recovery, &first);
    FUZZ_CHECK(ce_text_ok(&first) && ce_recovery_parse(ce_text_string(&first), &recovery, &err) == 0);
    ce_recovery_write(&recovery, &second);
    FUZZ_CHECK(strcmp(ce_text_string(&first), ce_text_string(&second)) == 0);
    FUZZ_CHECK(ce_recovery_judge(&recovery, &nothing, 3600000) != CE_RECOVERY_RESUME);
    ce_recovery_end(&recovery, 3600000);
    FUZZ_CHECK(!recovery.reason[0] && recovery.check_count == 0);
}

/* Does a line before this one have the same part?  In the simplest way, for comparison. */
static bool is_repeated(const char *text, const char *line, size_t length)
{
    for (; text < line; text += strcspn(text, "\n") + 1)
        if (strncmp(text, line, length) == 0 && strchr(".=", text[length]))
            return true;
    return false;
}

static void check_parts(const char *text, const char *prefix)
{
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, NULL);
    char name[64];
    size_t at = 0, start = strlen(prefix);
    for (const char *line = text; record && *line; line += strcspn(line, "\n") + 1) {
        size_t length = strncmp(line, prefix, start) == 0 ? strcspn(line + start, ".=") : 0;
        if (length == 0 || length >= sizeof name || is_repeated(text, line, start + length))
            continue;
        FUZZ_CHECK(ce_record_next_part(record, prefix, &at, name, sizeof name));
        FUZZ_CHECK(strlen(name) == length && strncmp(name, line + start, length) == 0);
    }
    FUZZ_CHECK(!record || !ce_record_next_part(record, prefix, &at, name, sizeof name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    check_told(text);
    check_recovery(text);
    check_parts(text, "line.");
    check_parts(text, "n.");
    free(text);
    return 0;
}
