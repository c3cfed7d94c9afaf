/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/plugstack.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/parse.h"
#include "probe/elf.h"

enum { DEPTH_MAX = 8, FILES_MAX = 64, FILE_MAX = 1 << 20, LIBRARY_MAX = 16 << 20 };

struct reader {
    struct ce_install_plugstack *ret;
    unsigned depth, files;
};

/* ---------------------------------------------------------------- files and what they include */

/* The first reason is the one to tell. */
static void give_up(struct reader *reader, const char *why)
{
    if (reader->ret->read)
        ce_install_why(reader->ret->why, why);
    reader->ret->read = false;
}

static void add_line(struct reader *reader, const char *file, const struct ce_plugstack_line *line)
{
    struct ce_install_plugstack *ret = reader->ret;
    if (ret->count == CE_INSTALL_PLUGINS_MAX) {
        give_up(reader, "it has more lines than are looked at");
        return;
    }
    struct ce_install_plugin *item = &ret->items[ret->count++];
    *item = (struct ce_install_plugin){.kind = line->kind, .line = line->number};
    ce_copy(item->file, sizeof item->file, file);
    ce_copy(item->path, sizeof item->path, line->path);
    ce_copy(item->arguments, sizeof item->arguments, line->arguments);
}

static void read_file(struct reader *reader, const char *path);

/* What does not begin with '/' is beside the file that says it.  A pattern that fits nothing is no
 * fault. */
static void read_included(struct reader *reader, const char *file, const char *pattern)
{
    char full[2 * PATH_MAX];
    const char *slash = strrchr(file, '/');
    glob_t found = {.gl_pathc = 0};
    int length = slash ? (int)(slash - file) + 1 : 0;
    snprintf(full, sizeof full, "%.*s%s", *pattern == '/' ? 0 : length, file, pattern);
    if (reader->depth == DEPTH_MAX) {
        give_up(reader, "its files include one another too deeply");
        return;
    }
    reader->depth++;
    if (glob(full, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            read_file(reader, found.gl_pathv[i]);
    globfree(&found);
    reader->depth--;
}

static void read_file(struct reader *reader, const char *path)
{
    ce_autotext struct ce_text text = CE_TEXT(FILE_MAX);
    ce_autofree struct ce_plugstack_line *line = malloc(sizeof *line);
    struct ce_error err;
    unsigned number = 0;
    if (!line || ++reader->files > FILES_MAX) {
        give_up(reader, "it includes more files than are looked at");
        return;
    }
    enum ce_read_result result = ce_file_read(AT_FDCWD, path, CE_TRUST_ANY, &text, &err);
    if (result == CE_READ_MISSING && reader->files == 1)
        return;
    reader->ret->there = true;
    if (result != CE_READ_OK) {
        give_up(reader, err.text);
        return;
    }
    for (const char *at = ce_text_string(&text); ce_plugstack_next(&at, &number, line);)
        if (line->kind == CE_PLUGSTACK_INCLUDE)
            read_included(reader, path, line->path);
        else
            add_line(reader, path, line);
}

void ce_probe_plugstack(struct ce_install_plugstack *ret)
{
    struct reader reader = {.ret = ret};
    ret->read = true;
    ret->there = false;
    ret->why[0] = '\0';
    ret->count = 0;
    read_file(&reader, ret->path);
}

/* ---------------------------------------------------------------- the library */

int ce_probe_plugin_path(const char *name, const char *folders, char ret[PATH_MAX])
{
    ret[0] = '\0';
    if (*name == '/')
        return ce_copy(ret, PATH_MAX, name);
    while (*folders) {
        size_t length = strcspn(folders, ":");
        if (!ce_fits(snprintf(ret, PATH_MAX, "%.*s/%s", (int)length, folders, name), PATH_MAX))
            return -1;
        if (access(ret, F_OK) == 0)
            return 0;
        ret[0] = '\0';
        folders += length + (folders[length] == ':');
    }
    return 0;
}

/* Bytes, which may be 0 too: no text. */
static ssize_t read_bytes(int fd, unsigned char **ret)
{
    struct stat st;
    size_t done = 0;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > LIBRARY_MAX)
        return -1;
    *ret = malloc((size_t)st.st_size + 1);
    while (*ret && done < (size_t)st.st_size) {
        ssize_t n = read(fd, *ret + done, (size_t)st.st_size - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return *ret ? (ssize_t)done : -1;
}

static unsigned own_machine(void)
{
    ce_autofree unsigned char *bytes = NULL;
    ce_autoclose int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read_bytes(fd, &bytes);
    return size < 0 ? 0 : ce_elf_machine(bytes, (size_t)size);
}

static void read_library(int fd, struct ce_install_library *ret)
{
    ce_autofree unsigned char *bytes = NULL;
    struct ce_error err;
    ssize_t size = read_bytes(fd, &bytes);
    unsigned own = own_machine();
    if (size < 0)
        ce_fail(&err, "it cannot be read");
    else if (ce_elf_number(bytes, (size_t)size, "plugin_version", &ret->version, &err) == 0 && own &&
             ce_elf_machine(bytes, (size_t)size) != own)
        ce_fail(&err, "it is built for another kind of machine");
    else if (ret->version)
        return;
    ret->version = 0;
    ce_install_why(ret->why, err.text);
}

void ce_probe_library(struct ce_install_library *ret)
{
    struct stat st;
    ce_autoclose int fd = open(ret->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ret->there = fd >= 0 || errno != ENOENT;
    if (fd < 0 || fstat(fd, &st) < 0) {
        snprintf(ret->why, sizeof ret->why, "cannot open it: %s", strerror(errno));
        return;
    }
    ret->safe = st.st_uid == 0 && !(st.st_mode & 022);
    read_library(fd, ret);
}
