/* SPDX-License-Identifier: Apache-2.0 */
#include "model/notes.h"

#include <stdarg.h>
#include <stdio.h>

void ce_note(struct ce_notes *notes, const char *format, ...)
{
    char text[sizeof notes->line[0].text];
    va_list args;
    if (notes->count == CE_NOTES_MAX) {
        notes->lost++;
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ce_fail(&notes->line[notes->count++], "%s", text);
}
