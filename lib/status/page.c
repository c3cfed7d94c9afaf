/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "status/page_files.h"
#include "status/report.h"

enum { JSON_MAX = 256 << 20 };

/* Inside a script element HTML knows no escapes, and ends it at "</script"; JSON has escapes of its own
 * for whatever HTML might read. */
static void add_json(const char *json, struct ce_text *out)
{
    for (size_t plain; *json; json += plain) {
        plain = strcspn(json, "<>&");
        ce_text_addn(out, json, plain);
        if (json[plain])
            ce_text_addf(out, "\\u%04x", (unsigned)(unsigned char)json[plain++]);
    }
}

static void add_data(const struct ce_status *status, struct ce_text *out)
{
    ce_autotext struct ce_text json = CE_TEXT(JSON_MAX);
    if (ce_status_json_line(status, &json) < 0 || !ce_text_ok(&json))
        out->failed = true;
    else
        add_json(ce_text_string(&json), out);
}

static void add_scripts(const struct ce_status *status, struct ce_text *out)
{
    ce_text_add(out, ce_page_data_js);
    ce_text_add(out, ce_page_js);
    (void)status;
}

static void add_style(const struct ce_status *status, struct ce_text *out)
{
    ce_text_add(out, ce_page_css);
    (void)status;
}

/* The marks of page.html, in its order, and what stands in their places. */
static const struct {
    const char *mark;
    void (*add)(const struct ce_status *status, struct ce_text *out);
} marks[] = {{"@CSS@", add_style}, {"@DATA@", add_data}, {"@JS@", add_scripts}};

int ce_status_page(const struct ce_status *status, struct ce_text *out)
{
    const char *html = ce_page_html;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *mark = strstr(html, marks[i].mark);
        if (!mark)
            return -1;
        ce_text_addn(out, html, (size_t)(mark - html));
        marks[i].add(status, out);
        html = mark + strlen(marks[i].mark);
    }
    ce_text_add(out, html);
    return ce_text_ok(out) ? 0 : -1;
}
