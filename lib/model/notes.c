/* SPDX-License-Identifier: Apache-2.0 */
#include "model/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ce_note(struct ce_notes *notes, const char *format, ...)
{
    char text[sizeof notes->line[0].text + 1]; /* one more, so that ce_fail() sees a cut */
    va_list args;
    struct ce_error line;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ce_fail(&line, "%s", text);
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->line[i].text, line.text) == 0)
            return;
    if (notes->count < CE_NOTES_MAX)
        notes->line[notes->count++] = line;
    else
        notes->lost++;
}
