/* SPDX-License-Identifier: Apache-2.0 */
#include "local/texts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

static const char REMEDY[] = "run 'cluster-env facts --write' as root on this node "
                             "(cluster-env-facts.service does so at boot)";

/* A parser of one of the texts: its object is stored through `into`. */
struct reader {
    const char *name;
    int (*parse)(const char *text, struct ce_texts *into, struct ce_error *err);
};

static int parse_facts(const char *text, struct ce_texts *into, struct ce_error *err)
{
    into->node = ce_node_parse(text, err);
    return into->node ? 0 : -1;
}

static int parse_policy(const char *text, struct ce_texts *into, struct ce_error *err)
{
    if (ce_policy_parse(text, &into->policy, err) < 0)
        return -1;
    into->rules = ce_rules_parse(text, err);
    return into->rules ? 0 : -1;
}

static int parse_book(const char *text, struct ce_texts *into, struct ce_error *err)
{
    into->book = ce_book_parse_copy(text, err);
    return into->book ? 0 : -1;
}

static const struct reader readers[] = {
    {CE_FACTS_FILE, parse_facts},
    {CE_POLICY_FILE, parse_policy},
    {CE_BOOK_FILE, parse_book},
};

enum { READERS = sizeof readers / sizeof *readers };

static enum ce_read_result read_one(int dir, const char *run_dir, const struct reader *reader,
                                    struct ce_texts *texts, struct ce_notes *notes)
{
    ce_autotext struct ce_text text = CE_TEXT(CE_TEXT_MAX);
    struct ce_error err;
    enum ce_read_result result = ce_file_read(dir, reader->name, CE_TRUST_OWNER, &text, &err);
    if (result != CE_READ_OK)
        ce_note(notes, "%s/%s; %s", run_dir, err.text, REMEDY);
    else if (reader->parse(ce_text_string(&text), texts, &err) < 0)
        ce_note(notes, "%s/%s: %s; %s", run_dir, reader->name, err.text, REMEDY);
    return result;
}

/* Nobody has written any of them: that is one cause, so it is one note. */
static void read_all(int dir, const char *run_dir, struct ce_texts *texts, struct ce_notes *notes)
{
    struct ce_notes each = {.count = 0};
    size_t missing = 0;
    for (size_t i = 0; i < READERS; i++)
        missing += read_one(dir, run_dir, &readers[i], texts, &each) == CE_READ_MISSING;
    if (missing == READERS) {
        ce_note(notes, "%s: has none of the node's texts; %s", run_dir, REMEDY);
        return;
    }
    for (size_t i = 0; i < each.count; i++)
        ce_note(notes, "%s", each.line[i].text);
}

void ce_texts_read(const char *run_dir, struct ce_texts *ret, struct ce_notes *notes)
{
    *ret = (struct ce_texts){.node = NULL};
    ce_policy_default(&ret->policy);
    ce_autoclose int dir = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        ce_note(notes, "%s: cannot open: %s; %s", run_dir, strerror(errno), REMEDY);
    else
        read_all(dir, run_dir, ret, notes);
}

void ce_texts_free(struct ce_texts *texts)
{
    ce_node_destroy(texts->node);
    ce_book_destroy(texts->book);
    ce_rules_destroy(texts->rules);
    *texts = (struct ce_texts){.node = NULL};
}
