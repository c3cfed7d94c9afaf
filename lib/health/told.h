/* SPDX-License-Identifier: Apache-2.0 */
/* What a run that comes every few minutes has told already: the same again is news once a day.  It stands
 * in RUN_DIR/healthcheck/told, which only root reads. */
#ifndef CE_HEALTH_TOLD_H
#define CE_HEALTH_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define CE_TOLD_DIR "healthcheck"
#define CE_TOLD_FILE "told"

/* More lines, and what is longer, are news at every run. */
enum { CE_TOLD_LINES = 128, CE_TOLD_WORDS = 448 };

struct ce_told_line {
    char words[CE_TOLD_WORDS];
    uint64_t since_ms; /* when it was told last */
    bool again;        /* this run had it, too */
};

/* Times are those of the boot's clock, which nobody sets. */
struct ce_told {
    struct ce_told_line before[CE_TOLD_LINES], now[CE_TOLD_LINES];
    size_t before_count, now_count;
    uint64_t now_ms;
};

/* Is it news?  `thing` and `words` make one line, of which the numbers in `words` do not count: what is measured
 * differs each time.  What was no news is kept for as long as each run has it. */
bool ce_told_is_news(struct ce_told *told, const char *thing, const char *words);

/* From the run before, and for the next one.  Where there is nothing, or what cannot be read, all is news. */
void ce_told_load(const char *run_dir, struct ce_told *ret);
int ce_told_store(const char *run_dir, const struct ce_told *told, struct ce_error *err);

/* The text form (model/record.h) of now, read into before.  -1 with err; then nothing was told. */
void ce_told_write(const struct ce_told *told, struct ce_text *out);
int ce_told_parse(const char *text, struct ce_told *ret, struct ce_error *err);

#endif
