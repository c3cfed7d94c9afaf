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

/* Each mark of page.html, in its order, and what stands in its place. */
int ce_status_page(const struct ce_status *status, struct ce_text *out)
{
    static const char *const marks[] = {"@CSS@", "@DATA@", "@JS@"};
    const char *html = ce_page_html;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *mark = strstr(html, marks[i]);
        if (!mark)
            return -1;
        ce_text_addn(out, html, (size_t)(mark - html));
        html = mark + strlen(marks[i]);
        if (i == 1)
            add_data(status, out);
        else
            ce_text_add(out, i == 0 ? ce_page_css : ce_page_js);
    }
    ce_text_add(out, html);
    return ce_text_ok(out) ? 0 : -1;
}
