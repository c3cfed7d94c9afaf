/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes by what others call them: Slurm's NodeAddr, or the name in DNS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/resolve.h"
#include "survey/questions.h"

enum { ADDRESSES_MAX = 16 };

/* In a child: the resolver may hang. */
static int resolve(void *ctx)
{
    struct ce_address addresses[ADDRESSES_MAX];
    struct ce_error err;
    char text[CE_ADDRESS_TEXT];
    int count = ce_resolve(ctx, addresses, ADDRESSES_MAX, &err);
    if (count < 0)
        dprintf(STDERR_FILENO, "%s\n", err.text);
    for (int i = 0; i < count; i++)
        dprintf(STDOUT_FILENO, "%s\n", ce_address_format(&addresses[i], text));
    return count < 0;
}

/* The lines that resolve() wrote. */
static void take_addresses(struct ce_draft_node *node, const char *output)
{
    struct ce_address addresses[ADDRESSES_MAX];
    char line[CE_ADDRESS_TEXT];
    size_t count = 0, length;
    for (; *output && count < ADDRESSES_MAX; output += length + (output[length] == '\n')) {
        length = strcspn(output, "\n");
        snprintf(line, sizeof line, "%.*s", length < sizeof line ? (int)length : 0, output);
        count += ce_address_parse(line, &addresses[count]) == 0;
    }
    ce_draft_offer(node, addresses, count);
}

int ce_ask_slurm(const struct ce_ask *ask, const struct ce_roster *roster, struct ce_draft *draft,
                 struct ce_error *err)
{
    ce_autoquestions struct ce_questions questions;
    if (ce_questions_init(&questions, ask, draft, err) < 0)
        return -1;
    for (size_t i = 0; i < draft->count; i++) {
        const char *told = ce_roster_at(roster, i)->address;
        struct ce_address address;
        if (ce_address_parse(told, &address) == 0) {
            ce_draft_offer(&draft->nodes[i], &address, 1);
            continue;
        }
        struct ce_child *child = ce_questions_add(&questions, &draft->nodes[i]);
        child->body = resolve;
        child->ctx = (char *)told;
    }
    ce_questions_run(&questions, take_addresses);
    return 0;
}

int ce_ask_dns(const struct ce_ask *ask, struct ce_draft *draft, struct ce_error *err)
{
    ce_autofree char(*names)[CE_DRAFT_NAME] = calloc(draft->count + 1, sizeof *names);
    ce_autoquestions struct ce_questions questions;
    if (ce_questions_init(&questions, ask, draft, err) < 0)
        return -1;
    if (!names)
        return ce_fail(err, "no memory");
    for (size_t i = 0; i < draft->count; i++) {
        struct ce_child *child = ce_questions_add(&questions, &draft->nodes[i]);
        child->body = resolve;
        child->ctx = (void *)ce_draft_book_name(&draft->nodes[i], names[i]);
    }
    ce_questions_run(&questions, take_addresses);
    return 0;
}
