/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gang_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

static const char magic[] = "CEP1";
enum { MAGIC = sizeof magic - 1, DIGITS = CE_GANG_HEADER - MAGIC - 1, LINES_MAX = CE_GANG_RAILS };

static const char *const kinds[] = {"hello",   "welcome", "view",    "call",
                                    "verdict", "ends",    "step"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---------------------------------------------------------------- headers */

void ce_gang_header_write(enum ce_gang_frame type, uint32_t length, char header[CE_GANG_HEADER + 1])
{
    snprintf(header, CE_GANG_HEADER + 1, "%s%c%07u", magic, (char)type, length % 10000000);
}

int ce_gang_header_parse(const char header[CE_GANG_HEADER], enum ce_gang_frame *type,
                         uint32_t *length)
{
    char digits[DIGITS + 1] = "";
    char letter = header[MAGIC];
    uint32_t max = letter == CE_GANG_DATA ? CE_GANG_DATA_MAX : CE_GANG_FRAME_MAX;
    memcpy(digits, header + MAGIC + 1, DIGITS);
    if (memcmp(header, magic, MAGIC) != 0 || strlen(digits) != DIGITS ||
        (letter != CE_GANG_OPEN && letter != CE_GANG_SEALED && letter != CE_GANG_DATA) ||
        ce_parse_u32(digits, 1, max, length) < 0)
        return -1;
    *type = (enum ce_gang_frame)letter;
    return 0;
}

/* ---------------------------------------------------------------- small things */

static int read_number(const struct ce_record *record, const char *key, uint64_t min, uint64_t max,
                       uint32_t *ret, struct ce_error *err)
{
    uint64_t value;
    int found = ce_record_number(record, min, max, &value, err, "%s", key);
    if (found == 0)
        return ce_fail(err, "%s is missing", key);
    if (found > 0)
        *ret = (uint32_t)value;
    return found < 0 ? -1 : 0;
}

static int read_nonce(const struct ce_record *record, const char *key, char ret[CE_GANG_NONCE],
                      struct ce_error *err)
{
    const char *text = ce_record_get(record, "%s", key);
    if (!text || strlen(text) != CE_GANG_NONCE - 1 ||
        strspn(text, "0123456789abcdef") != CE_GANG_NONCE - 1)
        return ce_fail(err, "%s: not 32 hexadecimal digits", key);
    memcpy(ret, text, CE_GANG_NONCE);
    return 0;
}

void ce_gang_offer_write(const struct ce_gang_offer *offer, struct ce_text *out)
{
    ce_record_begin(out);
    ce_record_add_number(out, offer->job, "job");
    ce_record_add_number(out, offer->from, "from");
    ce_record_add(out, offer->nonce, "nonce");
    ce_record_end(out);
}

int ce_gang_offer_parse(const char *text, struct ce_gang_offer *ret, struct ce_error *err)
{
    struct ce_gang_offer offer = {.job = 0};
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record || read_number(record, "job", 1, UINT32_MAX, &offer.job, err) < 0 ||
        read_number(record, "from", 0, CE_GANG_NODES_MAX - 1, &offer.from, err) < 0 ||
        read_nonce(record, "nonce", offer.nonce, err) < 0)
        return -1;
    *ret = offer;
    return 0;
}

/* ---------------------------------------------------------------- lines of a text */

static void write_lines(const char *text, struct ce_text *out)
{
    char line[1024];
    for (unsigned i = 0; *text; i++) {
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        ce_record_add(out, line, "line.%u", i);
        text += length + (text[length] == '\n');
    }
}

static int read_lines(const struct ce_record *record, char **ret, struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(CE_GANG_FRAME_MAX);
    const char *line;
    ce_text_add(&text, "");
    for (unsigned i = 0; i <= LINES_MAX && (line = ce_record_get(record, "line.%u", i)); i++) {
        if (i == LINES_MAX || !ce_is_printable(line))
            return ce_fail(err, "line.%u: too many, or not to be printed", i);
        ce_text_addf(&text, "%s\n", line);
    }
    *ret = ce_text_take(&text);
    return *ret ? 0 : ce_fail(err, "no memory");
}

/* ---------------------------------------------------------------- messages */

static void write_content(const struct ce_gang_message *message, struct ce_text *out)
{
    switch (message->kind) {
    case CE_GANG_HELLO:
        ce_record_add(out, message->own, "own");
        ce_record_add_number(out, message->ring, "ring");
        ce_record_add_number(out, message->left_ms, "left");
        ce_record_add_number(out, message->whole, "whole");
        ce_record_add_number(out, message->rails, "rails");
        break;
    case CE_GANG_WELCOME:
        ce_record_add_number(out, message->whole, "whole");
        ce_record_add_number(out, message->rails, "rails");
        break;
    case CE_GANG_VIEW:
        ce_gang_view_write(&message->view, out);
        break;
    case CE_GANG_VERDICT:
        ce_gang_verdict_write(&message->verdict, out);
        break;
    case CE_GANG_ENDS:
        write_lines(message->text ? message->text : "", out);
        break;
    case CE_GANG_STEP:
        ce_record_add_number(out, message->step, "step");
        break;
    case CE_GANG_CALL:
        break;
    }
}

void ce_gang_message_write(const struct ce_gang_message *message, struct ce_text *out)
{
    ce_record_begin(out);
    ce_record_add(out, kinds[message->kind], "kind");
    ce_record_add_number(out, message->job, "job");
    ce_record_add_number(out, message->from, "from");
    ce_record_add_number(out, message->to, "to");
    ce_record_add(out, message->nonce, "nonce");
    write_content(message, out);
    ce_record_end(out);
}

static int read_kind(const struct ce_record *record, enum ce_gang_kind *ret, struct ce_error *err)
{
    const char *text = ce_record_get(record, "kind");
    for (unsigned i = 0; text && i < KINDS; i++)
        if (strcmp(text, kinds[i]) == 0) {
            *ret = (enum ce_gang_kind)i;
            return 0;
        }
    return ce_fail(err, "kind=%.40s: not a message", text ? text : "");
}

static int read_hello(const struct ce_record *record, struct ce_gang_message *ret,
                      struct ce_error *err)
{
    uint32_t ring = 0, whole = 0;
    if (read_nonce(record, "own", ret->own, err) < 0 ||
        read_number(record, "ring", 0, 1, &ring, err) < 0 ||
        read_number(record, "whole", 0, 1, &whole, err) < 0 ||
        read_number(record, "rails", 0, CE_GANG_RAILS, &ret->rails, err) < 0 ||
        read_number(record, "left", 0, 86400000, &ret->left_ms, err) < 0)
        return -1;
    ret->ring = ring;
    ret->whole = whole;
    return 0;
}

static int read_content(const struct ce_record *record, uint32_t count, struct ce_gang_message *ret,
                        struct ce_error *err)
{
    uint32_t whole = 0;
    switch (ret->kind) {
    case CE_GANG_HELLO:
        return read_hello(record, ret, err);
    case CE_GANG_WELCOME:
        if (read_number(record, "whole", 0, 1, &whole, err) < 0 ||
            read_number(record, "rails", 0, CE_GANG_RAILS, &ret->rails, err) < 0)
            return -1;
        ret->whole = whole;
        return 0;
    case CE_GANG_VIEW:
        return ce_gang_view_read(record, &ret->view, err);
    case CE_GANG_VERDICT:
        return ce_gang_verdict_read(record, count, &ret->verdict, err);
    case CE_GANG_ENDS:
        return read_lines(record, &ret->text, err);
    case CE_GANG_STEP:
        return read_number(record, "step", 0, CE_GANG_STEPS - 1, &ret->step, err);
    case CE_GANG_CALL:
        break;
    }
    return 0;
}

int ce_gang_message_parse(const char *text, uint32_t count, struct ce_gang_message *ret,
                          struct ce_error *err)
{
    *ret = (struct ce_gang_message){.text = NULL};
    ce_auto(ce_record_destroy) struct ce_record *record = ce_record_parse(text, err);
    if (!record)
        return -1;
    if (count == 0)
        return ce_fail(err, "there are no nodes");
    if (read_kind(record, &ret->kind, err) < 0 ||
        read_number(record, "job", 1, UINT32_MAX, &ret->job, err) < 0 ||
        read_number(record, "from", 0, count - 1, &ret->from, err) < 0 ||
        read_number(record, "to", 0, count - 1, &ret->to, err) < 0 ||
        read_nonce(record, "nonce", ret->nonce, err) < 0)
        return -1;
    return read_content(record, count, ret, err);
}

void ce_gang_message_free(struct ce_gang_message *message)
{
    free(message->text);
    message->text = NULL;
}
