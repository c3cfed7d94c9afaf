/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of health.jsonl, which nodes and people may have bent; and what is made of them: rows, a table,
 * JSON, a page. */
#include "fuzz.h"
#include "status/health_log.h"
#include "status/report.h"
#include "status/rows.h"

const char fuzz_name[] = "health_line";
const unsigned fuzz_runs = 12000;

static void take(void *ctx, const char *name, struct ce_health_line *line, const char *text,
                 size_t length)
{
    struct ce_error err;
    FUZZ_CHECK(line->phase[0] && line->finding_count <= CE_LINE_LIST_MAX);
    FUZZ_CHECK(line->node && line->mode && line->error && line->reason && line->done);
    for (size_t i = 0; i < line->finding_count; i++)
        FUZZ_CHECK(line->findings[i].check[0] && line->findings[i].verdict <= CE_FAIL);
    for (size_t i = 0; i < line->measured_count; i++)
        FUZZ_CHECK(line->measured[i].what[0] && line->measured[i].unit);
    struct ce_health_line *again = ce_health_line_parse(text, length, &err);
    FUZZ_CHECK(again && again->time == line->time);
    ce_health_line_destroy(again);
    ce_board_line(ctx, name, line);
}

static void bad(void *ctx, const char *path, size_t lines, const char *why)
{
    (void)ctx;
    (void)path;
    FUZZ_CHECK(lines > 0);
    fuzz_check_error(why);
}

/* Nothing in the table draws on a terminal. */
static void check_table(const struct ce_status *status)
{
    ce_autotext struct ce_text out = CE_TEXT(8 << 20), bench = CE_TEXT(8 << 20);
    const struct ce_status_style style = {.columns = 100, .rows = 20};
    struct ce_error err;
    FUZZ_CHECK(ce_status_text(status, &style, &out, &err) == 0);
    FUZZ_CHECK(ce_status_bench(status, &style, &bench, &err) == 0);
    for (const char *p = ce_text_string(&out); *p; p++)
        FUZZ_CHECK((unsigned char)*p >= ' ' || *p == '\n');
    for (const char *p = ce_text_string(&bench); *p; p++)
        FUZZ_CHECK((unsigned char)*p >= ' ' || *p == '\n');
}

/* Between its marks there is no letter that means something to HTML. */
static void check_page(const struct ce_status *status)
{
    static const char begin[] = "<script id=\"data\" type=\"application/json\">", end[] = "</script>";
    ce_autotext struct ce_text page = CE_TEXT(8 << 20);
    FUZZ_CHECK(ce_status_page(status, &page) == 0);
    const char *data = strstr(ce_text_string(&page), begin);
    FUZZ_CHECK(data);
    data += strlen(begin);
    FUZZ_CHECK(strncmp(data + strcspn(data, "<>&"), end, strlen(end)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ce_autoboard struct ce_board board = {.count = 0};
    const struct ce_log_reader reader = {.take = take, .bad = bad, .ctx = &board};
    const struct ce_notes notes = {.count = 0};
    const struct ce_status status = {
        .board = &board, .now = 1795273838, .source = "fuzz", .notes = &notes};
    char *text = fuzz_text(data, size);
    ce_health_text_read(&reader, "fuzz", "n1", text, strlen(text));
    ce_health_text_read(&reader, "fuzz", "n2", text, strlen(text) / 2);
    free(text);
    ce_board_settle(&board);
    check_table(&status);
    check_page(&status);
    return 0;
}
