/* SPDX-License-Identifier: Apache-2.0 */
#include "health/site_book.h"

#include "probe/reach.h"

/* What reads the book, for a try of it. */
static int try_book(void *ctx)
{
    const char *path;
    ce_book_destroy(ce_site_book(ctx, &path, NULL));
    return 0;
}

struct ce_book *ce_site_book_within(struct ce_config *config, unsigned deadline_ms,
                                    const char **path, bool *hung, struct ce_error *err)
{
    *path = config->address_book[0] ? config->address_book : CE_SITE_BOOK;
    *hung = ce_probe_reach(*path, try_book, config, deadline_ms, err) < 0;
    return *hung ? NULL : ce_site_book(config, path, err);
}
