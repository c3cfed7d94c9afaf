/* SPDX-License-Identifier: Apache-2.0 */
#include "book_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/parse.h"
#include "base/replace.h"
#include "command.h"
#include "local/texts.h"

/* A rename would put a file in the place of a link to a shared folder. */
static void resolve_links(struct ce_book_file *file)
{
    char real[PATH_MAX];
    if (realpath(file->path, real))
        ce_copy(file->path, sizeof file->path, real);
}

static int open_folder(struct ce_book_file *file, struct ce_error *err)
{
    char copy[PATH_MAX];
    ce_copy(copy, sizeof copy, file->path);
    const char *folder = dirname(copy);
    file->dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file->dir < 0 || faccessat(file->dir, ".", W_OK, AT_EACCESS) < 0)
        return ce_fail(err, "%s: cannot write there: %s", folder, strerror(errno));
    return 0;
}

static int read_old(struct ce_book_file *file, struct ce_error *err)
{
    ce_autotext struct ce_text text = CE_TEXT(CE_TEXT_MAX);
    switch (ce_file_read(AT_FDCWD, file->path, CE_TRUST_OWNER, &text, err)) {
    case CE_READ_MISSING:
        return 0;
    case CE_READ_FAILED:
        return -1;
    case CE_READ_OK:
        break;
    }
    file->old = ce_book_parse(ce_text_string(&text), err);
    if (file->old)
        return 0;
    ce_fail_in(err, "%s", file->path);
    return ce_fail_in(err, "the old book cannot be read; mend or remove it");
}

int ce_book_file_open(const struct ce_config *config, struct ce_book_file *file,
                      struct ce_error *err)
{
    const char *path = config->address_book[0] ? config->address_book : CE_SITE_BOOK;
    *file = (struct ce_book_file){.dir = -1};
    ce_copy(file->path, sizeof file->path, path);
    resolve_links(file);
    if (strcmp(file->path, "/etc/hosts") == 0) {
        ce_fail(err, "address_book: /etc/hosts serves all programs of this machine and is not "
                     "replaced; name a file of its own, or print the book without --write");
        return CE_EXIT_USAGE;
    }
    if (open_folder(file, err) < 0)
        return CE_EXIT_UNKNOWN;
    return read_old(file, err) < 0 ? CE_EXIT_USAGE : CE_EXIT_OK;
}

int ce_book_file_replace(const struct ce_book_file *file, struct ce_text *text,
                         struct ce_error *err)
{
    char copy[PATH_MAX];
    if (!ce_text_ok(text))
        return ce_fail(err, "no memory");
    ce_copy(copy, sizeof copy, file->path);
    if (ce_file_replace(file->dir, basename(copy), ce_text_string(text), 0644, err) < 0)
        return ce_fail_in(err, "%s", file->path);
    return 0;
}

void ce_book_file_close(struct ce_book_file *file)
{
    if (file->dir >= 0)
        close(file->dir);
    ce_book_destroy(file->old);
    *file = (struct ce_book_file){.dir = -1};
}
